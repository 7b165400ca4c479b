package interop

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/netip"
	"strings"
	"sync"
	"time"

	"github.com/p4ce/p4ce/host/rdma"
	"github.com/p4ce/p4ce/roce/cm"
)

// Cases returns everything that must work, in an order in which what is used is
// tried before.
func Cases() []Case {
	return []Case{
		{"connect: private data both ways", connect},
		{"connect: rejected with private data", rejected},
		{"connect: nobody listens", nobodyListens},
		{"connect: nobody there", nobodyThere},
		{"connect: many at once", many},
		{"write and read, all sizes, memory of any kind", writeAndRead},
		{"write with immediate", writeImm},
		{"send, both ways", sends},
		{"atomics", atomics},
		{"unsignaled requests do not fill the queue", unsignaled},
		{"a word of the region, and notice of its change", word},
		{"wrong key", wrongKey},
		{"out of bounds", outOfBounds},
		{"no right", noRight},
		{"rights taken away and given back while the peer is idle", changeRights},
		{"rights taken away under load", func(c *Client) error { return revokeUnderLoad(c, 200) }},
		{"rights taken away under load, in the middle of a message", func(c *Client) error { return revokeUnderLoad(c, 48000) }},
		{"no receive posted", receiverNotReady},
		{"the peer's queue pair is gone", vanished},
		{"close here", closeHere},
		{"close there", closeThere},
		{"close flushes", flush},
	}
}

func connect(c *Client) error {
	l, err := c.link("private", all, rdma.QPConfig{})
	if err != nil {
		return err // the reply's private data were checked
	}
	if l.conn.RemoteAddr() != c.to.Addr() {
		return fmt.Errorf("remote address %v", l.conn.RemoteAddr())
	}
	if l.qp.State() != rdma.StateRTS {
		return fmt.Errorf("state %v", l.qp.State())
	}
	if l.conn.Err() != nil {
		return l.conn.Err()
	}
	return l.conn.Close()
}

func rejected(c *Client) error {
	qp, err := c.dev.CreateQP(rdma.QPConfig{})
	if err != nil {
		return err
	}
	// As long as a REQ can carry.
	why := strings.Repeat("x", cm.REQUserLen-1)
	_, err = c.dev.Dial(c.ctx, c.to, qp, append([]byte{kindReject}, why...))
	var r *rdma.RejectedError
	if !errors.As(err, &r) {
		return fmt.Errorf("not rejected: %w", err)
	}
	if r.Reason != cm.ReasonConsumer || text(r.Private) != "because: "+why {
		return fmt.Errorf("rejected with %v, %q", r.Reason, r.Private)
	}
	return nil
}

func nobodyListens(c *Client) error {
	qp, err := c.dev.CreateQP(rdma.QPConfig{})
	if err != nil {
		return err
	}
	_, err = c.dev.Dial(c.ctx, netip.AddrPortFrom(c.to.Addr(), c.to.Port()+1), qp, nil)
	var r *rdma.RejectedError
	if !errors.As(err, &r) || r.Reason != cm.ReasonInvalidServiceID {
		return fmt.Errorf("ended as: %w", err)
	}
	return nil
}

func nobodyThere(c *Client) error {
	if !c.nobody.IsValid() {
		return nil
	}
	qp, err := c.dev.CreateQP(rdma.QPConfig{})
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(c.ctx, 15*time.Second)
	defer cancel()
	if _, err = c.dev.Dial(ctx, netip.AddrPortFrom(c.nobody, c.to.Port()), qp, nil); err == nil {
		return errors.New("connected to an address that nobody has")
	}
	if c.ctx.Err() != nil {
		return c.ctx.Err()
	}
	return nil
}

func many(c *Client) error {
	const n = 8
	links := make([]*link, n)
	errs := make([]error, n)
	cq, err := c.dev.NewCQ(4)
	if err != nil {
		return err
	}
	for i := range links {
		// Tags are counted by one goroutine.
		if links[i], errs[i] = c.link(fmt.Sprint("many", i), all, rdma.QPConfig{SendCQ: cq, SendQueue: 16}); errs[i] != nil {
			return errs[i]
		}
	}
	// All complete into one queue, which was made too small on purpose.
	var wg sync.WaitGroup
	for i, l := range links {
		wg.Go(func() {
			for j := range 16 {
				w := l.write(pattern(100, byte(i)), uint64(100*j))
				w.ID = uint64(j)
				if _, err := l.qp.PostSend(w); err != nil {
					errs[i] = err
				}
			}
		})
	}
	wg.Wait()
	if err := errors.Join(errs...); err != nil {
		return err
	}
	seen := map[uint32]uint64{}
	for range n * 16 {
		d, err := next(c.ctx, cq)
		if err != nil {
			return err
		}
		if d.Status != rdma.StatusOK {
			return d.Status.Err()
		}
		if d.ID != seen[d.QPN] {
			return fmt.Errorf("queue pair %#x: request %d completed instead of %d", d.QPN, d.ID, seen[d.QPN])
		}
		seen[d.QPN]++
	}
	for _, l := range links {
		errs = append(errs, l.conn.Close())
	}
	return errors.Join(errs...)
}

func writeAndRead(c *Client) error {
	l, err := c.link("rw", all, rdma.QPConfig{})
	if err != nil {
		return err
	}
	mem, err := c.dev.Alloc(regionSize)
	if err != nil {
		return err
	}
	defer c.dev.Free(mem)
	defer l.conn.Close()
	for i, n := range []int{1, 8, 64, 128, 220, 221, 512, 513, 1023, 1024, 1025, 4096, 5000, 20000, regionSize} {
		for _, allocated := range []bool{false, true} {
			want := pattern(n, byte(i))
			from, to := want, make([]byte, n)
			off := uint64(regionSize - n)
			if allocated {
				copy(mem, want)
				from = mem[:n]
			}
			if err := l.do(l.write(from, off)); err != nil {
				return fmt.Errorf("write %d: %w", n, err)
			}
			if allocated {
				clear(mem)
				to = mem[:n]
			}
			if err := l.do(l.read(to, off)); err != nil {
				return fmt.Errorf("read %d: %w", n, err)
			}
			if err := same(fmt.Sprintf("what was read, %d bytes, allocated=%v", n, allocated), to, want); err != nil {
				return err
			}
			// What the program there sees, not its device.
			m := min(n, 1000)
			got, err := l.tell("get", off, m)
			if err != nil {
				return err
			}
			if err := same("what the peer sees", []byte(got), want[:m]); err != nil {
				return err
			}
		}
	}
	return l.do(l.write(nil, 0)) // nothing
}

func writeImm(c *Client) error {
	l, err := c.link("imm", all, rdma.QPConfig{})
	if err != nil {
		return err
	}
	defer l.conn.Close()
	for _, n := range []int{0, 10, 3000} {
		w := l.write(pattern(n, 9), 0)
		w.Op, w.Imm = rdma.OpWriteImm, 0xfeed0000+uint32(n)
		if err := l.do(w); err != nil {
			return err
		}
		if err := l.expect(fmt.Sprintf("%v true %d 0 ", rdma.OpRecvWriteImm, w.Imm), "recv"); err != nil {
			return err
		}
	}
	return nil
}

func sends(c *Client) error {
	l, err := c.link("send", all, rdma.QPConfig{})
	if err != nil {
		return err
	}
	defer l.conn.Close()
	if err := l.do(rdma.SendWR{ID: 1, Op: rdma.OpSend, Local: []byte("hello")}); err != nil {
		return err
	}
	if err := l.expect(fmt.Sprintf("%v false 0 5 hello", rdma.OpRecv), "recv"); err != nil {
		return err
	}
	long := []byte(strings.Repeat("many packets ", 200))
	if err := l.do(rdma.SendWR{ID: 2, Op: rdma.OpSendImm, Imm: 5, Local: long}); err != nil {
		return err
	}
	if err := l.expect(fmt.Sprintf("%v true 5 %d %s", rdma.OpRecv, len(long), long), "recv"); err != nil {
		return err
	}
	buf := make([]byte, 100)
	if _, err := l.qp.PostRecv(rdma.RecvWR{ID: 77, Local: buf}); err != nil {
		return err
	}
	if err := l.expect("", "send", "good", "day"); err != nil {
		return err
	}
	got, err := next(c.ctx, l.qp.RecvCQ())
	if err != nil {
		return err
	}
	if want := (rdma.Completion{ID: 77, QPN: l.qp.QPN(), Op: rdma.OpRecv, HasImm: true, Imm: 0x01020304, Len: 8}); got != want || string(buf[:8]) != "good day" {
		return fmt.Errorf("received %+v, %q", got, buf)
	}
	return nil
}

func atomics(c *Client) error {
	l, err := c.link("atomic", all, rdma.QPConfig{})
	if err != nil {
		return err
	}
	defer l.conn.Close()
	old := make([]byte, 8)
	step := func(op rdma.Op, swapAdd, compare, want uint64) error {
		if err := l.do(rdma.SendWR{ID: 3, Op: op, Local: old, VA: l.va + 8, RKey: l.key, SwapAdd: swapAdd, Compare: compare}); err != nil {
			return fmt.Errorf("%v: %w", op, err)
		}
		if got := binary.NativeEndian.Uint64(old); got != want {
			return fmt.Errorf("%v: old value %d instead of %d", op, got, want)
		}
		return nil
	}
	if err := step(rdma.OpFetchAdd, 5, 0, 0); err != nil {
		return err
	}
	if err := step(rdma.OpFetchAdd, 1<<40, 0, 5); err != nil {
		return err
	}
	if err := step(rdma.OpCompareSwap, 77, 1, 1<<40+5); err != nil {
		return err
	}
	if err := step(rdma.OpCompareSwap, 77, 1<<40+5, 1<<40+5); err != nil {
		return err
	}
	return l.expect("77", "word", 8)
}

func unsignaled(c *Client) error {
	const depth, n = 8, 100
	l, err := c.link("quiet", all, rdma.QPConfig{SendQueue: depth})
	if err != nil {
		return err
	}
	defer l.conn.Close()
	var got [4]rdma.Completion
	for i := range n {
		b := make([]byte, 300) // too long to go inline on some devices
		binary.LittleEndian.PutUint64(b, uint64(i))
		w := l.write(b, 0)
		w.ID, w.Unsignaled = uint64(i), i < n-1
		for {
			_, err := l.qp.PostSend(w)
			if err == nil {
				break
			}
			if !errors.Is(err, rdma.ErrQueueFull) {
				return err
			}
			if k := l.qp.SendCQ().Poll(got[:]); k != 0 {
				return fmt.Errorf("completion of an unsignaled request: %+v", got[0])
			}
			if c.ctx.Err() != nil {
				return c.ctx.Err()
			}
		}
	}
	d, err := next(c.ctx, l.qp.SendCQ())
	if err != nil {
		return err
	}
	if d.ID != n-1 || d.Status != rdma.StatusOK {
		return fmt.Errorf("completion %+v", d)
	}
	return l.expect(fmt.Sprint(n-1), "word", 0)
}

func word(c *Client) error {
	l, err := c.link("word", all, rdma.QPConfig{})
	if err != nil {
		return err
	}
	defer l.conn.Close()
	v := rand.Uint64() >> 2
	answer := make(chan error, 1)
	b := binary.NativeEndian.AppendUint64(nil, v)
	if err := l.do(l.write(b, 0)); err != nil {
		return err
	}
	go func() { answer <- l.expect("", "changed", v) }()
	return <-answer
}

func wrongKey(c *Client) error {
	l, err := c.link("key", all, rdma.QPConfig{})
	if err != nil {
		return err
	}
	defer l.conn.Close()
	w := l.write([]byte("no"), 0)
	w.RKey ^= 0x100
	return l.refused(w, rdma.StatusRemoteAccess)
}

func outOfBounds(c *Client) error {
	for _, op := range []rdma.Op{rdma.OpWrite, rdma.OpRead} {
		l, err := c.link("bounds", all, rdma.QPConfig{})
		if err != nil {
			return err
		}
		w := l.write(make([]byte, 100), regionSize-99)
		w.Op = op
		if err := l.refused(w, rdma.StatusRemoteAccess); err != nil {
			return fmt.Errorf("%v: %w", op, err)
		}
		if err := l.conn.Close(); err != nil {
			return err
		}
	}
	return nil
}

// Which of the two a device says is left to it.
var refusals = []rdma.Status{rdma.StatusRemoteAccess, rdma.StatusRemoteInvalidRequest}

func noRight(c *Client) error {
	l, err := c.link("read-only", rdma.RemoteRead, rdma.QPConfig{})
	if err != nil {
		return err
	}
	defer l.conn.Close()
	if err := l.do(l.read(make([]byte, 10), 0)); err != nil {
		return err
	}
	if err := l.refused(l.write([]byte("no"), 0), refusals...); err != nil {
		return err
	}
	return l.expect("\x00\x00", "get", 0, 2)
}

func changeRights(c *Client) error {
	// Time for the peer's device to be away for a moment.
	l, err := c.link("rights", all, rdma.QPConfig{AckTimeout: 100 * time.Millisecond, Retry: 6})
	if err != nil {
		return err
	}
	defer l.conn.Close()
	for i := range 5 {
		if err := l.do(l.write(pattern(3000, byte(i)), 0)); err != nil {
			return fmt.Errorf("granted: %w", err)
		}
		if err := l.expect("", "access", int(rdma.RemoteRead)); err != nil {
			return err
		}
		if err := l.do(l.read(make([]byte, 2000), 0)); err != nil {
			return fmt.Errorf("read, while only writing is refused: %w", err)
		}
		if err := l.expect("", "access", int(all)); err != nil {
			return err
		}
	}
	want := pattern(3000, 88)
	if err := l.do(l.write(want, 0)); err != nil {
		return err
	}
	if err := l.expect("", "access", int(rdma.RemoteRead)); err != nil {
		return err
	}
	if err := l.refused(l.write([]byte("late"), 0), refusals...); err != nil {
		return err
	}
	return l.expect(string(want[:900]), "get", 0, 900)
}

// revokeUnderLoad: while this side writes as fast as it can, the peer takes the right
// away; what it sees then does not change any more, although this side goes on until
// it is told.
func revokeUnderLoad(c *Client, size int) error {
	l, err := c.link("load", all, rdma.QPConfig{AckTimeout: 100 * time.Millisecond, Retry: 6, SendQueue: 64})
	if err != nil {
		return err
	}
	defer l.conn.Close()
	failed := make(chan error, 1)
	started := make(chan struct{})
	go func() {
		var got [16]rdma.Completion
		for i := uint64(1); ; i++ {
			b := make([]byte, size)
			for at := 0; at < size; at += 8 {
				binary.NativeEndian.PutUint64(b[at:], i)
			}
			if _, err := l.qp.PostSend(l.write(b, 0)); err != nil && !errors.Is(err, rdma.ErrQueueFull) {
				failed <- err
				return
			} else if err != nil {
				if err := l.qp.SendCQ().Wait(c.ctx); err != nil {
					failed <- err
					return
				}
			}
			for _, d := range got[:l.qp.SendCQ().Poll(got[:])] {
				if d.Status != rdma.StatusOK {
					failed <- d.Status.Err()
					return
				}
			}
			if i == 20 {
				close(started)
			}
		}
	}()
	select {
	case <-started:
	case err := <-failed:
		return fmt.Errorf("before anything was taken away: %w", err)
	}
	if err := l.expect("", "access", int(rdma.RemoteRead)); err != nil {
		return err
	}
	var seen []string
	words := []int{0, size / 16 * 8, size - 8}
	for _, at := range words {
		w, err := l.tell("word", at)
		if err != nil {
			return err
		}
		seen = append(seen, w)
	}
	err = <-failed
	var se rdma.StatusError
	if !errors.As(err, &se) || rdma.Status(se) != refusals[0] && rdma.Status(se) != refusals[1] {
		return fmt.Errorf("ended as: %w", err)
	}
	for i, at := range words {
		if err := l.expect(seen[i], "word", at); err != nil {
			return fmt.Errorf("written after the right was taken away: %w", err)
		}
	}
	return nil
}

func receiverNotReady(c *Client) error {
	l, err := c.link("deaf", all, rdma.QPConfig{RNRRetry: 2})
	if err != nil {
		return err
	}
	defer l.conn.Close()
	return l.refused(rdma.SendWR{ID: 1, Op: rdma.OpSend, Local: []byte("hello?")}, rdma.StatusRNRRetryExceeded)
}

func vanished(c *Client) error {
	l, err := c.link("gone", all, rdma.QPConfig{AckTimeout: 10 * time.Millisecond, Retry: 2})
	if err != nil {
		return err
	}
	defer l.conn.Close()
	if err := l.do(l.write([]byte("there?"), 0)); err != nil {
		return err
	}
	if err := l.expect("", "vanish"); err != nil {
		return err
	}
	return l.refused(l.write([]byte("there?"), 0), rdma.StatusRetryExceeded)
}

func closeHere(c *Client) error {
	l, err := c.link("close", all, rdma.QPConfig{})
	if err != nil {
		return err
	}
	// The other side has it too: what ends before is an Accept that fails.
	if err := l.expect("", "access", int(all)); err != nil {
		return err
	}
	if err := l.conn.Close(); err != nil {
		return err
	}
	if err := l.conn.Close(); err != nil {
		return fmt.Errorf("twice: %w", err)
	}
	if !errors.Is(l.conn.Err(), rdma.ErrClosed) {
		return fmt.Errorf("here: %w", l.conn.Err())
	}
	return l.expect(rdma.ErrDisconnected.Error(), "ended")
}

func closeThere(c *Client) error {
	l, err := c.link("close", all, rdma.QPConfig{})
	if err != nil {
		return err
	}
	defer l.conn.Close()
	if _, err := l.qp.PostRecv(rdma.RecvWR{ID: 6, Local: make([]byte, 10)}); err != nil {
		return err
	}
	if err := l.expect("", "close"); err != nil {
		return err
	}
	select {
	case <-l.conn.Done():
	case <-c.ctx.Done():
		return errors.New("the end was not noticed")
	}
	if !errors.Is(l.conn.Err(), rdma.ErrDisconnected) {
		return fmt.Errorf("ended with: %w", l.conn.Err())
	}
	// What waits for the peer is flushed without a Close here.
	d, err := next(c.ctx, l.qp.RecvCQ())
	if err != nil {
		return err
	}
	if d.ID != 6 || d.Status != rdma.StatusFlushed {
		return fmt.Errorf("receive ended as: %+v", d)
	}
	return nil
}

func flush(c *Client) error {
	l, err := c.link("flush", all, rdma.QPConfig{})
	if err != nil {
		return err
	}
	const n = 5
	for i := range n {
		if _, err := l.qp.PostRecv(rdma.RecvWR{ID: uint64(i), Local: make([]byte, 10)}); err != nil {
			return err
		}
	}
	// Whoever waits is woken.
	waited := make(chan error, 1)
	go func() { waited <- l.qp.RecvCQ().Wait(c.ctx) }()
	if err := l.conn.Close(); err != nil {
		return err
	}
	if err := <-waited; err != nil {
		return err
	}
	var got [n + 1]rdma.Completion
	if k := l.qp.RecvCQ().Poll(got[:]); k != n {
		return fmt.Errorf("%d completions instead of %d", k, n)
	}
	for i, d := range got[:n] {
		if want := (rdma.Completion{ID: uint64(i), QPN: l.qp.QPN(), Op: rdma.OpRecv, Status: rdma.StatusFlushed}); d != want {
			return fmt.Errorf("completion %+v instead of %+v", d, want)
		}
	}
	// And what is posted afterwards ends at once.
	if _, err := l.qp.PostRecv(rdma.RecvWR{ID: 9}); err != nil {
		return err
	}
	d, err := next(c.ctx, l.qp.RecvCQ())
	if err != nil || d.Status != rdma.StatusFlushed {
		return fmt.Errorf("posted after the end: %v, %w", d.Status, err)
	}
	return nil
}
