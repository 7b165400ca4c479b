package report

import (
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"
)

// Folder makes a folder for results and finds out whether files can be written there:
// before hours are spent on measuring them.
func Folder(dir string) error {
	err := os.MkdirAll(dir, 0o755)
	if err == nil {
		var f *os.File
		if f, err = os.CreateTemp(dir, ".writable-"); err == nil {
			return errors.Join(f.Close(), os.Remove(f.Name()))
		}
	}
	var p *fs.PathError
	if errors.As(err, &p) {
		err = p.Err
	}
	return fmt.Errorf("folder for the results: cannot write to %s: %w (--out names another)", dir, err)
}

// Write writes the table to w, and NAME.csv, NAME.json and the figures into a folder.
func (r *Result) Write(w io.Writer, dir string, figures ...Figure) error {
	if err := Folder(dir); err != nil {
		return err
	}
	if err := r.Table(w); err != nil {
		return err
	}
	if err := r.Files(dir, figures...); err != nil {
		return err
	}
	fmt.Fprintf(w, "\nEvery sample, the machine and the settings: %s.csv and .json in %s; figures: .svg and .png there.\n", r.Name, dir)
	return nil
}

// Files is Write without the table, into a folder that is there.
func (r *Result) Files(dir string, figures ...Figure) error {
	for name, write := range map[string]func(io.Writer) error{r.Name + ".csv": r.CSV, r.Name + ".json": r.JSON} {
		if err := create(filepath.Join(dir, name), write); err != nil {
			return err
		}
	}
	for _, f := range figures {
		if err := r.draw(dir, f); err != nil {
			return fmt.Errorf("figure %s: %w", f.Name, err)
		}
	}
	return nil
}

func create(file string, write func(io.Writer) error) error {
	f, err := os.Create(file)
	if err != nil {
		return err
	}
	return errors.Join(write(f), f.Close())
}

// JSON writes all of the result.
func (r *Result) JSON(w io.Writer) error {
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	judged := *r
	judged.Verdicts = r.Judged()
	return e.Encode(judged)
}

var header = []string{"metric", "unit", "case", "x", "system", "repetition", "value"}

// CSV writes the samples, one a line. Lines that begin with # say where they are from.
func (r *Result) CSV(w io.Writer) error {
	for _, l := range r.about() {
		if _, err := fmt.Fprintf(w, "# %s\n", strings.ReplaceAll(l, "\n", " ")); err != nil {
			return err
		}
	}
	c := csv.NewWriter(w)
	if err := c.Write(header); err != nil {
		return err
	}
	number := func(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }
	for _, s := range r.Samples {
		if err := c.Write([]string{s.Metric, r.unit(s.Metric), s.Case, number(s.X), s.System, strconv.Itoa(s.Repetition), number(s.Value)}); err != nil {
			return err
		}
	}
	c.Flush()
	return c.Error()
}

func (r *Result) unit(metric string) string {
	for _, m := range r.Metrics {
		if m.Name == metric {
			return m.Unit
		}
	}
	return ""
}

// about says where the samples are from, in lines.
func (r *Result) about() []string {
	out := []string{r.Title,
		fmt.Sprintf("%s, in %v, %s", r.Start.UTC().Format(time.RFC3339), r.Took.Round(time.Second), r.where())}
	var set []string
	for _, s := range r.Settings {
		set = append(set, s.Name+" "+s.Value)
	}
	if len(set) > 0 {
		out = append(out, "settings: "+strings.Join(set, ", "))
	}
	return append(out, r.state())
}

// where says on which machine, and what that did meanwhile where it matters.
func (r *Result) where() string {
	if r.Simulated {
		return r.Machine.facts()
	}
	return r.Machine.String()
}

// state says whether the run can be believed.
func (r *Result) state() string {
	if r.Simulated {
		return "in simulated time: what else used the machine was not looked at, and changes real times only"
	}
	if len(r.Disturbed) == 0 {
		return "a clean run: nothing else used the machine"
	}
	return "a disturbed run, of which only ratios are to be quoted, with their intervals: " + strings.Join(r.Disturbed, "; ")
}

// Table writes the result for people.
func (r *Result) Table(w io.Writer) error {
	for _, l := range r.about() {
		fmt.Fprintln(w, l)
	}
	for _, m := range r.Metrics {
		points := r.Points(m.Name)
		if len(points) == 0 {
			continue
		}
		fmt.Fprintf(w, "\n%s (%s), median (least .. most)\n", m.Name, m.Unit)
		tab := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
		var head []string
		head = append(head, "CASE")
		if r.Axis.Name != "" {
			head = append(head, strings.ToUpper(r.Axis.Name))
		}
		systems := r.measured(m.Name)
		for _, s := range systems {
			head = append(head, strings.ToUpper(s))
		}
		compared := systems[1:]
		if m.NoRatio {
			compared = nil
		}
		for _, s := range compared {
			head = append(head, fmt.Sprintf("%s / %s", strings.ToUpper(s), strings.ToUpper(systems[0])))
		}
		fmt.Fprintln(tab, strings.Join(append(head, "REPETITIONS"), "\t"))
		for _, p := range points {
			row := []string{p.Case}
			if r.Axis.Name != "" {
				row = append(row, fmt.Sprint(p.X))
			}
			n := 0
			for _, s := range systems {
				v := r.Of(p, s)
				n = max(n, v.N)
				row = append(row, cell(v, ""))
			}
			for _, s := range compared {
				row = append(row, cell(r.Ratio(p, s, systems[0]), "x"))
			}
			fmt.Fprintln(tab, strings.Join(append(row, fmt.Sprint(n)), "\t"))
		}
		if err := tab.Flush(); err != nil {
			return err
		}
	}
	if len(r.Notes)+len(r.Verdicts) > 0 {
		fmt.Fprintln(w)
	}
	for _, n := range r.Notes {
		fmt.Fprintln(w, "note:", n)
	}
	for _, v := range r.Judged() {
		fmt.Fprintln(w, v)
	}
	return nil
}

func cell(s Spread, mark string) string {
	if s.N == 0 {
		return "-"
	}
	return fmt.Sprintf("%s%s (%s .. %s)", mark, digits(s.Median), digits(s.Min), digits(s.Max))
}

// digits has three digits of what is small, and the whole of what is large.
func digits(v float64) string {
	switch {
	case v >= 100 || v <= -100:
		return fmt.Sprintf("%.0f", v)
	case v >= 10 || v <= -10:
		return fmt.Sprintf("%.1f", v)
	}
	return fmt.Sprintf("%.2f", v)
}
