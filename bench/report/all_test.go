package report

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// What benchmarks have written is put together: every verdict, in the order of running,
// also of a disturbed run, and those without a result.
func TestAll(t *testing.T) {
	dir := t.TempDir()
	r := sample()
	r.AtLeast("good | put", at, "accelerated", "direct", 2, "")
	r.Disturbed = []string{"a compiler"}
	require.NoError(t, r.Write(&bytes.Buffer{}, filepath.Join(dir, "x"), Figure{Name: "x", Metric: "rate"}))
	p, err := Read(dir, "x")
	require.NoError(t, err)
	require.Equal(t, r.Verdicts, p.Result.Verdicts)
	require.Equal(t, []string{"x/x.svg"}, p.Figures)
	_, err = Read(dir, "y")
	require.ErrorIs(t, err, os.ErrNotExist)

	var out bytes.Buffer
	require.NoError(t, WriteAll(&out, dir, []Part{p, {Name: "y", Error: "no root"}}))
	require.Equal(t, "x: good | put: x2.00 (1.00 .. 3.00), wanted at least 2: undecided\ny: no result: no root\n", out.String())
	md, err := os.ReadFile(filepath.Join(dir, "report.md"))
	require.NoError(t, err)
	require.Contains(t, string(md), `| x | good \| put | x2.00 (1.00 .. 3.00) | at least 2 | undecided |`)
	require.Contains(t, string(md), "| y |  |  |  | no result: no root |")
	require.Contains(t, string(md), "![x](x/x.svg)")
	b, err := os.ReadFile(filepath.Join(dir, "report.json"))
	require.NoError(t, err)
	var parts []Part
	require.NoError(t, json.Unmarshal(b, &parts))
	require.Len(t, parts, 2)
	require.Equal(t, r.Samples, parts[0].Result.Samples)
}
