package control

import (
	"context"
	"fmt"
	"log/slog"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/p4ce/p4ce/ctrl"
	"github.com/p4ce/p4ce/ctrl/p4rtclient"
	"github.com/p4ce/p4ce/ctrl/topology"
	"github.com/p4ce/p4ce/dataplane"
	"github.com/p4ce/p4ce/dataplane/agent"
	"github.com/p4ce/p4ce/link/hub"
	"github.com/p4ce/p4ce/roce/wire"
	"github.com/p4ce/p4ce/systems/paxos"
)

// These tests run everything for real, in one process: the controller, a P4Runtime server for
// each switch, the program in the interpreter, links between them, and hosts at their ports.

// lab is a deployment.
type lab struct {
	t     *testing.T
	ctx   context.Context
	conf  *Config
	nodes map[string]*agent.Interpreter
	hosts map[string]*testHost
	admin string
}

func newLab(t *testing.T) *lab { return newLabOf(t, testConfig) }

func newLabOf(t *testing.T, config string) *lab {
	conf, err := ParseConfig([]byte(config))
	require.NoError(t, err)
	conf.Timing.TrimStep = 8
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
	t.Cleanup(cancel)
	l := &lab{t: t, ctx: ctx, conf: conf, nodes: map[string]*agent.Interpreter{}, hosts: map[string]*testHost{}, admin: "unix:" + filepath.Join(t.TempDir(), "admin.sock")}
	for _, name := range conf.Net.Switches() {
		l.start(name, "127.0.0.1:0")
	}
	t.Cleanup(func() {
		for name := range l.nodes {
			l.stop(name)
		}
	})
	done := map[topology.Place]bool{}
	for _, name := range conf.Net.Switches() {
		for port := range uint16(16) {
			a := topology.Place{Switch: name, Port: port}
			if b, ok := conf.Net.Peer(a); ok && !done[b] {
				done[a] = true
				x, y := hub.Cable(1024)
				l.plug(a, x)
				l.plug(b, y)
			}
		}
	}
	for _, h := range conf.Net.Hosts() {
		sw, host := hub.Cable(1024)
		l.plug(h.At, sw)
		l.hosts[h.Name] = newTestHost(t, conf, h.Name, host)
	}
	return l
}

func (l *lab) start(name, addr string) {
	n, err := agent.StartInterpreter(addr)
	require.NoError(l.t, err)
	l.nodes[name] = n
}

// stop kills a switch, with its ports.
func (l *lab) stop(name string) {
	n := l.nodes[name]
	delete(l.nodes, name)
	require.NoError(l.t, n.Close())
}

func (l *lab) plug(at topology.Place, end *hub.End) {
	require.NoError(l.t, l.nodes[at.Switch].AddLink(dataplane.Port(at.Port), at.String(), end))
}

// controller runs one until the returned function is called.
func (l *lab) controller(j Journal) (stop func()) {
	ctx, cancel := context.WithCancel(l.ctx)
	d, err := NewDeployment(ctx, l.conf, j, slog.New(slog.NewTextHandler(testLog{l.t}, nil)))
	require.NoError(l.t, err)
	var list []ctrl.SwitchConfig
	for _, name := range l.conf.Net.Switches() {
		if n := l.nodes[name]; n != nil {
			list = append(list, ctrl.SwitchConfig{Name: name, P4RT: p4rtclient.Options{Address: n.Address, BackoffMin: time.Millisecond, BackoffMax: 20 * time.Millisecond}, App: d.App(name)})
		}
	}
	done := make(chan error, 1)
	go func() {
		done <- ctrl.Run(ctx, ctrl.Config{Switches: list, Admin: l.admin, Log: slog.New(slog.NewTextHandler(testLog{l.t}, nil))})
	}()
	var once sync.Once
	stop = func() {
		once.Do(func() {
			cancel()
			require.NoError(l.t, <-done)
			d.Close()
		})
	}
	l.t.Cleanup(stop)
	return stop
}

// wait waits until an application is as it should be.
func (l *lab) wait(what string, ok func(*Info) bool) *Info {
	l.t.Helper()
	var in *Info
	var err error
	if !assert.Eventually(l.t, func() bool {
		in, err = NewAdminClient(l.admin).Application(l.ctx, "log")
		return err == nil && ok(in)
	}, 3*time.Minute, 2*time.Millisecond) {
		l.t.Fatalf("%s: %v %+v", what, err, in)
	}
	return in
}

// begin waits until the log runs, and l leads. On a busy machine l may be up later than the controller waits for it.
func (l *lab) begin() *Info {
	l.t.Helper()
	if l.wait("it begins", func(in *Info) bool { return in.State == "running" }).Leader != "l" {
		require.Eventually(l.t, func() bool { return NewAdminClient(l.admin).Lead(l.ctx, "log", "l") == nil }, 3*time.Minute, 2*time.Millisecond)
	}
	return l.wait("l leads", running("l"))
}

// testLog is where the controller's log goes.
type testLog struct{ t *testing.T }

func (w testLog) Write(b []byte) (int, error) {
	w.t.Log(strings.TrimSpace(string(b)))
	return len(b), nil
}

// testHost sends requests until they are delivered to it, reports, and demands that nothing is
// ever delivered otherwise.
type testHost struct {
	t    *testing.T
	conf *Config
	name string
	end  *hub.End

	mu        sync.Mutex
	log       map[uint32]string
	seen      map[uint32]bool // sequences
	delivered uint32
	heard     uint32
	reported  uint32
	arp       map[wire.Addr]wire.MAC
}

func newTestHost(t *testing.T, conf *Config, name string, end *hub.End) *testHost {
	h := &testHost{t: t, conf: conf, name: name, end: end, log: map[uint32]string{}, seen: map[uint32]bool{}, delivered: 1, arp: map[wire.Addr]wire.MAC{}}
	done := make(chan struct{})
	go func() {
		defer close(done)
		frames := make([][]byte, 64)
		for {
			n, err := end.Receive(frames)
			if err != nil {
				return
			}
			for _, f := range frames[:n] {
				h.receive(f)
			}
		}
	}()
	t.Cleanup(func() { end.Close(); <-done })
	return h
}

func (h *testHost) receive(frame []byte) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if len(frame) >= 42 && frame[12] == 8 && frame[13] == 6 {
		h.arp[wire.Addr(frame[28:32])] = wire.MAC(frame[22:28])
		return
	}
	d, ok := parseDatagram(frame)
	if !ok || d.Kind != paxos.Deliver {
		return
	}
	v := what(&d.Message)
	if old, there := h.log[d.Instance]; there && old != v {
		h.t.Errorf("instance %d: %s and %s", d.Instance, old, v)
	}
	h.log[d.Instance] = v
	h.seen[d.Sequence] = true
	h.heard = max(h.heard, d.Instance)
	for h.log[h.delivered] != "" {
		h.delivered++
	}
}

func (h *testHost) send(to Address, m *paxos.Message) {
	frame, err := appendDatagram(nil, h.conf.Hosts[h.name], to, Port(0), m)
	require.NoError(h.t, err)
	h.end.Send(frame)
}

func (h *testHost) report() {
	h.mu.Lock()
	m := &paxos.Message{Kind: paxos.Report, Instance: h.delivered, VoteRound: max(h.heard, h.delivered), Sequence: h.delivered}
	if h.heard > h.delivered && h.delivered == h.reported { // for some time
		m.Flags = paxos.Gap
	}
	h.reported = h.delivered
	h.mu.Unlock()
	h.send(h.conf.Controller, m)
}

// submit sends values, again and again, until both replicas have all of them in order.
func (l *lab) submit(from, to uint32) {
	l.t.Helper()
	p := l.hosts["p1"]
	require.Eventually(l.t, func() bool {
		all := true
		for _, name := range []string{"r1", "r2"} {
			h := l.hosts[name]
			h.report()
			h.mu.Lock()
			for seq := from; seq <= to; seq++ {
				all = all && h.seen[seq]
			}
			all = all && h.delivered > h.heard
			h.mu.Unlock()
		}
		if !all {
			r := l.hosts["r1"]
			for seq := from; seq <= to; seq++ {
				r.mu.Lock()
				seen := r.seen[seq]
				r.mu.Unlock()
				if !seen {
					p.send(l.conf.Apps[0].Leader, &paxos.Message{Kind: paxos.Request, Client: 7, Sequence: seq, Value: fmt.Appendf(nil, "value %d", seq)})
				}
			}
		}
		return all
	}, 3*time.Minute, 20*time.Millisecond, "values %d to %d are not delivered", from, to)
}

func running(leader string) func(*Info) bool {
	return func(in *Info) bool { return in.State == "running" && in.Leader == leader }
}

func TestEndToEnd(t *testing.T) {
	l := newLab(t)
	dir := t.TempDir()
	j, err := OpenJournal(dir)
	require.NoError(t, err)
	stop := l.controller(j)
	first := l.begin().Round
	l.submit(1, 50)

	// A host asks where the leader is.
	l.hosts["p1"].resolves(l.conf.Apps[0].Leader)

	// The leader's switch dies, and another leads.
	l.stop("l")
	in := l.wait("another leads", running("t"))
	require.Greater(t, in.Round, first)
	round := in.Round
	l.submit(51, 100)

	// The controller starts anew, and changes nothing.
	stop()
	require.NoError(t, j.Close())
	j, err = OpenJournal(dir)
	require.NoError(t, err)
	defer j.Close()
	stop = l.controller(j)
	in = l.wait("it goes on", running("t"))
	require.Equal(t, round, in.Round)
	l.submit(101, 150)

	// An acceptor dies for good: the spare takes its place. Then another may die.
	l.stop("a2")
	in = l.wait("the spare is an acceptor", func(in *Info) bool {
		return in.State == "running" && in.Acceptors[1].Switch == "a4" && in.Acceptors[1].State == "ready"
	})
	require.Greater(t, in.Round, round)
	l.submit(151, 200)
	l.stop("a1")
	l.submit(201, 250)
	in = l.wait("trimmed", func(in *Info) bool { return in.First > 50 && in.Last == in.First+in.Instances-1 })
	require.GreaterOrEqual(t, in.Next, in.First)

	text, err := NewAdminClient(l.admin).Metrics(l.ctx)
	require.NoError(t, err)
	for _, want := range []string{
		fmt.Sprintf(`p4ce_controller_paxos_round{application="log",switch="t"} %d`, in.Round), `p4ce_controller_paxos_acceptors_ready{application="log",switch="t"} 2`,
		`p4ce_controller_paxos_events_total{application="log",event="acceptor_replaced",switch="t"} 1`,
	} {
		require.Contains(t, text, want)
	}
	client := NewAdminClient(l.admin)
	require.ErrorContains(t, client.Lead(l.ctx, "log", "a3"), "is not one of the leaders of log")
	require.ErrorContains(t, client.Lead(l.ctx, "nothing", "t"), "does not exist")
	_, err = client.Application(l.ctx, "nothing")
	require.ErrorContains(t, err, `application "nothing": does not exist [applications: log]`)
	stop()
}

func TestConfigErrors(t *testing.T) {
	for _, tt := range []struct{ old, new, want string }{
		{`"name": "log"`, `"name": "log", "colour": "red"`, `unknown field "colour"`},
		{`"controller": {`, `"controller": {{`, "line 2: invalid character"},
		{`"replicas": ["r1", "r2"], "proposers": ["p1"]`, `"replicas": ["r1", "rx"]`, `application log: replicas: no host "rx"`},
		{`"leaders": ["l", "t"]`, `"leaders": []`, "application log: leaders: 0 of them, want at least 1"},
		{`"leaders": ["l", "t"]`, `"leaders": ["l", "l"]`, "leaders: l is named twice"},
		{`"leaders": ["l", "t"]`, `"leaders": ["x"]`, `leaders: no switch "x"`},
		{`"acceptors": ["a1", "a2", "a3"]`, `"acceptors": ["a1", "a2", "t"]`, "acceptors: switch t has no acceptor address"},
		{`"spares": ["a4"]`, `"spares": ["a1"]`, "acceptors and spares: a1 is named twice"},
		{`"learners": ["t"]`, `"learners": ["l"]`, "learners: switch l has no learner address"},
		{`["t:4", "a3:1"], `, ``, "topology: switch a3 cannot be reached from t"},
		{`"10.0.1.2"`, `"10.0.1.1"`, "address 10.0.1.1 is that of switch a"},
		{`"10.0.1.2"`, `"fe80::1"`, `switch a2: address "fe80::1" is not a unicast IPv4 address`},
		{`"02:00:00:00:01:12"`, `"02:00:00:00:01:11"`, "switch a2: mac 02:00:00:00:01:11 is that of switch a1"},
		{`"02:00:00:00:01:12"`, `"03:00:00:00:01:11"`, "is not a unicast address"},
		{`"p4runtime": "a2",`, ``, "switch a2: p4runtime is missing"},
		{`["t:1", "l:1"]`, `["t:1"]`, "want two ends"},
		{`"at": "t:10"`, `"at": "t"`, "host p1: at: \"t\": want SWITCH:PORT"},
		{`"name": "log"`, `"name": "log", "state": {"p1": "10.0.0.1:7400"}`, `application log: state: host "p1" is not a replica`},
		{`"name": "log"`, `"name": "log", "state": {"r1": "nonsense"}`, `state of r1: "nonsense" is neither HOST:PORT nor unix:PATH`},
		{`"name": "log"`, `"name": "log", "state": {"r1": "unix:"}`, `state of r1: "unix:" is neither`},
		{`"name": "log"`, `"name": "log", "instances": 65537`, "application log: instances: 65537 (at most 65536)"},
		{`"name": "log"`, `"name": "log", "instances": -1`, "instances"},
		{`"p4runtime": "a2",`, `"p4runtime": "a2", "p4info": "x",`, "switch a2: p4info and device_config belong together"},
		{`"p4runtime": "a2",`, `"p4runtime": "a2", "pipes": ["0"],`, `switch a2: pipe "0": want a number and = first`},
		{`"p4runtime": "a2",`, `"p4runtime": "a2", "pipes": ["0=200"],`, "application log: switch a2: port 1 is on no pipe"},
		{`"p4runtime": "t",`, `"p4runtime": "t", "pipes": ["0=1-9", "1=10-32"],`, "application log: switch t: ports 1 and 10 are on pipes 0 and 1, and registers are per pipe"},
		{`"applications"`, `"replace_after": "soon", "applications"`, `"soon": is not a duration`},
		{`"applications"`, `"hold": "-1s", "applications"`, `"-1s": is not a duration`},
	} {
		text := strings.Replace(testConfig, tt.old, tt.new, 1)
		require.NotEqual(t, testConfig, text, tt.old)
		_, err := ParseConfig([]byte(text))
		require.ErrorContains(t, err, tt.want)
	}
	_, err := ParseConfig([]byte(testConfig + "{}"))
	require.ErrorContains(t, err, "unexpected text after")
}

// FuzzParseConfig: whatever a file says, it is taken or refused, and what is taken can be run.
func FuzzParseConfig(f *testing.F) {
	f.Add([]byte(testConfig))
	f.Add([]byte(strings.Replace(testConfig, `"name": "log"`, `"name": "log", "state": {"r1": "unix:r1"}`, 1)))
	f.Add([]byte(twoConfig))
	f.Fuzz(func(t *testing.T, b []byte) {
		c, err := ParseConfig(b)
		if err == nil {
			require.NoError(t, c.Check())
			require.NotEmpty(t, c.Apps)
		}
	})
}
