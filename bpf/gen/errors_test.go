package gen_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/p4ce/p4ce/bpf/gen"
	"github.com/p4ce/p4ce/p4/lang"
	"github.com/p4ce/p4ce/p4/lang/ir"
)

// TestErrors: everything that XDP cannot do in a program is said in one run, at the
// line that says so: `// XDP "regexp"`.
func TestErrors(t *testing.T) {
	files, err := filepath.Glob("testdata/*.p4")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	want := regexp.MustCompile(`// XDP "(.*)"`)
	for _, f := range files {
		t.Run(filepath.Base(f), func(t *testing.T) {
			prog, diags := lang.Compile(lang.Options{Path: f})
			require.NoError(t, diags.Err())
			_, err := gen.Generate(prog)
			var got ir.Errors
			require.ErrorAs(t, err, &got)
			text, err := os.ReadFile(f)
			require.NoError(t, err)
			for i, line := range strings.Split(string(text), "\n") {
				m := want.FindStringSubmatch(line)
				if m == nil {
					continue
				}
				require.NotEmpty(t, got, "line %d: not reported: %s", i+1, m[1])
				require.Equal(t, i+1, got[0].Pos.Line, got[0].Error())
				require.Regexp(t, m[1], got[0].Text)
				got = got[1:]
			}
			require.Empty(t, got)
		})
	}
}
