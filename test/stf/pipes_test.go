package stf_test

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/p4ce/p4ce/dataplane"
	"github.com/p4ce/p4ce/dataplane/interp"
	"github.com/p4ce/p4ce/dataplane/stf"
	"github.com/p4ce/p4ce/dataplane/stf/testbed"
	"github.com/p4ce/p4ce/internal/long"
	"github.com/p4ce/p4ce/p4"
	"github.com/p4ce/p4ce/p4/lang/ir"
)

var comment = regexp.MustCompile(`(?m)^#.*$`)

// chip is a target of two pipes, of which one is looked into.
type chip struct {
	*interp.Target
	pipe int
}

// ReadRegister implements stf.Switch.
func (c chip) ReadRegister(r *ir.Register, index int) ([][]byte, error) {
	return c.Target.ReadRegister(r, index+c.pipe*r.Size)
}

// looked is the pipe that the scripts look into when they read a register: where even ports are, or where pipe.txt says.
func looked(t *testing.T, program string) int {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "..", "p4", program, "stf", "pipe.txt"))
	if os.IsNotExist(err) {
		return 0
	}
	require.NoError(t, err)
	n, err := strconv.Atoi(strings.TrimSpace(comment.ReplaceAllString(string(text), "")))
	require.NoError(t, err)
	return n
}

// TestPipes runs the packet tests on a chip of two pipes, each with registers of its own. On one pipe alone all pass. With even
// ports on one and odd ports on the other, those in pipes.txt do not, and all others do: what these test needs all of its ports on
// one pipe.
func TestPipes(t *testing.T) {
	long.Test(t)
	for _, program := range p4.Programs() {
		t.Run(program, func(t *testing.T) {
			pipe := &dataplane.Pipeline{Program: compile(t, program, "")}
			tests := packetTests(t, pipe.Program, program)
			fails := func(at int, of func(dataplane.Port) int) (out []string) {
				for name, p := range tests {
					target := interp.New(interp.Options{
						CPUPort: cpuPort, Pipes: 2, Pipe: of, Clock: func() uint64 { return testbed.Now }, Rand: rand.New(rand.NewPCG(1, 2)),
					})
					require.NoError(t, target.Load(pipe))
					if res := stf.Run(p.script, pipe.Program, chip{target, at}); !res.OK() {
						out = append(out, name)
					}
					require.NoError(t, target.Close())
				}
				return out
			}
			require.Empty(t, fails(1, func(dataplane.Port) int { return 1 }), "all ports on the second pipe")
			text, err := os.ReadFile(filepath.Join("..", "..", "p4", program, "stf", "pipes.txt"))
			if !os.IsNotExist(err) {
				require.NoError(t, err)
			}
			want := strings.Fields(comment.ReplaceAllString(string(text), ""))
			require.ElementsMatch(t, want, fails(looked(t, program), func(p dataplane.Port) int { return int(p % 2) }), "ports on both pipes")
		})
	}
}
