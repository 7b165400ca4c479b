package network

import (
	"errors"
	"math/rand/v2"
	"net"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/p4ce/p4ce/lab"
	"github.com/p4ce/p4ce/link"
	"github.com/p4ce/p4ce/link/packet"
)

// Rates say which part of the packets meets what, from 0 to 1.
type Rates struct {
	Loss, Duplicate, Reorder, Corrupt float64
}

// holdBack is the longest time for which a packet is held back: what comes meanwhile overtakes it.
const holdBack = 2 * time.Millisecond

// Relay carries packets between the two halves of a bad cable, in both directions.
type Relay struct {
	a, b  link.Port
	rates Rates
	on    atomic.Bool
	cut   atomic.Bool
	wg    sync.WaitGroup

	Lost, Duplicated, Reordered, Corrupted atomic.Uint64 // packets
}

func newRelay(l *lab.Lab, a, b string, rates Rates) (*Relay, error) {
	r := &Relay{rates: rates}
	err := l.InSwitch(func() (err error) {
		if r.a, err = packet.OpenPort(a); err != nil {
			return err
		}
		if r.b, err = packet.OpenPort(b); err != nil {
			_ = r.a.Close()
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	r.on.Store(true)
	r.wg.Go(func() { r.run(r.a, &out{p: r.b}) })
	r.wg.Go(func() { r.run(r.b, &out{p: r.a}) })
	return r, nil
}

// Mend makes the link good.
func (r *Relay) Mend() { r.on.Store(false) }

// Cut has the link carry nothing, or again what it should. Its ends do not notice.
func (r *Relay) Cut(cut bool) { r.cut.Store(cut) }

func (r *Relay) close() {
	_ = r.a.Close()
	_ = r.b.Close()
	r.wg.Wait()
}

// out sends, also what was held back.
type out struct {
	mu sync.Mutex
	p  link.Port
}

func (o *out) send(frames ...[]byte) {
	o.mu.Lock()
	defer o.mu.Unlock()
	for _, f := range frames {
		o.p.Send(append(o.p.Buffer(), f...))
	}
	_ = o.p.Flush() // the link is bad
}

func (r *Relay) run(from link.Port, to *out) {
	frames := make([][]byte, 64)
	var pass [][]byte
	for {
		n, err := from.Receive(frames)
		if errors.Is(err, net.ErrClosed) {
			return
		}
		pass = pass[:0]
		for _, f := range frames[:n] {
			if r.cut.Load() {
				continue
			}
			if !r.on.Load() {
				pass = append(pass, f)
				continue
			}
			if met(r.rates.Loss, &r.Lost) {
				continue
			}
			if met(r.rates.Corrupt, &r.Corrupted) {
				f[rand.IntN(len(f))] ^= 1 << rand.IntN(8)
			}
			if met(r.rates.Duplicate, &r.Duplicated) {
				pass = append(pass, f)
			}
			if met(r.rates.Reorder, &r.Reordered) {
				held := slices.Clone(f)
				time.AfterFunc(rand.N(holdBack), func() { to.send(held) })
				continue
			}
			pass = append(pass, f)
		}
		to.send(pass...)
	}
}

// met says whether a packet is one of those, and counts it.
func met(rate float64, n *atomic.Uint64) bool {
	if rand.Float64() >= rate {
		return false
	}
	n.Add(1)
	return true
}
