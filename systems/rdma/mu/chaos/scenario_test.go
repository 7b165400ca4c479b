package chaos

import (
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"
)

// TestScenarios runs the scripts in testdata, and compares their traces with what is
// there (-rewrite writes them). A command and the lines below it are lines of a
// script, whose trace is left out when they begin with quietly; a violation is part of
// the trace.
func TestScenarios(t *testing.T) {
	datadriven.Walk(t, "testdata", func(t *testing.T, path string) {
		var w *World
		datadriven.RunTest(t, path, func(t *testing.T, d *datadriven.TestData) string {
			var out strings.Builder
			for _, line := range append([]string{commandLine(d)}, strings.Split(d.Input, "\n")...) {
				if line = strings.TrimSpace(line); line == "" {
					continue
				}
				if strings.HasPrefix(line, "cluster") {
					o, err := ParseOptions(line)
					if err != nil {
						d.Fatalf(t, "%v", err)
					}
					o.Trace = true
					w = New(o)
					continue
				}
				if w == nil {
					d.Fatalf(t, "there is no cluster yet")
				}
				line, quietly := strings.CutPrefix(line, "quietly ")
				said, err := w.Do(line)
				if quietly {
					w.TakeTrace()
				}
				for _, l := range w.TakeTrace() {
					out.WriteString(l + "\n")
				}
				out.WriteString(said)
				if err != nil {
					out.WriteString("error: " + err.Error() + "\n")
				}
			}
			if w != nil {
				for _, l := range w.TakeTrace() {
					out.WriteString(l + "\n")
				}
			}
			return out.String()
		})
		if w != nil && w.Failed() != nil {
			t.Error(w.Failed())
		}
	})
}

// commandLine is the first line of a directive.
func commandLine(d *datadriven.TestData) string {
	line := d.Cmd
	for _, a := range d.CmdArgs {
		line += " " + a.Key
		if len(a.Vals) > 0 {
			line += "=" + strings.Join(a.Vals, ",")
		}
	}
	return line
}
