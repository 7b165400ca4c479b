package bench

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"hash"
	"hash/fnv"
	"net"
	"net/netip"
	"slices"
	"sync"
	"time"

	"github.com/p4ce/p4ce/bench/cpu"
	"github.com/p4ce/p4ce/systems/paxos"
	"github.com/p4ce/p4ce/systems/paxos/bench/simulated"
	"github.com/p4ce/p4ce/systems/paxos/lab"
	"github.com/p4ce/p4ce/systems/paxos/udp"
)

// Values that are proposed one at a time, in a network that has its roles at several places.

// tree is the network, with its systems.
type tree struct {
	network  *lab.Network
	programs *lab.Programs
	systems  []*placed
	packets  *packets
	stop     func()
}

// turn is what is measured, in its turn.
type turn struct {
	name    string
	measure func(context.Context, time.Duration) (*oneByOne, error)
}

func (t *tree) turns() (all []turn) {
	for _, s := range t.systems {
		all = append(all, turn{s.name, s.oneByOne})
	}
	return append(all, turn{onePacket, t.packets.oneByOne})
}

// placed is a system: a host that proposes, and replicas.
type placed struct {
	name     string
	proposer *paxos.Guest
	replicas []*replica
	now      underWay
	values   uint64 // that were proposed
}

// replica is a host that has the log.
type replica struct {
	*paxos.Log
	mu     sync.Mutex
	count  uint64    // values that it was given
	digest hash.Hash // of all of them, in order
}

// newTree builds the network and all systems in it. The caller closes it.
func newTree(ctx context.Context, o Options) (t *tree, err error) {
	t = &tree{}
	defer func() {
		if err != nil {
			t.Close()
			t = nil
		}
	}()
	if t.network, err = lab.Start(ctx, lab.Options{Binary: o.Binary, Dir: o.Dir, Target: "xdp", Log: o.Log, Deployment: lab.Tree, Namespaces: lab.TreeHosts}); err != nil {
		return t, err
	}
	who := lab.TreeSeats()
	if t.programs, err = t.network.StartPrograms(ctx, who); err != nil {
		return t, err
	}
	for _, s := range []struct {
		name   string
		attach func(string, func(paxos.Entry)) (*paxos.Log, error)
		guest  func(string) (*paxos.Guest, error)
	}{
		{simulated.OnPath, t.attachTo(lab.Log), t.guestOf(lab.Log)},
		{simulated.ByPods, t.attachTo(lab.Pods), t.guestOf(lab.Pods)},
		{simulated.Servers, t.programs.Attach, t.programs.AttachGuest},
	} {
		p := &placed{name: s.name, now: underWay{over: make(chan struct{}, 1)}}
		t.systems = append(t.systems, p)
		for _, name := range who.Replicas {
			h := &replica{digest: fnv.New128a()}
			if h.Log, err = s.attach(name, func(e paxos.Entry) { p.applied(h, e) }); err != nil {
				return t, fmt.Errorf("%s, host %s: %w", s.name, name, err)
			}
			p.replicas = append(p.replicas, h)
		}
		if p.proposer, err = s.guest(who.Guests[0]); err != nil {
			return t, fmt.Errorf("%s, host %s: %w", s.name, who.Guests[0], err)
		}
	}
	if t.packets, err = newPackets(t.network, who.Guests[0], who.Replicas[0]); err != nil {
		return t, err
	}
	var hosts []*replica
	for _, s := range t.systems {
		hosts = append(hosts, s.replicas...)
	}
	t.stop = lab.Checkpoints(hosts)
	return t, nil
}

func (t *tree) attachTo(application string) func(string, func(paxos.Entry)) (*paxos.Log, error) {
	return func(name string, apply func(paxos.Entry)) (*paxos.Log, error) {
		return t.network.AttachTo(application, name, apply)
	}
}

func (t *tree) guestOf(application string) func(string) (*paxos.Guest, error) {
	return func(name string) (*paxos.Guest, error) { return t.network.AttachGuestTo(application, name) }
}

// lead waits until both applications are led by the spine, if hosts have asked for another round meanwhile.
func (t *tree) lead(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, 20*time.Second)
	defer cancel()
	return t.network.LeadFirst(ctx)
}

// used is what has been used so far.
type used struct {
	packets  uint64        // that switches have received
	programs time.Duration // CPU time of the programs that have the roles
}

func (t *tree) used(ctx context.Context) (sum used, err error) {
	all, err := t.network.Received(ctx)
	if err != nil {
		return sum, err
	}
	for _, n := range all {
		sum.packets += n
	}
	for _, pid := range t.programs.PIDs() {
		d, err := cpu.Time(pid)
		if err != nil {
			return sum, err
		}
		sum.programs += d
	}
	return sum, nil
}

// Close ends it.
func (t *tree) Close() {
	if t.stop != nil {
		t.stop()
	}
	for _, s := range t.systems {
		if s.proposer != nil {
			_ = s.proposer.Close()
		}
		for _, h := range s.replicas {
			_ = h.Close()
		}
	}
	if t.packets != nil {
		t.packets.Close()
	}
	if t.programs != nil {
		t.programs.Close()
	}
	if t.network != nil {
		t.network.Close()
	}
}

// oneByOne is what was measured of values, each proposed when the one before was everywhere.
type oneByOne struct{ first, all, answer []time.Duration }

// underWay is the value that is proposed, or the packet that is sent.
type underWay struct {
	over chan struct{} // gets something when all have it, and its sender knows

	mu                 sync.Mutex // guards what follows
	number             uint64
	has                int // replicas
	answered           bool
	first, all, answer time.Time
}

// valueSize is that of the paper's values.
const valueSize = 32

// patience is how long a value may take.
const patience = 10 * time.Second

// oneByOne proposes values for a while, and sees in the end that all replicas have the same log.
func (s *placed) oneByOne(ctx context.Context, d time.Duration) (*oneByOne, error) {
	x := &oneByOne{}
	for end := time.Now().Add(d); time.Now().Before(end); {
		if err := s.one(ctx, x); err != nil {
			return nil, fmt.Errorf("value %d: %w", s.values, err)
		}
	}
	return x, s.agree()
}

// one proposes a value, and waits until it is everywhere.
func (s *placed) one(ctx context.Context, x *oneByOne) error {
	s.values++
	n := s.values
	s.now.begin(n)
	begun := time.Now()
	err := s.proposer.Go(numbered(n), func(_ uint64, err error) {
		if err == nil { // or the proposer was closed
			s.now.returned(n, time.Now(), len(s.replicas))
		}
	})
	if err != nil {
		return err
	}
	return s.now.await(ctx, begun, x)
}

// numbered is a value, or the data of a packet.
func numbered(n uint64) []byte {
	return append(binary.BigEndian.AppendUint64(nil, n), make([]byte, valueSize-8)...)
}

// numberOf is the number of one; 0: it has none.
func numberOf(data []byte) uint64 {
	if len(data) < 8 {
		return 0
	}
	return binary.BigEndian.Uint64(data)
}

// begin begins another one.
func (w *underWay) begin(number uint64) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.number, w.has, w.answered = number, 0, false
}

// await waits until it is everywhere, and says how long all took.
func (w *underWay) await(ctx context.Context, begun time.Time, x *oneByOne) error {
	select {
	case <-w.over:
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(patience):
		return fmt.Errorf("it is not everywhere after %v", patience)
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	x.first, x.answer = append(x.first, w.first.Sub(begun)), append(x.answer, w.answer.Sub(begun))
	if w.has > 1 {
		x.all = append(x.all, w.all.Sub(begun))
	}
	return nil
}

// arrived is called when one of so many hosts has it.
func (w *underWay) arrived(number uint64, now time.Time, hosts int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if number != w.number {
		return
	}
	if w.has++; w.has == 1 {
		w.first = now
	}
	w.all = now
	w.end(hosts)
}

// returned is called when its sender is answered.
func (w *underWay) returned(number uint64, now time.Time, hosts int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if number != w.number {
		return
	}
	w.answered, w.answer = true, now
	w.end(hosts)
}

// end tells who waits when it is everywhere. mu is held.
func (w *underWay) end(hosts int) {
	if w.answered && w.has == hosts {
		w.over <- struct{}{}
	}
}

// applied is called when a replica is given a value.
func (s *placed) applied(h *replica, e paxos.Entry) {
	if e.Client == 0 { // a no-op
		return
	}
	now := time.Now()
	h.mu.Lock()
	h.count++
	_, _ = h.digest.Write(e.Value) // a hash does not fail
	h.mu.Unlock()
	s.now.arrived(numberOf(e.Value), now, len(s.replicas))
}

// agree reports whether all replicas have all values, in the order in which they were proposed.
func (s *placed) agree() error {
	var digests [][]byte
	for _, h := range s.replicas {
		h.mu.Lock()
		digests = append(digests, h.digest.Sum(nil))
		n := h.count
		h.mu.Unlock()
		if n != s.values {
			return fmt.Errorf("a replica has %d values, %d were proposed", n, s.values)
		}
	}
	if !slices.EqualFunc(digests[1:], digests[:len(digests)-1], slices.Equal[[]byte]) {
		return errors.New("the logs of the replicas differ")
	}
	return nil
}

// packets are of that size, sent one at a time from a host to another one, which sends them back.
type packets struct {
	near, far paxos.Wire
	ends      sync.WaitGroup
	now       underWay
	sent      uint64
}

func newPackets(n *lab.Network, from, to string) (*packets, error) {
	at := func(host string) netip.AddrPort { return netip.AddrPortFrom(n.Host(host).IP, portEcho) }
	near, err := n.Listen(from, at(from))
	if err != nil {
		return nil, err
	}
	far, err := n.Listen(to, at(to))
	if err != nil {
		return nil, errors.Join(err, near.Close())
	}
	p := &packets{near: near, far: far, now: underWay{over: make(chan struct{}, 1)}}
	p.ends.Go(func() {
		each(far, func(in udp.Packet) {
			p.now.arrived(numberOf(in.Data), time.Now(), 1)
			_ = far.Write([]udp.Packet{in}) // back; if it is lost, nobody is answered
		})
	})
	p.ends.Go(func() { each(near, func(in udp.Packet) { p.now.returned(numberOf(in.Data), time.Now(), 1) }) })
	return p, nil
}

// portEcho is that of what is sent back (RFC 862).
const portEcho = 7

// each has f take every packet that a wire receives, until it is closed.
func each(w paxos.Wire, f func(udp.Packet)) {
	in := make([]udp.Packet, udp.Batch)
	for {
		n, err := w.Read(in, time.Time{})
		if errors.Is(err, net.ErrClosed) {
			return
		}
		for _, p := range in[:n] {
			f(p)
		}
	}
}

// oneByOne sends packets for a while.
func (p *packets) oneByOne(ctx context.Context, d time.Duration) (*oneByOne, error) {
	x := &oneByOne{}
	for end := time.Now().Add(d); time.Now().Before(end); {
		p.sent++
		p.now.begin(p.sent)
		begun := time.Now()
		err := p.near.Write([]udp.Packet{{Addr: p.far.Addr(), Data: numbered(p.sent)}})
		if err == nil {
			err = p.now.await(ctx, begun, x)
		}
		if err != nil {
			return nil, fmt.Errorf("packet %d: %w", p.sent, err)
		}
	}
	return x, nil
}

// Close ends both hosts' sockets.
func (p *packets) Close() {
	_, _ = p.near.Close(), p.far.Close()
	p.ends.Wait()
}
