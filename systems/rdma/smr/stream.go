package smr

import (
	"bytes"
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/p4ce/p4ce/host/rdma"
	"github.com/p4ce/p4ce/host/replicated"
	rdmaprivate "github.com/p4ce/p4ce/systems/rdma/private"
	"github.com/p4ce/p4ce/systems/rdma/proof"
)

// A stream carries an image of any length through a ring in the memory of the server that has it. The
// other side READs what is there, and reports with SENDs how much of it it has:
//
//	region:  | made, 8 bytes | end + 1, 8 bytes; 0: it goes on | ring, streamRing bytes |
//	SEND:    | taken, 8 bytes |
//
// made, end and taken count the bytes of the stream from its beginning. Byte i is at i % streamRing of
// the ring, from the time when made exceeds i until taken does.
const (
	streamRing   = 8 << 20
	streamHeader = 16
	// streamBatch is how much is READ at once. streamChunk is the length of one READ.
	streamBatch = 512 << 10
	streamChunk = 64 << 10
	streamReads = streamBatch / streamChunk
	// streamCredits is how many SENDs may arrive at once. streamSend is the greatest length of one.
	streamCredits = 4
	streamSend    = 1 + replicated.MaxKnown
	streamHello   = 1
	// streamStall ends a stream that has not moved for this long, in either direction. The disks of
	// both sides may be busy with clients' writes. That a peer has gone shows on the connection.
	streamStall = time.Minute
)

var errStalled = fmt.Errorf("the other server has made no progress for %v", streamStall)

// waitFor waits for completions. An error is the reason why ctx has ended, or the queue's own.
func waitFor(ctx context.Context, cq rdma.CQ) error {
	err := cq.Wait(ctx)
	if err == nil {
		return nil
	}
	return cmp.Or(context.Cause(ctx), err)
}

// giver is the side that has the image. It is an io.Writer.
type giver struct {
	ctx         context.Context
	dev         rdma.Device
	mr          rdma.MR
	qp          rdma.QP
	cq          rdma.CQ // of receives
	region, in  []byte
	made, taken uint64
	greeted     bool
	known       []byte // what the other side already had
}

// newGiver makes memory and a queue pair. The connection then owns the queue pair.
func newGiver(ctx context.Context, dev rdma.Device, config rdma.QPConfig) (g *giver, err error) {
	g = &giver{ctx: ctx, dev: dev}
	defer func() {
		if err != nil {
			g.free()
		}
	}()
	if g.region, err = dev.Alloc(streamHeader + streamRing); err != nil {
		return nil, err
	}
	if g.in, err = dev.Alloc(streamCredits * streamSend); err != nil {
		return nil, err
	}
	if g.mr, err = dev.RegisterMemory(g.region, rdma.RemoteRead); err != nil {
		return nil, err
	}
	if g.cq, err = dev.NewCQ(streamCredits); err != nil {
		return nil, err
	}
	config.Access, config.RecvCQ, config.RecvQueue = rdma.RemoteRead, g.cq, streamCredits
	if g.qp, err = dev.CreateQP(config); err != nil {
		return nil, err
	}
	for i := range streamCredits {
		if _, err = g.qp.PostRecv(rdma.RecvWR{ID: uint64(i), Local: g.credit(i)}); err != nil {
			g.qp.Destroy()
			return nil, err
		}
	}
	return g, nil
}

func (g *giver) credit(i int) []byte { return g.in[i*streamSend : (i+1)*streamSend] }

// private is the private data of the connection's acceptance.
func (g *giver) private() []byte { return proof.Regions(g.mr) }

// free releases the memory after the connection was closed.
func (g *giver) free() {
	if g.mr != nil {
		g.dev.DeregisterMemory(g.mr)
	}
	for _, b := range [][]byte{g.region, g.in} {
		if b != nil {
			g.dev.Free(b)
		}
	}
}

func (g *giver) put(off int64, v uint64) error {
	_, err := g.mr.WriteAt(binary.LittleEndian.AppendUint64(nil, v), off)
	return err
}

// Write implements io.Writer. It waits until there is room.
func (g *giver) Write(p []byte) (n int, err error) {
	for len(p) > 0 {
		room := streamRing - (g.made - g.taken)
		if room == 0 {
			if err := g.wait(); err != nil {
				return n, err
			}
			continue
		}
		at := g.made % streamRing
		k := min(uint64(len(p)), room, streamRing-at)
		if _, err := g.mr.WriteAt(p[:k], int64(streamHeader+at)); err != nil {
			return n, err
		}
		g.made += k
		if err := g.put(0, g.made); err != nil {
			return n, err
		}
		p, n = p[k:], n+int(k)
	}
	return n, nil
}

// end says that nothing follows, and waits until everything was taken.
func (g *giver) end() error {
	if err := g.put(8, g.made+1); err != nil {
		return err
	}
	return g.settle()
}

// settle waits until the other side is done with everything that was written: then it asks for more.
func (g *giver) settle() error {
	for g.taken < g.made {
		if err := g.wait(); err != nil {
			return err
		}
	}
	return nil
}

// hello waits until the other side says what it already has.
func (g *giver) hello() (known []byte, err error) {
	for !g.greeted && err == nil {
		err = g.wait()
	}
	return g.known, err
}

// wait waits until more was taken.
func (g *giver) wait() error {
	ctx, cancel := context.WithTimeoutCause(g.ctx, streamStall, errStalled)
	defer cancel()
	if err := waitFor(ctx, g.cq); err != nil {
		return err
	}
	var done [streamCredits]rdma.Completion
	for _, c := range done[:g.cq.Poll(done[:])] {
		if c.Status != rdma.StatusOK {
			return c.Status.Err()
		}
		if err := g.said(g.credit(int(c.ID))[:min(int(c.Len), streamSend)]); err != nil {
			return err
		}
		if _, err := g.qp.PostRecv(rdma.RecvWR{ID: c.ID, Local: g.credit(int(c.ID))}); err != nil {
			return err
		}
	}
	return nil
}

// said processes what the other side has sent.
func (g *giver) said(b []byte) error {
	if !g.greeted {
		if len(b) == 0 || b[0] != streamHello {
			return errors.New("the other server does not report its position (give all servers the same version)")
		}
		g.greeted, g.known = true, bytes.Clone(b[1:])
		return nil
	}
	if len(b) != 8 {
		return fmt.Errorf("the other server reports its position in %d bytes", len(b))
	}
	taken := binary.LittleEndian.Uint64(b)
	if taken < g.taken || taken > g.made {
		return fmt.Errorf("the other server reports %d bytes of %d, after %d", taken, g.made, g.taken)
	}
	g.taken = taken
	return nil
}

// taker is the other side. It is an io.Reader.
type taker struct {
	ctx    context.Context
	dev    rdma.Device
	qp     rdma.QP
	cq     rdma.CQ
	region rdmaprivate.Region

	mu    sync.Mutex // guards the fields below
	local []byte     // the header, what is SENT, a batch
	rest  []byte     // of the batch: what Read has not returned yet
	got   uint64     // bytes of the stream that were READ
	said  uint64     // how many of these the other side knows about
	size  uint64     // + 1; 0: not known yet
}

const takerHead = streamHeader + streamSend

// hello says what this side already has. It comes before everything else.
func (t *taker) hello(known []byte) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	ctx, cancel := context.WithTimeoutCause(t.ctx, streamStall, errStalled)
	defer cancel()
	b := append(append(t.local[streamHeader:streamHeader], streamHello), known...)
	return t.do(ctx, rdma.SendWR{Op: rdma.OpSend, Local: b})
}

// newTaker begins to read a stream over a connection.
func newTaker(ctx context.Context, dev rdma.Device, qp rdma.QP, cq rdma.CQ, private []byte) (*taker, error) {
	region, err := rdmaprivate.ParseRegion(private)
	if err != nil {
		return nil, err
	}
	if region.Size != streamHeader+streamRing {
		return nil, fmt.Errorf("the other server sends its state through %d bytes of memory, not %d (give all servers the same version)", region.Size, streamHeader+streamRing)
	}
	local, err := dev.Alloc(takerHead + streamBatch)
	if err != nil {
		return nil, err
	}
	return &taker{ctx: ctx, dev: dev, qp: qp, cq: cq, region: region, local: local}, nil
}

// close releases the memory after the connection was closed. Nothing can be read any more.
func (t *taker) close() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.dev.Free(t.local)
	t.local, t.rest = nil, nil
}

// Read implements io.Reader.
func (t *taker) Read(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.local == nil {
		return 0, io.ErrClosedPipe
	}
	if len(p) == 0 {
		return 0, nil
	}
	if len(t.rest) == 0 {
		if err := t.fill(); err != nil {
			return 0, err
		}
	}
	n := copy(p, t.rest)
	t.rest = t.rest[n:]
	return n, nil
}

// fill READs the next bytes; io.EOF is the end of the stream.
func (t *taker) fill() error {
	ctx, cancel := context.WithTimeoutCause(t.ctx, streamStall, errStalled)
	defer cancel()
	pause := 100 * time.Microsecond
	made := t.got
	if t.said < t.got {
		t.said = t.got
		taken := t.local[streamHeader : streamHeader+8]
		binary.LittleEndian.PutUint64(taken, t.got)
		if err := t.do(ctx, rdma.SendWR{Op: rdma.OpSend, Local: taken}); err != nil {
			return err
		}
	}
	for made == t.got {
		if t.size != 0 && t.got == t.size-1 {
			return io.EOF
		}
		if err := t.do(ctx, rdma.SendWR{Op: rdma.OpRead, Local: t.local[:streamHeader], VA: t.region.VA, RKey: t.region.RKey}); err != nil {
			return err
		}
		made, t.size = binary.LittleEndian.Uint64(t.local), binary.LittleEndian.Uint64(t.local[8:])
		if t.size != 0 {
			made = t.size - 1
		}
		switch {
		case made < t.got || made-t.got > streamRing:
			return fmt.Errorf("the other server reports %d bytes, and %d were read", made, t.got)
		case made > t.got || t.size != 0:
			continue
		}
		select {
		case <-time.After(pause):
		case <-ctx.Done():
			return context.Cause(ctx)
		}
		pause = min(2*pause, 10*time.Millisecond)
	}
	n := min(made-t.got, streamBatch)
	var wrs []rdma.SendWR
	for at := uint64(0); at < n; {
		off := (t.got + at) % streamRing
		k := min(n-at, streamChunk, streamRing-off)
		wrs = append(wrs, rdma.SendWR{Op: rdma.OpRead, Local: t.local[takerHead+at : takerHead+at+k], VA: t.region.VA + streamHeader + off, RKey: t.region.RKey})
		at += k
	}
	if err := t.do(ctx, wrs...); err != nil {
		return err
	}
	t.got += n
	t.rest = t.local[takerHead : takerHead+n]
	return nil
}

// do executes work requests, and waits for them.
func (t *taker) do(ctx context.Context, wrs ...rdma.SendWR) error {
	if _, err := t.qp.PostSend(wrs...); err != nil {
		return err
	}
	var done [streamReads + 1]rdma.Completion
	for open := len(wrs); open > 0; {
		if err := waitFor(ctx, t.cq); err != nil {
			return err
		}
		for _, c := range done[:t.cq.Poll(done[:])] {
			if c.Status != rdma.StatusOK {
				return c.Status.Err()
			}
			open--
		}
	}
	return nil
}
