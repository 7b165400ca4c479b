package test

import (
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/p4ce/p4ce/doctor/needs"
	"github.com/p4ce/p4ce/lab/launch"
	"github.com/p4ce/p4ce/lab/network"
	"github.com/p4ce/p4ce/link"
	"github.com/p4ce/p4ce/systems/onepipe"
	"github.com/p4ce/p4ce/systems/onepipe/cli"
	"github.com/p4ce/p4ce/systems/onepipe/lab"
)

// folder is for the program, which is built once.
var folder string

func TestMain(m *testing.M) {
	var err error
	if folder, err = os.MkdirTemp("", "onepipe-test-"); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	code := m.Run()
	_ = os.RemoveAll(folder)
	os.Exit(code)
}

var program = sync.OnceValues(func() (string, error) { return launch.Build(folder, "p4ce") })

// start builds a network, and attaches all its hosts with so many processes each.
func start(t *testing.T, o lab.Options, processes int) (context.Context, *lab.Network, []*onepipe.Host, []*onepipe.Proc) {
	return startBy(t, o, processes, func(_ string, l link.Link) link.Link { return l })
}

// startBy is start, with links that by makes of the hosts'.
func startBy(t *testing.T, o lab.Options, processes int, by func(host string, l link.Link) link.Link) (context.Context, *lab.Network, []*onepipe.Host, []*onepipe.Proc) {
	needs.Time(t, "it builds p4ce")
	var err error
	o.Dir = t.TempDir()
	if o.Log == nil {
		o.Log = t.Output()
	}
	o.Binary, err = program()
	require.NoError(t, err)
	ctx, cancel := context.WithTimeout(context.Background(), 3*time.Minute)
	t.Cleanup(cancel)
	n, err := lab.Start(ctx, o)
	require.NoError(t, err)
	t.Cleanup(n.Close)
	var hosts []*onepipe.Host
	for _, name := range n.Hosts() {
		// Ahead: on a busy machine a network that has lost a switch may stand still for more than a second.
		own := func(l link.Link) link.Link { return by(name, l) }
		h, err := n.AttachBy(name, own, onepipe.Config{Processes: processes, Ahead: 20 * time.Second}, onepipe.Events{})
		require.NoError(t, err)
		t.Cleanup(func() { _ = h.Close() })
		hosts = append(hosts, h)
	}
	var procs []*onepipe.Proc
	for _, h := range hosts {
		list, err := h.Wait(ctx)
		require.NoError(t, err)
		procs = append(procs, list...)
	}
	return ctx, n, hosts, procs
}

// record keeps what is logged, and passes it on.
type record struct {
	also io.Writer
	mu   sync.Mutex
	text strings.Builder
}

func (r *record) Write(b []byte) (int, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.text.Write(b)
	return r.also.Write(b)
}

func (r *record) String() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.text.String()
}

// broadcast has all processes send so many reliable scatterings to all, and returns what each has received.
func broadcast(ctx context.Context, t *testing.T, procs []*onepipe.Proc, each int) [][]string {
	t.Helper()
	got := make([][]string, len(procs))
	errs := make([]error, 2*len(procs))
	var all sync.WaitGroup
	for i, p := range procs {
		all.Go(func() {
			for n := range each {
				var parts []onepipe.Part
				for _, to := range procs {
					parts = append(parts, onepipe.Part{To: to.Process(), Data: fmt.Appendf(nil, "%v %d", p.Process(), n)})
				}
				if err := p.SendReliable(ctx, parts...); err != nil {
					errs[2*i] = err
					return
				}
			}
		})
		all.Go(func() {
			for len(got[i]) < each*len(procs) {
				m, err := p.ReceiveReliable(ctx)
				if err != nil {
					errs[2*i+1] = fmt.Errorf("after %d messages: %w", len(got[i]), err)
					return
				}
				got[i] = append(got[i], fmt.Sprint(m.Time, " ", string(m.Data)))
			}
		})
	}
	all.Wait()
	for _, err := range errs {
		require.NoError(t, err)
	}
	return got
}

// sameOrder checks that all have received the same in the same order.
func sameOrder(t *testing.T, got [][]string) {
	t.Helper()
	for i := range got {
		require.Equal(t, got[0], got[i], "process %d", i)
	}
}

func noViolations(t *testing.T, hosts []*onepipe.Host) {
	t.Helper()
	for _, h := range hosts {
		c := h.Counters()
		require.Zero(t, c.Violations)
		require.Zero(t, c.Overrun)
	}
}

// Eight processes on four hosts behind two leaves and a spine receive the same in the same order.
func TestNetwork(t *testing.T) {
	for _, target := range []string{"interp", "xdp"} {
		t.Run(target, func(t *testing.T) {
			if target == "xdp" {
				needs.Root(t, "XDP and network namespaces")
			}
			ctx, _, hosts, procs := start(t, lab.Options{Target: target}, 2)
			sameOrder(t, broadcast(ctx, t, procs, 100))
			noViolations(t, hosts)
		})
	}
}

// The same on links that lose, double, hold back and damage packets. (What is held back is behind a barrier that has
// passed it, so a message may be taken back; it is not delivered in a wrong place.)
func TestBadLinks(t *testing.T) {
	needs.Root(t, "XDP and network namespaces")
	bad := network.Rates{Loss: 0.01, Duplicate: 0.01, Corrupt: 0.01}
	ctx, _, hosts, procs := start(t, lab.Options{Target: "xdp", Bad: map[string]network.Rates{"leaf1-spine": bad, "leaf2-h3": bad}}, 1)
	sameOrder(t, broadcast(ctx, t, procs, 200))
	noViolations(t, hosts)
}

// A controller that starts again takes over what runs: nobody waits, and a host that joins then gets new numbers.
func TestController(t *testing.T) {
	needs.Root(t, "XDP and network namespaces")
	controllerAgain(t, lab.Options{Target: "xdp"})
}

func controllerAgain(t *testing.T, o lab.Options) {
	ctx, n, hosts, procs := start(t, o, 1)
	sameOrder(t, broadcast(ctx, t, procs, 20))
	n.Controller().Kill()
	<-n.Controller().Done()
	sameOrder(t, broadcast(ctx, t, procs, 20))
	require.NoError(t, n.StartController(ctx))
	sameOrder(t, broadcast(ctx, t, procs, 20))
	noViolations(t, hosts)
	require.Equal(t, "links: 8 open, 0 joining, 0 off\nhosts: 4 admitted, 0 joining; processes: 4\nfailures: none in progress\n", says(ctx, t, n, "status"))
	require.Contains(t, says(ctx, t, n, "links"), "open")
	require.Contains(t, says(ctx, t, n, "processes"), "true")
}

// says is what p4ce onepipe says of the network.
func says(ctx context.Context, t *testing.T, n *lab.Network, what string) string {
	t.Helper()
	var out strings.Builder
	c := cli.Command()
	c.SetArgs([]string{what, "--controller", n.Admin()})
	c.SetOut(&out)
	require.NoError(t, c.ExecuteContext(ctx))
	return out.String()
}

// two is two hosts that send, and one that receives.
const two = `{
  "switches": [{"name": "s", "p4runtime": "unix:%[1]s/s.rt", "mac": "02:00:00:00:01:01", "address": "10.0.1.1"}],
  "hosts": [
    {"name": "h1", "at": "s:11", "address": "10.0.3.1", "mac": "02:00:00:00:03:01"},
    {"name": "h2", "at": "s:12", "address": "10.0.3.2", "mac": "02:00:00:00:03:02"},
    {"name": "h3", "at": "s:13", "address": "10.0.3.3", "mac": "02:00:00:00:03:03"}
  ]
}
`

// Ports that several CPUs would poll at the same time: nothing comes below a barrier that has overtaken it.
func TestOrderOnSeveralCPUs(t *testing.T) {
	needs.Root(t, "XDP and network namespaces")
	t.Run("chip", func(t *testing.T) { flood(t, lab.Options{Target: "xdp", Config: two}) })
	t.Run("cpu", func(t *testing.T) { flood(t, lab.Options{Target: "xdp", Config: two, CPU: []string{"s"}}) })
}

func flood(t *testing.T, o lab.Options) {
	ctx, _, hosts, procs := start(t, o, 1)
	until, stop := context.WithTimeout(ctx, 3*time.Second)
	defer stop()
	var all sync.WaitGroup
	for _, p := range procs[:2] {
		all.Go(func() {
			for n := uint64(0); until.Err() == nil; n++ {
				part := onepipe.Part{To: procs[2].Process(), Data: binary.BigEndian.AppendUint64(nil, n)}
				if err := p.Send(until, part); err != nil {
					return
				}
			}
		})
	}
	received := 0
	all.Go(func() {
		for {
			if _, err := procs[2].Receive(until); err != nil {
				return
			}
			received++
		}
	})
	all.Wait()
	c := hosts[2].Counters()
	t.Logf("%d messages", received)
	require.Greater(t, received, 1000)
	require.Zero(t, c.Late)
	require.Zero(t, c.Violations)
}

// A host is cut off. The others are told, and go on without it. When it is back it learns that it was declared failed, and
// joins as another one.
func TestHostDies(t *testing.T) {
	needs.Root(t, "XDP and network namespaces")
	hostDies(t, lab.Options{Target: "xdp"})
}

func hostDies(t *testing.T, o lab.Options) {
	ctx, n, hosts, procs := start(t, o, 1)
	sameOrder(t, broadcast(ctx, t, procs, 20))
	require.NoError(t, n.SetPort("leaf1", "h2", false))
	rest := append(append([]*onepipe.Proc{}, procs[0]), procs[2:]...)
	sameOrder(t, broadcast(ctx, t, rest, 20))
	require.NoError(t, n.SetPort("leaf1", "h2", true))
	_, err := procs[1].ReceiveReliable(ctx)
	require.ErrorIs(t, err, onepipe.ErrExpelled)
	require.NoError(t, hosts[1].Close())
	comesBack(ctx, t, n, procs[1], rest)
}

// comesBack has h2 join again: with the rest it is part of the order.
func comesBack(ctx context.Context, t *testing.T, n *lab.Network, before *onepipe.Proc, rest []*onepipe.Proc) {
	t.Helper()
	again, err := n.Attach("h2", onepipe.Config{}, onepipe.Events{})
	require.NoError(t, err)
	t.Cleanup(func() { _ = again.Close() })
	back, err := again.Wait(ctx)
	require.NoError(t, err)
	require.NotEqual(t, before.Process(), back[0].Process(), "it is another process")
	sameOrder(t, broadcast(ctx, t, append(rest, back...), 20))
}

// A host leaves: the controller hears of it, and the others go on.
func TestHostLeaves(t *testing.T) {
	needs.Root(t, "XDP and network namespaces")
	log := &record{also: t.Output()}
	ctx, n, hosts, procs := start(t, lab.Options{Target: "xdp", Log: log}, 1)
	sameOrder(t, broadcast(ctx, t, procs, 20))
	require.NoError(t, hosts[1].Close())
	require.Eventually(t, func() bool { return strings.Contains(log.String(), "host has left") }, time.Minute, 10*time.Millisecond)
	rest := append(append([]*onepipe.Proc{}, procs[0]), procs[2:]...)
	sameOrder(t, broadcast(ctx, t, rest, 20))
	comesBack(ctx, t, n, procs[1], rest)
}

// A leaf dies while the hosts of the other one send to each other: they go on.
func TestLeafDies(t *testing.T) {
	needs.Root(t, "XDP and network namespaces")
	leafDies(t, lab.Options{Target: "xdp"})
}

func leafDies(t *testing.T, o lab.Options) {
	log := &record{also: t.Output()}
	o.Log = log
	ctx, n, _, procs := start(t, o, 2)
	sameOrder(t, broadcast(ctx, t, procs, 20))
	time.AfterFunc(100*time.Millisecond, func() { n.Kill("leaf2") })
	sameOrder(t, broadcast(ctx, t, procs[:4], 1000))
	require.Eventually(t, func() bool { return strings.Contains(log.String(), "the order goes on") }, time.Minute, 10*time.Millisecond)
	sameOrder(t, broadcast(ctx, t, procs[:4], 20))
}

// Switches whose agents send the beacons, behind each other and beside one whose data plane does: everybody receives the same
// in the same order, while hosts send all the time.
func TestCPU(t *testing.T) {
	for _, target := range []string{"interp", "xdp"} {
		t.Run(target, func(t *testing.T) {
			if target == "xdp" {
				needs.Root(t, "XDP and network namespaces")
			}
			ctx, _, hosts, procs := start(t, lab.Options{Target: target, CPU: []string{"leaf1", "spine"}}, 2)
			sameOrder(t, broadcast(ctx, t, procs, 20))
			noViolations(t, hosts)
		})
	}
}

// Switches of all three places: leaf1's data plane stamps, the spine's CPU sends beacons, and so does a server in place of leaf2.
func TestPlaces(t *testing.T) {
	needs.Root(t, "XDP and network namespaces")
	ctx, _, hosts, procs := start(t, lab.Options{
		Target: "xdp", CPU: []string{"leaf2", "spine"}, Software: []string{"leaf2"},
	}, 2)
	sameOrder(t, broadcast(ctx, t, procs, 50))
	noViolations(t, hosts)
}

// The same at an interval, in every switch, on links that lose, double and damage packets.
func TestCPUBadLinks(t *testing.T) {
	needs.Root(t, "XDP and network namespaces")
	bad := network.Rates{Loss: 0.01, Duplicate: 0.01, Corrupt: 0.01}
	ctx, _, hosts, procs := start(t, lab.Options{
		Target: "xdp", CPU: []string{"leaf1", "leaf2", "spine"}, Interval: 100 * time.Microsecond,
		Bad: map[string]network.Rates{"leaf1-spine": bad, "leaf2-h3": bad},
	}, 1)
	sameOrder(t, broadcast(ctx, t, procs, 200))
	noViolations(t, hosts)
}

// A controller that starts again takes over such switches: their registers, and what their halves hold.
func TestControllerOfCPU(t *testing.T) {
	needs.Root(t, "XDP and network namespaces")
	controllerAgain(t, lab.Options{Target: "xdp", CPU: []string{"leaf1", "spine"}})
}

// A leaf whose agent sends the beacons dies.
func TestLeafOfCPUDies(t *testing.T) {
	needs.Root(t, "XDP and network namespaces")
	leafDies(t, lab.Options{Target: "xdp", CPU: []string{"leaf1", "leaf2", "spine"}})
}

// A host behind such a switch is cut off. The others are told, and go on without it; it comes back as another one.
func TestHostDiesBehindCPU(t *testing.T) {
	needs.Root(t, "XDP and network namespaces")
	hostDies(t, lab.Options{Target: "xdp", CPU: []string{"leaf1", "spine"}})
}
