package dcqcn

import (
	"cmp"
	"fmt"
	"math"
	"time"
)

// Params are what a reaction point needs to know, with the names of the paper (section 5,
// figure 14). Zero values are the defaults.
type Params struct {
	LineRate uint64 // of the link, bit/s; has no default

	G             float64       // g, the weight of a CNP in α: 1/256
	AlphaInterval time.Duration // K, after which α falls when no CNP has come: 55 us, or what 8 KiB take on the link
	IncreaseTimer time.Duration // T, of the rate's increase: as AlphaInterval
	ByteCounter   uint64        // B, of the rate's increase: 10 MB
	FastRecovery  int           // F, steps of fast recovery: 5
	RateAI        uint64        // R_AI, of additive increase, bit/s: 40 Mb/s; on links below 40 Gb/s a thousandth of the rate
	RateHAI       uint64        // R_HAI, of hyper increase, bit/s: 200 Mb/s, or five thousandths (the paper names it and gives no number)
	MinRate       uint64        // the rate is never below, bit/s: 40 Mb/s; on links below 4 Gb/s a hundredth of the rate

	// Burst is for how long a sender that was late may send as fast as the link, so that it
	// gets what it may over a longer time: what the timers of its machine need. 0: none.
	Burst time.Duration
}

// roundBytes are what a link carries at least in the time of AlphaInterval and of IncreaseTimer: on a slow link, notifications
// come as rarely as packets, and a rate would have recovered before the next.
const roundBytes = 8 << 10

func (p *Params) setDefaults() {
	p.G = cmp.Or(p.G, 1./256)
	round := max(55*time.Microsecond, time.Duration(roundBytes*8*1e9/max(1, p.LineRate)))
	p.AlphaInterval = cmp.Or(p.AlphaInterval, round)
	p.IncreaseTimer = cmp.Or(p.IncreaseTimer, round)
	p.ByteCounter = cmp.Or(p.ByteCounter, 10e6)
	p.FastRecovery = cmp.Or(p.FastRecovery, 5)
	p.RateAI = cmp.Or(p.RateAI, min(40e6, p.LineRate/1000))
	p.RateHAI = cmp.Or(p.RateHAI, min(200e6, p.LineRate/200))
	p.MinRate = cmp.Or(p.MinRate, min(40e6, p.LineRate/100))
}

// Check says what is wrong with parameters.
func (p Params) Check() error {
	p.setDefaults()
	switch {
	case p.LineRate < 1e6 || p.LineRate > 8e12:
		return fmt.Errorf("dcqcn: line rate of %d bit/s: want 1 Mb/s to 8 Tb/s", p.LineRate)
	case p.MinRate > p.LineRate:
		return fmt.Errorf("dcqcn: minimum rate of %d bit/s is above the line rate, %d", p.MinRate, p.LineRate)
	case !(p.G > 0 && p.G <= 1):
		return fmt.Errorf("dcqcn: g of %v: want more than 0, and at most 1", p.G)
	case p.AlphaInterval < time.Microsecond || p.IncreaseTimer < time.Microsecond || p.Burst < 0:
		return fmt.Errorf("dcqcn: intervals of %v and %v: want 1us or more", p.AlphaInterval, p.IncreaseTimer)
	case p.FastRecovery < 1:
		return fmt.Errorf("dcqcn: %d steps of fast recovery: want 1 or more", p.FastRecovery)
	case p.RateAI > 8e12 || p.RateHAI > 8e12:
		return fmt.Errorf("dcqcn: rates of increase of %d and %d bit/s: want up to 8 Tb/s", p.RateAI, p.RateHAI)
	}
	return nil
}

// wireOverhead is what a frame takes on the wire beside its bytes: preamble, FCS and gap.
const wireOverhead = 24

// Limiter is the reaction point of one flow.
type Limiter struct {
	p       Params
	limited bool
	current float64 // RC, bit/s
	target  float64 // RT
	alpha   float64

	alphaAt time.Duration // when α falls next
	timerAt time.Duration // when the timer expires next
	bytes   uint64        // since the byte counter expired
	times   int           // the timer has expired, since the last CNP
	rounds  int           // the byte counter has

	next float64 // when the next frame may go, ns
}

// New makes a limiter. It starts at the line rate, as the paper has it.
func New(p Params) (*Limiter, error) {
	if err := p.Check(); err != nil {
		return nil, err
	}
	p.setDefaults()
	line := float64(p.LineRate)
	return &Limiter{p: p, current: line, target: line, alpha: 1}, nil
}

// Rate is RC, bit/s.
func (l *Limiter) Rate() float64 { return l.current }

// Target is RT, bit/s.
func (l *Limiter) Target() float64 { return l.target }

// Alpha is the estimate of congestion, 0 to 1.
func (l *Limiter) Alpha() float64 { return l.alpha }

// Limited reports whether frames may be delayed.
func (l *Limiter) Limited() bool { return l.limited }

// Notified takes a CNP.
func (l *Limiter) Notified(now time.Duration) {
	l.pass(now)
	if !l.limited { // α was that of an idle flow
		l.limited, l.next = true, max(l.next, float64(now))
	}
	l.target = l.current
	l.current = max(l.current*(1-l.alpha/2), float64(l.p.MinRate))
	l.alpha = (1-l.p.G)*l.alpha + l.p.G
	l.alphaAt, l.timerAt = now+l.p.AlphaInterval, now+l.p.IncreaseTimer
	l.bytes, l.times, l.rounds = 0, 0, 0
}

// Next is when the next frame may be sent; now or before means at once.
func (l *Limiter) Next(now time.Duration) time.Duration {
	l.pass(now)
	if !l.limited {
		return now
	}
	return time.Duration(math.Ceil(l.next))
}

// Sent says that a frame of n bytes is sent.
func (l *Limiter) Sent(now time.Duration, n int) {
	l.pass(now)
	if !l.limited {
		return
	}
	// Who is late by a part of a nanosecond is not late. What is later than a burst is lost.
	l.next = max(l.next, float64(now-l.p.Burst)-1) + float64((n+wireOverhead)*8)*1e9/l.current
	l.bytes += uint64(n)
	for l.limited && l.bytes >= l.p.ByteCounter {
		l.bytes -= l.p.ByteCounter
		l.rounds++
		l.increase()
	}
}

// pass does what was due until now.
func (l *Limiter) pass(now time.Duration) {
	for l.limited && min(l.alphaAt, l.timerAt) <= now {
		if l.alphaAt <= l.timerAt {
			l.alpha *= 1 - l.p.G
			l.alphaAt += l.p.AlphaInterval
			continue
		}
		l.timerAt += l.p.IncreaseTimer
		l.times++
		l.increase()
	}
}

// increase raises the rate by a step, after the timer or the byte counter has expired.
func (l *Limiter) increase() {
	f := l.p.FastRecovery
	switch {
	case l.times > f && l.rounds > f:
		l.target += float64(min(l.times, l.rounds)-f) * float64(l.p.RateHAI)
	case l.times > f || l.rounds > f:
		l.target += float64(l.p.RateAI)
	}
	line := float64(l.p.LineRate)
	l.target = min(l.target, line)
	l.current = (l.target + l.current) / 2
	// Halves never arrive: within a thousandth it is the line rate, and the flow is free.
	if l.current >= line*0.999 {
		l.current, l.target, l.limited = line, line, false
		l.alpha = 1
	}
}
