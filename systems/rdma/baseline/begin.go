package baseline

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"net/netip"
	"slices"
	"sync"
	"time"

	"github.com/p4ce/p4ce/host/rdma"
	"github.com/p4ce/p4ce/systems/rdma/private"
	"github.com/p4ce/p4ce/systems/rdma/proof"
)

// Begin connects to the followers, gets the permission of a majority, and prepares. The number is higher than that of
// every earlier leader. Nothing else is called before it returns.
func (l *Leader) Begin(ctx context.Context, number uint64) (err error) {
	l.mu.Lock()
	if l.leads {
		l.mu.Unlock()
		return nil
	}
	l.mu.Unlock()
	l.peers, l.number = nil, number
	for i := range l.cfg.Replicas {
		l.peers = append(l.peers, &peer{slot: i})
	}
	defer func() {
		if err != nil {
			l.disconnect()
		}
	}()
	if err := l.connect(ctx); err != nil {
		return err
	}
	if err := l.ask(ctx); err != nil {
		return err
	}
	if err := l.prepare(ctx); err != nil {
		return err
	}
	l.mu.Lock()
	l.leads, l.err = true, nil
	l.mu.Unlock()
	l.service = rdma.Serve(l.cq, l.serve)
	return nil
}

func (l *Leader) live() int {
	n := 0
	for _, p := range l.peers {
		if p.live {
			n++
		}
	}
	return n
}

// connect connects both planes.
func (l *Leader) connect(ctx context.Context) error {
	errs := make([]error, len(l.peers))
	var wg sync.WaitGroup
	for i, p := range l.peers {
		wg.Go(func() {
			if p.background, p.about, errs[i] = l.dial(ctx, p, 0, backgroundLen); errs[i] == nil {
				p.conn, p.log, errs[i] = l.dial(ctx, p, 1, l.cfg.LogSize)
			}
			p.live = errs[i] == nil
		})
	}
	wg.Wait()
	for i, err := range errs {
		if err != nil {
			l.cfg.Log.Warn("follower not connected", "slot", i, "err", err)
		}
	}
	if l.live() < l.need {
		return fmt.Errorf("%w: %w", ErrNoMajority, errors.Join(errs...))
	}
	return nil
}

func (l *Leader) dial(ctx context.Context, p *peer, plane uint16, size int) (rdma.Conn, private.Region, error) {
	m := private.Request{Form: private.FormMember, LeaderID: l.cfg.ID, Term: l.number, Leader: l.cfg.Device.Addr(), Slot: uint8(p.slot)}
	conn, err := proof.Connect(ctx, l.cfg.Device, private.Secret{Cluster: l.cfg.Cluster, Token: l.cfg.Token}, &m, netip.AddrPortFrom(l.cfg.Replicas[p.slot], l.cfg.Port+plane),
		func() (rdma.QP, error) {
			c := rdma.QPConfig{SendQueue: depth + slack, AckTimeout: l.cfg.AckTimeout, Retry: l.cfg.Retry}
			if plane == 0 {
				c.Access = rdma.RemoteWrite // answers
			} else {
				c.SendCQ = l.cq
			}
			return l.cfg.Device.CreateQP(c)
		})
	if err != nil {
		return nil, private.Region{}, fmt.Errorf("follower %d (%v): %w", p.slot, l.cfg.Replicas[p.slot], err)
	}
	reach, err := proof.Reach(conn, size)
	if err != nil {
		return nil, private.Region{}, fmt.Errorf("follower %d: %w", p.slot, err)
	}
	if plane == 1 {
		p.qpn = conn.QP().QPN()
	}
	return conn, reach[0], nil
}

// patience is how long a leader waits for the other followers when a majority has given permission.
const patience = time.Second

// ask writes requests for permission, and waits for answers.
func (l *Leader) ask(ctx context.Context) error {
	request := binary.LittleEndian.AppendUint64(nil, l.back.Addr())
	request = binary.LittleEndian.AppendUint64(request, uint64(l.back.Key()))
	request = binary.LittleEndian.AppendUint64(request, l.number)
	asked := 0
	for _, p := range l.peers {
		if !p.live {
			continue
		}
		if _, err := p.background.QP().PostSend(rdma.SendWR{Op: rdma.OpWrite, Local: request, VA: p.about.VA + offRequests + uint64(l.cfg.ID)*requestLen, RKey: p.about.RKey}); err != nil {
			p.live = false
			continue
		}
		asked++
	}
	late := time.Now()
	for {
		granted := 0
		for _, p := range l.peers {
			if p.live && l.back.Uint64(offAnswers+int64(p.slot)*answerLen) == l.number {
				granted++
			}
		}
		if granted < l.need {
			late = time.Now()
		}
		if granted == asked || granted >= l.need && time.Since(late) > patience {
			break
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("%w: %d of %d needed: %w", ErrNoMajority, granted, l.need, ctx.Err())
		case <-time.After(permissionPause):
		}
	}
	for _, p := range l.peers {
		if p.live && l.back.Uint64(offAnswers+int64(p.slot)*answerLen) != l.number {
			l.cfg.Log.Warn("follower gives no permission", "slot", p.slot)
			p.live = false
		}
	}
	if l.live() < l.need {
		return fmt.Errorf("%w: %d of %d", ErrNoMajority, l.live(), l.need)
	}
	return nil
}

// prepare reads the minProposal of the confirmed followers, writes a higher one, and sees that there is nothing to adopt.
func (l *Leader) prepare(ctx context.Context) error {
	const abouts = offForm + formLen
	about := make([]byte, len(l.peers)*abouts)
	heads := make([]byte, len(l.peers)*slotHead)
	if err := l.round(ctx, func(p *peer) []rdma.SendWR {
		return []rdma.SendWR{
			{ID: kindOther, Op: rdma.OpRead, Local: about[p.slot*abouts:][:abouts], VA: p.log.VA, RKey: p.log.RKey},
			{ID: kindOther, Op: rdma.OpRead, Local: heads[p.slot*slotHead:][:slotHead], VA: p.log.VA + l.geo.at(l.next), RKey: p.log.RKey},
		}
	}); err != nil {
		return err
	}
	for _, p := range l.peers {
		if !p.live {
			continue
		}
		b := about[p.slot*abouts:]
		if longest, window := binary.LittleEndian.Uint32(b[offForm:]), binary.LittleEndian.Uint32(b[offForm+4:]); longest != uint32(l.cfg.MaxRecord) || window != uint32(l.cfg.Window) {
			return fmt.Errorf("%w: follower %d has values of up to %d bytes, %d under way; this leader %d, and %d [give all servers the same]", ErrLog, p.slot, longest, window, l.cfg.MaxRecord, l.cfg.Window)
		}
		l.proposal = max(l.proposal, binary.LittleEndian.Uint64(b))
		p.head, p.sum = binary.LittleEndian.Uint64(b[offHead:]), binary.LittleEndian.Uint64(b[offHead+8:])
		if p.head > l.next || p.head+uint64(l.cfg.Window) < l.next || slices.ContainsFunc(heads[p.slot*slotHead:][:slotHead], func(b byte) bool { return b != 0 }) {
			return fmt.Errorf("%w (follower %d; has it served another leader?)", ErrLog, p.slot)
		}
		p.posted, p.acked = l.next, l.next
	}
	l.proposal++
	number := binary.LittleEndian.AppendUint64(nil, l.proposal)
	return l.round(ctx, func(p *peer) []rdma.SendWR {
		return []rdma.SendWR{{ID: kindOther, Op: rdma.OpWrite, Local: number, VA: p.log.VA + offMinProposal, RKey: p.log.RKey}}
	})
}

// round has all confirmed followers' queue pairs do something, and waits for it. Nothing else uses them.
func (l *Leader) round(ctx context.Context, what func(*peer) []rdma.SendWR) error {
	open := 0
	for _, p := range l.peers {
		if !p.live {
			continue
		}
		n, err := p.conn.QP().PostSend(what(p)...)
		if err != nil {
			return fmt.Errorf("follower %d: %w", p.slot, err)
		}
		open += n
	}
	var buf [16]rdma.Completion
	for open > 0 {
		if err := l.cq.Wait(ctx); err != nil {
			return err
		}
		for _, c := range buf[:l.cq.Poll(buf[:])] {
			if !slices.ContainsFunc(l.peers, func(p *peer) bool { return p.live && p.qpn == c.QPN }) {
				continue // of an earlier connection
			}
			if err := c.Status.Err(); err != nil {
				return fmt.Errorf("prepare: %w", err)
			}
			open--
		}
	}
	return nil
}
