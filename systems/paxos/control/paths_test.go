package control

import (
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/p4ce/p4ce/ctrl/fleet/fleettest"
	"github.com/p4ce/p4ce/ctrl/links"
	"github.com/p4ce/p4ce/ctrl/topology"
	"github.com/p4ce/p4ce/dataplane"
	names "github.com/p4ce/p4ce/p4/paxos"
	"github.com/p4ce/p4ce/roce/wire"
	"github.com/p4ce/p4ce/systems/paxos"
)

// redundantConfig has two paths between any two switches: every acceptor is wired to t and to l. A proposer is at l.
var redundantConfig = strings.NewReplacer(
	`["a4:2", "l:2"]`, `["a4:2", "l:2"], ["a1:2", "l:3"], ["a2:2", "l:4"], ["a3:2", "l:5"]`,
	`"hosts": [`, `"hosts": [{"name": "p2", "at": "l:10", "address": "10.0.3.4", "mac": "02:00:00:00:03:04"},`,
	`"proposers": ["p1"]`, `"proposers": ["p1", "p2"]`,
).Replace(testConfig)

// How a link fails: its ports say so, or it loses everything without a word, in both directions or in one.
type failure int

const (
	portDown failure = iota
	silent
	oneWay
	failures
)

// failLink has the link between two switches fail; mendLink ends that.
func (w *simWorld) failLink(a, b string, how failure) {
	for _, port := range w.conf.Net.LinkPorts(a) {
		at := topology.Place{Switch: a, Port: port}
		far := w.peers[at]
		if far.Switch != b {
			continue
		}
		w.logf("link %v - %v fails: %d", at, far, how)
		w.failed[at] = how
		if how != oneWay {
			w.failed[far] = how
		}
		w.ports(at)
		w.ports(far)
	}
}

func (w *simWorld) mendLink(a, b string) {
	for _, port := range w.conf.Net.LinkPorts(a) {
		at := topology.Place{Switch: a, Port: port}
		if far := w.peers[at]; far.Switch == b {
			w.logf("link %v - %v works again", at, far)
			delete(w.failed, at)
			delete(w.failed, far)
			w.ports(at)
			w.ports(far)
		}
	}
}

// ports has a switch say whether a port works.
func (w *simWorld) ports(at topology.Place) {
	if d := w.devices[at.Switch]; d.linked && !d.dead {
		up := w.portsOf(at.Switch)[uint32(at.Port)]
		w.tell(func() { w.core.Ports(w.now, at.Switch, map[uint32]bool{uint32(at.Port): up}) })
	}
}

// portsOf are the ports of a switch to others, and whether they work, as far as it knows.
func (w *simWorld) portsOf(name string) map[uint32]bool {
	up := map[uint32]bool{}
	for _, port := range w.conf.Net.LinkPorts(name) {
		how, failed := w.failed[topology.Place{Switch: name, Port: port}]
		up[uint32(port)] = !failed || how != portDown
	}
	return up
}

// failOrMend has a link of a switch fail, or work again if it has failed.
func (w *simWorld) failOrMend(name string) {
	list := w.conf.Net.LinkPorts(name)
	at := topology.Place{Switch: name, Port: list[w.rng.IntN(len(list))]}
	far := w.peers[at]
	_, one := w.failed[at]
	_, other := w.failed[far]
	if one || other {
		w.mendLink(name, far.Switch)
	} else {
		w.failLink(name, far.Switch, failure(w.rng.IntN(int(failures))))
	}
}

func (w *simWorld) mendAll() {
	for len(w.failed) > 0 {
		for at := range w.failed {
			w.mendLink(at.Switch, w.peers[at].Switch)
		}
	}
}

func redundant(t *testing.T) *simWorld {
	w, err := newWorld(redundantConfig, 1)
	require.NoError(t, err)
	w.settle(50 * time.Millisecond)
	w.submit(t)
	return w
}

// TestLinkFails: whichever link fails, and however, the log goes on by others, with the same leader and the same acceptors; and
// it does when the link works again.
func TestLinkFails(t *testing.T) {
	for _, ends := range []string{"t-l", "t-a1", "t-a3", "l-a1", "l-a3", "l-a4"} {
		for how := range failures {
			t.Run(fmt.Sprint(ends, " ", how), func(t *testing.T) {
				w := redundant(t)
				a, b, _ := strings.Cut(ends, "-")
				w.failLink(a, b, how)
				w.settle(2 * w.conf.Timing.Hold)
				require.NotEmpty(t, w.core.links.Down())
				for _, other := range []string{"a2", "a4"} { // the path by which most would have it is not there either
					w.failLink("t", other, portDown)
				}
				for range 3 {
					w.submit(t)
				}
				w.mendLink(a, b)
				w.mendAll()
				w.settle(w.conf.Timing.Hold)
				require.Empty(t, w.core.links.Down())
				w.submit(t)
				require.Equal(t, map[string]uint32{"l": 1}, w.leaders())
				require.Equal(t, []string{"a1", "a2", "a3"}, w.acceptors())
			})
		}
	}
}

// TestCutOff: a leader to which no link leads is replaced, though the controller reaches it; so is an acceptor; and what hosts
// there say changes no leader. They are used again when a link works.
func TestCutOff(t *testing.T) {
	w := redundant(t)
	for _, other := range []string{"t", "a1", "a2", "a3", "a4"} {
		w.failLink("l", other, portDown)
	}
	w.submit(t)
	require.Contains(t, w.leaders(), "t")
	takeOvers := w.core.apps[0].stats.TakeOvers
	in := w.core.Info()[0]
	require.Equal(t, "running", in.State)
	require.Contains(t, in.Others, MemberInfo{Switch: "l", Roles: []string{"leader"}, State: "cut off", Life: w.core.apps[0].parts["l"].life})
	require.ErrorContains(t, w.core.Lead(w.now, "log", "l"), "switch l: no link that works leads to it")
	for range 4 {
		w.fromHost("p2", w.conf.Controller, &paxos.Message{Kind: paxos.Report, Flags: paxos.Silent})
		w.settle(w.conf.Timing.Fresh / 2)
		w.fromHost("p2", w.conf.Controller, &paxos.Message{Kind: paxos.Report, Flags: paxos.Silent})
		w.settle(w.conf.Timing.Silent / 2)
	}
	require.Equal(t, takeOvers, w.core.apps[0].stats.TakeOvers)
	require.Zero(t, w.core.stats.Unknown, "what is for somebody behind no link is not sent to the controller")

	w.failLink("t", "a1", portDown)
	w.settle(2 * w.conf.Timing.Replace)
	require.Equal(t, []string{"a4", "a2", "a3"}, w.acceptors())
	w.submit(t)
	w.failLink("t", "a2", portDown)
	w.failLink("t", "a3", portDown)
	w.settle(w.conf.Timing.Replace)
	in = w.core.Info()[0]
	require.Equal(t, "cut off", in.Acceptors[1].State)

	w.mendAll()
	w.settle(w.conf.Timing.Hold)
	w.submit(t)
	require.NoError(t, w.core.Lead(w.now, "log", "l"))
	w.submit(t)
	require.Contains(t, w.leaders(), "l")
}

// TestAsksByOtherPaths: the controller asks acceptors at a neighbour that has a link to them.
func TestAsksByOtherPaths(t *testing.T) {
	w := redundant(t)
	for _, a := range []string{"a1", "a2", "a3", "a4"} {
		w.failLink("t", a, silent)
	}
	w.settle(2 * w.conf.Timing.Hold)
	w.submit(t)
	require.NoError(t, w.core.Lead(w.now, "log", "t"))
	w.settle(100 * time.Millisecond)
	require.Contains(t, w.leaders(), "t")
	require.Len(t, w.leaders(), 1)
	w.submit(t)
}

// TestAnyLink: by which link a message comes does not matter, since its path may have changed; by the port of a host it is
// nobody's.
func TestAnyLink(t *testing.T) {
	w := redundant(t)
	sw, learner := w.conf.Switches["a1"], w.conf.Switches["t"]
	vote := func(instance uint32, acceptor int, port uint16) (delivered bool) {
		from := w.conf.Switches[fmt.Sprint("a", acceptor+1)]
		m := paxos.Message{Kind: paxos.Vote, Acceptor: uint8(acceptor), Instance: instance, Round: 1, VoteRound: 1, Client: 7, Sequence: instance, Value: []byte("v")}
		frame, err := appendDatagram(nil, Address{from.MAC, from.Acceptor}, Address{learner.MAC, learner.Learner}, Port(0), &m)
		require.NoError(t, err)
		outs, err := w.devices["t"].target.Inject(dataplane.Port(port), frame)
		require.NoError(t, err)
		for _, o := range outs {
			d, ok := parseDatagram(o.Frame)
			delivered = delivered || ok && d.Kind == paxos.Deliver
		}
		return delivered
	}
	hosts := []uint16{10, 11, 12, 14}
	for i, port := range w.conf.Net.LinkPorts("t") {
		instance := uint32(3 + i)
		for _, host := range hosts {
			require.False(t, vote(instance, 0, host) || vote(instance, 1, host), "by the port of a host")
		}
		require.False(t, vote(instance, 0, port), "one of three")
		require.True(t, vote(instance, 1, port), "by port %d", port)
	}
	// So are the rounds of the controller and of the leader.
	for _, from := range []Address{w.conf.Controller, w.conf.Apps[0].Leader} {
		for _, port := range []uint16{1, 2, 10} {
			frame, err := appendDatagram(nil, from, Address{sw.MAC, sw.Acceptor}, Port(0), &paxos.Message{Kind: paxos.Floor, Round: 1, Instance: 1})
			require.NoError(t, err)
			outs, err := w.devices["a1"].target.Inject(dataplane.Port(port), frame)
			require.NoError(t, err)
			require.Len(t, outs, 1)
			d, ok := parseDatagram(outs[0].Frame)
			require.True(t, ok)
			require.Equal(t, port != 10, d.Kind == paxos.Floored, "from %v by port %d: %v", from, port, d.Kind)
		}
	}
}

// TestForgedProbe: a host's probe says nothing, and is counted.
func TestForgedProbe(t *testing.T) {
	w := redundant(t)
	w.failLink("t", "a1", silent)
	w.settle(2 * w.conf.Timing.Hold)
	down := w.core.links.Down()
	require.Len(t, down, 2)
	for _, at := range down {
		for _, by := range down {
			frame := links.LLDP(wire.MAC{2, 0x66, 0, 0, 0, 0x66}, at)
			w.air = append(w.air, event{"t", 10, frame}, event{by.Switch, map[string]uint16{"t": 3, "a1": 2}[by.Switch], frame})
		}
	}
	w.settle(50 * time.Millisecond)
	require.Equal(t, down, w.core.links.Down())
	require.EqualValues(t, 6, w.core.switches["t"].links.Foreign())
	require.EqualValues(t, 2, w.core.switches["a1"].links.Foreign())
	v, err := w.devices["t"].target.ReadCounter(dataplane.CounterOf(w.program, names.CounterPunts), int(names.ReasonUnknownDestination))
	require.NoError(t, err)
	require.Positive(t, v.Packets)
}

// TestHaltedProbes: a controller that does nothing more sends no probes, and its loop does not spin because of them.
func TestHaltedProbes(t *testing.T) {
	w := redundant(t)
	w.core.Halt(errors.New("no disk"))
	for range 3 {
		w.now += w.conf.Timing.Hold
		w.core.Tick(w.now)
		require.Greater(t, w.core.Deadline(), w.now)
	}
	for o, ok := w.core.Poll(); ok; o, ok = w.core.Poll() {
		_, sends := o.(Send)
		require.False(t, sends, "%+v", o)
	}
}

// TestRandomLinks is TestRandomWalk with links that fail and come back as well, any number of them at the same time.
func TestRandomLinks(t *testing.T) {
	for seed := *first; seed < *first+uint64(*seeds); seed++ {
		w, err := newWorld(redundantConfig, seed)
		require.NoError(t, err)
		w.links, w.late = true, seed%2 == 0
		w.startController()
		w.walk()
		w.good(t)
	}
}

// TestPortsOfSwitches: links are hardly ever probed here. What switches say of their ports reaches the Core, and the status says
// which links are down.
func TestPortsOfSwitches(t *testing.T) {
	l := newLabOf(t, strings.Replace(redundantConfig, `"applications"`, `"hold": "5h", "applications"`, 1))
	l.nodes["a2"].SetPort(1, false) // before there is a controller
	l.controller(&fleettest.Journal[Record]{})
	l.begin()
	down := func(want map[string][]uint16) {
		t.Helper()
		require.Eventually(t, func() bool {
			st, err := NewAdminClient(l.admin).Status(l.ctx)
			if err != nil {
				return false
			}
			got := map[string][]uint16{}
			for i := range st.Switches {
				if s, err := StatusOf(&st.Switches[i]); err != nil {
					return false
				} else if s.Down != nil {
					got[st.Switches[i].Name] = s.Down
				}
			}
			return reflect.DeepEqual(want, got)
		}, time.Minute, 5*time.Millisecond)
	}
	down(map[string][]uint16{"a2": {1}})
	l.submit(1, 20)
	for _, port := range []dataplane.Port{2, 3, 4, 5} {
		l.nodes["t"].SetPort(port, false)
	}
	down(map[string][]uint16{"a2": {1}, "t": {2, 3, 4, 5}})
	l.submit(21, 40)
	l.nodes["a2"].SetPort(1, true)
	for _, port := range []dataplane.Port{2, 3, 4, 5} {
		l.nodes["t"].SetPort(port, true)
	}
	down(map[string][]uint16{})
	l.submit(41, 60)
	text, err := NewAdminClient(l.admin).Metrics(l.ctx)
	require.NoError(t, err)
	require.Regexp(t, `p4ce_controller_paxos_messages_total\{event="foreign_probe",switch="t"\} 0`, text)
}
