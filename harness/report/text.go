package report

import (
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"
)

// escapes matches the complete control sequences of terminals: colours and cursor movements, titles and links with
// their payload, and the short ones. One that never ends is not matched as such: only its first characters go, or a
// server could hide the rest of its answer behind it.
var escapes = regexp.MustCompile(`(?:\x1b\[|\x{9b})[0-?]*[ -/]*[@-~]` +
	`|(?:\x1b[\]PX^_]|\x{9d}|\x{90})[^\x07\x1b\x{9c}]*(?:\x07|\x1b\\|\x{9c})` +
	`|\x1b[ -/]*[0-~]`)

// Clean makes text harmless for every reader: what a server sent must not move the cursor of a terminal, turn the
// direction of a line around, or be illegal in XML. Line breaks and tabs stay.
func Clean(s string) string {
	s = strings.ToValidUTF8(s, "\uFFFD")
	if strings.ContainsAny(s, "\x1b\u0090\u009b\u009d") { // most texts have none, and looking for them is slow
		s = escapes.ReplaceAllString(s, "")
	}
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\n' || r == '\t':
			return r
		case r == '\r' || r == '\u2028' || r == '\u2029':
			return '\n'
		case unicode.IsControl(r), invisible(r):
			return -1
		}
		return r
	}, s)
}

// invisible recognises characters that show nothing but change how their neighbours are shown, and those that no
// text may hold. The joiners of emoji and of Indic scripts are not among them.
func invisible(r rune) bool {
	switch {
	case r >= 0x202A && r <= 0x202E, r >= 0x2066 && r <= 0x2069, r == 0x200E, r == 0x200F, r == 0x061C: // direction
		return true
	case r == 0x200B, r == 0xFEFF, r == 0x00AD, r >= 0xE0000 && r <= 0xE007F: // no width
		return true
	case r >= 0xFDD0 && r <= 0xFDEF, r&0xFFFE == 0xFFFE: // not characters
		return true
	}
	return false
}

// line is clean text on one line.
func line(s string) string { return strings.Join(strings.Fields(Clean(s)), " ") }

// lines is clean text with its line breaks, without the empty lines.
func lines(s string) []string {
	var out []string
	for l := range strings.SplitSeq(Clean(s), "\n") {
		if l = strings.TrimRight(strings.ReplaceAll(l, "\t", "    "), " "); l != "" {
			out = append(out, l)
		}
	}
	return out
}

// fit shortens a line to a number of columns; a Hangul syllable or an emoji takes two.
func fit(s string, columns int) string {
	columns = max(columns, 1)
	out := ansi.Truncate(s, columns, "…")
	for width(out) > columns { // what follows an ASCII character can make it wider, which Truncate does not see
		r := []rune(strings.TrimSuffix(out, "…"))
		out = string(r[:len(r)-1]) + "…"
	}
	return out
}

// pad fills a line up with spaces.
func pad(s string, columns int) string {
	return s + strings.Repeat(" ", max(columns-width(s), 0))
}

// width is the number of columns that a line takes.
func width(s string) int { return ansi.StringWidth(s) }

// fold breaks a line at its spaces so that no part is wider than the number of columns. A word breaks only if it
// does not fit on a line of its own: ids, dates and links must stay whole to be copied.
func fold(s string, columns int) []string {
	columns = max(columns, 2) // what takes two columns must fit
	var out []string
	now := ""
	for _, word := range strings.Fields(s) {
		// Of the whole, since a space can take two columns because of what follows it.
		if longer := now + " " + word; now != "" && width(longer) <= columns {
			now = longer
			continue
		}
		if now != "" {
			out = append(out, now)
		}
		if width(word) > columns {
			parts := pieces(word, columns)
			out, word = append(out, parts[:len(parts)-1]...), parts[len(parts)-1]
		}
		now = word
	}
	return append(out, now)
}

// pieces breaks a word so that none is wider than the number of columns, at least two.
func pieces(word string, columns int) []string {
	var out []string
	for part := range strings.SplitSeq(ansi.Hardwrap(word, columns, true), "\n") {
		for width(part) > columns { // see fit
			_, last := utf8.DecodeLastRuneInString(part)
			head := part[:len(part)-last]
			for width(head) > columns {
				_, last = utf8.DecodeLastRuneInString(head)
				head = head[:len(head)-last]
			}
			out, part = append(out, head), part[len(head):]
		}
		out = append(out, part)
	}
	return out
}

// words joins what is not empty.
func words(parts ...string) string {
	return strings.Join(slices.DeleteFunc(parts, func(s string) bool { return s == "" }), " ")
}
