package amcast

import "time"

// pace is how long messages take: a mean, and the mean deviation from it (RFC 6298, but samples of messages that were sent
// again count, too, from the first time on: what is slow because of repetitions is not repeated more).
type pace struct{ mean, deviation time.Duration }

// most is how many times the least patience one may have.
const most = 64

func (p *pace) add(took time.Duration) {
	if p.mean == 0 {
		p.mean, p.deviation = took, took/2
		return
	}
	p.deviation += (max(took-p.mean, p.mean-took) - p.deviation) / 4
	p.mean += (took - p.mean) / 8
}

// patience is after what time to ask again, for the first time and then.
func (p *pace) patience(least time.Duration, tries int) time.Duration {
	return min(max(least, p.mean+4*p.deviation)<<min(tries, 6), most*least)
}
