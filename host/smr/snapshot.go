package smr

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"time"

	"github.com/p4ce/p4ce/host/rdma"
	"github.com/p4ce/p4ce/host/smr/mu"
	"github.com/p4ce/p4ce/roce/p4ce"
)

// A snapshot is taken by RDMA READ: the server that has it writes the image into
// memory, and offers that as the region of a connection; when the other side has
// read it, it disconnects.

// snapshotChunk is the length of one READ, and snapshotReads their number under way.
const (
	snapshotChunk   = 64 << 10
	snapshotReads   = 8
	snapshotTimeout = 5 * time.Minute
)

// offer serves one snapshot. An error is one to refuse the request with.
func (n *Node) offer(dev int, req rdma.Request, to mu.ID) error {
	type result struct {
		image Image
		state []byte
		err   error
	}
	got := make(chan result, 1)
	n.apply.do(func() {
		image, err := n.cfg.Machine.Snapshot()
		if err == nil {
			n.lock.Lock()
			if n.closed == nil {
				n.core.Hold(n.now(), to, n.apply.st.Position)
			}
			n.lock.Unlock()
		}
		got <- result{image, n.apply.st.encode(), err}
	})
	var r result
	select {
	case r = <-got:
	case <-n.ctx.Done():
		return ErrNodeClosed
	}
	if r.err != nil {
		return fmt.Errorf("snapshot: %w", r.err)
	}
	var b bytes.Buffer
	b.Write(binary.LittleEndian.AppendUint32(nil, uint32(len(r.state))))
	b.Write(r.state)
	_, err := r.image.WriteTo(&b)
	if err := errors.Join(err, r.image.Close()); err != nil {
		return fmt.Errorf("snapshot: %w", err)
	}
	d := n.cfg.Devices[dev]
	buf, err := d.Alloc(b.Len())
	if err != nil {
		return fmt.Errorf("snapshot of %d bytes: %w", b.Len(), err)
	}
	defer d.Free(buf)
	copy(buf, b.Bytes())
	b = bytes.Buffer{}
	mr, err := d.RegisterMemory(buf, rdma.RemoteRead)
	if err != nil {
		return fmt.Errorf("snapshot of %d bytes: %w", len(buf), err)
	}
	defer d.DeregisterMemory(mr)
	qp, err := n.qp(dev, nil, rdma.RemoteRead)
	if err != nil {
		return fmt.Errorf("snapshot: %w", err)
	}
	conn, err := req.Accept(n.ctx, qp, p4ce.Region{VA: mr.Addr(), RKey: mr.Key(), Size: uint64(len(buf))}.Append(nil))
	if err != nil {
		n.log.Warn("snapshot not taken", "server", to, "err", err)
		return nil
	}
	n.log.Info("snapshot offered", "server", to, "bytes", len(buf))
	select {
	case <-conn.Done():
	case <-time.After(snapshotTimeout):
		n.log.Warn("snapshot not taken in time", "server", to)
	case <-n.ctx.Done():
	}
	_ = conn.Close()
	return nil
}

// fetch takes a snapshot of a peer, by whatever route works.
func (n *Node) fetch(m Member) {
	var errs []error
	for dev := range min(len(m.Addrs), len(n.cfg.Devices)) {
		image, err := n.read(dev, m)
		if err != nil {
			errs = append(errs, err)
			continue
		}
		n.restore(image)
		return
	}
	if n.ctx.Err() == nil {
		n.log.Warn("no snapshot", "server", m.ID, "err", errors.Join(errs...))
	}
	n.fetched(false, state{})
}

func (n *Node) fetched(ok bool, st state) {
	n.lock.Lock()
	defer n.lock.Unlock()
	if n.closed == nil {
		n.core.Fetched(n.now(), ok, st.Position, st.Index, st.Members)
	}
}

// read READs a peer's image.
func (n *Node) read(dev int, m Member) ([]byte, error) {
	// A completion queue of its own: the core knows nothing of these requests.
	d := n.cfg.Devices[dev]
	cq, err := d.NewCQ(snapshotReads)
	if err != nil {
		return nil, err
	}
	req := n.request(dev, m.ID, kindSnapshot)
	ctx, cancel := context.WithTimeout(n.ctx, snapshotTimeout)
	defer cancel()
	conn, err := n.prove(ctx, dev, m.Addrs[dev], &req, func() (rdma.QP, error) {
		return d.CreateQP(rdma.QPConfig{
			SendCQ: cq, SendQueue: snapshotReads, RecvQueue: 1, MaxReads: snapshotReads, AckTimeout: 10 * n.cfg.AckTimeout, Retry: 7,
		})
	})
	if err != nil {
		return nil, err
	}
	qp := conn.QP()
	defer conn.Close()
	region, err := p4ce.ParseRegion(conn.Private())
	if err != nil {
		return nil, err
	}
	if region.Size > maxSnapshot {
		return nil, fmt.Errorf("snapshot of %d bytes (this server takes up to %d)", region.Size, maxSnapshot)
	}
	image, err := d.Alloc(int(region.Size))
	if err != nil {
		return nil, err
	}
	defer d.Free(image)
	var done [snapshotReads]rdma.Completion
	for at, open := uint64(0), 0; at < region.Size || open > 0; {
		for open < snapshotReads && at < region.Size {
			k := min(snapshotChunk, region.Size-at)
			if _, err := qp.PostSend(rdma.SendWR{Op: rdma.OpRead, Local: image[at : at+k], VA: region.VA + at, RKey: region.RKey}); err != nil {
				return nil, err
			}
			at += k
			open++
		}
		if err := cq.Wait(ctx); err != nil {
			return nil, err
		}
		for _, c := range done[:cq.Poll(done[:])] {
			if c.Status != rdma.StatusOK {
				return nil, c.Status.Err()
			}
			open--
		}
	}
	return append([]byte(nil), image...), nil
}

// maxSnapshot is the longest image taken, in bytes.
const maxSnapshot = 16 << 30

// restore gives an image to the state machine, behind everything that was decided
// before.
func (n *Node) restore(image []byte) {
	n.apply.do(func() {
		a := &n.apply
		st, err := n.take(image, a.st)
		if errors.Is(err, errSuperseded) {
			n.fetched(false, state{})
			return
		}
		if err != nil {
			n.log.Warn("snapshot not taken", "err", err)
			n.fetched(false, state{})
			return
		}
		if n.journal != nil {
			// The journal is not whole before this position.
			err := n.cfg.Machine.Sync()
			if err == nil {
				err = n.journal.Trim(st.Position)
			}
			if err != nil {
				n.fail(fmt.Errorf("state machine: %w", err))
				return
			}
		}
		a.st = st
		n.lock.Lock()
		n.index, n.position = st.Index, st.Position
		for index, p := range n.proposed {
			delete(n.proposed, index)
			p.done <- outcome{err: ErrUnknownOutcome}
		}
		n.lock.Unlock()
		n.log.Info("snapshot taken", "records", st.Index, "bytes", len(image))
		n.fetched(true, st)
	})
}

// take restores the state machine from what a peer has offered: 4 bytes length of
// the state, the state, the image. An old one changes nothing.
func (n *Node) take(b []byte, old state) (state, error) {
	if len(b) < 4 || uint64(binary.LittleEndian.Uint32(b)) > uint64(len(b)-4) {
		return old, fmt.Errorf("snapshot of %d bytes is cut short", len(b))
	}
	k := 4 + binary.LittleEndian.Uint32(b)
	st, err := parseState(b[4:k])
	if err != nil {
		return old, err
	}
	if st.Position <= old.Position {
		return old, errSuperseded
	}
	if err := n.cfg.Machine.Restore(bytes.NewReader(b[k:])); err != nil {
		return old, err
	}
	return st, nil
}
