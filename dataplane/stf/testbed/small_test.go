package testbed_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/p4ce/p4ce/bpf"
	"github.com/p4ce/p4ce/bpf/build"
	"github.com/p4ce/p4ce/bpf/gen"
	"github.com/p4ce/p4ce/dataplane"
	"github.com/p4ce/p4ce/dataplane/stf"
	"github.com/p4ce/p4ce/dataplane/stf/testbed"
	"github.com/p4ce/p4ce/doctor/needs"
	"github.com/p4ce/p4ce/internal/long"
	"github.com/p4ce/p4ce/p4/lang"
)

const cpuPort = 64

// small compiles a program of testdata.
func small(t *testing.T, path string) *dataplane.Pipeline {
	t.Helper()
	prog, l := lang.Compile(lang.Options{Path: path})
	require.False(t, l.HasErrors(), l.String())
	return &dataplane.Pipeline{Program: prog}
}

// targets are the interpreter, and XDP in both layouts.
var targets = []string{"interp", "xdp", separate}

// separate is XDP with maps of their own for all tables and counters.
const separate = "xdp-separate-maps"

// kindOf is the kind of a target.
func kindOf(target string) string { return strings.TrimSuffix(target, "-separate-maps") }

// object adds a program's object for a target, as p4xc would make it.
func object(t *testing.T, pipe *dataplane.Pipeline, target string) {
	t.Helper()
	needs.Root(t, "XDP")
	layout := gen.Records
	if target == separate {
		layout = gen.Separate
	}
	c, err := layout.Generate(pipe.Program)
	require.NoError(t, err)
	obj, err := build.Object(gen.CFile(pipe.Program.Name), c, bpf.Headers)
	if errors.Is(err, build.ErrNoClang) {
		needs.Tools(t, err)
	}
	require.NoError(t, err)
	pipe.Object = obj
}

// load is a target that runs a program, which ends with the test.
func load(t *testing.T, pipe *dataplane.Pipeline, target string) testbed.Target {
	t.Helper()
	if target != "interp" {
		object(t, pipe, target)
	}
	sw, err := testbed.New(kindOf(target), cpuPort)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, sw.Close()) })
	require.NoError(t, sw.Load(pipe))
	return sw
}

// TestSmallPrograms runs the packet tests of testdata on both targets: each is of a
// construct of its own, which no larger program here has.
func TestSmallPrograms(t *testing.T) {
	long.Test(t)
	files, err := filepath.Glob("testdata/*.stf")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, f := range files {
		name := strings.TrimSuffix(f, ".stf")
		for _, target := range targets {
			t.Run(filepath.Base(name)+"/"+target, func(t *testing.T) {
				text, err := os.ReadFile(f)
				require.NoError(t, err)
				s, err := stf.Parse(f, text)
				require.NoError(t, err)
				pipe := small(t, name+".p4")
				if target != "interp" {
					object(t, pipe, target)
				}
				res, err := testbed.Run(s, pipe, kindOf(target), cpuPort)
				require.NoError(t, err)
				require.True(t, res.OK(), res.String())
			})
		}
	}
}

// TestEntryChecks: what a direct counter has counted is compared, packets and bytes apart.
func TestEntryChecks(t *testing.T) {
	const script = `add hashed hdr.eth.dst:7 hash(v:1)
packet 1 000000000007 000000000000 0001
expect 2
check_entry hashed hdr.eth.dst:7 packets == 1
check_entry hashed hdr.eth.dst:7 packets == 2
check_entry hashed hdr.eth.dst:7 bytes >= 15
check_entry hashed default packets != 0
check_entry hashed hdr.eth.dst:8 packets == 0
`
	pipe := small(t, "testdata/direct_counter.p4")
	s, err := stf.Parse("t", []byte(script))
	require.NoError(t, err)
	res, err := testbed.Run(s, pipe, "interp", cpuPort)
	require.NoError(t, err)
	require.Equal(t, `t:5: table pipe.Ctl.hashed: packets: expected == 0x2, got 0x1
t:6: table pipe.Ctl.hashed: bytes: expected >= 0xf, got 0xe
t:7: table pipe.Ctl.hashed: packets: expected != 0x0, got 0x0
t:8: table pipe.Ctl.hashed: entry: not found
t: FAILED (failures: 4)
`, res.String())
}
