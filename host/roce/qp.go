package roce

import (
	"errors"
	"time"

	"github.com/p4ce/p4ce/host/rdma"
	"github.com/p4ce/p4ce/host/roce/dcqcn"
	"github.com/p4ce/p4ce/host/roce/rc"
)

// QPConfig configures a queue pair. Zero values mean the defaults of rc.Config;
// the path MTU defaults to the largest that the link carries.
type QPConfig struct {
	SendCQ, RecvCQ *CQ // where completions go; one is made for each that is nil

	Domain       *Domain // nil: the device's own
	Access       rdma.Access
	MTU          int
	SendQueue    int
	RecvQueue    int
	MaxReads     int
	Window       int
	AckTimeout   time.Duration
	Retry        int
	RNRRetry     int
	RNRDelay     time.Duration
	AckEvery     int
	AckMessages  int
	CoalesceAcks int
	Credits      bool
	TOS          uint8
	Congestion   *dcqcn.Params // nil: congestion notifications are counted, not heeded
}

// QP is a queue pair of a Device.
type QP struct {
	dev     *Device
	rc      *rc.QP
	sendCQ  *CQ
	recvCQ  *CQ
	dirty   bool
	unacked int        // as counted by the device
	beside  rc.Partner // nil: nobody executes requests beside us
	conn    *Conn      // nil before connection management has one
}

// CreateQP makes a queue pair. Receives may be posted to it before it is given to
// Dial or Accept.
func (d *Device) CreateQP(cfg QPConfig) (*QP, error) {
	if cfg.MTU == 0 {
		cfg.MTU = d.MaxPathMTU()
	}
	if cfg.SendCQ == nil {
		cfg.SendCQ = NewCQ(cfg.SendQueue)
	}
	if cfg.RecvCQ == nil {
		cfg.RecvCQ = NewCQ(cfg.RecvQueue)
	}
	if cfg.Domain == nil {
		cfg.Domain = d.own()
	}
	if cfg.Congestion == nil {
		cfg.Congestion = d.opts.Congestion
	}
	if cfg.Domain.dev != d {
		return nil, errors.New("queue pair: its protection domain belongs to another device")
	}
	for _, q := range []*CQ{cfg.SendCQ, cfg.RecvCQ} {
		if q.dev != nil && q.dev != d {
			return nil, errors.New("queue pair: its completion queue belongs to another device")
		}
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.closed {
		return nil, ErrClosed
	}
	qpn := d.freeQPN()
	core, err := rc.New(rc.Config{
		QPN: qpn, Memory: cfg.Domain.memory, Access: cfg.Access, MTU: cfg.MTU, SendQueue: cfg.SendQueue, RecvQueue: cfg.RecvQueue,
		MaxReads: cfg.MaxReads, Window: cfg.Window, AckTimeout: cfg.AckTimeout, Retry: cfg.Retry, RNRRetry: cfg.RNRRetry,
		RNRDelay: cfg.RNRDelay, AckEvery: cfg.AckEvery, AckMessages: cfg.AckMessages, CoalesceAcks: cfg.CoalesceAcks,
		Credits: cfg.Credits, TOS: cfg.TOS, Congestion: cfg.Congestion,
	})
	if err != nil {
		return nil, err
	}
	qp := &QP{dev: d, rc: core, sendCQ: cfg.SendCQ, recvCQ: cfg.RecvCQ}
	if r := d.opts.Responder; r != nil && !cfg.Credits && cfg.Congestion == nil { // it knows nothing of receives, nor of marks
		if qp.beside = r.Slot(qpn, cfg.Domain.memory.ID); qp.beside != nil {
			core.SetPartner(qp.beside)
		}
	}
	d.qps[qpn] = qp
	return qp, nil
}

// QPN returns the number of the queue pair.
func (q *QP) QPN() uint32 { return q.rc.QPN() }

// SendCQ returns the queue of the completions of PostSend.
func (q *QP) SendCQ() *CQ { return q.sendCQ }

// RecvCQ returns the queue of the completions of PostRecv.
func (q *QP) RecvCQ() *CQ { return q.recvCQ }

// PostSend queues requests and sends what the window allows, with one handover to
// the wire. It stops at the first that does not fit and returns how many were
// queued. The buffers stay the device's until their completions.
func (q *QP) PostSend(wrs ...rdma.SendWR) (int, error) {
	d := q.dev
	d.mu.Lock()
	defer d.mu.Unlock()
	var err error
	n := 0
	for i := range wrs {
		if err = q.rc.PostSend(wrs[i]); err != nil {
			break
		}
		n++
	}
	d.touch(q)
	d.pump(d.now())
	return n, err
}

// PostRecv queues buffers for SENDs of the peer; see PostSend.
func (q *QP) PostRecv(wrs ...rdma.RecvWR) (int, error) {
	d := q.dev
	d.mu.Lock()
	defer d.mu.Unlock()
	var err error
	n := 0
	for i := range wrs {
		if err = q.rc.PostRecv(wrs[i]); err != nil {
			break
		}
		n++
	}
	d.touch(q)
	d.pump(d.now())
	return n, err
}

// SetAccess changes what the peer may do. When it returns, no further packet of
// the peer is executed under the old rights.
func (q *QP) SetAccess(a rdma.Access) {
	q.dev.mu.Lock()
	defer q.dev.mu.Unlock()
	q.rc.SetAccess(a)
}

// State returns the state of the transport.
func (q *QP) State() rdma.State {
	q.dev.mu.Lock()
	defer q.dev.mu.Unlock()
	return q.rc.State()
}

// Counters returns a copy of the transport's counters.
func (q *QP) Counters() rc.Counters {
	q.dev.mu.Lock()
	defer q.dev.mu.Unlock()
	return q.rc.Counters()
}

// Destroy flushes all work and frees the number. A connected queue pair is
// destroyed by closing its Conn.
func (q *QP) Destroy() {
	q.dev.mu.Lock()
	defer q.dev.mu.Unlock()
	q.destroy()
}

func (q *QP) destroy() {
	q.rc.Close()
	q.report()
	q.dev.unacked -= q.unacked
	q.unacked = 0
	delete(q.dev.qps, q.rc.QPN())
	q.dev.resting.add(q.rc.QPN())
	if q.beside != nil {
		q.dev.opts.Responder.Release(q.beside)
	}
}

// report moves completions to their queues and tells the connection about a
// failure or the first packet of the peer.
func (q *QP) report() {
	var c rdma.Completion
	sent, received := false, false
	for q.rc.PollCompletion(&c) {
		if c.Op == rdma.OpRecv || c.Op == rdma.OpRecvWriteImm {
			q.recvCQ.push(&c)
			received = true
		} else {
			q.sendCQ.push(&c)
			sent = true
		}
	}
	if sent {
		q.sendCQ.signal()
	}
	if received {
		q.recvCQ.signal()
	}
	if q.conn != nil {
		q.conn.pair.Observe()
	}
}
