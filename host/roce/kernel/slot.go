package kernel

import (
	"runtime"
	"sync/atomic"
	"time"

	"github.com/p4ce/p4ce/host/rdma"
	"github.com/p4ce/p4ce/host/roce/rc"
	"github.com/p4ce/p4ce/roce/wire"
)

// slot is a queue pair's state, as in the C.
type slot struct {
	mutex, qpn, serving, busy, up, taken, access, domain uint32

	expected, msn, naked, in uint32
	va, left                 uint64
	rkey, mtu                uint32

	remote, local       wire.Addr
	remoteMAC, localMAC wire.MAC
	sport               [2]byte
	tos, pad            uint8
	remoteQPN, owned    uint32

	packets, bytes, acks, naks, duplicates, ahead, reads, readBytes uint64
}

// take takes the lock. The kernel holds it for less than it takes to send a packet.
func (s *slot) take() {
	for i := 0; !atomic.CompareAndSwapUint32(&s.mutex, 0, 1); i++ {
		if i > 100 {
			runtime.Gosched()
		}
	}
}

func (s *slot) release() { atomic.StoreUint32(&s.mutex, 0) }

// Slot is a rc.Partner: the kernel.
type Slot struct {
	s      *slot
	qpn    uint32
	domain uint32
	apart  time.Time // since when up and taken differ, by what is known; zero: they did not
	last   rc.Counters
}

func (l *Slot) lock()   { l.s.take() }
func (l *Slot) unlock() { l.s.release() }

// Connect implements rc.Partner. The lock is held when it returns.
func (l *Slot) Connect(p *rc.Peer, mtu int, tos uint8) {
	l.lock()
	s := l.s
	*s = slot{
		mutex: 1, owned: 1, domain: l.domain, mtu: uint32(mtu), remote: p.Remote, local: p.Local,
		remoteMAC: p.RemoteMAC, localMAC: p.LocalMAC, sport: [2]byte{byte(p.SrcPort >> 8), byte(p.SrcPort)}, tos: tos, remoteQPN: p.QPN,
	}
	atomic.StoreUint32(&s.qpn, l.qpn)
}

// Lock implements rc.Partner.
func (l *Slot) Lock(p *rc.Progress) {
	l.lock()
	s := l.s
	*p = rc.Progress{
		Expected: wire.PSN(s.expected), MSN: s.msn, Naked: s.naked != 0, Access: rdma.Access(s.access), In: uint8(s.in),
		RKey: s.rkey, VA: s.va, Left: s.left, Serving: s.serving != 0, Busy: s.busy != 0,
	}
}

// Unlock implements rc.Partner.
func (l *Slot) Unlock(p *rc.Progress) {
	s := l.s
	s.expected, s.msn, s.naked, s.in = uint32(p.Expected), p.MSN, flag(p.Naked), uint32(p.In)
	s.rkey, s.va, s.left = p.RKey, p.VA, p.Left
	s.access, s.serving, s.busy = uint32(p.Access), flag(p.Serving), flag(p.Busy)
	l.unlock()
}

func flag(b bool) uint32 {
	if b {
		return 1
	}
	return 0
}

// settle is how long the kernel may seem to have left more to us than has come: a frame
// may be lost on its way here.
const settle = 10 * time.Millisecond

// Took implements rc.Partner.
func (l *Slot) Took() {
	taken := atomic.AddUint32(&l.s.taken, 1)
	switch up := atomic.LoadUint32(&l.s.up); {
	case up == taken:
		l.apart = time.Time{}
	case l.apart.IsZero():
		l.apart = time.Now()
	case time.Since(l.apart) > settle:
		atomic.StoreUint32(&l.s.taken, up)
		l.apart = time.Time{}
	}
}

// Counters implements rc.Partner.
func (l *Slot) Counters() rc.Counters {
	s := l.s
	if s.qpn != l.qpn {
		return l.last
	}
	load := func(v *uint64) uint64 { return atomic.LoadUint64(v) }
	acks, naks, reads := load(&s.acks), load(&s.naks), load(&s.reads)
	return rc.Counters{
		PacketsIn: load(&s.packets), BytesIn: load(&s.bytes), PacketsOut: acks + naks + reads, BytesOut: load(&s.readBytes),
		AcksOut: acks, NaksOut: naks, Duplicates: load(&s.duplicates), DropAhead: load(&s.ahead),
	}
}
