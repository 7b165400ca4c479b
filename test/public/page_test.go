package main

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

var update = flag.Bool("update", false, "write docs/p4.md anew")

// TestPage: docs/p4.md says what the targets do.
func TestPage(t *testing.T) {
	const page = "../../docs/p4.md"
	want, err := render()
	require.NoError(t, err)
	if *update {
		require.NoError(t, os.WriteFile(page, want, 0o644))
	}
	got, err := os.ReadFile(page)
	require.NoError(t, err)
	require.Equal(t, string(want), string(got), "go test ./test/public -update")
}

// write makes a file of a checkout.
func write(t *testing.T, dir, name, text string) {
	t.Helper()
	path := filepath.Join(dir, name)
	require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
	require.NoError(t, os.WriteFile(path, []byte(text), 0o644))
}

// TestTable: what the tool says of programs that are right, wrong, and for one target only.
func TestTable(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "p4include/arch.p4", "control c_t(); package top(c_t c);\n")
	write(t, dir, "testdata/p4_16_samples/good.p4", "#include <arch.p4>\ncontrol c() { apply { } }\ntop(c()) main;\n")
	write(t, dir, "testdata/p4_16_samples/refused.p4", "const bit<8> x = true;\n")
	write(t, dir, "testdata/p4_16_samples/deeper/other.p4", "not a sample\n")
	write(t, dir, "testdata/p4_16_errors/seen.p4", "const bit<8> x = true;\n")
	write(t, dir, "testdata/p4_16_errors/missed.p4", "const bit<8> x = 1;\n")
	var out bytes.Buffer
	require.NoError(t, run(options{checkout: dir}, &out))
	require.Contains(t, out.String(), "total: 2 programs, 1 rejected")
	require.Regexp(t, `refused\.p4 +no .*refused\.p4:1:18: error P4301`, out.String())
	require.Contains(t, out.String(), "total: 2 programs with errors, 1 accepted")
	require.Regexp(t, `missed\.p4 +yes`, out.String())
	require.NotContains(t, out.String(), "good.p4")
	require.NotContains(t, out.String(), "seen.p4")
	require.NotContains(t, out.String(), "other.p4")

	studio := t.TempDir()
	examples := "pkgsrc/p4-examples/p4_16_programs/"
	both, one := construct{}, construct{apply: "ig_tm_md.copy_to_cpu = 1;"}
	write(t, studio, examples+"both/both.p4", both.program())
	write(t, studio, examples+"one/one.p4", one.program())
	write(t, studio, examples+"common/part.p4", "header h { }\n")
	out.Reset()
	require.NoError(t, run(options{checkout: studio, all: true}, &out))
	require.Regexp(t, `both/both\.p4 +yes +yes +yes`, out.String())
	require.Regexp(t, `one/one\.p4 +yes +yes +no +one/one\.p4:.*copy_to_cpu`, out.String())
	require.Contains(t, out.String(), "total: 2 programs, 0 rejected; for TNA 2: interp takes 2, xdp takes 1")

	require.ErrorContains(t, run(options{checkout: t.TempDir()}, &out), "want a checkout")
	require.ErrorContains(t, run(options{}, &out), "-checkout is missing")
}
