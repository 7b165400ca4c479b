package lang_test

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/p4ce/p4ce/p4/lang"
	"github.com/p4ce/p4ce/p4/lang/diag"
)

// want is an expectation in a test source: `// ERROR P4201 "regexp"` for its
// line, `/* ERROR P4201 "regexp" */` for exactly the token behind it; WARN for
// a warning.
type want struct {
	line, col int // col 0: any
	severity  diag.Severity
	code      diag.Code
	re        *regexp.Regexp
	met       bool
}

var wantRE = regexp.MustCompile(`(//|/\*) (ERROR|WARN) (P4\d+) "([^"]*)"( \*/ *)?`)

func wants(t *testing.T, text string) []*want {
	var out []*want
	for i, line := range strings.Split(text, "\n") {
		for _, m := range wantRE.FindAllStringSubmatchIndex(line, -1) {
			w := &want{line: i + 1, code: diag.Code(line[m[6]:m[7]])}
			if line[m[4]:m[5]] == "WARN" {
				w.severity = diag.Warning
			}
			re, err := regexp.Compile(line[m[8]:m[9]])
			require.NoError(t, err)
			w.re = re
			if line[m[2]:m[3]] == "/*" {
				w.col = m[1] + 1
			}
			out = append(out, w)
		}
	}
	return out
}

// TestErrors compiles the sources in testdata/errors: every error must be
// expected, and every expectation met.
func TestErrors(t *testing.T) {
	files, err := filepath.Glob("testdata/errors/*.p4")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, f := range files {
		t.Run(strings.TrimSuffix(filepath.Base(f), ".p4"), func(t *testing.T) {
			text, err := os.ReadFile(f)
			require.NoError(t, err)
			ws := wants(t, string(text))
			require.NotEmpty(t, ws, "no expectations")
			p, l := lang.Compile(lang.Options{Path: f, Source: text, IncludeDirs: []string{"testdata/errors/include"}})
			var problems []string
			hasError := false
			for _, w := range ws {
				hasError = hasError || w.severity == diag.Error
			}
			require.Equal(t, hasError, l.HasErrors())
			require.Equal(t, hasError, p == nil)
			for _, d := range l.Items {
				if filepath.Base(d.Pos.Filename()) == "self.p4" {
					require.Equal(t, diag.Include, d.Code)
					continue
				}
				if !meet(ws, f, d) {
					problems = append(problems, "not expected: "+d.Format())
				}
			}
			for _, w := range ws {
				if !w.met {
					problems = append(problems, fmt.Sprintf("not reported: %s:%d: %s %q", f, w.line, w.code, w.re))
				}
			}
			require.Empty(t, problems, strings.Join(problems, "\n"))
		})
	}
}

func meet(ws []*want, file string, d *diag.Diagnostic) bool {
	for _, w := range ws {
		if !w.met && w.line == d.Pos.LineNumber() && d.Pos.Filename() == file && (w.col == 0 || w.col == int(d.Pos.Col)) &&
			w.severity == d.Severity && w.code == d.Code && w.re.MatchString(d.Message) {
			w.met = true
			return true
		}
	}
	return false
}

// TestEveryCodeHasAnExample keeps the table of codes and the examples together.
func TestEveryCodeHasAnExample(t *testing.T) {
	table, err := os.ReadFile("diag/codes.go")
	require.NoError(t, err)
	var examples strings.Builder
	files, err := filepath.Glob("testdata/errors/*.p4")
	require.NoError(t, err)
	for _, f := range files {
		b, err := os.ReadFile(f)
		require.NoError(t, err)
		for _, m := range wantRE.FindAllStringSubmatch(string(b), -1) {
			examples.WriteString(m[3] + "\n")
		}
	}
	for _, m := range regexp.MustCompile(`"(P4\d+)"`).FindAllStringSubmatch(string(table), -1) {
		require.Contains(t, examples.String(), m[1]+"\n", "code %s has no example in testdata/errors", m[1])
	}
}
