package report

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
)

// Part is one benchmark of several that have run one after the other.
type Part struct {
	Name    string   `json:"name"`
	Result  *Result  `json:"result,omitempty"`
	Figures []string `json:"figures,omitempty"` // files, relative to the report
	Error   string   `json:"error,omitempty"`   // why there is no result
}

// Read reads what Write has written of a benchmark into a folder under dir of its name.
// A benchmark with a result has no error.
func Read(dir, name string) (Part, error) {
	p := Part{Name: name}
	b, err := os.ReadFile(filepath.Join(dir, name, name+".json"))
	if err != nil {
		return p, err
	}
	p.Result = &Result{}
	if err := json.Unmarshal(b, p.Result); err != nil {
		return p, fmt.Errorf("%s.json: %w", name, err)
	}
	files, err := filepath.Glob(filepath.Join(dir, name, "*.svg"))
	for _, f := range files {
		p.Figures = append(p.Figures, filepath.ToSlash(filepath.Join(name, filepath.Base(f))))
	}
	return p, err
}

// WriteAll writes report.md and report.json of all parts into a folder, and every
// verdict to w.
func WriteAll(w io.Writer, dir string, parts []Part) error {
	if err := verdicts(w, parts); err != nil {
		return err
	}
	err := create(filepath.Join(dir, "report.json"), func(w io.Writer) error {
		e := json.NewEncoder(w)
		e.SetIndent("", "  ")
		return e.Encode(parts)
	})
	if err != nil {
		return err
	}
	return create(filepath.Join(dir, "report.md"), func(w io.Writer) error { return markdown(w, parts) })
}

func verdicts(w io.Writer, parts []Part) error {
	var b strings.Builder
	for _, p := range parts {
		switch {
		case p.Error != "":
			fmt.Fprintf(&b, "%s: no result: %s\n", p.Name, p.Error)
		case p.Result != nil:
			for _, v := range p.Result.Judged() {
				fmt.Fprintf(&b, "%s: %v\n", p.Name, v)
			}
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// markdown writes the report for people: every verdict first, then each part.
func markdown(w io.Writer, parts []Part) error {
	var b strings.Builder
	b.WriteString("# Benchmarks of p4ce\n\n| benchmark | what | got | wanted | verdict |\n|---|---|---|---|---|\n")
	row := func(cells ...string) {
		for _, c := range cells {
			fmt.Fprintf(&b, "| %s ", strings.NewReplacer("|", `\|`, "\n", " ").Replace(c))
		}
		b.WriteString("|\n")
	}
	for _, p := range parts {
		if p.Error != "" {
			row(p.Name, "", "", "", "no result: "+p.Error)
			continue
		}
		for _, v := range p.Result.Judged() {
			got, wanted, end := v.cells()
			row(p.Name, v.What, got, wanted, end)
		}
	}
	for _, p := range parts {
		fmt.Fprintf(&b, "\n## %s\n\n", p.Name)
		if p.Error != "" {
			fmt.Fprintf(&b, "No result: %s\n", p.Error)
			continue
		}
		b.WriteString("```\n")
		if err := p.Result.Table(&b); err != nil {
			return err
		}
		b.WriteString("```\n")
		for _, f := range p.Figures {
			fmt.Fprintf(&b, "\n![%s](%s)\n", strings.TrimSuffix(filepath.Base(f), ".svg"), f)
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}
