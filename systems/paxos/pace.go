package paxos

import "time"

// pace limits how many questions may be under way, and says when one is repeated. Everything that
// repeats questions until they are answered has one, so that nobody asks faster than the others can
// answer. The window opens with answers and closes with silence, as TCP's window does (RFC 5681). A
// question waits for as long as answers take (RFC 6298), and longer each time it is repeated.
type pace struct {
	least, most     int           // of window
	resend, longest time.Duration // least and greatest time until a question is repeated
	window          int           // how many questions may be under way
	threshold       int           // below it, window grows by one for each answer; above it, by one for each window of answers
	grown           int           // answers since it grew
	mean, dev       time.Duration // of the time until an answer arrives, however often the question was repeated
}

// newPace starts with a window of this many questions.
func newPace(window, least, most int, resend, longest time.Duration) pace {
	return pace{least: min(least, most), most: most, resend: resend, longest: longest, window: min(window, most), threshold: most}
}

// silence reports that a question has got no answer in time. It halves the window, since the far side,
// or the way to it, is overloaded. It counts once for all questions that were under way together.
func (p *pace) silence() {
	p.threshold = max(p.window/2, p.least)
	p.window, p.grown = p.threshold, 0
}

// answered widens the window after an answer that took d.
func (p *pace) answered() {
	p.grown++
	if p.window < p.most && (p.window < p.threshold || p.grown >= p.window) {
		p.window++
		p.grown = 0
	}
}

// measure processes how long an answer took, from the first time that the question was asked.
// Otherwise it would never be noticed that the far side answers more slowly than before.
func (p *pace) measure(d time.Duration) {
	if p.mean == 0 {
		p.mean, p.dev = d, d/2
		return
	}
	p.dev += ((p.mean - d).Abs() - p.dev) / 4
	p.mean += (d - p.mean) / 8
}

// wait is how long to wait for an answer to a question that was asked this often before.
func (p *pace) wait(tries int) time.Duration {
	w := min(max(p.resend, p.mean+4*p.dev), p.longest)
	return min(w<<min(tries, 16), p.longest)
}
