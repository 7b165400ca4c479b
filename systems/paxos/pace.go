package paxos

import "time"

// pace says how much of what is asked may be under way, and when it is asked again. All who ask again until they are
// answered have one, so that nobody asks faster than the others can answer: it opens with answers and closes with silence,
// as TCP's window does (RFC 5681), and waits for as long as answers take (RFC 6298), or longer each time.
type pace struct {
	least, most     int           // of window
	resend, longest time.Duration // until something is asked again: at least, at most
	window          int           // so many may be under way
	threshold       int           // up to here window grows by one for each answer, from here on for each window of them
	grown           int           // answers since it grew
	mean, dev       time.Duration // of the time until an answer comes, however often it was asked for
}

// newPace begins with a window of so many.
func newPace(window, least, most int, resend, longest time.Duration) pace {
	return pace{least: min(least, most), most: most, resend: resend, longest: longest, window: min(window, most), threshold: most}
}

// silence is what comes of something that has got no answer in time: half as many are under way from now on, since those who
// answer, or the way to them, have too much to do. It counts once for all that was under way together.
func (p *pace) silence() {
	p.threshold = max(p.window/2, p.least)
	p.window, p.grown = p.threshold, 0
}

// answered lets more be under way, after d.
func (p *pace) answered() {
	p.grown++
	if p.window < p.most && (p.window < p.threshold || p.grown >= p.window) {
		p.window++
		p.grown = 0
	}
}

// measure takes how long an answer took, since it was asked for the first time: who answers more slowly than before would
// otherwise never be found out.
func (p *pace) measure(d time.Duration) {
	if p.mean == 0 {
		p.mean, p.dev = d, d/2
		return
	}
	p.dev += ((p.mean - d).Abs() - p.dev) / 4
	p.mean += (d - p.mean) / 8
}

// wait is how long an answer is given that was asked for so many times before.
func (p *pace) wait(tries int) time.Duration {
	w := min(max(p.resend, p.mean+4*p.dev), p.longest)
	return min(w<<min(tries, 16), p.longest)
}
