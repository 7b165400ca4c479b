package events

// Queue is what will happen, E, by simulated time, T. The zero Queue is empty, at time 0.
type Queue[T ~int64, E any] struct {
	now  T
	made uint64
	heap []event[T, E]
}

// event is something that will happen. Of two at the same time, the one that was made first
// comes first.
type event[T ~int64, E any] struct {
	at   T
	made uint64
	what E
}

func (e *event[T, E]) before(o *event[T, E]) bool {
	return e.at < o.at || e.at == o.at && e.made < o.made
}

// Now is the time of what happens now.
func (q *Queue[T, E]) Now() T { return q.now }

// Len is how much will happen.
func (q *Queue[T, E]) Len() int { return len(q.heap) }

// Next is when something happens next, if anything does.
func (q *Queue[T, E]) Next() (at T, ok bool) {
	if len(q.heap) == 0 {
		return 0, false
	}
	return q.heap[0].at, true
}

// At has something happen at a time, or now if that has passed.
func (q *Queue[T, E]) At(at T, what E) {
	q.made++
	e := event[T, E]{max(at, q.now), q.made, what}
	// A heap of four children: half as deep as one of two, and children are neighbours.
	q.heap = append(q.heap, e)
	i := len(q.heap) - 1
	for i > 0 {
		p := (i - 1) / 4
		if !e.before(&q.heap[p]) {
			break
		}
		q.heap[i] = q.heap[p]
		i = p
	}
	q.heap[i] = e
}

// Run lets everything happen that happens until a time, by do, as long as more holds. Then it is
// that time.
func (q *Queue[T, E]) Run(until T, more func() bool, do func(E)) {
	for len(q.heap) > 0 && q.heap[0].at <= until {
		if !more() {
			return
		}
		e := q.next()
		q.now = e.at
		do(e.what)
	}
	if more() {
		q.now = max(q.now, until)
	}
}

// next takes the first event out of the heap, which is not empty.
func (q *Queue[T, E]) next() event[T, E] {
	first := q.heap[0]
	n := len(q.heap) - 1
	e := q.heap[n]
	q.heap[n] = event[T, E]{}
	q.heap = q.heap[:n]
	if n == 0 {
		return first
	}
	i := 0
	for {
		c := 4*i + 1
		if c >= n {
			break
		}
		least := c
		for k := c + 1; k < min(c+4, n); k++ {
			if q.heap[k].before(&q.heap[least]) {
				least = k
			}
		}
		if !q.heap[least].before(&e) {
			break
		}
		q.heap[i] = q.heap[least]
		i = least
	}
	q.heap[i] = e
	return first
}
