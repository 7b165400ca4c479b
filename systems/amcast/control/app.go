package control

import (
	"context"
	crand "crypto/rand"
	"encoding/binary"
	"fmt"
	"log/slog"
	"time"

	"github.com/p4ce/p4ce/ctrl/fleet"
	"github.com/p4ce/p4ce/ctrl/mirror"
	"github.com/p4ce/p4ce/ctrl/p4rtclient"
	"github.com/p4ce/p4ce/ctrl/session"
	names "github.com/p4ce/p4ce/p4/amcast"
)

// loop is what a core lives on: a fleet.Loop, or a fleet.Simulated.
type loop interface {
	Now() time.Duration
	Life() context.Context
	Post(fn func())
	Replace(about string, fn func())
	Packet(fn func())
	Look(ctx context.Context, fn func()) error
	Ask(ctx context.Context, fn func() error) error
	Stalled(ctx context.Context) error
	Health() error
}

// deployment runs the Core of a configuration. Its Apps are the applications of the sessions of its switches.
type deployment struct {
	loop loop
	conf *Config
	log  *slog.Logger
	core *Core
	apps map[string]*App
}

func newDeployment(conf *Config, log *slog.Logger) *deployment {
	if log == nil {
		log = slog.New(slog.DiscardHandler)
	}
	d := &deployment{conf: conf, log: log, apps: map[string]*App{}}
	for _, name := range conf.Net.Switches() {
		d.apps[name] = &App{d: d, name: name}
	}
	return d
}

// App is the application of the session of a switch.
func (d *deployment) App(name string) *App { return d.apps[name] }

// carryOut does what the Core wants.
func (d *deployment) carryOut(o Output) {
	switch o := o.(type) {
	case Write:
		d.apps[o.Switch].write(o)
	case Read:
		d.apps[o.Switch].read(o)
	case Resync:
		d.apps[o.Switch].Resync()
	case Send:
		a := d.apps[o.Switch]
		a.PacketOut(p4rtclient.Packet{Metadata: map[string]uint64{names.PacketOutEgressPort: uint64(o.Port)}, Payload: o.Frame})
	case Note:
		d.log.Log(context.Background(), o.Level, o.Text, o.Args...)
	}
}

// Deployment is one with a loop of its own, and a journal.
type Deployment struct {
	*deployment
	fleet *fleet.Loop[Record, Output]
}

// NewDeployment makes a deployment that goes on where the journal ends. It ends with ctx, which is to be that of its
// sessions. Close waits for it, after them.
func NewDeployment(ctx context.Context, conf *Config, j Journal, log *slog.Logger) (*Deployment, error) {
	d := &Deployment{deployment: newDeployment(conf, log)}
	d.fleet = fleet.New(ctx, fleet.Config[Record, Output]{
		Journal: j, Out: d.carryOut, Log: d.log,
		Anytime: func(o Output) bool { _, note := o.(Note); return note },
	})
	d.loop = d.fleet
	var b [4]byte
	if _, err := crand.Read(b[:]); err != nil {
		return nil, err
	}
	var err error
	if d.core, err = New(conf, d.fleet.Journal(), binary.BigEndian.Uint32(b[:]), 0); err != nil {
		return nil, err
	}
	d.fleet.Start(d.core)
	return d, nil
}

// Close ends the deployment. The journal is not used any more when it returns.
func (d *Deployment) Close() { d.fleet.Close() }

// Simulated is a deployment whose time and events are somebody else's (package sim/fabric).
type Simulated struct {
	*deployment
	*fleet.Simulated[Record, Output]
}

// NewSimulated makes one. Its switches hold nothing. log may be nil.
func NewSimulated(conf *Config, now func() time.Duration, log *slog.Logger) (*Simulated, error) {
	s := &Simulated{deployment: newDeployment(conf, log)}
	s.Simulated = fleet.NewSimulated[Record](now, s.carryOut)
	s.loop = s.Simulated
	var err error
	if s.core, err = New(conf, s.Journal(), 1, now()); err != nil {
		return nil, err
	}
	s.Start(s.core)
	return s, nil
}

// Groups describes the groups.
func (s *Simulated) Groups() []GroupStatus { return s.core.Groups() }

// Lost is for tests: a switch is out of the controller's hands.
func (s *Simulated) Lost(name string) {
	s.Post(func() { s.core.Lost(s.Now(), name) })
}

// Synced is for tests: a switch is in the controller's hands again, and holds nothing.
func (s *Simulated) Synced(name string) {
	s.Post(func() { s.core.Synced(s.Now(), name, &Image{}) })
}

// App is one switch of a deployment. It is a session.App.
type App struct {
	session.Base
	*session.Session
	d    *deployment
	name string
	had  bool // the switch was in our hands, on the session's loop
}

// Name implements session.App.
func (*App) Name() string { return Program }

// Bind implements session.App: the pipeline must have what the core writes and reads.
func (a *App) Bind(s *session.Session) error {
	a.Session = s
	info := s.Info()
	for _, r := range append(append([]string{}, words...), names.RegisterLife, names.RegisterClock, names.RegisterMarks, names.RegisterRing, names.RegisterRingSeqs) {
		if _, err := info.Register(r, 0); err != nil {
			return err
		}
	}
	for _, t := range tables {
		if t != "" && info.TableSize(t) == 0 {
			return fmt.Errorf("table %q: not in the p4info of the pipeline", t)
		}
	}
	return nil
}

// Sync implements session.App: what the switch holds is read, and the Core goes on from there.
func (a *App) Sync(ctx context.Context, c *p4rtclient.Client) (func() error, error) {
	held, err := mirror.New(tables).Read(ctx, c, a.Info())
	if err != nil {
		return nil, err
	}
	im := &Image{Image: *held}
	for register, to := range map[string]*[]uint32{names.RegisterLife: &im.Lives, names.RegisterClock: &im.Clocks} {
		v, err := c.ReadRegister(ctx, a.Info(), register, -1)
		if err != nil {
			return nil, err
		}
		for _, f := range v {
			*to = append(*to, uint32(f[0]))
		}
	}
	return func() error {
		a.had = true
		a.d.loop.Replace(a.name, func() { a.d.core.Synced(a.d.loop.Now(), a.name, im) })
		return nil
	}, nil
}

// Begin is for a switch that holds nothing: sim/fabric calls it in place of Sync.
func (a *App) Begin() error {
	a.had = true
	a.d.loop.Replace(a.name, func() { a.d.core.Synced(a.d.loop.Now(), a.name, &Image{}) })
	return nil
}

// Drain implements session.App: it is called whenever something has happened to the session.
func (a *App) Drain() {
	if a.had && !a.InControl() && !a.State().Primary {
		a.had = false
		a.d.loop.Replace(a.name, func() { a.d.core.Lost(a.d.loop.Now(), a.name) })
	}
}

// PacketIn implements session.App.
func (a *App) PacketIn(in p4rtclient.Packet) {
	port, reason := uint16(in.Metadata[names.PacketInIngressPort]), names.Reason(in.Metadata[names.PacketInReason])
	a.d.loop.Packet(func() { a.d.core.PacketIn(a.d.loop.Now(), a.name, port, reason, in.Payload) })
}

func (a *App) write(w Write) {
	list, err := mirror.Encode(a.Info(), w.Updates)
	a.Order(list, err, func(err error) {
		a.d.loop.Post(func() { a.d.core.Written(a.d.loop.Now(), a.name, w.ID, err) })
	})
}

// readTimeout bounds a Read.
const readTimeout = 10 * time.Second

func (a *App) read(r Read) {
	ctx, cancel := context.WithTimeout(a.d.loop.Life(), readTimeout)
	a.Cells(ctx, r.Cells, func(v [][]uint64, err error) {
		cancel()
		if err != nil {
			a.d.log.Warn("registers not read", "switch", a.name, "err", err)
			v = nil
		}
		a.d.loop.Post(func() { a.d.core.Values(a.d.loop.Now(), a.name, r.ID, v) })
	})
}

// Responds implements session.App: the Core has a goroutine of its own, and the journal another one.
func (a *App) Responds(ctx context.Context) error { return a.d.loop.Stalled(ctx) }

// Health implements session.App.
func (a *App) Health() error { return a.d.loop.Health() }
