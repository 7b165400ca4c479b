package replicate

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/p4ce/p4ce/host/rdma"
	"github.com/p4ce/p4ce/systems/rdma/mu"
	"github.com/p4ce/p4ce/systems/rdma/private"
	"github.com/p4ce/p4ce/systems/rdma/proof"
)

// ErrClosed is returned by calls on a closed leader or replica.
var ErrClosed = errors.New("replication: closed")

// ReplicaConfig configures a replica.
type ReplicaConfig struct {
	Device  rdma.Device
	Port    uint16 // where leaders connect, and the switch for them
	LogSize int    // of the region in bytes, a power of two; the same on all servers
	Cluster uint64 // leaders of another are refused
	Token   uint64 // of the cluster: leaders prove that they know it
	// AckTimeout and Retry are as in LeaderConfig.
	AckTimeout time.Duration
	Retry      int
	// Apply is called with each decided record, in order, from one goroutine. It
	// must not keep rec. While it runs nothing else is applied. nil applies
	// nothing.
	Apply func(index uint64, rec []byte)
	Log   *slog.Logger // nil discards
}

// Replica holds a copy of the log and applies what is decided.
type Replica struct {
	cfg    ReplicaConfig
	guard  *proof.Guard
	memory []byte // of region
	region rdma.MR
	ln     rdma.Listener
	ctx    context.Context
	cancel context.CancelFunc
	wg     sync.WaitGroup
	wake   chan struct{}

	refused atomic.Uint64

	mu     sync.Mutex // guards what follows
	digest digester
	state  follower // a copy, for Status
	term   uint64
	leader uint16
	grants map[rdma.QP]uint64 // of leaders that may write: the term of each
}

// OpenReplica starts a replica. The caller closes it, before the endpoint.
func OpenReplica(cfg ReplicaConfig) (*Replica, error) {
	geo, err := mu.NewGeometry(cfg.LogSize)
	if err != nil {
		return nil, fmt.Errorf("replica: %w", err)
	}
	if cfg.Log == nil {
		cfg.Log = slog.New(slog.DiscardHandler)
	}
	r := &Replica{cfg: cfg, wake: make(chan struct{}, 1), digest: newDigester(), grants: map[rdma.QP]uint64{}}
	r.guard = proof.NewGuard(private.Secret{Cluster: cfg.Cluster, Token: cfg.Token})
	if r.memory, err = cfg.Device.Alloc(cfg.LogSize); err != nil {
		return nil, fmt.Errorf("replica: %w", err)
	}
	if r.region, err = cfg.Device.RegisterMemory(r.memory, rdma.LocalWrite|rdma.RemoteWrite|rdma.RemoteRead); err != nil {
		cfg.Device.Free(r.memory)
		return nil, fmt.Errorf("replica: %w", err)
	}
	r.region.OnRemoteWrite(func(int, int) {
		select {
		case r.wake <- struct{}{}:
		default:
		}
	})
	if r.ln, err = cfg.Device.Listen(cfg.Port); err != nil {
		cfg.Device.DeregisterMemory(r.region)
		cfg.Device.Free(r.memory)
		return nil, fmt.Errorf("replica: %w", err)
	}
	r.ctx, r.cancel = context.WithCancel(context.Background())
	r.wg.Add(2)
	go r.apply(&follower{geo: geo})
	go r.serve()
	return r, nil
}

// apply is the goroutine that applies.
func (r *Replica) apply(f *follower) {
	defer r.wg.Done()
	var record []byte
	var head [headLen]byte
	var e entry
	var ok bool
	// Made once: a function that is handed to an interface is allocated.
	look := f.look
	take := func(b []byte) {
		if e, ok = f.take(b); ok {
			record = append(record[:0], e.Record...)
		}
	}
	for {
		r.region.Read(look)
		for {
			if r.region.Read(take); !ok {
				break
			}
			if r.cfg.Apply != nil {
				r.cfg.Apply(e.Index, record)
			}
			r.mu.Lock()
			r.digest.add(record)
			r.state = *f
			r.mu.Unlock()
		}
		// Bounds are constant and right, so WriteAt cannot fail. The leader may
		// learn of a batch at once.
		f.putHead(&head)
		_, _ = r.region.WriteAt(head[:], offHead)
		select {
		case <-r.wake:
		case <-r.ctx.Done():
			return
		}
	}
}

// serve is the goroutine that accepts leaders.
func (r *Replica) serve() {
	defer r.wg.Done()
	for {
		req, err := r.ln.Accept(r.ctx)
		if err != nil {
			return // closed: nothing else ends a listener
		}
		r.wg.Add(1)
		go r.admit(req)
	}
}

// admit answers one request and stays with the connection until it ends.
func (r *Replica) admit(req rdma.Request) {
	defer r.wg.Done()
	m, x, err := r.check(req)
	if err != nil {
		if !proof.Asks(err) {
			r.refused.Add(1)
		}
		proof.Refuse(r.cfg.Log, req, m.Slot, err)
		return
	}
	conn, err := r.grant(req, m, x)
	if err != nil {
		r.cfg.Log.Warn("connection not made", "peer", req.RemoteAddr(), "err", err)
		return
	}
	r.cfg.Log.Info("leader connected", "peer", req.RemoteAddr(), "leader", m.LeaderID, "term", m.Term)
	select {
	case <-conn.Done():
	case <-r.ctx.Done():
	}
	r.forget(conn.QP())
	if err := conn.Close(); err != nil {
		r.cfg.Log.Warn("connection not closed", "peer", req.RemoteAddr(), "err", err)
	}
}

// grant connects a leader that check has admitted. The path is known to later
// calls of check before the leader can use it, so that no leader of a lower term
// slips through.
func (r *Replica) grant(req rdma.Request, m private.Request, x *private.Exchange) (rdma.Conn, error) {
	qp, err := r.cfg.Device.CreateQP(rdma.QPConfig{Access: rdma.RemoteWrite | rdma.RemoteRead, AckTimeout: r.cfg.AckTimeout, Retry: r.cfg.Retry})
	if err != nil {
		return nil, errors.Join(err, req.Reject(private.Refuse(m.Slot, err)))
	}
	r.mu.Lock()
	r.grants[qp] = m.Term
	if m.Term < r.term {
		revoke(qp)
	}
	r.mu.Unlock()
	conn, err := proof.Accept(r.ctx, req, x, qp, proof.Regions(r.region))
	if err != nil {
		r.forget(qp)
	}
	return conn, err
}

// revoke takes a leader's rights away, also before its connection is accepted: no write is executed after it returns. It
// relies on what a failed SetAccess guarantees: the queue pair does nothing for its peer any more.
func revoke(qp rdma.QP) { _ = qp.SetAccess(0) }

func (r *Replica) forget(qp rdma.QP) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.grants, qp)
}

// check decides about a request. A higher term takes the rights of every lower
// one away, before it is answered.
func (r *Replica) check(req rdma.Request) (private.Request, *private.Exchange, error) {
	m, err := private.ParseRequest(req.Private())
	if err != nil {
		return m, nil, err
	}
	if m.Form != private.FormMember && m.Form != private.FormAsk {
		return m, nil, errors.New("this is a replica, not a switch: connect to the switch's address to form a group")
	}
	x, err := r.guard.Check(&m, req.RemoteAddr(), r.cfg.Device.Addr())
	if err != nil {
		return m, nil, err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	switch {
	case m.Term < r.term:
		return m, nil, fmt.Errorf("term %d is over (leader %d has term %d)", m.Term, r.leader, r.term)
	case m.Term == r.term && r.term != 0 && m.LeaderID != r.leader:
		return m, nil, fmt.Errorf("term %d belongs to leader %d", r.term, r.leader)
	}
	if m.Term > r.term {
		for qp := range r.grants {
			revoke(qp)
		}
	}
	r.term, r.leader = m.Term, m.LeaderID
	return m, x, nil
}

// Digest returns the digest of the applied records.
func (r *Replica) Digest() Digest {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.digest.digest()
}

// ReplicaStatus is a snapshot of a replica.
type ReplicaStatus struct {
	Term    uint64
	Leader  uint16
	Applied uint64 // records
	Commit  uint64 // position: what ends there or before is known to be decided
	Head    uint64 // position in the log
	Paths   int    // connections that may write
	Refused uint64 // connections refused
}

// Status returns a snapshot.
func (r *Replica) Status() ReplicaStatus {
	r.mu.Lock()
	defer r.mu.Unlock()
	return ReplicaStatus{
		Term: r.term, Leader: r.leader, Applied: r.state.index, Commit: r.state.commit, Head: r.state.head,
		Paths: len(r.grants), Refused: r.refused.Load(),
	}
}

// Close stops the replica and ends its connections.
func (r *Replica) Close() error {
	r.cancel()
	err := r.ln.Close()
	r.wg.Wait()
	r.cfg.Device.DeregisterMemory(r.region)
	r.cfg.Device.Free(r.memory)
	return err
}
