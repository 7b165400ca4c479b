package control

import (
	"context"
	crand "crypto/rand"
	"encoding/binary"
	"fmt"
	"log/slog"
	"maps"
	"sync"
	"sync/atomic"
	"time"

	"github.com/p4ce/p4ce/ctrl/fleet"
	"github.com/p4ce/p4ce/ctrl/mirror"
	"github.com/p4ce/p4ce/ctrl/p4rtclient"
	"github.com/p4ce/p4ce/ctrl/session"
	names "github.com/p4ce/p4ce/p4/paxos"
)

// rereadAfter is the pause before a switch that has refused something is read back.
const rereadAfter = 100 * time.Millisecond

// loop is what a core lives on: a fleet.Loop, or a fleet.Simulated.
type loop interface {
	Now() time.Duration
	Life() context.Context
	Post(fn func())
	Replace(about string, fn func())
	Packet(fn func())
	Aside(fn func())
	Look(ctx context.Context, fn func()) error
	Ask(ctx context.Context, fn func() error) error
	Stalled(ctx context.Context) error
	Health() error
	Dropped() uint64
	Refused() uint64
}

// deployment runs the Core of a configuration. Its Apps are the applications of the sessions of its switches.
type deployment struct {
	loop   loop
	conf   *Config
	log    *slog.Logger
	core   *Core
	apps   map[string]*App
	unsent atomic.Uint64
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

// Deployment is one with a loop of its own, and a journal. While a record is on its way to the journal the Core takes no step, and
// what it wanted last waits; ARP and whoever looks at the Core are answered.
type Deployment struct {
	*deployment
	fleet *fleet.Loop[Record, Output]
}

// NewDeployment makes a deployment that goes on where the journal ends. It ends with ctx, which
// is to be that of its sessions: that these end is no loss of switches. Close waits for
// it, after them.
func NewDeployment(ctx context.Context, conf *Config, j Journal, log *slog.Logger) (*Deployment, error) {
	d := &Deployment{deployment: newDeployment(conf, log)}
	d.fleet = fleet.New(ctx, fleet.Config[Record, Output]{Journal: j, Out: d.carryOut, Anytime: anytime, Log: d.log})
	d.loop = d.fleet
	var err error
	if d.core, err = New(conf, d.fleet.Journal(), randomLife, 0); err != nil {
		return nil, err
	}
	d.fleet.Start(d.core)
	return d, nil
}

// anytime accepts what changes nothing: the log may say at any time what is going on.
func anytime(o Output) bool {
	_, note := o.(Note)
	return note
}

// randomLife is one that nobody has had, but for one chance in 2^32: the Core looks into its
// journal, and this is for a journal that was lost.
func randomLife() uint32 {
	var b [4]byte
	if _, err := crand.Read(b[:]); err != nil {
		panic(err) // crypto/rand: it does not happen
	}
	return binary.BigEndian.Uint32(b[:])
}

// Close ends the deployment. The journal is not used any more when it returns.
func (d *Deployment) Close() { d.fleet.Close() }

// App is the application of the session of a switch.
func (d *deployment) App(name string) *App { return d.apps[name] }

// carryOut does what the Core wants.
func (d *deployment) carryOut(o Output) {
	switch o := o.(type) {
	case Write:
		d.apps[o.Switch].write(o)
	case Send:
		d.apps[o.Switch].send(o)
	case ReadNext:
		d.apps[o.Switch].readNext(o.App)
	case Reread:
		d.apps[o.Switch].reread()
	case Note:
		d.log.Log(context.Background(), o.Level, o.Text, o.Args...)
	}
}

// App is one switch of a deployment. It is a session.App.
type App struct {
	session.Base
	*session.Session
	d    *deployment
	name string
	had  bool // the switch was in our hands, on the session's loop

	// What was written and read, in which order: see Sync.
	mu     sync.Mutex
	epoch  uint64 // synchronisations begun
	queued int    // writes without an outcome
	known  uint64 // the epoch that the Core knows of, on its goroutine
}

// Name implements session.App.
func (*App) Name() string { return Program }

// Bind implements session.App.
func (a *App) Bind(s *session.Session) error {
	a.Session = s
	if err := check(s.Info(), a.d.conf.numbers()); err != nil {
		return fmt.Errorf("the pipeline is not that of p4/paxos/paxos.p4: %w", err)
	}
	return nil
}

// Responds implements session.App: the Core has a goroutine of its own, and the journal another one.
func (a *App) Responds(ctx context.Context) error { return a.d.loop.Stalled(ctx) }

// Health implements session.App.
func (a *App) Health() error { return a.d.loop.Health() }

// check looks whether the p4info has everything that the controller reads and writes, for so many
// applications.
func check(info *p4rtclient.Info, apps int) error {
	for _, r := range registers {
		if _, err := info.Register(r, 0); err != nil {
			return err
		}
		if n := info.RegisterSize(r); n < apps {
			return fmt.Errorf("register %q: has room for %d applications, and there are %d [the program's APP_BITS]", r, n, apps)
		}
	}
	if room(info) == 0 {
		return fmt.Errorf("register %q: has %d elements, for %d applications", names.RegisterVoted, info.RegisterSize(names.RegisterVoted), info.RegisterSize(names.RegisterLife))
	}
	for _, t := range tables {
		if t != "" && info.TableSize(t) == 0 {
			return fmt.Errorf("table %q: not in the p4info of the pipeline", t)
		}
	}
	_, err := info.PacketOut(p4rtclient.Packet{Metadata: map[string]uint64{names.PacketOutEgressPort: 1}})
	return err
}

// room is how many instances of each application a program has cells for: all applications together share
// the cells of the rings (RING_BITS and APP_BITS in p4/paxos/types.p4).
func room(info *p4rtclient.Info) uint32 {
	return uint32(info.RegisterSize(names.RegisterVoted) / max(info.RegisterSize(names.RegisterLife), 1))
}

// Sync implements session.App: what the switch holds is read, and the Core goes on from there.
// Before the Core hears of it, it may still write: what comes after the reading has begun is
// dropped, and if something was waiting behind it already, all is read once more.
func (a *App) Sync(ctx context.Context, c *p4rtclient.Client) (func() error, error) {
	epoch, behind := a.next()
	im, err := readImage(ctx, c, a.Info())
	if err != nil {
		return nil, err
	}
	return func() error {
		a.synced(epoch, behind, im)
		return nil
	}, nil
}

// next begins a synchronisation. behind: something that was written before waits.
func (a *App) next() (epoch uint64, behind bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.epoch++
	return a.epoch, a.queued > 0
}

// synced gives the Core what the switch held at the beginning of a synchronisation.
func (a *App) synced(epoch uint64, behind bool, im *Image) {
	a.had = true
	a.d.loop.Replace(a.name, func() {
		a.known = epoch
		if behind {
			a.d.core.Stale(a.d.loop.Now(), a.name)
		} else {
			a.d.core.Synced(a.d.loop.Now(), a.name, im)
		}
	})
}

// readImage reads everything that the controller writes.
func readImage(ctx context.Context, c *p4rtclient.Client, info *p4rtclient.Info) (*Image, error) {
	held, err := mirror.New(tables).Read(ctx, c, info)
	if err != nil {
		return nil, err
	}
	im := &Image{Image: *held, Registers: map[string][]uint32{}, Room: room(info)}
	for _, r := range registers {
		v, err := c.ReadRegister(ctx, info, r, -1)
		if err != nil {
			return nil, err
		}
		for _, f := range v {
			im.Registers[r] = append(im.Registers[r], uint32(f[0]))
		}
	}
	return im, nil
}

// reread reads the switch back when something has failed, after what is still to be written:
// the Core writes nothing meanwhile.
func (a *App) reread() {
	if a.Owned() {
		return // the switch of an owner takes whatever is right: see Simulated
	}
	a.Order(nil, nil, func(error) { time.AfterFunc(rereadAfter, a.readAgain) })
}

func (a *App) readAgain() {
	ctx, cancel := context.WithTimeout(a.d.loop.Life(), 10*time.Second)
	defer cancel()
	im, err := readImage(ctx, a.Client(), a.Info())
	a.d.loop.Post(func() {
		switch {
		case err == nil:
			a.d.core.Reread(a.d.loop.Now(), a.name, im)
		case a.d.core.WantsReread(a.name):
			a.reread()
		}
	})
}

// readNext reads the next instance of a leader. When it cannot be read nothing is said.
func (a *App) readNext(app int) {
	ctx, cancel := context.WithTimeout(a.d.loop.Life(), time.Second)
	a.Cells(ctx, []p4rtclient.Cell{{Register: names.RegisterNext, Index: app}}, func(v [][]uint64, err error) {
		cancel()
		if err == nil && len(v) == 1 {
			a.d.loop.Post(func() { a.d.core.Next(a.d.loop.Now(), app, uint32(v[0][0])) })
		}
	})
}

// Ports implements session.App.
func (a *App) Ports(up map[uint32]bool) {
	up = maps.Clone(up)
	a.d.loop.Post(func() { a.d.core.Ports(a.d.loop.Now(), a.name, up) })
}

// PacketIn implements session.App.
func (a *App) PacketIn(in p4rtclient.Packet) {
	port, reason := uint16(in.Metadata[names.PacketInIngressPort]), names.Reason(in.Metadata[names.PacketInReason])
	to := a.d.loop.Packet
	if reason == names.ReasonARP {
		to = a.d.loop.Aside
	}
	to(func() { a.d.core.PacketIn(a.d.loop.Now(), a.name, port, reason, in.Payload) })
}

// Drain implements session.App: it is called whenever something has happened to the session.
func (a *App) Drain() {
	if a.had && !a.InControl() && !a.State().Primary {
		a.had = false
		a.d.loop.Replace(a.name, func() { a.d.core.Lost(a.d.loop.Now(), a.name) })
	}
}

// write gives the switch updates.
func (a *App) write(w Write) {
	list, err := mirror.Encode(a.Info(), w.Updates)
	a.mu.Lock()
	if a.epoch != a.known {
		a.mu.Unlock()
		return
	}
	a.queued++
	a.mu.Unlock()
	a.Order(list, err, func(err error) {
		a.mu.Lock()
		a.queued--
		a.mu.Unlock()
		a.d.loop.Post(func() { a.d.core.Written(a.d.loop.Now(), a.name, w.ID, err) })
	})
}

// send sends a frame out of a port.
func (a *App) send(s Send) {
	p := p4rtclient.Packet{Metadata: map[string]uint64{names.PacketOutEgressPort: uint64(s.Port)}, Payload: s.Frame}
	if a.Owned() {
		a.PacketOut(p)
		return
	}
	out, err := a.Info().PacketOut(p)
	if err == nil {
		err = a.Client().PacketOut(out)
	}
	if err != nil {
		a.d.unsent.Add(1)
		a.Log().Debug("packet not sent", "port", s.Port, "err", err)
	}
}
