package control

import (
	"context"
	"log/slog"
	"net/http"
	"slices"
	"time"

	p4 "github.com/p4lang/p4runtime/go/p4/v1"
	"github.com/prometheus/client_golang/prometheus"

	"github.com/p4ce/p4ce/ctrl/mirror"
	"github.com/p4ce/p4ce/ctrl/p4rtclient"
	"github.com/p4ce/p4ce/ctrl/session"
	names "github.com/p4ce/p4ce/p4/onepipe"
)

// Loop is what a core lives on. Its functions run one at a time, in the order of the calls.
type Loop interface {
	Now() time.Duration
	// Post hands over an event.
	Post(fn func())
	// Packet hands over a packet, which may be lost.
	Packet(fn func())
}

// Network runs the Core of a network. Its Apps are the applications of the sessions of its switches.
type Network struct {
	Core *Core
	loop Loop
	life context.Context
	log  *slog.Logger
	apps map[string]*App
}

// newNetwork makes one, whose outputs the loop gives to out.
func newNetwork(ctx context.Context, conf *Config, j Journal, loop Loop, log *slog.Logger) (*Network, error) {
	core, err := New(conf, j, loop.Now())
	if err != nil {
		return nil, err
	}
	n := &Network{Core: core, loop: loop, life: ctx, log: log, apps: map[string]*App{}}
	for _, name := range conf.Net.Switches() {
		n.apps[name] = &App{n: n, name: name}
	}
	return n, nil
}

// App is the application of the session of a switch.
func (n *Network) App(name string) *App { return n.apps[name] }

// out does what the core wants.
func (n *Network) out(o Output) {
	switch o := o.(type) {
	case Write:
		n.apps[o.Switch].write(o)
	case Read:
		n.apps[o.Switch].read(o)
	case Resync:
		n.apps[o.Switch].Resync()
	case Send:
		n.apps[o.Switch].send(o)
	case Note:
		n.log.Log(n.life, o.Level, o.Text, o.Args...)
	}
}

// App is one switch of a network. It is a session.App.
type App struct {
	session.Base
	*session.Session
	n    *Network
	name string
	had  bool // the switch was in our hands
}

// Name implements session.App.
func (*App) Name() string { return Program }

// Bind implements session.App: the pipeline must have what the core writes and reads.
func (a *App) Bind(s *session.Session) error {
	a.Session = s
	for _, r := range registers {
		if _, err := s.Info().Register(r, 0); err != nil {
			return err
		}
	}
	var list []mirror.Update
	for _, t := range a.n.Core.want(a.n.Core.switches[a.name]) {
		list = append(list, t.Update(mirror.Insert))
	}
	_, err := mirror.Encode(s.Info(), list)
	return err
}

// Sync implements session.App: what the switch holds is read, and the core goes on from there.
func (a *App) Sync(ctx context.Context, c *p4rtclient.Client) (func() error, error) {
	im, err := mirror.New(tables).Read(ctx, c, a.Info())
	if err != nil {
		return nil, err
	}
	return func() error { return a.begin(im) }, nil
}

// Begin is for a switch that holds nothing: sim/fabric calls it in place of Sync.
func (a *App) Begin() error { return a.begin(nil) }

func (a *App) begin(im *mirror.Image) error {
	a.had = true
	a.n.loop.Post(func() { a.n.Core.Synced(a.n.loop.Now(), a.name, im) })
	return nil
}

// Drain implements session.App: it is called whenever something has happened to the session.
func (a *App) Drain() {
	if a.had && !a.InControl() && !a.State().Primary {
		a.had = false
		a.n.loop.Post(func() { a.n.Core.Lost(a.n.loop.Now(), a.name) })
	}
}

// PacketIn implements session.App.
func (a *App) PacketIn(in p4rtclient.Packet) {
	port, reason := uint16(in.Metadata[names.PacketInIngressPort]), names.Reason(in.Metadata[names.PacketInReason])
	a.n.loop.Packet(func() { a.n.Core.PacketIn(a.n.loop.Now(), a.name, port, reason, in.Payload) })
}

func (a *App) write(w Write) {
	var list []*p4.Update
	list, err := mirror.Encode(a.Info(), w.Updates)
	a.Order(list, err, func(err error) {
		a.n.loop.Post(func() { a.n.Core.Written(a.n.loop.Now(), a.name, w.ID, err) })
	})
}

// readTimeout bounds a Read, and MaxAnswer Config.Answer: the core gives up first. The session bounds writes by as much.
const (
	readTimeout = 10 * time.Second
	MaxAnswer   = readTimeout / 2
)

func (a *App) read(r Read) {
	ctx, cancel := context.WithTimeout(a.n.life, readTimeout)
	a.Registers(ctx, r.Registers, func(v map[string][]uint64, err error) {
		cancel()
		if err != nil {
			a.n.log.Warn("registers not read", "switch", a.name, "err", err)
			v = nil
		}
		a.n.loop.Post(func() { a.n.Core.Values(a.n.loop.Now(), a.name, r.ID, v) })
	})
}

func (a *App) send(s Send) {
	a.PacketOut(p4rtclient.Packet{Metadata: map[string]uint64{names.PacketOutEgressPort: uint64(s.Port)}, Payload: s.Frame})
}

// Status implements session.App.
func (a *App) Status() any {
	ctx, cancel := context.WithTimeout(a.n.life, lookTimeout)
	defer cancel()
	st, err := a.n.status(ctx)
	if err != nil {
		return nil
	}
	st.Links = slices.DeleteFunc(st.Links, func(l LinkStatus) bool { return l.Switch != a.name })
	st.Forwarding = slices.DeleteFunc(st.Forwarding, func(f ForwardingStatus) bool { return f.Switch != a.name })
	st.Processes, st.Failures = nil, nil
	return st
}

// Admin implements session.App: the inputs of the switch are at links, the processes of its hosts at processes, of
// these hosts those that have failed, while others are told, at failures, and what is forwarded for them at forwarding.
func (a *App) Admin(ctx context.Context, method, path string, _ []byte) (any, error) {
	paths := map[string]func(*Status) any{
		"links": func(s *Status) any {
			return slices.DeleteFunc(s.Links, func(l LinkStatus) bool { return l.Switch != a.name })
		},
		"processes": func(s *Status) any {
			return slices.DeleteFunc(s.Processes, func(p ProcessStatus) bool { return p.Switch != a.name })
		},
		"failures": func(s *Status) any {
			return slices.DeleteFunc(s.Failures, func(f FailureStatus) bool { return f.Switch != a.name })
		},
		"forwarding": func(s *Status) any {
			return slices.DeleteFunc(s.Forwarding, func(f ForwardingStatus) bool { return f.Switch != a.name })
		},
	}
	of, ok := paths[path]
	if method != http.MethodGet || !ok {
		return nil, session.ErrNoSuchPath
	}
	st, err := a.n.status(ctx)
	return of(&st), err
}

var (
	descLinks      = session.Desc("onepipe_links", "Inputs of the switch, by how far they are.", "state")
	descForwarded  = session.Desc("onepipe_forwarded_packets_total", "Packets of hosts at the switch that the controller has forwarded to hosts that they do not reach.")
	descNotForward = session.Desc("onepipe_forward_drops_total", "Packets that hosts at the switch have handed over, and that were not forwarded.", "reason")
)

// Metrics implements session.App.
func (a *App) Metrics() (out []prometheus.Metric) {
	ctx, cancel := context.WithTimeout(a.n.life, lookTimeout)
	defer cancel()
	st, err := a.n.status(ctx)
	if err != nil {
		return nil
	}
	count := map[string]float64{}
	for _, l := range st.Links {
		if l.Switch == a.name {
			count[l.State]++
		}
	}
	for _, s := range stateNames {
		out = append(out, a.Gauge(descLinks, count[s], s))
	}
	for _, f := range st.Forwarding {
		if f.Switch != a.name {
			continue
		}
		out = append(out, a.Count(descForwarded, float64(f.Packets)))
		for why, n := range f.Dropped {
			out = append(out, a.Count(descNotForward, float64(n), why))
		}
	}
	return out
}

// Responds implements session.App: the core has a goroutine of its own.
func (a *App) Responds(ctx context.Context) error {
	_, err := a.n.status(ctx)
	return err
}
