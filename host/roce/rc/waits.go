package rc

import "time"

// Waits is how long answers of peers took lately, over all queue pairs that share it: what
// this machine and its network can be expected to take. It is guarded as queue pairs are.
type Waits struct {
	kernel, process lately // by who has to answer
}

// lately is the longest wait, and when that was.
type lately struct {
	longest time.Duration
	at      Time
}

// fade is in what time what was measured loses half of its weight.
const fade = time.Second

// margin is how many times the longest wait may be exceeded before a peer is late.
const margin = 4

// recent is the longest wait, less what has faded of it.
func (w *lately) recent(now Time) time.Duration {
	halves := (now - w.at) / Time(fade)
	return w.longest >> min(uint64(max(halves, 0)), 62)
}

// note takes in a wait.
func (w *lately) note(now Time, d time.Duration) {
	if d >= w.recent(now) {
		w.longest, w.at = d, now
	}
}

// shortRead is how many bytes of a READ a peer answers without its process (package
// host/roce/kernel): like a WRITE, and unlike a longer one.
const shortRead = 128

// slow reports whether only the peer's process can answer a request.
func (r *requester) slow(w *sendWQE) bool { return w.Op.Fetches() && len(w.Local) > shortRead }

// timeout is how long an acknowledgement may take now: AckTimeout or, with AckFloor, less
// where answers come fast.
func (r *requester) timeout(q *QP, now Time) time.Duration {
	most, least := q.cfg.AckTimeout, q.cfg.AckFloor
	if least <= 0 || least >= most {
		return most
	}
	waits := &q.cfg.Waits.kernel
	if !r.queue.empty() && r.slow(r.queue.front()) {
		waits = &q.cfg.Waits.process
	}
	return min(max(margin*waits.recent(now), least), most)
}
