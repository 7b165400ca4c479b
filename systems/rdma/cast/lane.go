package cast

import (
	"context"
	"errors"
	"fmt"
	"hash/crc32"
	"math/rand/v2"
	"net/netip"
	"sync"
	"time"

	"github.com/p4ce/p4ce/host/rdma"
	rdmaprivate "github.com/p4ce/p4ce/systems/rdma/private"
	"github.com/p4ce/p4ce/systems/rdma/proof"
)

const (
	// patience is how long a host that is asked may say nothing.
	patience = 30 * time.Second
	// maxError is the longest text of a Result, in bytes: a message has those of a chain.
	maxError = 150
	// attempts is how often a data connection is made without a chunk getting through.
	attempts = 4
)

// lane sends to the hosts of one data connection.
type lane struct {
	dev       rdma.Device
	o         *Options
	off       offered
	src       source
	multicast bool
	id        uint64

	peers  []*peer
	events chan event

	buf     []byte
	data    rdma.Conn // nil: there is none
	region  rdmaprivate.Region
	stop    func() // of the goroutine that waits for completions
	gen     int    // of data
	posted  int64  // chunks before it are written, or under way
	acked   int64  // chunks before it are with all
	crc     [Slots]uint32
	tries   int
	refused error // why the last data connection was not made
}

// peer is a host.
type peer struct {
	host     netip.AddrPort
	ctl      control
	stated   bool
	asked    bool // to finish
	finished bool
	err      error
	had      int64 // chunks
	done     int64
	behind   []Result
	heard    time.Time
}

func (p *peer) live() bool { return p.err == nil && !p.finished }

// event is what a goroutine has found: a message or the end of a control connection, or a
// completion of the data connection.
type event struct {
	p   *peer
	m   message
	err error

	gen  int
	done rdma.Completion
}

// run copies to the hosts, and returns how it ended for each, and for those behind them.
func (l *lane) run(ctx context.Context, hosts, next []netip.AddrPort) []Result {
	ctx, cancel := context.WithCancel(ctx)
	l.id, l.events = rand.Uint64()>>1, make(chan event)
	l.stop = func() {}
	var all sync.WaitGroup
	for _, h := range hosts {
		p := &peer{host: h, heard: time.Now()}
		l.peers = append(l.peers, p)
		all.Add(1)
		go func() {
			defer all.Done()
			l.listen(ctx, p, next)
		}()
	}
	err := l.loop(ctx)
	cancel()
	l.hangUp()
	all.Wait()
	for _, p := range l.peers {
		if p.ctl.conn != nil {
			p.ctl.conn.Close()
		}
		if p.live() {
			p.err = err
		}
	}
	if l.buf != nil {
		l.dev.Free(l.buf)
	}
	var out []Result
	for _, p := range l.peers {
		r := Result{Host: p.host, Bytes: min(p.done*l.off.chunk, l.off.size), Had: min(p.had*l.off.chunk, l.off.size)}
		if p.err != nil {
			r.Error = p.err.Error()
			r.Error = r.Error[:min(len(r.Error), maxError)]
		}
		out = append(out, r)
		out = append(out, p.behind...)
	}
	return out
}

// listen connects to a host, offers the file, and passes on what the host says.
func (l *lane) listen(ctx context.Context, p *peer, next []netip.AddrPort) {
	err := l.dial(ctx, p)
	if err == nil {
		err = p.ctl.send(message{Type: typeOffer, Name: l.off.name, Size: l.off.size, SHA256: l.off.sum, Chunk: int(l.off.chunk), Next: next})
	}
	for {
		var m message
		if err == nil {
			m, err = p.ctl.receive(ctx)
		}
		select {
		case l.events <- event{p: p, m: m, err: err}:
		case <-ctx.Done():
			return
		}
		if err != nil {
			return
		}
	}
}

func (l *lane) queuePair() (rdma.QP, error) {
	return l.dev.CreateQP(rdma.QPConfig{AckTimeout: l.o.AckTimeout, Retry: 7, SendQueue: messages, RecvQueue: messages})
}

func (l *lane) dial(ctx context.Context, p *peer) error {
	dctx, cancel := context.WithTimeout(ctx, dialTimeout)
	defer cancel()
	var err error
	p.ctl.conn, err = proof.Connect(dctx, l.dev, l.o.Secret, greet(l.o.Secret, l.id), p.host, func() (rdma.QP, error) {
		qp, err := l.queuePair()
		if err == nil {
			if err = p.ctl.post(qp); err != nil {
				qp.Destroy()
			}
		}
		return qp, err
	})
	if err != nil && dctx.Err() != nil && ctx.Err() == nil {
		err = errors.New("does not answer")
	}
	return why(err)
}

// loop goes on until every host has the file or has failed.
func (l *lane) loop(ctx context.Context) error {
	tick := time.NewTicker(pingEvery)
	defer tick.Stop()
	for {
		more, err := l.step(ctx)
		if err != nil || !more {
			return err
		}
		_, changed := l.src.available()
		select {
		case e := <-l.events:
			l.handle(e)
		case <-changed:
		case <-tick.C:
			l.ask()
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// ask pings all hosts; who has been silent for too long has failed.
func (l *lane) ask() {
	for _, p := range l.peers {
		if !p.live() || !p.stated {
			continue
		}
		if time.Since(p.heard) > patience {
			p.err = errors.New("no longer answers")
			continue
		}
		if err := p.ctl.send(message{Type: typePing}); err != nil {
			p.err = fmt.Errorf("no longer answers: %w", err)
		}
	}
}

// least is the lowest number of chunks that a live host has done with; ready reports whether all
// have said where they are, live whether there are any.
func (l *lane) least() (least int64, ready, live bool) {
	least, ready = l.off.chunks(), true
	for _, p := range l.peers {
		if p.live() {
			live = true
			ready = ready && p.stated
			least = min(least, p.done)
		}
	}
	return least, ready, live
}

// step does all that can be done without waiting, but for making connections.
func (l *lane) step(ctx context.Context) (more bool, err error) {
	for {
		least, ready, live := l.least()
		if !live || !ready {
			return live, nil
		}
		for _, p := range l.peers {
			if p.live() && p.done == l.off.chunks() && !p.asked {
				p.asked = true
				if err := p.ctl.send(message{Type: typeFinish}); err != nil {
					p.err = err
				}
			}
		}
		if least == l.off.chunks() {
			return true, nil
		}
		if l.data == nil {
			if l.tries++; l.tries > attempts {
				return false, fmt.Errorf("no data connection stays up: %w", l.refused)
			}
			if err := l.connect(ctx); err != nil {
				return false, err
			}
			continue // some may have failed with it
		}
		there, _ := l.src.available()
		for l.posted < min(there, least+Slots) {
			if err := l.write(); err != nil {
				return false, err
			}
		}
		return true, nil
	}
}

// write sends the next chunk.
func (l *lane) write() error {
	i := l.posted
	slot := i % Slots
	b := l.buf[slot*l.off.chunk:][:l.off.length(i)]
	if err := l.src.read(i, b); err != nil {
		return fmt.Errorf("chunk %d cannot be read: %w", i, err)
	}
	l.crc[slot] = crc32.Checksum(b, castagnoli)
	wr := rdma.SendWR{ID: uint64(i), Op: rdma.OpWrite, Local: b, VA: l.region.VA + uint64(slot*l.off.chunk), RKey: l.region.RKey}
	if _, err := l.data.QP().PostSend(wr); err != nil {
		l.lost(err)
		return nil
	}
	l.posted++
	return nil
}

// connect makes a data connection to all live hosts that lack something, beginning with what the last of them lacks.
func (l *lane) connect(ctx context.Context) error {
	var to []*peer
	var addrs []netip.Addr
	for _, p := range l.peers {
		if p.live() && p.done < l.off.chunks() {
			to = append(to, p)
			addrs = append(addrs, p.host.Addr())
		}
	}
	r := rdmaprivate.Request{Form: rdmaprivate.FormMember, LeaderID: 1, Term: l.id, Leader: l.dev.Addr()}
	at := to[0].host
	if l.multicast {
		r = rdmaprivate.Request{Form: rdmaprivate.FormGroup, Policy: rdmaprivate.PolicyAll, LeaderID: 1, Port: at.Port(), Term: l.id, Replicas: addrs}
		at = netip.AddrPortFrom(l.o.Switch, at.Port())
	}
	if l.buf == nil {
		var err error
		if l.buf, err = l.dev.Alloc(Slots * int(l.off.chunk)); err != nil {
			return err
		}
	}
	type dialled struct {
		conn rdma.Conn
		err  error
	}
	dctx, cancel := context.WithTimeout(ctx, 2*dialTimeout)
	defer cancel()
	got := make(chan dialled, 1)
	go func() {
		c, err := proof.Connect(dctx, l.dev, l.o.Secret, &r, at, l.queuePair)
		got <- dialled{c, err}
	}()
	for { // hosts may say something meanwhile, and must be heard
		select {
		case e := <-l.events:
			l.handle(e)
		case d := <-got:
			if d.err == nil {
				l.region, d.err = rdmaprivate.ParseRegion(d.conn.Private())
				if d.err == nil && l.region.Size < uint64(Slots*l.off.chunk) {
					d.err = fmt.Errorf("a region of %d bytes", l.region.Size)
				}
				if d.err != nil {
					d.conn.Close()
				}
			}
			if d.err != nil {
				return l.notConnected(ctx, to, d.err)
			}
			l.data = d.conn
			l.posted, _, _ = l.least()
			l.acked = l.posted
			l.gen++
			l.wait(ctx)
			return nil
		}
	}
}

// notConnected finds out whose fault it is that there is no data connection.
func (l *lane) notConnected(ctx context.Context, to []*peer, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	var refused *rdma.RejectedError
	l.refused = why(err)
	if l.multicast && errors.As(err, &refused) {
		if r, perr := rdmaprivate.ParseRefusal(refused.Private); perr == nil && int(r.Slot) < len(to) {
			to[r.Slot].err = l.refused
			l.tries--
			return nil
		}
		return l.refused // the switch does not want us
	}
	if errors.Is(err, context.DeadlineExceeded) || errors.Is(err, rdma.ErrTimeout) {
		who := "the host"
		if l.multicast {
			who = fmt.Sprintf("the switch %v", l.o.Switch)
		}
		l.refused = fmt.Errorf("%s does not answer", who)
	}
	return nil
}

// wait passes on completions of the data connection.
func (l *lane) wait(ctx context.Context) {
	ctx, cancel := context.WithCancel(ctx)
	ended := make(chan struct{})
	l.stop = func() { cancel(); <-ended }
	cq, gen := l.data.QP().SendCQ(), l.gen
	go func() {
		defer close(ended)
		var done [Slots]rdma.Completion
		for {
			n := cq.Poll(done[:])
			for _, d := range done[:n] {
				select {
				case l.events <- event{gen: gen, done: d}:
				case <-ctx.Done():
					return
				}
			}
			if n == 0 && cq.Wait(ctx) != nil {
				return
			}
		}
	}()
}

// hangUp ends the data connection.
func (l *lane) hangUp() {
	l.stop()
	l.stop = func() {}
	if l.data != nil {
		l.data.Close()
		l.data = nil
	}
}

// lost ends a data connection that has failed. Somebody may have died: all are asked.
func (l *lane) lost(err error) {
	l.refused = err
	l.o.Log.Info("data connection failed", "err", err)
	l.hangUp()
	deadline := time.NewTimer(patience)
	defer deadline.Stop()
	asked := map[*peer]bool{}
	for _, p := range l.peers {
		if p.live() && p.stated {
			asked[p] = true
			if err := p.ctl.send(message{Type: typePing}); err != nil {
				p.err = fmt.Errorf("no longer answers: %w", err)
				delete(asked, p)
			}
		}
	}
	for len(asked) > 0 {
		select {
		case e := <-l.events:
			l.handle(e)
			if e.p != nil && (e.m.Type == typePong || e.err != nil || !e.p.live()) {
				delete(asked, e.p)
			}
		case <-deadline.C:
			for p := range asked {
				p.err = errors.New("no longer answers")
			}
			return
		}
	}
}

// handle takes an event.
func (l *lane) handle(e event) {
	if e.p == nil {
		l.completed(e)
		return
	}
	p := e.p
	p.heard = time.Now()
	switch {
	case !p.live():
	case e.err != nil && p.ctl.conn == nil:
		p.err = e.err
	case e.err != nil:
		p.err = fmt.Errorf("no longer answers: %w", e.err)
	case e.m.Type == typeError:
		p.err = errors.New(e.m.Error)
	case e.m.Type == typeState:
		if e.m.Index < 0 || e.m.Index > l.off.chunks() {
			p.err = fmt.Errorf("has %d chunks of %d", e.m.Index, l.off.chunks())
			return
		}
		p.stated, p.had, p.done = true, e.m.Index, e.m.Index
		l.o.Progress(p.host, min(p.done*l.off.chunk, l.off.size))
	case e.m.Type == typeDone:
		if e.m.Index >= l.acked {
			p.err = fmt.Errorf("has taken chunk %d, of %d that were sent", e.m.Index, l.acked)
			return
		}
		if e.m.Index >= p.done {
			p.done, l.tries = e.m.Index+1, 0
			l.o.Progress(p.host, min(p.done*l.off.chunk, l.off.size))
		}
	case e.m.Type == typeFinished:
		p.finished, p.behind = true, e.m.Results
	}
}

// completed handles a chunk that all hosts have in their slots, or that got lost.
func (l *lane) completed(e event) {
	if e.gen != l.gen || l.data == nil {
		return // of an older connection
	}
	if e.done.Status != rdma.StatusOK {
		l.lost(rdma.StatusError(e.done.Status))
		return
	}
	i := int64(e.done.ID)
	l.acked = i + 1
	for _, p := range l.peers {
		if p.live() && p.stated && p.done <= i {
			if err := p.ctl.send(message{Type: typeChunk, Index: i, CRC: l.crc[i%Slots]}); err != nil {
				p.err = fmt.Errorf("no longer answers: %w", err)
			}
		}
	}
}
