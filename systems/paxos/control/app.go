package control

import (
	"context"
	crand "crypto/rand"
	"encoding/binary"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"time"

	p4 "github.com/p4lang/p4runtime/go/p4/v1"

	"github.com/p4ce/p4ce/ctrl/p4rtclient"
	"github.com/p4ce/p4ce/ctrl/session"
	names "github.com/p4ce/p4ce/p4/paxos"
)

// inboxSize is how many packets may wait for the Core, looksSize how many looks at it. A packet that does not fit is
// dropped and counted, as a network would: whoever sent it repeats it.
const (
	inboxSize = 4096
	looksSize = 256
)

// rereadAfter is the pause before a switch that has refused something is read back.
const rereadAfter = 100 * time.Millisecond

// Deployment runs the Core of a configuration. Its Apps are the applications of the sessions
// of its switches. While a record is on its way to the journal the Core takes no step, and what it wanted last waits
// (gate); ARP and whoever looks at the Core are answered.
type Deployment struct {
	conf    *Config
	log     *slog.Logger
	core    *Core
	gate    *gate
	scribe  *scribe
	apps    map[string]*App
	packets chan func()
	looks   chan func()   // of what rests on no record
	some    chan struct{} // there are events
	start   time.Time
	ended   sync.WaitGroup
	stop    context.CancelFunc
	life    context.Context

	mu      sync.Mutex
	events  []posted
	dropped uint64
	unsent  uint64
}

// posted is an event, which must not be lost, on its way to the Core.
type posted struct {
	about string // the switch that it says all about; or nothing
	do    func()
}

// NewDeployment makes a deployment that goes on where the journal ends. It ends with ctx, which
// is to be that of its sessions: that these end is no loss of switches. Close waits for
// it, after them.
func NewDeployment(ctx context.Context, conf *Config, j Journal, log *slog.Logger) (*Deployment, error) {
	if log == nil {
		log = slog.New(slog.DiscardHandler)
	}
	d := &Deployment{
		conf: conf, log: log, gate: &gate{kept: j.Records()}, apps: map[string]*App{}, packets: make(chan func(), inboxSize),
		looks: make(chan func(), looksSize), some: make(chan struct{}, 1), start: time.Now(),
	}
	var err error
	if d.core, err = New(conf, d.gate, randomLife, 0); err != nil {
		return nil, err
	}
	for _, name := range conf.Net.Switches() {
		d.apps[name] = &App{d: d, name: name}
	}
	d.life, d.stop = context.WithCancel(ctx)
	d.scribe = newScribe(j, log, d.life.Done())
	d.ended.Go(d.scribe.run)
	d.ended.Go(d.run)
	return d, nil
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
func (d *Deployment) Close() {
	d.stop()
	d.ended.Wait()
}

// App is the application of the session of a switch.
func (d *Deployment) App(name string) *App { return d.apps[name] }

func (d *Deployment) now() time.Duration { return time.Since(d.start) }

// run is the goroutine that the Core lives on.
func (d *Deployment) run() {
	timer := time.NewTimer(0)
	defer timer.Stop()
	storing := false
	for d.life.Err() == nil {
		if !storing {
			if r, ok := d.gate.next(); ok {
				storing = true
				d.scribe.begin(r)
			}
		}
		packets, some, tick := d.packets, d.some, timer.C
		if d.gate.shut() {
			packets, some, tick = nil, nil, nil
		}
		select {
		case <-d.life.Done():
		case fn := <-d.looks:
			fn()
			d.carryOut(d.gate.pass(d.core, true))
			continue
		case err := <-d.scribe.outcome:
			storing = false
			if err == nil {
				d.carryOut(d.gate.stored())
				break
			}
			d.gate.fail(err)
			d.core.Halt(err)
			d.carryOut(d.gate.pass(d.core, false))
		case fn := <-packets:
			d.step(fn)
		case <-some:
			if do := d.event(); do != nil {
				d.step(do)
			}
		case <-tick:
			d.step(func() { d.core.Tick(d.now()) })
		}
		timer.Reset(max(0, d.core.Deadline()-d.now()))
	}
}

// step has the Core do something.
func (d *Deployment) step(fn func()) {
	fn()
	d.carryOut(d.gate.pass(d.core, false))
}

// event takes the next event; nil: it was replaced, and has been taken.
func (d *Deployment) event() func() {
	d.mu.Lock()
	defer d.mu.Unlock()
	if len(d.events) == 0 {
		return nil
	}
	do := d.events[0].do
	if d.events = d.events[1:]; len(d.events) > 0 {
		d.signal()
	}
	return do
}

func (d *Deployment) signal() {
	select {
	case d.some <- struct{}{}:
	default:
	}
}

// post hands an event to the Core's goroutine. It does not wait. What waits is bounded by what was asked of
// switches, of each once.
func (d *Deployment) post(fn func()) { d.add("", fn) }

// anew is post for what says all about a switch: what waits of that kind is not of interest any more.
func (d *Deployment) anew(about string, fn func()) { d.add(about, fn) }

func (d *Deployment) add(about string, fn func()) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if about != "" {
		d.events = slices.DeleteFunc(d.events, func(e posted) bool { return e.about == about })
	}
	d.events = append(d.events, posted{about, fn})
	d.signal()
}

// offer hands over a packet, which may be lost.
func (d *Deployment) offer(to chan<- func(), fn func()) {
	select {
	case to <- fn:
	default:
		d.mu.Lock()
		d.dropped++
		d.mu.Unlock()
	}
}

var errEnding = errors.New("the controller is ending")

// Look runs a function that only looks on the Core's goroutine, and waits for it. It is not held up by the journal.
func (d *Deployment) Look(ctx context.Context, fn func(c *Core)) error {
	done := make(chan struct{})
	select {
	case d.looks <- func() { fn(d.core); close(done) }:
	case <-ctx.Done():
		return ctx.Err()
	case <-d.life.Done():
		return errEnding
	}
	select {
	case <-done:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	case <-d.life.Done():
		return errEnding
	}
}

// Ask has the Core do something, and returns its outcome when all that it recorded is stored. What ctx ends before may be
// done all the same, unless it had not begun.
func (d *Deployment) Ask(ctx context.Context, fn func(c *Core) error) error {
	done := make(chan error, 1)
	d.post(func() {
		err := ctx.Err()
		if err == nil {
			err = fn(d.core)
		}
		d.gate.reply(func(failed error) { done <- errors.Join(err, failed) })
	})
	select {
	case err := <-done:
		return err
	case <-ctx.Done():
		if why := d.scribe.health(); why != nil {
			return fmt.Errorf("%w: %w", ctx.Err(), why)
		}
		return ctx.Err()
	case <-d.life.Done():
		return errEnding
	}
}

// carryOut does what the Core wants.
func (d *Deployment) carryOut(list []Output) {
	for _, o := range list {
		d.carryOutOne(o)
	}
}

func (d *Deployment) carryOutOne(o Output) {
	switch o := o.(type) {
	case reply:
		o(nil)
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
	d    *Deployment
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
	if err := check(s.Info()); err != nil {
		return fmt.Errorf("the pipeline is not that of p4/paxos/paxos.p4: %w", err)
	}
	return nil
}

// Responds implements session.App: the Core has a goroutine of its own, and the journal another one.
func (a *App) Responds(ctx context.Context) error {
	if err := a.d.Look(ctx, func(*Core) {}); err != nil && a.d.life.Err() == nil {
		return fmt.Errorf("the loop of p4/paxos does not answer: %w", err)
	}
	return a.d.scribe.stalled()
}

// Health implements session.App.
func (a *App) Health() error { return a.d.scribe.health() }

// check looks whether the p4info has everything that the controller reads and writes.
func check(info *p4rtclient.Info) error {
	for _, r := range registers {
		if _, err := info.Register(r, 0); err != nil {
			return err
		}
		if n := info.RegisterSize(r); n < names.MaxApps {
			return fmt.Errorf("register %q: has %d elements, want %d", r, n, names.MaxApps)
		}
	}
	for _, t := range tables {
		if t != "" && info.TableSize(t) == 0 {
			return fmt.Errorf("table %q: not in the p4info of the pipeline", t)
		}
	}
	_, err := info.PacketOut(p4rtclient.Packet{Metadata: map[string]uint64{names.PacketOutEgressPort: 1}})
	return err
}

// Sync implements session.App: what the switch holds is read, and the Core goes on from there.
// Before the Core hears of it, it may still write: what comes after the reading has begun is
// dropped, and if something was waiting behind it already, all is read once more.
func (a *App) Sync(ctx context.Context, c *p4rtclient.Client) (func() error, error) {
	a.mu.Lock()
	a.epoch++
	epoch, behind := a.epoch, a.queued > 0
	a.mu.Unlock()
	im, err := readImage(ctx, c, a.Info())
	if err != nil {
		return nil, err
	}
	return func() error {
		a.had = true
		a.d.anew(a.name, func() {
			a.known = epoch
			if behind {
				a.d.core.Stale(a.d.now(), a.name)
			} else {
				a.d.core.Synced(a.d.now(), a.name, im)
			}
		})
		return nil
	}, nil
}

// readImage reads everything that the controller writes.
func readImage(ctx context.Context, c *p4rtclient.Client, info *p4rtclient.Info) (*Image, error) {
	im := &Image{Registers: map[string][]uint32{}}
	for _, t := range tables {
		if t == "" {
			continue
		}
		list, err := c.ReadTable(ctx, info, t)
		if err != nil {
			return nil, err
		}
		for _, e := range list {
			if !e.Default {
				im.Entries = append(im.Entries, e)
			}
		}
	}
	var err error
	if im.Groups, err = c.ReadGroups(ctx); err != nil {
		return nil, err
	}
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
	a.Order(nil, nil, func(error) { time.AfterFunc(rereadAfter, a.readAgain) })
}

func (a *App) readAgain() {
	ctx, cancel := context.WithTimeout(a.d.life, 10*time.Second)
	defer cancel()
	im, err := readImage(ctx, a.Client(), a.Info())
	a.d.post(func() {
		switch {
		case err == nil:
			a.d.core.Reread(a.d.now(), a.name, im)
		case a.d.core.WantsReread(a.name):
			a.reread()
		}
	})
}

// readNext reads the next instance of a leader. When it cannot be read nothing is said.
func (a *App) readNext(app int) {
	go func() {
		ctx, cancel := context.WithTimeout(a.d.life, time.Second)
		defer cancel()
		if v, err := a.Client().ReadRegister(ctx, a.Info(), names.RegisterNext, app); err == nil && len(v) == 1 {
			a.d.post(func() { a.d.core.Next(a.d.now(), app, uint32(v[0][0])) })
		}
	}()
}

// PacketIn implements session.App.
func (a *App) PacketIn(in p4rtclient.Packet) {
	port, reason := uint16(in.Metadata[names.PacketInIngressPort]), names.Reason(in.Metadata[names.PacketInReason])
	to := a.d.packets
	if reason == names.ReasonARP {
		to = a.d.looks
	}
	a.d.offer(to, func() { a.d.core.PacketIn(a.d.now(), a.name, port, reason, in.Payload) })
}

// Drain implements session.App: it is called whenever something has happened to the session.
func (a *App) Drain() {
	if a.had && !a.InControl() && !a.State().Primary {
		a.had = false
		a.d.anew(a.name, func() { a.d.core.Lost(a.d.now(), a.name) })
	}
}

// write gives the switch updates.
func (a *App) write(w Write) {
	var list []*p4.Update
	var err error
	for _, u := range w.Updates {
		var e *p4.Entity
		switch {
		case u.Entry != nil:
			e, err = a.Info().Entry(*u.Entry)
		case u.Group != nil:
			e = p4rtclient.Group(u.Group.ID, u.Group.Copies)
		default:
			e, err = a.Info().Register(u.Register.Name, u.Register.App, uint64(u.Register.Value))
		}
		if err != nil {
			break
		}
		list = append(list, &p4.Update{Type: map[Op]p4.Update_Type{Insert: p4.Update_INSERT, Modify: p4.Update_MODIFY, Delete: p4.Update_DELETE, Set: p4.Update_MODIFY}[u.Op], Entity: e})
	}
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
		a.d.post(func() { a.d.core.Written(a.d.now(), a.name, w.ID, err) })
	})
}

// send sends a frame out of a port.
func (a *App) send(s Send) {
	out, err := a.Info().PacketOut(p4rtclient.Packet{Metadata: map[string]uint64{names.PacketOutEgressPort: uint64(s.Port)}, Payload: s.Frame})
	if err == nil {
		err = a.Client().PacketOut(out)
	}
	if err != nil {
		a.d.mu.Lock()
		a.d.unsent++
		a.d.mu.Unlock()
		a.Log().Debug("packet not sent", "port", s.Port, "err", err)
	}
}
