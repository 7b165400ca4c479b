package programs_test

import (
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/p4ce/p4ce/bpf"
	"github.com/p4ce/p4ce/bpf/build"
	"github.com/p4ce/p4ce/bpf/gen"
	"github.com/p4ce/p4ce/dataplane"
	"github.com/p4ce/p4ce/dataplane/stf/testbed"
	"github.com/p4ce/p4ce/doctor/needs"
	"github.com/p4ce/p4ce/internal/long"
	"github.com/p4ce/p4ce/internal/seed"
	"github.com/p4ce/p4ce/p4/lang"
	"github.com/p4ce/p4ce/p4/lang/ir"
	"github.com/p4ce/p4ce/p4/lang/spec"
	"github.com/p4ce/p4ce/test/programs"
)

var (
	count   = flag.Int("programs", 300, "random programs for the specification and the interpreter")
	kernel  = flag.Int("xdp", 12, "random programs for XDP as well")
	given   = flag.Uint64("seed", 0, "seed of the random programs")
	first   = flag.Int("first", 0, "the first of the random programs, with a seed")
	perProg = flag.Int("packets", 60, "packets through each program")
)

const cpuPort = 64

// source names a program for the compiler.
func source(text string) lang.Options {
	return lang.Options{Path: "random.p4", Source: []byte(text), IncludeDirs: []string{"../../dataplane/stf/testbed/testdata/include"}}
}

// frames are random packets, of which the first bytes are often small: entries match them.
func frames(rnd *rand.Rand, n int) (out [][]byte) {
	for range n {
		f := make([]byte, 14+rnd.IntN(60))
		if rnd.IntN(8) == 0 {
			f = f[:min(len(f), 14+rnd.IntN(8))]
		}
		for i := range f {
			switch rnd.IntN(4) {
			case 0:
				f[i] = byte(rnd.Uint32())
			case 1:
				f[i] = byte(1 << rnd.IntN(8))
			default:
				f[i] = byte(rnd.IntN(8))
			}
		}
		out = append(out, f)
	}
	return out
}

// counts are of what the packets of many programs met.
type counts struct{ programs, packets, undefined, dropped, free, xdp, refused, hits, contested int }

// running is a switch, and the program that it runs.
type running struct {
	testbed.Target
	prog *ir.Program
}

// target makes a switch with a program; nil: the compiler does not take it.
func target(kind string, o lang.Options) (*running, error) {
	prog, l := lang.Compile(o)
	if l.HasErrors() {
		return nil, errors.New(l.String())
	}
	pipe := &dataplane.Pipeline{Program: prog}
	if kind == "xdp" {
		c, err := gen.Generate(prog)
		if err != nil {
			return nil, err
		}
		if pipe.Object, err = build.Object(gen.CFile(prog.Name), c, bpf.Headers); err != nil {
			return nil, err
		}
	}
	sw, err := testbed.New(kind, cpuPort)
	if err != nil {
		return nil, err
	}
	if err := sw.Load(pipe); err != nil {
		return nil, errors.Join(err, sw.Close())
	}
	return &running{sw, prog}, nil
}

// difference runs packets through a program by the specification and in the interpreter, and says where they differ.
func difference(text string, in [][]byte, n *counts) (string, error) {
	_, info, l := lang.Check(source(text))
	if l.HasErrors() {
		return "", errors.New(l.String())
	}
	m, err := spec.New(info)
	if err != nil {
		return "", err
	}
	sw, err := target("interp", source(text))
	if err != nil {
		return "", err
	}
	defer sw.Close()
	defer func() { n.hits, n.contested = n.hits+m.Hits, n.contested+m.Contested }()
	n.programs++
	for _, f := range in {
		want, err := m.Inject(1, f)
		if errors.Is(err, spec.ErrUndefined) {
			n.undefined++
			return "", nil // registers may differ from here on
		}
		if err != nil {
			return "", err
		}
		n.packets++
		got, err := sw.Inject(1, f)
		if err != nil {
			return "", err
		}
		if want.Dropped {
			n.dropped++
			if len(got) != 0 {
				return fmt.Sprintf("in   %x\nspec drops it\ngot  %x", f, got[0].Frame), nil
			}
			continue
		}
		if len(got) != 1 || got[0].Port != dataplane.Port(want.Port) || len(got[0].Frame) != len(want.Frame) {
			return fmt.Sprintf("in   %x\nspec %x at port %d\ngot  %v", f, want.Frame, want.Port, got), nil
		}
		for i, b := range got[0].Frame {
			if (b^want.Frame[i])&want.Defined[i] != 0 {
				return fmt.Sprintf("byte %d\nin   %x\nspec %x\nof   %x\ngot  %x", i, f, want.Frame, want.Defined, got[0].Frame), nil
			}
			if want.Defined[i] != 0xff {
				n.free++
			}
		}
	}
	return "", nil
}

// shorten leaves out lines while a program still fails.
func shorten(text string, fails func(string) bool) string {
	lines := strings.Split(text, "\n")
	end := time.Now().Add(time.Minute)
	for size := len(lines) / 2; size > 0; size /= 2 {
		for again := true; again; {
			again = false
			for i := 0; i+size <= len(lines) && time.Now().Before(end); {
				if less := slices.Delete(slices.Clone(lines), i, i+size); fails(strings.Join(less, "\n")) {
					lines, again = less, true
					continue
				}
				// A block without what is around it.
				if size == 1 && strings.HasSuffix(lines[i], "{") {
					if j := closing(lines, i); j > 0 {
						less := slices.Concat(lines[:i], lines[i+1:j], lines[j+1:])
						if fails(strings.Join(less, "\n")) {
							lines, again = less, true
							continue
						}
						less = slices.Concat(lines[:i], lines[j+1:])
						if fails(strings.Join(less, "\n")) {
							lines, again = less, true
							continue
						}
					}
				}
				i++
			}
		}
	}
	return strings.Join(lines, "\n")
}

// shortest is a program and packets that still fail, and how.
func shortest(text string, in [][]byte, fails func(string, [][]byte) string) (string, string) {
	for _, f := range in {
		if one := [][]byte{f}; fails(text, one) != "" { // registers need what came before
			in = one
			break
		}
	}
	text = shorten(text, func(s string) bool { return fails(s, in) != "" })
	return text, fails(text, in)
}

// closing is the line of the brace that closes the one at the end of line i; 0: none.
func closing(lines []string, i int) int {
	depth := 0
	for j := i; j < len(lines); j++ {
		depth += strings.Count(lines[j], "{") - strings.Count(lines[j], "}")
		if depth == 0 && j > i {
			return j
		}
	}
	return 0
}

func start(t *testing.T) uint64 {
	return seed.Of(t, "seed", *given)
}

// TestSpecification: what comes of the intermediate form of random programs is what the
// specification says of their source.
func TestSpecification(t *testing.T) {
	s := start(t)
	var n counts
	programsToRun := *count
	if testing.Short() {
		programsToRun = min(programsToRun, 50)
	}
	for i := *first; i < *first+programsToRun; i++ {
		rnd := rand.New(rand.NewPCG(s, uint64(i)))
		text := programs.Generate(rnd)
		in := frames(rnd, *perProg)
		diff, err := difference(text, in, &n)
		if err != nil {
			t.Fatalf("program %d: %v\n%s", i, err, numbered(text))
		}
		if diff != "" {
			text, diff = shortest(text, in, func(s string, in [][]byte) string {
				d, _ := difference(s, in, &counts{})
				return d
			})
			t.Fatalf("program %d: %s\n%s", i, diff, text)
		}
	}
	t.Logf("%+v", n)
	require.Less(t, n.undefined*4, n.programs, "most programs must be defined")
	require.Greater(t, n.packets, n.programs**perProg/2)
	require.Less(t, n.dropped*2, n.packets)
	require.Greater(t, n.hits, 10*n.programs)
	require.Greater(t, n.contested, 3*n.programs)
}

func numbered(text string) string {
	var b strings.Builder
	for i, l := range strings.Split(text, "\n") {
		fmt.Fprintf(&b, "%4d %s\n", i+1, l)
	}
	return b.String()
}

// apart runs packets through both targets, which have the same members of action profiles, and says where they differ.
func apart(o lang.Options, in [][]byte) (string, error) {
	dut, err := target("xdp", o)
	if err != nil && strings.Contains(err.Error(), "load into the kernel") {
		return err.Error(), nil // the verifier takes all that the compiler does not refuse
	}
	if err != nil {
		return "", err
	}
	defer dut.Close()
	ref, err := target("interp", o)
	if err != nil {
		return "", err
	}
	defer ref.Close()
	chance := uint64(len(in[0])) + uint64(in[0][0])<<8
	for _, sw := range []*running{dut, ref} {
		for _, e := range programs.Members(rand.New(rand.NewPCG(chance, 2)), sw.prog) {
			if err := sw.Insert(e); err != nil {
				return "", err
			}
		}
	}
	for _, f := range in {
		want, err1 := ref.Inject(1, f)
		got, err2 := dut.Inject(1, f)
		if err := errors.Join(err1, err2); err != nil {
			return "", err
		}
		if fmt.Sprint(want) != fmt.Sprint(got) {
			return fmt.Sprintf("in     %x\ninterp %x\nxdp    %x", f, want, got), nil
		}
	}
	return "", nil
}

// TestTargets: XDP does with random programs what the interpreter does, whether the
// specification says what that is or not.
func TestTargets(t *testing.T) {
	long.Test(t)
	needs.Root(t, "XDP")
	s := start(t)
	var n counts
	for i := *first; i < *first+*kernel; i++ {
		rnd := rand.New(rand.NewPCG(s, uint64(i)))
		text := programs.Generate(rnd)
		in := frames(rnd, *perProg)
		diff, err := apart(source(text), in)
		if errors.Is(err, build.ErrNoClang) {
			needs.Tools(t, err)
		}
		if refused := (ir.Errors)(nil); errors.As(err, &refused) { // it says what it cannot do
			n.refused++
			t.Logf("program %d: %v", i, err)
			continue
		}
		require.NoError(t, err, "program %d\n%s", i, numbered(text))
		n.xdp++
		if diff != "" {
			text, diff = shortest(text, in, func(s string, in [][]byte) string {
				d, _ := apart(source(s), in)
				return d
			})
			t.Fatalf("program %d: %s\n%s", i, diff, text)
		}
	}
	t.Logf("%+v", n)
	require.LessOrEqual(t, n.refused, n.xdp, "XDP must take most programs")
}

// TestKept: programs that have failed once, by the specification and on both targets.
func TestKept(t *testing.T) {
	files, err := filepath.Glob("testdata/*.p4")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, f := range files {
		t.Run(strings.TrimSuffix(filepath.Base(f), ".p4"), func(t *testing.T) {
			text, err := os.ReadFile(f)
			require.NoError(t, err)
			in := frames(rand.New(rand.NewPCG(1, 1)), 400)
			diff, err := difference(string(text), in, &counts{})
			require.NoError(t, err)
			require.Empty(t, diff)
			t.Run("xdp", func(t *testing.T) {
				long.Test(t)
				needs.Root(t, "XDP")
				diff, err := apart(source(string(text)), in)
				if errors.Is(err, build.ErrNoClang) {
					needs.Tools(t, err)
				}
				require.NoError(t, err)
				require.Empty(t, diff)
			})
		})
	}
}
