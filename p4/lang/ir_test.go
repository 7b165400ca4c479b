package lang_test

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/p4ce/p4ce/p4/lang"
	"github.com/p4ce/p4ce/p4/lang/ir"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// TestIR compares the lowered form of the programs in testdata/ir with golden
// files, and compiles each again from its bundle.
func TestIR(t *testing.T) {
	files, err := filepath.Glob("testdata/ir/*.p4")
	require.NoError(t, err)
	for _, f := range files {
		t.Run(strings.TrimSuffix(filepath.Base(f), ".p4"), func(t *testing.T) {
			p, l := lang.Compile(lang.Options{Path: f, IncludeDirs: []string{"testdata/errors/include"}})
			require.False(t, l.HasErrors(), l.String())
			got := dump(t, p) + warnings(l.String())
			golden := strings.TrimSuffix(f, ".p4") + ".ir"
			if *update {
				require.NoError(t, os.WriteFile(golden, []byte(got), 0o644))
			}
			want, err := os.ReadFile(golden)
			require.NoError(t, err)
			require.Equal(t, string(want), got)

			q, l := lang.Compile(lang.Options{Path: f, Source: []byte(p.Source)})
			require.False(t, l.HasErrors(), l.String())
			require.Equal(t, dump(t, p), dump(t, q))
			require.Equal(t, p.Source, q.Source)
			require.Equal(t, p.Tables, q.Tables, "positions are kept as well")
		})
	}
}

func dump(t *testing.T, p *ir.Program) string {
	var b strings.Builder
	require.NoError(t, ir.Fprint(&b, p))
	return b.String()
}

func warnings(s string) string {
	if s == "" {
		return ""
	}
	return "warnings:\n" + s
}
