package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/csv"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"slices"
	"strconv"
	"strings"
	"text/template"

	"github.com/p4ce/p4ce/p4"
	"github.com/p4ce/p4ce/p4/lang"
	"github.com/p4ce/p4ce/p4/lang/diag"
	"github.com/p4ce/p4ce/p4/lang/include"
	"github.com/p4ce/p4ce/p4/lang/syntax"
)

// sourceOf is the digest of a program as a compiler for Tofino sees it. Comments and line breaks do not matter.
func sourceOf(name string) (string, error) {
	text, err := fs.ReadFile(p4.FS, p4.Source(name))
	if err != nil {
		return "", err
	}
	defines := lang.Predefined()
	delete(defines, "__p4xc__")
	var diags diag.List
	tokens := syntax.Preprocess(p4.Source(name), string(text), syntax.Source{
		Read:    func(file string) ([]byte, error) { return fs.ReadFile(p4.FS, path.Clean(file)) },
		Builtin: include.Read,
		Defines: defines,
	}, &diags)
	if diags.HasErrors() {
		return "", diags.Err()
	}
	sum := sha256.New()
	for _, t := range tokens {
		fmt.Fprintf(sum, "%d %q\n", t.Kind, t.Text)
	}
	return fmt.Sprintf("%x", sum.Sum(nil))[:12], nil
}

func header() []string {
	h := []string{"program", "source", "compiler", "ingress_stages", "egress_stages"}
	for _, r := range resources {
		h = append(h, r.name)
	}
	return h
}

// readRows reads what was measured. Without the file there is nothing.
func readRows(file string) ([]Row, error) {
	f, err := os.Open(file)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()
	records, err := csv.NewReader(f).ReadAll()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	if len(records) == 0 || !slices.Equal(records[0], header()) {
		return nil, fmt.Errorf("%s: want the columns %s", file, strings.Join(header(), ", "))
	}
	var rows []Row
	for _, rec := range records[1:] {
		r := Row{Program: rec[0], Source: rec[1], Compiler: rec[2]}
		numbers := make([]int, len(rec)-3)
		for i, s := range rec[3:] {
			if numbers[i], err = strconv.Atoi(s); err != nil {
				return nil, fmt.Errorf("%s: program %s: %w", file, r.Program, err)
			}
		}
		r.Ingress, r.Egress, r.Use = numbers[0], numbers[1], numbers[2:]
		rows = append(rows, r)
	}
	return rows, nil
}

func writeRows(file string, rows []Row) error {
	var b bytes.Buffer
	w := csv.NewWriter(&b)
	_ = w.Write(header())
	for _, r := range rows {
		rec := []string{r.Program, r.Source, r.Compiler, strconv.Itoa(r.Ingress), strconv.Itoa(r.Egress)}
		for _, n := range r.Use {
			rec = append(rec, strconv.Itoa(n))
		}
		_ = w.Write(rec)
	}
	w.Flush()
	if err := w.Error(); err != nil {
		return err
	}
	return os.WriteFile(file, b.Bytes(), 0o644)
}

var page = template.Must(template.New("page").Parse(`<!-- Written by make tofino. Do not edit. -->

# What the programs need of a Tofino

This page shows what each program needs of a Tofino 1, as the public P4 compiler places it (Table III of the P4xos paper has such
numbers for a first implementation of Paxos; [references](references.md)). The chip has {{.Stages}} stages, which ingress and egress
share. All programs compile, fit in one pass, and give a binary. No chip has been tested.

| |{{range .Rows}} {{.Program}} |{{end}} of |
|---|{{range .Rows}}---|{{end}}---|
| stages, ingress |{{range .Rows}} {{.Ingress}} |{{end}} {{.Stages}} |
| stages, egress |{{range .Rows}} {{.Egress}} |{{end}} {{.Stages}} |
{{range .Lines}}| {{.Title}} |{{range .Cells}} {{.}} |{{end}} {{.Of}} |
{{end}}
Numbers are of ingress and egress together, with the share of the whole chip.
{{range .Stale}}
The source of ` + "`{{.}}`" + ` has changed since its column was measured.
{{end}}
| program | source | compiler |
|---|---|---|
{{range .Rows}}| [{{.Program}}](../p4/{{.Program}}/{{.Program}}.p4) | {{.Source}} | {{.Compiler}} |
{{end}}
The source is a digest (SHA-256) of the program's tokens. To measure again, give the driver of a compiler, which is ` + "`bf-p4c`" + ` of
Intel's SDE, or ` + "`p4c`" + ` of [p4lang/p4c](https://github.com/p4lang/p4c) with its Tofino back end and assembler:

` + "```sh" + `
make tofino BF_P4C=/path/to/bf-p4c
` + "```" + `

The command fails if a program does not compile, has no binary or needs more stages than the chip has. It takes a few minutes.
The numbers are also in [p4/tofino.csv](../p4/tofino.csv).
`))

// line is a row of the page's table.
type line struct {
	Title string
	Cells []string
	Of    int
}

// render writes the page; sourceOf has the digest of a program's present source.
func render(rows []Row, sourceOf func(string) (string, error)) ([]byte, error) {
	data := struct {
		Stages int
		Rows   []Row
		Lines  []line
		Stale  []string
	}{Stages: stages, Rows: rows}
	for k, r := range resources {
		l := line{Title: r.title, Of: r.total()}
		for _, row := range rows {
			l.Cells = append(l.Cells, fmt.Sprintf("%d (%.0f %%)", row.Use[k], 100*float64(row.Use[k])/float64(r.total())))
		}
		data.Lines = append(data.Lines, l)
	}
	for _, row := range rows {
		now, err := sourceOf(row.Program)
		if err != nil {
			return nil, err
		}
		if now != row.Source {
			data.Stale = append(data.Stale, row.Program)
		}
	}
	var b bytes.Buffer
	err := page.Execute(&b, data)
	return b.Bytes(), err
}
