// Package html renders a report as one HTML file: it needs no network and no script, and can be printed. Like every
// renderer it reads nothing but the Report.
//
// The file is made for an engineer who shows it to a manager unchanged: the verdict first, then the matrix of behaviours and
// targets, then pictures of what was measured, then the evidence of each cell, which its place in the matrix links to.
// What servers sent is in it: all text is escaped by html/template, and a content security policy lets nothing be loaded
// and no script run but the one that stands there.
package html

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"fmt"
	"html/template"
	"io"

	"github.com/embedcontract/embedcontract/harness/report"
	"github.com/embedcontract/embedcontract/harness/upgrade"
)

//go:embed templates/*.html templates/style.css templates/script.js
var files embed.FS

// Write renders a report. The same report gives the same bytes.
func Write(r *report.Report, w io.Writer) error {
	r, err := cleaned(r)
	if err != nil {
		return err
	}
	return render(w, "report.html", newPage(r))
}

// WriteUpgrade renders a comparison of two recordings of one server, as before and after an upgrade.
func WriteUpgrade(d *upgrade.Diff, w io.Writer) error {
	d, err := cleaned(d)
	if err != nil {
		return err
	}
	return render(w, "upgrade.html", newUpgradePage(d))
}

// render executes a template into memory first: half a page must not pass for a whole one.
func render(w io.Writer, name string, data any) error {
	style, err := files.ReadFile("templates/style.css")
	if err != nil {
		return fmt.Errorf("report: %w", err)
	}
	script, err := files.ReadFile("templates/script.js")
	if err != nil {
		return fmt.Errorf("report: %w", err)
	}
	digest := sha256.Sum256(script)
	t, err := template.New("").Funcs(template.FuncMap{
		"style":  func() template.CSS { return template.CSS(style) },
		"script": func() template.JS { return template.JS(script) },
		"policy": func() string {
			return "default-src 'none'; style-src 'unsafe-inline'; img-src data:; script-src 'sha256-" +
				base64.StdEncoding.EncodeToString(digest[:]) + "'"
		},
		"marks":  markKinds,
		"shared": func() []kind { return append(outcomeKinds(), effectKinds()...) },
		"part":   func(of, with any) map[string]any { return map[string]any{"Of": of, "With": with} },
	}).ParseFS(files, "templates/*.html")
	if err != nil {
		return fmt.Errorf("report: %w", err)
	}
	var b bytes.Buffer
	if err := t.ExecuteTemplate(&b, name, data); err != nil {
		return fmt.Errorf("report: %w", err)
	}
	if _, err := w.Write(b.Bytes()); err != nil {
		return fmt.Errorf("report: %w", err)
	}
	return nil
}
