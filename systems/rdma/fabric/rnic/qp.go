package rnic

import (
	"fmt"
	"time"

	"github.com/p4ce/p4ce/host/rdma"
	"github.com/p4ce/p4ce/host/roce/rc"
	"github.com/p4ce/p4ce/sim/fabric"
)

// QP is a queue pair of a host.
type QP struct {
	n      *NIC
	rc     *rc.QP
	conn   *Conn
	active bool
	timer  *fabric.Timer
	done   func(rdma.Completion)
	class  uint8 // of service
}

// NewQP makes a queue pair; the number and the memory are the host's. done takes
// its completions, Config.Complete after they happened, and when the thread that takes them has got to them (Costs.Completion).
func (n *NIC) NewQP(c rc.Config, done func(rdma.Completion)) (*QP, error) {
	c.QPN, c.Memory = n.nextQPN, &n.memory
	n.nextQPN++
	r, err := rc.New(c)
	if err != nil {
		return nil, err
	}
	q := &QP{n: n, rc: r, done: done, class: c.TOS >> 5}
	q.timer = n.h.NewTimer(q)
	n.qps[c.QPN] = q
	return q, nil
}

// RC is the queue pair's core, to look into.
func (q *QP) RC() *rc.QP { return q.rc }

// Post posts a request: the thread that posts is busy with it for Costs.Request, and it is with the transport Config.Post later.
func (q *QP) Post(wr rdma.SendWR) {
	c := &q.n.h.Config
	q.n.at(q.n.posts.Take(c.CPU.Request)+c.Post, func() { q.post(wr) })
}

// at does something at a time, which may be now.
func (n *NIC) at(t fabric.Time, what func()) {
	if t <= n.f.Now() {
		what()
		return
	}
	n.f.At(t, what)
}

func (q *QP) post(wr rdma.SendWR) {
	if err := q.rc.PostSend(wr); err != nil {
		q.n.f.Fail(fmt.Errorf("host %s: queue pair %#x: %w", q.n.h.Name(), q.rc.QPN(), err))
		return
	}
	q.n.touch(q)
}

// report hands completions out, and tells connection management what the queue pair knows.
func (q *QP) report() {
	var c rdma.Completion
	for q.rc.PollCompletion(&c) {
		if q.done == nil {
			continue
		}
		conf, c := &q.n.h.Config, c
		q.n.at(q.n.f.Now()+conf.Complete, func() {
			if at := q.n.polls.Take(conf.CPU.Completion); at > q.n.f.Now() {
				q.n.f.At(at, func() { q.done(c) })
				return
			}
			q.done(c)
		})
	}
	if q.conn != nil {
		q.conn.observe()
	}
}

// Deadline implements fabric.Timed.
func (q *QP) Deadline() time.Duration { return time.Duration(q.rc.Deadline()) }

// Tick implements fabric.Timed.
func (q *QP) Tick(now time.Duration) {
	q.rc.Tick(rc.Time(now))
	q.n.touch(q)
}
