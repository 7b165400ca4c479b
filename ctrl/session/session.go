package session

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"sync"
	"time"

	p4 "github.com/p4lang/p4runtime/go/p4/v1"
	"google.golang.org/grpc/codes"

	"github.com/p4ce/p4ce/ctrl/looptime"
	"github.com/p4ce/p4ce/ctrl/p4rtclient"
)

// inboxSize is how much of what a switch sends up may wait for the loop. What
// does not fit stays in the stream, and in the end the switch drops it.
const inboxSize = 1024

// Config says which switch, and what it shall run.
type Config struct {
	// Name is what the switch is called in logs, metrics and the store; default is the
	// address.
	Name string
	P4RT p4rtclient.Options
	// Pipeline is pushed to the switch when it runs another.
	Pipeline *p4.ForwardingPipelineConfig
	// PuntRate is how many packets per second a port may send to the controller, for each
	// reason by itself, and how many at once; 0: DefaultPuntRate, -1: any number.
	PuntRate int
	// ECN says when the switch marks packets.
	ECN ECN
	Log *slog.Logger
}

// Session is the controller's side of one switch. All state belongs to the
// goroutine of loop; everything else posts functions to it.
type Session struct {
	conf     Config
	app      App
	info     *p4rtclient.Info
	log      *slog.Logger
	client   *p4rtclient.Client
	worker   *worker
	inbox    chan func()
	handed   handed
	clock    *looptime.Clock
	life     context.Context // of Run
	ended    chan struct{}   // closed when Run has
	ending   chan struct{}   // closed before
	besideMu sync.Mutex      // guards
	beside   sync.WaitGroup  // goroutines of the App
	awaited  bool            // they are waited for
	owner    Owner           // nil: the session has a client, and runs by itself

	connected bool
	primary   bool
	synced    bool            // the switch is in the controller's hands
	down      map[uint32]bool // ports that do not work, as the switch says
	stats     Stats
	ready     func() // called once, after the first synchronisation
}

// Stats counts what a session did.
type Stats struct {
	PacketIns, Digests, Idle, Ignored, Foreign, PacketOutFailed, Syncs uint64
}

// State is how far a session is.
type State struct {
	Connected, Primary bool
	InControl          bool     // read back, and taken over
	Waiting            int      // requests that have not begun
	Down               []uint32 // ports that do not work, as the switch says, in order
	Stats              Stats
}

// ports is told of ports; nil: nothing is known of any.
func (s *Session) ports(up map[uint32]bool) {
	if up == nil || s.down == nil {
		s.down = map[uint32]bool{}
	}
	for n, works := range up {
		if works {
			delete(s.down, n)
		} else {
			s.down[n] = true
		}
	}
	s.app.Ports(up)
}

// New makes a session; nothing is sent before Run, or after an error.
func New(conf Config, app App) (*Session, error) {
	if conf.Name == "" {
		conf.Name = conf.P4RT.Address
	}
	if conf.Name == "" {
		return nil, errors.New("no address")
	}
	if conf.Pipeline == nil {
		return nil, errors.New("no pipeline")
	}
	if err := errors.Join(conf.checkPuntRate(), conf.ECN.check()); err != nil {
		return nil, err
	}
	if conf.Log == nil {
		conf.Log = slog.New(slog.DiscardHandler)
	}
	if conf.P4RT.Log == nil {
		conf.P4RT.Log = conf.Log
	}
	s := &Session{
		conf: conf, app: app, info: p4rtclient.NewInfo(conf.Pipeline.GetP4Info()), log: conf.Log.With("switch", conf.Name),
		inbox: make(chan func(), inboxSize), handed: newHanded(), clock: looptime.New(), life: context.Background(), ended: make(chan struct{}), ending: make(chan struct{}),
	}
	if err := app.Bind(s); err != nil {
		return nil, err
	}
	var err error
	if s.client, err = p4rtclient.New(conf.P4RT); err != nil {
		return nil, err
	}
	s.worker = newWorker(s.client)
	return s, nil
}

// Close ends a session that is not run.
func (s *Session) Close() error { return s.client.Close() }

// Name is the switch's.
func (s *Session) Name() string { return s.conf.Name }

// Address is where the switch's P4Runtime server is.
func (s *Session) Address() string { return s.conf.P4RT.Address }

// App is what runs on the session.
func (s *Session) App() App { return s.app }

// Info is the p4info of the program.
func (s *Session) Info() *p4rtclient.Info { return s.info }

// Client is for reading; what is written goes through Order and Write.
func (s *Session) Client() *p4rtclient.Client { return s.client }

// Log is for what is about the switch.
func (s *Session) Log() *slog.Logger { return s.log }

// Now is the session's time, on the loop: what has passed since it was made, but for when the loop stood still.
func (s *Session) Now() time.Duration {
	if s.owner != nil {
		return s.owner.Now()
	}
	return s.clock.Now()
}

// InControl reports, on the loop, whether the switch is in the controller's hands.
func (s *Session) InControl() bool { return s.synced }

// State is how far the session is, on the loop.
func (s *Session) State() State {
	return State{s.connected, s.primary, s.synced, s.worker.waiting(), slices.Sorted(maps.Keys(s.down)), s.stats}
}

// OnReady has a function called once, when the switch is in the controller's hands for
// the first time and has what was written then; or when Run ends. Before Run.
func (s *Session) OnReady(fn func()) { s.ready = sync.OnceFunc(fn) }

// Post hands a function to the loop. It waits for room, so no other session's loop calls it: see Hand.
func (s *Session) Post(fn func()) { s.post(s.life, fn) }

func (s *Session) post(ctx context.Context, fn func()) {
	select {
	case s.inbox <- fn:
	case <-ctx.Done():
	}
}

// Hand has the loop run a function soon, and not from within Hand. It never waits, so the loop of another
// session, or this one, may call it. What is handed by one goroutine is run in that order.
func (s *Session) Hand(fn func()) {
	if s.owner != nil {
		s.owner.Post(fn)
		return
	}
	s.handed.add(fn)
}

// handed is what other loops have handed to a session's.
type handed struct {
	mu    sync.Mutex
	fns   []func()
	ready chan struct{}
}

func newHanded() handed { return handed{ready: make(chan struct{}, 1)} }

func (h *handed) add(fn func()) {
	h.mu.Lock()
	h.fns = append(h.fns, fn)
	h.mu.Unlock()
	select {
	case h.ready <- struct{}{}:
	default:
	}
}

// take returns what there is, in order.
func (h *handed) take() []func() {
	h.mu.Lock()
	defer h.mu.Unlock()
	fns := h.fns
	h.fns = nil
	return fns
}

// ErrEnded: the session is over.
var ErrEnded = errors.New("this controller no longer serves it")

// Ask runs a function on the loop and waits for it.
func (s *Session) Ask(ctx context.Context, fn func()) error {
	done := make(chan struct{})
	inbox := s.inbox
	for {
		select {
		case inbox <- func() { fn(); close(done) }:
			inbox = nil
		case <-done:
			return nil
		case <-s.ended:
			return fmt.Errorf("switch %s: %w", s.conf.Name, ErrEnded)
		case <-ctx.Done():
			return fmt.Errorf("switch %s: the controller's loop does not answer: %w", s.conf.Name, ctx.Err())
		}
	}
}

// Alive returns when the loops of the session and of its App have come round. An error says which has
// not, as long as ctx lasted.
func (s *Session) Alive(ctx context.Context) error {
	err := s.Ask(ctx, func() {})
	if err == nil {
		err = s.app.Responds(ctx)
	}
	if errors.Is(err, ErrEnded) {
		return nil
	}
	return err
}

// Answers returns an error when the switch does not answer while ctx lasts. A session that has ended has no error.
func (s *Session) Answers(ctx context.Context) error {
	if s.owner != nil {
		return nil
	}
	err := s.client.Answers(ctx)
	select {
	case <-s.ended: // it has closed the connection: the error says nothing of the switch
		return nil
	default:
	}
	if err != nil {
		return fmt.Errorf("switch %s: %w", s.conf.Name, err)
	}
	return nil
}

// Ending is closed when the loop has ended, and what Go has begun is to end.
func (s *Session) Ending() <-chan struct{} { return s.ending }

// Go runs a goroutine of the App. Run waits for it when it ends, for endTime.
func (s *Session) Go(f func()) {
	s.besideMu.Lock()
	defer s.besideMu.Unlock()
	if s.awaited { // begun too late: nobody waits for it
		go f()
		return
	}
	s.beside.Go(f)
}

// endTime is how long goroutines of an App may take to end with the session.
const endTime = 2 * time.Second

// Owned reports that the session is an owner's, and has no goroutine.
func (s *Session) Owned() bool { return s.owner != nil }

// Run serves the switch until ctx ends.
func (s *Session) Run(ctx context.Context) error {
	ctx, cancel := context.WithCancel(ctx)
	s.life = ctx
	done := make(chan struct{}, 2)
	go func() { s.worker.run(ctx); done <- struct{}{} }()
	go func() { s.loop(ctx); done <- struct{}{} }()
	err := s.client.Run(ctx, p4rtclient.Handler{
		Mastership: func(sctx context.Context, primary bool) {
			s.post(sctx, func() { s.mastership(primary) })
		},
		PacketIn: func(p *p4.PacketIn) { s.Post(func() { s.packetIn(p) }) },
		Digest:   func(l *p4.DigestList) { s.Post(func() { s.digest(l) }) },
		Ports:    func(up map[uint32]bool) { s.Post(func() { s.ports(up) }) },
		Idle:     func(n *p4.IdleTimeoutNotification) { s.Post(func() { s.idle(n) }) },
		StreamError: func(e *p4.StreamError) {
			s.Post(func() {
				s.stats.PacketOutFailed++
				s.log.Warn("switch refused a message", "code", codes.Code(e.GetCanonicalCode()), "err", e.GetMessage())
			})
		},
		Disconnected: func(error) {
			s.Post(func() { s.connected, s.primary, s.synced = false, false, false })
		},
	})
	cancel()
	<-done
	<-done
	close(s.ending)
	s.waitBeside()
	close(s.ended)
	s.client.Close()
	if s.ready != nil {
		s.ready()
	}
	return err
}

// waitBeside waits for the App's goroutines, but not for ever: a store may stand still.
func (s *Session) waitBeside() {
	s.besideMu.Lock()
	s.awaited = true
	s.besideMu.Unlock()
	over := make(chan struct{})
	go func() { s.beside.Wait(); close(over) }()
	select {
	case <-over:
	case <-time.After(endTime):
		s.log.Warn("an operation for the switch has not ended [does the store answer?]")
	}
}

func (s *Session) loop(ctx context.Context) {
	timer := time.NewTimer(time.Hour)
	defer timer.Stop()
	for {
		due := s.app.Deadline()
		if due != Never {
			timer.Reset(s.clock.Until(due))
		}
		select {
		case <-ctx.Done():
			return
		case fn := <-s.inbox:
			s.clock.Wake(due)
			fn()
		case <-s.handed.ready:
			s.clock.Wake(due)
			for _, fn := range s.handed.take() {
				fn()
			}
		case <-timer.C:
			s.clock.Wake(due)
			s.app.Tick()
		}
		s.app.Drain()
	}
}

// mastership handles the outcome of arbitration.
func (s *Session) mastership(primary bool) {
	s.connected = true
	was := s.primary
	s.primary = primary
	if !primary {
		s.synced = false
		s.log.Info("another controller is the primary of the switch")
		return
	}
	if !was {
		s.ports(nil)
	}
	if !was || !s.synced {
		s.sync()
	}
}

// heed reports whether what the switch has sent may be looked at: what it holds must be
// known first. Senders repeat themselves.
func (s *Session) heed() bool {
	if !s.synced {
		s.stats.Ignored++
	}
	return s.synced
}

// packetIn handles a packet that the switch sent up.
func (s *Session) packetIn(p *p4.PacketIn) {
	s.stats.PacketIns++
	if s.heed() {
		s.app.PacketIn(s.info.PacketIn(p))
	}
}

func (s *Session) digest(l *p4.DigestList) {
	s.stats.Digests++
	if !s.heed() {
		return
	}
	s.app.Digest(s.info.Digest(l))
	if s.owner != nil {
		return
	}
	if err := s.client.AckDigest(l); err != nil {
		s.log.Debug("digest not acknowledged", "err", err)
	}
}

func (s *Session) idle(n *p4.IdleTimeoutNotification) {
	s.stats.Idle++
	if !s.heed() {
		return
	}
	var list []p4rtclient.Entry
	for _, te := range n.GetTableEntry() {
		e, err := s.info.Decode(te)
		if err != nil { // of a program that has just been replaced
			s.stats.Foreign++
			continue
		}
		list = append(list, e)
	}
	s.app.Idle(list)
}

// Order gives the switch updates, and done the outcome, on the loop. Failures of the
// codes that are allowed are none. err is that of making the updates: when it is not nil,
// it is the outcome.
func (s *Session) Order(u []*p4.Update, err error, done func(error), allow ...codes.Code) {
	if s.owner != nil {
		if err != nil {
			answer := done
			u, done = nil, func(error) { answer(err) }
		}
		s.submit(u, done, allow)
		return
	}
	if err != nil { // the p4info does not have what it should
		s.Hand(func() { done(err) })
		return
	}
	s.worker.add(job{updates: u, allow: allow, done: func(err error) { s.Post(func() { done(err) }) }})
}

// Write gives the switch updates that nobody waits for. A failure is logged.
func (s *Session) Write(what string, u []*p4.Update, err error, allow ...codes.Code) {
	failed := func(err error) {
		if err != nil {
			s.log.Error("switch not updated", "what", what, "err", err)
		}
	}
	if err != nil {
		failed(err)
		return
	}
	switch {
	case len(u) == 0:
	case s.owner != nil:
		s.submit(u, failed, allow)
	default:
		s.worker.add(job{updates: u, allow: allow, done: failed})
	}
}

// Registers reads all cells of registers of one field, and gives them to done on the loop. It is not
// ordered with what Order gives the switch.
func (s *Session) Registers(ctx context.Context, names []string, done func(map[string][]uint64, error)) {
	if s.owner != nil {
		s.owner.Registers(names, func(v map[string][]uint64, err error) {
			done(v, err)
			s.app.Drain()
		})
		return
	}
	s.Go(func() {
		v, err := s.registers(ctx, names)
		s.Post(func() { done(v, err) })
	})
}

func (s *Session) registers(ctx context.Context, names []string) (map[string][]uint64, error) {
	out := map[string][]uint64{}
	for _, name := range names {
		cells, err := s.client.ReadRegister(ctx, s.info, name, -1)
		if err != nil {
			return nil, err
		}
		for _, fields := range cells {
			out[name] = append(out[name], fields[0])
		}
	}
	return out, nil
}

// Cells reads elements of registers, all their fields, in the order in which they are given, and gives them to done on the loop.
// It is not ordered with what Order gives the switch.
func (s *Session) Cells(ctx context.Context, cells []p4rtclient.Cell, done func([][]uint64, error)) {
	if s.owner != nil {
		s.owner.Cells(cells, func(v [][]uint64, err error) {
			done(v, err)
			s.app.Drain()
		})
		return
	}
	s.Go(func() {
		v, err := s.client.ReadCells(ctx, s.info, cells)
		s.Post(func() { done(v, err) })
	})
}

// PacketOut sends a packet.
func (s *Session) PacketOut(p p4rtclient.Packet) {
	out, err := s.info.PacketOut(p)
	if err == nil && s.owner != nil {
		err = s.owner.PacketOut(out)
	} else if err == nil {
		err = s.client.PacketOut(out)
	}
	if err != nil {
		s.stats.PacketOutFailed++
		s.log.Debug("packet not sent", "metadata", fmt.Sprint(p.Metadata), "err", err)
	}
}
