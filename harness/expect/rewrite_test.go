package expect_test

import (
	"strings"
	"testing"

	"github.com/embedcontract/embedcontract/harness/expect"
)

// listText has what people write: comments of each kind, quotes, a mapping in brackets, a folded text, a key after the list.
const listText = `# The list of a.
targets: [a]   # and of nothing else
known:
  # The first.

  # Of one.
  - check: c/one # why this one
    variant: bad # it is
    why: >-
      it is
      # no comment
      bad
    upstream: 'u'
    review: 2027-01-31
    # the end of one

  # Of two.
  - {why: "für zwei", check: c/two, variant: "odd", upstream: u, review: 2027-01-31}

  - check: c/pair
    references: [x,   y]
    variant: 'bad'
    why: w
    upstream: u
    review: 2027-01-31
  # The end of the list.
versions: {d: ">=1"} # of the server
`

func TestRewrite(t *testing.T) {
	one := expect.Known{Check: "c/one", Variant: "worse"}
	pair := expect.Known{Check: "c/pair-too", Variant: "no-answer", References: []string{"x", "y z", "null"}, Versions: map[string]string{"d": "==1.10"}, Why: "w", Upstream: "u", Review: "2027-01-31"}
	const oneText = "- check: c/one\n  variant: worse\n  why: \"TODO: why it answers so\"\n  upstream: \"TODO: the issue, change or text that explains it\"\n  review: \"TODO: the day to look again, YYYY-MM-DD\"\n"
	first := listText[strings.Index(listText, "  # Of one.") : strings.Index(listText, "    # the end of one")+len("    # the end of one\n\n")]
	for _, c := range []struct {
		name, text string
		edits      expect.Edits
		want       string
	}{
		{"nothing", listText, expect.Edits{}, listText},
		{"variants", listText, expect.Edits{Variants: map[int]string{0: "worse", 1: "none", 2: "null-or-absent"}},
			strings.NewReplacer("variant: bad #", "variant: worse #", `variant: "odd"`, "variant: none", "variant: 'bad'", "variant: null-or-absent").Replace(listText)},
		{"the first goes", listText, expect.Edits{Remove: map[int]bool{0: true}}, strings.Replace(listText, first, "", 1)},
		{"one in the middle goes", listText, expect.Edits{Remove: map[int]bool{1: true}},
			strings.Replace(listText, "  # Of two.\n  - {why: \"für zwei\", check: c/two, variant: \"odd\", upstream: u, review: 2027-01-31}\n\n", "", 1)},
		{"the last goes, one comes", listText, expect.Edits{Remove: map[int]bool{2: true}, Add: []expect.Known{pair}},
			strings.Replace(listText, listText[strings.Index(listText, "\n  - check: c/pair\n"):strings.Index(listText, "  # The end of the list.")],
				"\n\n  - check: c/pair-too\n    variant: no-answer\n    references: [x, \"y z\", \"null\"]\n    versions: {d: \"==1.10\"}\n    why: \"w\"\n    upstream: \"u\"\n    review: \"2027-01-31\"\n", 1)},
		{"all at once", "targets: [a]\nknown:\n- {check: c/one, variant: bad" + rest + "- {check: c/two, variant: odd" + rest, expect.Edits{Variants: map[int]string{1: "none"}, Remove: map[int]bool{0: true}, Add: []expect.Known{one}},
			"targets: [a]\nknown:\n- {check: c/two, variant: none" + rest + oneText},
		{"without a last line end", "targets: [a]\nknown:\n- {check: c/two, variant: odd" + strings.TrimSpace(rest), expect.Edits{Add: []expect.Known{one}},
			"targets: [a]\nknown:\n- {check: c/two, variant: odd" + rest + oneText},
		{"with carriage returns", strings.ReplaceAll(listText, "\n", "\r\n"), expect.Edits{Variants: map[int]string{0: "worse"}},
			strings.ReplaceAll(strings.Replace(listText, "variant: bad #", "variant: worse #", 1), "\n", "\r\n")},
		{"a dash of its own", "targets: [a]\nknown:\n-\n  check: c/one\n  variant: bad\n  why: w\n  upstream: u\n  review: 2027-01-31\n- {check: c/two, variant: odd" + rest,
			expect.Edits{Remove: map[int]bool{0: true}}, "targets: [a]\nknown:\n- {check: c/two, variant: odd" + rest},
		{"all go", "targets: [a]\nknown: # all\n- {check: c/two, variant: odd" + rest, expect.Edits{Remove: map[int]bool{0: true}}, "targets: [a]\nknown: [] # all\n"},
		{"the first of an empty list", "known: [] # all\ntargets: [a]\n", expect.Edits{Add: []expect.Known{one}}, "known: # all\n" + indented(oneText) + "targets: [a]\n"},
		{"the first of no list", "targets: [a]\nknown:\n", expect.Edits{Add: []expect.Known{one}}, "targets: [a]\nknown:\n" + indented(oneText)},
		{"the first of null", "targets: [a]\nknown: null\n", expect.Edits{Add: []expect.Known{one}}, "targets: [a]\nknown:\n" + indented(oneText)},
		{"no known", "targets: [a]", expect.Edits{Add: []expect.Known{one}}, "targets: [a]\nknown:\n" + indented(oneText)},
	} {
		got, err := expect.Rewrite([]byte(c.text), c.edits)
		if err != nil || string(got) != c.want {
			t.Errorf("%s: %v\n%s\nwant\n%s", c.name, err, got, c.want)
		}
	}
}

func indented(text string) string {
	return "  " + strings.TrimSuffix(strings.ReplaceAll(text, "\n", "\n  "), "  ")
}

// TestRewriteLeavesTheRestUnread: what a rewritten file has left to a person keeps it from being read.
func TestRewriteLeavesTheRestUnread(t *testing.T) {
	const text = "targets: [a]\nknown: []\n"
	for i, field := range []string{"why", "upstream", "review"} {
		k := expect.Known{Check: "c/one", Variant: "worse", Why: "w", Upstream: "u", Review: "2027-01-31"}
		*[]*string{&k.Why, &k.Upstream, &k.Review}[i] = ""
		got, err := expect.Rewrite([]byte(text), expect.Edits{Add: []expect.Known{k}})
		if err != nil {
			t.Fatal(err)
		}
		if f, err := expect.Parse("list.yaml", got, suite()); err == nil || !strings.Contains(err.Error(), "list.yaml: ["+string('5'+rune(i))+":") || !strings.Contains(err.Error(), field+" is still to be written") {
			t.Errorf("%s: %+v, %v", field, f, err)
		}
	}
}

func TestRewriteRefuses(t *testing.T) {
	set := expect.Edits{Variants: map[int]string{0: "worse"}}
	add := expect.Edits{Add: []expect.Known{{Check: "c/one", Variant: "worse"}}}
	for text, want := range map[string]string{
		"targets: [a]\nknown: [{check: c/one, variant: bad" + strings.TrimSpace(rest) + "]\n": "in brackets",
		"targets: [a]\nknown:\n- check: c/one\n  variant: >-\n    bad\n  why: w\n":            "no variant that can be replaced",
		"targets: [a]\nknown:\n- check: c/one\n  variant: \"b\\x61d\"\n  why: w\n":            "line 4: variant is not written",
		"targets: [a]\n---\nknown: []\n":                                                      "2 documents",
		"{targets: [a], known: []}\n":                                                         "its layout is none that can be edited",
		"targets: [a]\nknown: [\n]\n":                                                         "its layout is none that can be edited",
		"targets: [a]\r\nknown:\n- check: c/one\n  variant: bad\n  why: w\n":                  "end in two ways",
		"targets: [a\n": "not valid YAML",
		"targets: [a]\nknown:\n- check: c/one\n  why: w\n": "no variant that can be replaced",
	} {
		edits := set
		if strings.Contains(want, "layout") {
			edits = add
		}
		if got, err := expect.Rewrite([]byte(text), edits); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %q, %v, want %q", text, got, err, want)
		}
	}
}
