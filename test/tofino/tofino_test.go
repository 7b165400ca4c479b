package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/p4ce/p4ce/p4"
)

// root is the repository, from here.
const root = "../.."

// The page is what was measured, and says of which programs the source has changed since.
func TestPage(t *testing.T) {
	rows, err := readRows(filepath.Join(root, measuredFile))
	require.NoError(t, err)
	var names []string
	for _, r := range rows {
		names = append(names, r.Program)
		require.LessOrEqual(t, max(r.Ingress, r.Egress), stages, r.Program)
		for k, n := range r.Use {
			require.LessOrEqual(t, n, resources[k].total(), "%s: %s", r.Program, resources[k].title)
		}
	}
	require.NotEmpty(t, names)
	require.Subset(t, p4.Programs(), names) // who adds a program need not have a compiler
	want, err := render(rows, sourceOf)
	require.NoError(t, err)
	got, err := os.ReadFile(filepath.Join(root, pageFile))
	require.NoError(t, err)
	require.Equal(t, string(want), string(got), "run make tofino, with BF_P4C=… if you have a compiler")
}

// A program that has changed since is named.
func TestStale(t *testing.T) {
	rows := []Row{{Program: "l2", Source: "a", Use: make([]int, len(resources))}, {Program: "rdma", Source: "b", Use: make([]int, len(resources))}}
	text, err := render(rows, func(name string) (string, error) { return "a", nil })
	require.NoError(t, err)
	require.Contains(t, string(text), "The source of `rdma` has changed since its column was measured.")
	require.NotContains(t, string(text), "The source of `l2` has changed")
}

// script is a compiler that writes the files of testdata/NAME for every program.
func script(t *testing.T, name, then string) string {
	t.Helper()
	dir, err := filepath.Abs(filepath.Join("testdata", name))
	require.NoError(t, err)
	file := filepath.Join(t.TempDir(), "bf-p4c")
	text := fmt.Sprintf("#!/bin/sh\nwhile [ $# -gt 1 ]; do [ \"$1\" = -o ] && out=$2; shift; done\nmkdir -p $out && cp -r %s/. $out/\n%s\n", dir, then)
	require.NoError(t, os.WriteFile(file, []byte(text), 0o755))
	return file
}

// What a compiler has written is read; what it refuses, and what does not fit, is an error with its reason.
func TestMeasure(t *testing.T) {
	old := Row{Program: "paxos", Source: "x", Use: make([]int, len(resources))}
	rows, err := measure(t.Context(), script(t, "good", ""), "l2", t.TempDir(), []Row{old})
	require.NoError(t, err)
	source, err := sourceOf("l2")
	require.NoError(t, err)
	use := []int{3, 1, 2, 1, 1, 1, 2, 1, 3, 1, 2, 1, 24, 16}
	require.Equal(t, []Row{{Program: "l2", Source: source, Compiler: "9.13.4", Ingress: 3, Egress: 2, Use: use}, old}, rows)

	for _, tt := range []struct{ files, then, want string }{
		{"good", "echo 'a.p4(3): error: no such table'; exit 1", "a.p4(3): error: no such table"},
		{"good", "rm $out/pipe/tofino.bin", "l2: the compiler has written no binary"},
		{"good", "rm $out/pipe/logs/phv.json", "phv.json: no such file"},
		{"good", "echo '{' > $out/pipe/logs/resources.json", "resources.json: unexpected end of JSON input"},
		{"good", "echo 'stage 12 ingress:' >> $out/pipe/l2.bfa", "13 stages in the ingress and 2 in the egress: a Tofino 1 has 12"},
		{"good", "echo > $out/pipe/l2.bfa", "no stage of the ingress"},
		{"good", "touch $out/pipe/second.bfa", "2 assembly files, want 1"},
	} {
		rows, err := measure(t.Context(), script(t, tt.files, tt.then), "l2", t.TempDir(), []Row{old})
		require.ErrorContains(t, err, tt.want)
		require.Equal(t, []Row{old}, rows)
	}
	_, err = measure(t.Context(), "/nonexistent/bf-p4c", "", "", nil)
	require.ErrorContains(t, err, "compiler: ")
	_, err = measure(t.Context(), "/bin/true", "l3", "", nil)
	require.ErrorContains(t, err, `program "l3": want one of amcast, l2,`)
}

// The file of what was measured is read as it was written; another one is refused.
func TestRows(t *testing.T) {
	file := filepath.Join(t.TempDir(), "rows.csv")
	none, err := readRows(file)
	require.NoError(t, err)
	require.Empty(t, none)
	rows := []Row{{Program: "l2", Source: "s", Compiler: "9", Ingress: 1, Egress: 2, Use: make([]int, len(resources))}}
	rows[0].Use[3] = 7
	require.NoError(t, writeRows(file, rows))
	again, err := readRows(file)
	require.NoError(t, err)
	require.Equal(t, rows, again)
	for text, want := range map[string]string{
		"":               "want the columns program, source",
		"program,tables": "want the columns program, source",
		strings.Join(header(), ",") + "\nl2,s,9,x" + strings.Repeat(",1", len(resources)+1): `parsing "x"`,
		strings.Join(header(), ",") + "\nl2,s,9\n":                                          "wrong number of fields",
	} {
		require.NoError(t, os.WriteFile(file, []byte(text), 0o644))
		_, err := readRows(file)
		require.ErrorContains(t, err, want)
	}
}
