package multicast

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math/bits"
	"net/netip"
	"slices"
	"sync"
	"time"

	"github.com/p4ce/p4ce/host/latency"
	"github.com/p4ce/p4ce/host/rdma"
	"github.com/p4ce/p4ce/host/roce"
	rdmaprivate "github.com/p4ce/p4ce/systems/rdma/private"
)

// Shape of the records of a group: all sides know it.
type Shape struct {
	Records int // at most so many
	Size    int // bytes of each, 8 at least
	Port    uint16
}

// fill makes the bytes of a record.
func (s Shape) fill(b []byte, number int) {
	binary.BigEndian.PutUint64(b, uint64(number))
	for i := 8; i < len(b); i++ {
		b[i] = byte(number + 7*i)
	}
}

// ackTimeout is of a sender, which gives up after eight: then a link that is down has been found.
const ackTimeout = 250 * time.Millisecond

// receives is how many records a receiver takes before its program has looked.
const receives = 4096

// Receiver is a host's end of a group. Methods may be called from any goroutine.
type Receiver struct {
	shape  Shape
	mr     *roce.MR
	listen *roce.Listener

	mu   sync.Mutex
	next int   // records so far
	err  error // what was wrong
	over chan struct{}
}

// Receive has a device be in one group, until ctx is done or the group is over.
func (s Shape) Receive(ctx context.Context, dev *roce.Device) (*Receiver, error) {
	r := &Receiver{shape: s, over: make(chan struct{})}
	var err error
	// A switch takes the largest power of two that is in it.
	if r.mr, err = dev.RegisterMemory(make([]byte, 1<<bits.Len(uint(s.Records*s.Size-1))), rdma.LocalWrite|rdma.RemoteWrite); err != nil {
		return nil, err
	}
	if r.listen, err = dev.Listen(s.Port); err != nil {
		return nil, err
	}
	go func() {
		defer close(r.over)
		if err := r.run(ctx, dev); err != nil {
			r.fail(err)
		}
	}()
	return r, nil
}

func (r *Receiver) fail(err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.err == nil {
		r.err = err
	}
}

func (r *Receiver) run(ctx context.Context, dev *roce.Device) error {
	defer r.listen.Close()
	req, err := r.listen.Accept(ctx)
	if err != nil {
		return err
	}
	qp, err := dev.CreateQP(roce.QPConfig{Access: rdma.RemoteWrite, MTU: req.PathMTU(), RecvQueue: receives})
	if err != nil {
		return err
	}
	for range receives {
		if _, err := qp.PostRecv(rdma.RecvWR{}); err != nil {
			return err
		}
	}
	c, err := req.Accept(ctx, qp, rdmaprivate.Region{VA: r.mr.Addr(), RKey: r.mr.Key(), Size: uint64(r.mr.Len())}.Append(nil))
	if err != nil {
		return err
	}
	defer c.Close()
	done := make([]rdma.Completion, 64)
	for {
		if err := qp.RecvCQ().Wait(ctx); err != nil {
			return err
		}
		for _, d := range done[:qp.RecvCQ().Poll(done)] {
			if d.Status == rdma.StatusFlushed {
				return nil // the group is over
			}
			if err := d.Status.Err(); err != nil {
				return err
			}
			r.mu.Lock()
			if int(d.Imm) != r.next && r.err == nil {
				r.err = fmt.Errorf("record %d came when %d was due", d.Imm, r.next)
			}
			r.next++
			r.mu.Unlock()
			if _, err := qp.PostRecv(rdma.RecvWR{}); err != nil {
				return err
			}
		}
	}
}

// Await waits until so many records are there, and sees that the memory holds them: each came
// once, and is whole.
func (r *Receiver) Await(ctx context.Context, n int) error {
	for {
		r.mu.Lock()
		have, err := r.next, r.err
		r.mu.Unlock()
		if err != nil {
			return err
		}
		if have > n {
			return fmt.Errorf("%d records came, %d were sent", have, n)
		}
		if have == n {
			break
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("%d of %d records came: %w", have, n, context.Cause(ctx))
		case <-time.After(time.Millisecond):
		}
	}
	want, got := make([]byte, r.shape.Size), make([]byte, r.shape.Size)
	for i := range n {
		if _, err := r.mr.ReadAt(got, int64(i*r.shape.Size)); err != nil {
			return err
		}
		r.shape.fill(want, i)
		if string(want) != string(got) {
			return fmt.Errorf("record %d is not what was sent", i)
		}
	}
	return nil
}

// Over is closed when the group is over for this receiver.
func (r *Receiver) Over() <-chan struct{} { return r.over }

// Sender is the leader of a group.
type Sender struct {
	shape  Shape
	conn   *roce.Conn
	region rdmaprivate.Region
	next   int
}

// Send forms a group: a device connects to its switch, which asks the receivers.
func (s Shape) Send(ctx context.Context, dev *roce.Device, home netip.Addr, to []netip.Addr) (*Sender, error) {
	req := rdmaprivate.Request{Form: rdmaprivate.FormGroup, Policy: rdmaprivate.PolicyAll, LeaderID: 1, Term: 1, Port: s.Port, Replicas: to}
	data, err := req.Append(nil)
	if err != nil {
		return nil, err
	}
	return s.dial(ctx, dev, netip.AddrPortFrom(home, 1), data)
}

// SendStatic is the same with a static group, bound to a port of the switch.
func (s Shape) SendStatic(ctx context.Context, dev *roce.Device, at netip.AddrPort) (*Sender, error) {
	return s.dial(ctx, dev, at, nil)
}

// SendTo connects to one receiver, without a group.
func (s Shape) SendTo(ctx context.Context, dev *roce.Device, to netip.Addr) (*Sender, error) {
	return s.dial(ctx, dev, netip.AddrPortFrom(to, s.Port), nil)
}

func (s Shape) dial(ctx context.Context, dev *roce.Device, to netip.AddrPort, private []byte) (*Sender, error) {
	qp, err := dev.CreateQP(roce.QPConfig{AckTimeout: ackTimeout, Retry: 7, RNRRetry: 7})
	if err != nil {
		return nil, err
	}
	x := &Sender{shape: s}
	if x.conn, err = dev.Dial(ctx, to, qp, private); err != nil {
		return nil, err
	}
	if x.region, err = rdmaprivate.ParseRegion(x.conn.Private()); err != nil {
		return nil, errors.Join(err, x.conn.Close())
	}
	if x.region.Size < uint64(s.Records*s.Size) {
		return nil, errors.Join(fmt.Errorf("receivers have %d bytes, %d records of %d need more", x.region.Size, s.Records, s.Size), x.conn.Close())
	}
	return x, nil
}

// Sent is what sending has cost.
type Sent struct {
	Rate float64 // records per second
	latency.Summary
	Gap time.Duration // the longest between two answers
}

// Write sends so many more records, as many at once as window says, and waits until all
// receivers have acknowledged them. each is called before every record; nil: nobody asks.
func (x *Sender) Write(ctx context.Context, n, window int, each func(i int)) (Sent, error) {
	return write(ctx, []*Sender{x}, n, window, each)
}

// FanOut sends the same records by each of several connections, as one does without groups: a record
// is over when all have acknowledged it.
func FanOut(ctx context.Context, senders []*Sender, n, window int) (Sent, error) {
	return write(ctx, senders, n, window, nil)
}

func write(ctx context.Context, senders []*Sender, n, window int, each func(i int)) (m Sent, err error) {
	s, first := senders[0].shape, senders[0].next
	if first+n > s.Records {
		return m, fmt.Errorf("%d records: there is room for %d", first+n, s.Records)
	}
	h := latency.New()
	begin := time.Now()
	last := begin
	sent := make([]time.Time, window)
	buf := make([]byte, window*s.Size)
	done := make([]rdma.Completion, window)
	over := make([]int, len(senders)) // completions come in the order of the requests
	for posted, least := 0, 0; least < n; {
		for ; posted < n && posted-least < window; posted++ {
			if each != nil {
				each(posted)
			}
			at := posted % window * s.Size
			rec := buf[at : at+s.Size]
			s.fill(rec, first+posted)
			sent[posted%window] = time.Now()
			for _, x := range senders {
				wr := rdma.SendWR{
					Op: rdma.OpWriteImm, Local: rec, VA: x.region.VA + uint64((first+posted)*s.Size), RKey: x.region.RKey, Imm: uint32(first + posted),
				}
				if _, err := x.conn.QP().PostSend(wr); err != nil {
					return m, err
				}
				x.next++
			}
		}
		for i, x := range senders { // the slowest decides
			for cq := x.conn.QP().SendCQ(); over[i] == least; {
				if err := cq.Wait(ctx); err != nil {
					return m, fmt.Errorf("%d of %d records acknowledged: %w", over[i], n, err)
				}
				for _, d := range done[:cq.Poll(done)] {
					if err := d.Status.Err(); err != nil {
						return m, fmt.Errorf("record %d: %w", first+over[i], err)
					}
					over[i]++
				}
			}
		}
		now := time.Now()
		for ; least < slices.Min(over); least++ {
			h.Add(now.Sub(sent[least%window]))
		}
		m.Gap, last = max(m.Gap, now.Sub(last)), now
	}
	m.Rate, m.Summary = float64(n)/last.Sub(begin).Seconds(), h.Summary()
	return m, nil
}

// Region is the group's, as the switch says it.
func (x *Sender) Region() rdmaprivate.Region { return x.region }

// WriteAt writes anywhere in the group's regions, and waits until that is acknowledged. It is not among the records.
func (x *Sender) WriteAt(ctx context.Context, va uint64, data []byte) error {
	if _, err := x.conn.QP().PostSend(rdma.SendWR{Op: rdma.OpWrite, Local: data, VA: va, RKey: x.region.RKey}); err != nil {
		return err
	}
	done := make([]rdma.Completion, 1)
	for {
		if err := x.conn.QP().SendCQ().Wait(ctx); err != nil {
			return err
		}
		if x.conn.QP().SendCQ().Poll(done) == 1 {
			return done[0].Status.Err()
		}
	}
}

// Total is how many records have been sent.
func (x *Sender) Total() int { return x.next }

// Close ends the group.
func (x *Sender) Close() error { return x.conn.Close() }
