package onepipe

import "time"

// window is the congestion window of a connection, in fragments: DCTCP (Alizadeh et al., SIGCOMM
// 2010), which shrinks it by the share of the fragments that were marked. It begins small, and doubles
// in each round until a fragment is marked or lost: nobody knows yet how many others send.
type window struct {
	most          float64
	fragments     float64
	alpha         float64
	acks, marked  int
	end, cut      uint32 // PSNs: of the round, and of the last reduction
	began, isDown bool
	slow          bool // nothing was marked or lost so far
}

// firstWindow is what a connection begins with (RFC 6928).
const firstWindow = 10

// dctcpGain is g, the weight of a round in alpha.
const dctcpGain = 1.0 / 16

func newWindow(most int) window {
	return window{most: float64(most), fragments: float64(min(most, firstWindow)), alpha: 1, slow: true}
}

func (w *window) size() int { return int(w.fragments) }

// acked takes an acknowledgement of n fragments up to psn, when next is the first that was not sent.
func (w *window) acked(psn, next uint32, n int, marked bool) {
	w.acks += n
	if marked {
		w.marked += n
		w.slow = false
	}
	switch {
	case w.fragments >= w.most:
	case w.slow:
		w.fragments = min(w.most, w.fragments+float64(n))
	default:
		w.fragments = min(w.most, w.fragments+float64(n)/w.fragments)
	}
	if w.began && psnDiff(psn, w.end) < 0 {
		return
	}
	if w.began {
		share := float64(w.marked) / float64(w.acks)
		w.alpha += dctcpGain * (share - w.alpha)
		if w.marked > 0 {
			w.fragments = max(2, w.fragments*(1-w.alpha/2))
		}
	}
	w.began, w.end, w.acks, w.marked = true, next, 0, 0
}

// lost takes the loss of psn: half the window, once in a round.
func (w *window) lost(psn, next uint32) {
	if w.isDown && psnDiff(psn, w.cut) < 0 {
		return
	}
	w.isDown, w.cut, w.slow = true, next, false
	w.fragments = max(2, w.fragments/2)
}

// rtt estimates round trips (RFC 6298), of all connections together: a host has one wire.
type rtt struct {
	least          time.Duration
	smooth, spread time.Duration
	backoff        uint          // how often the timeout was doubled since the last measurement,
	last           time.Duration // and when it was
}

// maxBackoff bounds how often the timeout is doubled.
const maxBackoff = 3

// late takes that a fragment has timed out: round trips may have become longer than all that could be measured, since
// what is sent again is not measured (Karn's algorithm).
func (r *rtt) late(now time.Duration) {
	if r.backoff < maxBackoff && now-r.last >= r.timeout() {
		r.backoff, r.last = r.backoff+1, now
	}
}

func (r *rtt) measured(d time.Duration) {
	if d < 0 {
		return // the clock was set back
	}
	r.backoff = 0
	if r.smooth == 0 {
		r.smooth, r.spread = d, d/2
		return
	}
	off := r.smooth - d
	if off < 0 {
		off = -off
	}
	r.spread += (off - r.spread) / 4
	r.smooth += (d - r.smooth) / 8
}

func (r *rtt) timeout() time.Duration { return r.usual() << r.backoff }

// usual is what hardly any round trip takes longer than.
func (r *rtt) usual() time.Duration { return max(r.least, r.smooth+4*r.spread) }
