package nic

import (
	"flag"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

var update = flag.Bool("update", false, "write the table of drivers into docs/hardware.md")

// TestTable: the document has the table by which the doctor judges.
func TestTable(t *testing.T) {
	const page, begin, end = "../../docs/hardware.md", "<!-- Written by go test ./link/nic -update. -->\n", "<!-- End. -->\n"
	b, err := os.ReadFile(page)
	require.NoError(t, err)
	before, rest, ok := strings.Cut(string(b), begin)
	require.True(t, ok)
	was, after, ok := strings.Cut(rest, end)
	require.True(t, ok)
	if *update {
		require.NoError(t, os.WriteFile(page, []byte(before+begin+Table()+end+after), 0o644))
		return
	}
	require.Equal(t, Table(), was, "go test ./link/nic -update")
}

// TestDrivers: each driver is there once, in order, and says no more of XDP than it has.
func TestDrivers(t *testing.T) {
	all := Drivers()
	require.True(t, slices.IsSortedFunc(all, func(a, b Driver) int { return strings.Compare(a.Name, b.Name) }))
	seen := map[string]bool{}
	for _, d := range all {
		require.False(t, seen[d.Name], d.Name)
		seen[d.Name] = true
		require.NotEmpty(t, d.Source, d.Name)
		if d.Native == "" {
			require.Equal(t, Driver{Name: d.Name, Source: d.Source}, d)
		} else {
			require.Regexp(t, `^[4-7]\.\d+$`, d.Native, d.Name)
		}
	}
	for alias, name := range aliases {
		require.True(t, seen[name], alias)
		i := Interface{Driver: alias}
		d, known := i.Known()
		require.True(t, known)
		require.Equal(t, name, d.Name)
	}
	i := Interface{Driver: "no such driver"}
	_, known := i.Known()
	require.False(t, known)
}

// TestOffloads: a virtio device that has offloads for the guest, and no way to end them.
func TestOffloads(t *testing.T) {
	for features, want := range map[string]bool{"": false, "0100": true, "0110": false, "0000": false, "00000001": true, "00100001": false} {
		require.Equal(t, want, offloads(features), features)
	}
}
