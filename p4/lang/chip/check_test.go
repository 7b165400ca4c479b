package chip_test

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/p4ce/p4ce/p4"
	"github.com/p4ce/p4ce/p4/lang"
	"github.com/p4ce/p4ce/p4/lang/chip"
	"github.com/p4ce/p4ce/p4/lang/ir"
)

// TestRefused: what a Tofino cannot do is said in one run, at the line that says so: `// TOFINO "regexp"`.
func TestRefused(t *testing.T) {
	const file = "testdata/refused.p4"
	prog, diags := lang.Compile(lang.Options{Path: file})
	require.NoError(t, diags.Err())
	var got ir.Errors
	require.ErrorAs(t, chip.Check(prog), &got)
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	want := regexp.MustCompile(`// TOFINO "(.*)"`)
	for i, line := range strings.Split(string(text), "\n") {
		m := want.FindStringSubmatch(line)
		if m == nil {
			continue
		}
		require.NotEmpty(t, got, "line %d: not reported: %s", i+1, m[1])
		require.Equal(t, i+1, got[0].Pos.Line, got[0].Error())
		require.Regexp(t, m[1], got[0].Text)
		require.Equal(t, chip.Code, got[0].Code)
		got = got[1:]
	}
	require.Empty(t, got)
}

// TestPrograms: what the public compiler compiles is not refused (docs/tofino.md has what it makes of the programs).
func TestPrograms(t *testing.T) {
	for _, program := range p4.Programs() {
		prog, diags := lang.Compile(lang.Options{Path: p4.Source(program), FS: p4.FS})
		require.NoError(t, diags.Err())
		require.NoError(t, chip.Check(prog), program)
	}
}
