package twocpus

import (
	"encoding/binary"
	"errors"
	"fmt"
	"regexp"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/cilium/ebpf"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"github.com/p4ce/p4ce/bpf"
	"github.com/p4ce/p4ce/bpf/build"
	"github.com/p4ce/p4ce/bpf/gen"
	"github.com/p4ce/p4ce/dataplane"
	"github.com/p4ce/p4ce/dataplane/xdp"
	"github.com/p4ce/p4ce/doctor/needs"
	"github.com/p4ce/p4ce/internal/long"
	"github.com/p4ce/p4ce/p4"
	"github.com/p4ce/p4ce/p4/lang"
	"github.com/p4ce/p4ce/p4/lang/ir"
	names "github.com/p4ce/p4ce/p4/rdma"
	"github.com/p4ce/p4ce/roce/wire"
	"github.com/p4ce/p4ce/systems/rdma/lab/world"
	"github.com/p4ce/p4ce/systems/rdma/lab/world/worldtest"
)

// TestTwoCPUsGather lets two replicas acknowledge the same PSNs at the same
// moment on two CPUs, in a group where both are needed. For each PSN at least one
// of the two ACKs must see the other: none may be lost.
func TestTwoCPUsGather(t *testing.T) {
	rounds := 200000
	if testing.Short() {
		rounds = 20000
	}
	lost, both := raceACKs(t, worldtest.Program(t).Source, rounds)
	t.Logf("%d PSNs: both ACKs forwarded for %d, none for %d", rounds, both, lost)
	require.Zero(t, lost, "PSNs that both replicas acknowledged and the leader never heard of")
}

// TestTwoCPUsGatherNeedsUpdatesFirst shows that the test above can fail: when a
// replica looks at the other's slot before it has raised its own, ACKs are lost.
func TestTwoCPUsGatherNeedsUpdatesFirst(t *testing.T) {
	long.Test(t)
	source := worldtest.Program(t).Source
	require.Contains(t, source, "@after_updates")
	needs.Tool(t, build.Clang, build.Clang)
	weak := strings.ReplaceAll(source, "@after_updates", "")
	weak = regexp.MustCompile(`\baction\s+slot\d_update`).ReplaceAllString(weak, "@after_updates $0")
	for range 10 { // a race: it shows sooner or later
		if lost, _ := raceACKs(t, weak, 200000); lost > 0 {
			t.Logf("in the wrong order %d PSNs were lost", lost)
			return
		}
	}
	t.Error("no ACK was lost in the wrong order: the stress is too weak to show anything")
}

// raceACKs returns for how many PSNs no ACK was forwarded, and for how many both.
func raceACKs(t *testing.T, source string, rounds int) (lost, both int) {
	target, prog, cpus := twoCPUs(t, source)
	defer target.Close()
	host := func(i int) world.Replica {
		return world.Replica{Port: dataplane.Port(i + 1), IP: wire.Addr{10, 66, 0, byte(11 + i)}, MAC: wire.MAC{2, 0, 0, 0, 0, byte(i)}, QPN: uint32(17 + i), AggrQP: uint32(0x200000 + i)}
	}
	g := &world.Group{Index: 5, Multicast: 1, F: 2, BCastQP: 0x100000, Size: 4096, Start: 0xfff000, Sent: rounds, Leader: host(0), Replicas: []world.Replica{host(1), host(2)}, Neutral: true}
	require.NoError(t, g.Apply(prog, target))
	ingress, err := target.TestProgram("test_ingress")
	require.NoError(t, err)

	forwarded := [2][]bool{make([]bool, rounds), make([]bool, rounds)}
	var at [2]atomic.Int64
	var wg sync.WaitGroup
	errs := make([]error, 2)
	for side := range 2 {
		wg.Go(func() {
			errs[side] = onCPU(cpus[side], func() error {
				return acknowledge(ingress, g, side, forwarded[side], &at[side], &at[1-side])
			})
			at[side].Store(int64(rounds))
		})
	}
	wg.Wait()
	require.NoError(t, errs[0])
	require.NoError(t, errs[1])
	for i := range rounds {
		switch {
		case forwarded[0][i] && forwarded[1][i]:
			both++
		case !forwarded[0][i] && !forwarded[1][i]:
			lost++
		}
	}
	return lost, both
}

// twoCPUs loads a program for a test with two CPUs.
func twoCPUs(t *testing.T, source string) (*xdp.Target, *ir.Program, []int) {
	needs.Root(t, "XDP")
	cpus := allowedCPUs(t)
	if len(cpus) < 2 {
		needs.Hardware(t, errors.New("two CPUs"))
	}
	prog, diags := lang.Compile(lang.Options{Path: "rdma/rdma.p4", Source: []byte(source), FS: p4.FS})
	require.NotNil(t, prog, "%v", diags)
	object, err := bpf.Object("rdma")
	require.NoError(t, err)
	if source != worldtest.Program(t).Source {
		c, err := gen.Generate(prog)
		require.NoError(t, err)
		object, err = build.Object(gen.CFile("rdma"), c, bpf.Headers)
		require.NoError(t, err)
	}
	target, err := xdp.New(xdp.Config{CPUPort: dataplane.Port(names.PortCPU), PacketTest: true})
	require.NoError(t, err)
	require.NoError(t, target.Load(&dataplane.Pipeline{Program: prog, Object: object}))
	return target, prog, cpus
}

// onCPU runs f on a CPU, on a thread of its own.
func onCPU(cpu int, f func() error) error {
	done := make(chan error, 1)
	go func() {
		runtime.LockOSThread() // the thread ends with the goroutine: its CPU stays as set
		var set unix.CPUSet
		set.Set(cpu)
		if err := unix.SchedSetaffinity(0, &set); err != nil {
			done <- err
			return
		}
		done <- f()
	}()
	return <-done
}

// TestTwoCPUsWindow lets a leader go round the PSNs on one CPU, while a replica that
// is stuck repeats its ACK on another: once the window has left it behind it never
// counts again, though its PSN comes into the window with every round.
func TestTwoCPUsWindow(t *testing.T) {
	answered, ignored := raceWindow(t, worldtest.Program(t).Source)
	t.Logf("%d ACKs ignored once the slot was out", ignored)
	require.Zero(t, answered, "ACKs of a slot that is out were answered")
	require.NotZero(t, ignored)
}

// TestTwoCPUsWindowNeedsOut shows that the test above can fail.
func TestTwoCPUsWindowNeedsOut(t *testing.T) {
	long.Test(t)
	source := worldtest.Program(t).Source
	require.Contains(t, source, worldtest.NeverOut[0])
	needs.Tool(t, build.Clang, build.Clang)
	answered, _ := raceWindow(t, strings.ReplaceAll(source, worldtest.NeverOut[0], worldtest.NeverOut[1]))
	require.NotZero(t, answered)
}

// raceWindow counts the ACKs that were answered, and those that were not, after the
// slot must have been out.
func raceWindow(t *testing.T, source string) (answered, ignored int) {
	target, prog, cpus := twoCPUs(t, source)
	defer target.Close()
	host := func(i int) world.Replica {
		return world.Replica{Port: dataplane.Port(i + 1), IP: wire.Addr{10, 66, 0, byte(11 + i)}, MAC: wire.MAC{2, 0, 0, 0, 0, byte(i)}, QPN: uint32(17 + i), AggrQP: uint32(0x200000 + i)}
	}
	g := &world.Group{Index: 5, Multicast: 1, F: 1, BCastQP: 0x100000, VKey: 7, Size: 4096, Start: 0xfff000, Sent: 1, Leader: host(0), Replicas: []world.Replica{host(1)}, Neutral: true}
	require.NoError(t, g.Apply(prog, target))
	ingress, err := target.TestProgram("test_ingress")
	require.NoError(t, err)
	inject := func(port dataplane.Port, h *wire.Header, payload int) (uint32, error) {
		front := make([]byte, 16)
		binary.NativeEndian.PutUint64(front, 1)
		binary.NativeEndian.PutUint16(front[8:], uint16(port))
		frame := wire.AppendFrame(front, h, make([]byte, payload))
		type xdpMd struct{ Data, DataEnd, DataMeta, Ingress, Queue, Egress uint32 }
		return ingress.Run(&ebpf.RunOptions{Data: frame, Context: xdpMd{Data: 16, DataEnd: uint32(len(frame))}})
	}
	const step, rounds = 1<<20 - 1, 20000 // more than a thousand times round
	var sent atomic.Int64
	var wg sync.WaitGroup
	errs := make([]error, 2)
	wg.Go(func() {
		defer sent.Store(rounds)
		errs[0] = onCPU(cpus[0], func() error {
			l := g.Leader
			for i := range rounds {
				h := &wire.Header{SrcMAC: l.MAC, DstMAC: world.SwitchMAC, Src: l.IP, Dst: world.SwitchIP, DestQP: g.BCastQP, Opcode: wire.WriteOnly,
					RKey: g.VKey, Length: 8, PSN: g.Start.Add(i * step)}
				if _, err := inject(l.Port, h, 8); err != nil {
					return err
				}
				sent.Store(int64(i))
			}
			return nil
		})
	})
	wg.Go(func() {
		errs[1] = onCPU(cpus[1], func() error {
			r := g.Replicas[0]
			h := &wire.Header{SrcMAC: r.MAC, DstMAC: world.SwitchMAC, Src: r.IP, Dst: world.SwitchIP, Opcode: wire.Acknowledge, DestQP: r.AggrQP, Syndrome: 0x1f, PSN: g.Start}
			for {
				before := sent.Load()
				verdict, err := inject(r.Port, h, 0)
				switch {
				case err != nil || before == rounds:
					return err
				case before*step < 1<<22: // it is still in the window
				case verdict == 4: // XDP_REDIRECT
					answered++
				default:
					ignored++
				}
			}
		})
	})
	wg.Wait()
	require.NoError(t, errs[0])
	require.NoError(t, errs[1])
	return answered, ignored
}

// acknowledge sends one replica's ACKs, each PSN when the other side is there
// too.
func acknowledge(ingress *ebpf.Program, g *world.Group, slot int, forwarded []bool, mine, other *atomic.Int64) error {
	r := g.Replicas[slot]
	front := make([]byte, 16)
	binary.NativeEndian.PutUint64(front, 1)
	binary.NativeEndian.PutUint16(front[8:], uint16(r.Port))
	h := &wire.Header{SrcMAC: r.MAC, DstMAC: world.SwitchMAC, Src: r.IP, Dst: world.SwitchIP, Opcode: wire.Acknowledge, DestQP: r.AggrQP, Syndrome: 0x1f}
	type xdpMd struct{ Data, DataEnd, DataMeta, Ingress, Queue, Egress uint32 }
	var buf []byte
	for i := range forwarded {
		h.PSN = g.Start.Add(i)
		buf = wire.AppendFrame(append(buf[:0], front...), h, nil)
		opts := &ebpf.RunOptions{Data: buf, Context: xdpMd{Data: 16, DataEnd: uint32(len(buf))}}
		mine.Store(int64(i + 1))
		for other.Load() < int64(i+1) {
		}
		verdict, err := ingress.Run(opts)
		if err != nil {
			return fmt.Errorf("replica %d: %w", slot, err)
		}
		forwarded[i] = verdict == 4 // XDP_REDIRECT
	}
	return nil
}

func allowedCPUs(t *testing.T) []int {
	var set unix.CPUSet
	require.NoError(t, unix.SchedGetaffinity(0, &set))
	var out []int
	for i := range 1024 {
		if set.IsSet(i) {
			out = append(out, i)
		}
	}
	return out
}
