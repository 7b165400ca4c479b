package onepipe

import "time"

// pace is the interval of a host's beacons. Beacons of all hosts at the shortest interval may be more than the CPUs of a machine
// can do: then threads wake up late, messages wait for beacons that wait for a CPU, and nothing is left for messages. So a host
// whose thread wakes up late takes a longer interval, and tries a shorter one later. Intervals are the shortest one times a power
// of two: hosts send at multiples of theirs, so their moments remain common ones.
type pace struct {
	least, most time.Duration
	now         time.Duration
	late        time.Duration // one in four wakes up later than this
	calm        int           // beacons for which a shorter interval would have done
	patience    int           // after how many it is tried; more each time that it was too short
	tried       bool          // the interval was made shorter last
	spent       time.Duration // until when spend has given beacons away
}

const (
	paceMost     = 16 // times the shortest
	paceLate     = 3  // an interval is long enough if three of four beacons are late by this part of it at most
	paceStep     = 64 // by which part a beacon changes what counts as late
	pacePatience = 256
	paceForbears = 64 * pacePatience
	paceBurst    = 8 // beacons that somebody waits for, after a silence
)

func newPace(least time.Duration) pace {
	return pace{least: least, most: paceMost * least, now: least, patience: pacePatience}
}

// woke takes by how much a thread was late that was to send a beacon, and returns the interval from now on.
func (p *pace) woke(late time.Duration) time.Duration {
	// What holds a machine up for milliseconds, now and then, is not to count: so a quantile, and no mean.
	if step := max(p.late/paceStep, time.Microsecond); late > p.late {
		p.late = min(p.late+3*step, p.most)
	} else {
		p.late -= step
	}
	switch want := paceLate * p.late; {
	case want > p.now && p.now < p.most:
		if p.tried {
			p.patience = min(2*p.patience, paceForbears)
		}
		p.now *= 2
		p.calm, p.tried = 0, false
	case want > p.now/2 || p.now == p.least:
		p.calm = 0
	default:
		if p.calm++; p.calm >= p.patience {
			p.now /= 2
			p.calm, p.tried = 0, true
		}
	}
	return p.now
}

// spend reports whether a beacon that somebody waits for may leave between two others: one in an interval, and after a silence
// some more.
func (p *pace) spend(now time.Duration) bool {
	if p.spent-now > (paceBurst-1)*p.now {
		return false
	}
	p.spent = max(p.spent, now) + p.now
	return true
}
