package fleet

// Journal keeps a core's records. Append returns when a record is safe; Records are those of before.
type Journal[R any] interface {
	Append(R) error
	Records() []R
}

// Gate is between a core and a journal that takes its time: the core goes on as if its records were stored, and what it
// wants waits here until they are. It is the core's Journal, on the core's goroutine. One goroutine uses it.
//
//	core --Append--> records --Next--> journal
//	  +-----Poll---> held, in order, each behind the records before it --Pass, Stored--> out
type Gate[R, O any] struct {
	out     func(O)
	anytime func(O) bool
	kept    []R    // those of before
	waits   []R    // without the one that Next has given last
	given   uint64 // records that the core has given,
	safe    uint64 // and how many of them are stored
	held    []held[O]
	broken  bool // a record could not be stored: nothing leaves any more
}

// held is something that may leave when so many records are stored.
type held[O any] struct {
	behind uint64
	what   O
	reply  func(error) // nil: what is an output
}

// NewGate makes a gate for a core that goes on from some records. out carries out what may leave; what anytime accepts
// leaves at once: what does nothing, such as a line of the log.
func NewGate[R, O any](kept []R, out func(O), anytime func(O) bool) *Gate[R, O] {
	return &Gate[R, O]{kept: kept, out: out, anytime: anytime}
}

// Append implements Journal: it returns before the record is safe.
func (g *Gate[R, O]) Append(r R) error {
	g.given++
	g.waits = append(g.waits, r)
	return nil
}

// Records implements Journal.
func (g *Gate[R, O]) Records() []R { return g.kept }

// Shut reports whether records are not stored.
func (g *Gate[R, O]) Shut() bool { return g.safe != g.given }

// Held is how much waits for records.
func (g *Gate[R, O]) Held() int { return len(g.held) }

// Pass takes what a core wants after a step, and lets out what may be done now. What rests on no record is free.
func (g *Gate[R, O]) Pass(poll func() (O, bool), free bool) {
	for o, ok := poll(); ok; o, ok = poll() {
		if free || g.anytime(o) {
			g.out(o)
		} else if !g.broken {
			g.held = append(g.held, held[O]{g.given, o, nil})
		}
	}
	g.open()
}

// Reply is Pass for the outcome of a step. It is called in the step; what the step wants may leave after it.
func (g *Gate[R, O]) Reply(r func(error)) {
	if g.broken {
		r(nil) // the core has said so
		return
	}
	g.held = append(g.held, held[O]{behind: g.given, reply: r})
}

func (g *Gate[R, O]) open() {
	for len(g.held) > 0 && g.held[0].behind <= g.safe {
		h := g.held[0]
		g.held = g.held[1:]
		if h.reply != nil {
			h.reply(nil)
		} else {
			g.out(h.what)
		}
	}
}

// Next takes the next record that is to be stored.
func (g *Gate[R, O]) Next() (r R, ok bool) {
	if len(g.waits) == 0 || g.broken {
		return r, false
	}
	r, g.waits = g.waits[0], g.waits[1:]
	return r, true
}

// Stored says that what Next gave is stored, and lets out what may be done now.
func (g *Gate[R, O]) Stored() {
	g.safe++
	g.open()
}

// Fail says that it cannot be stored. Nothing of what is held leaves any more; who waits for an outcome is told.
func (g *Gate[R, O]) Fail(err error) {
	g.broken, g.waits, g.safe = true, nil, g.given // nothing is waited for
	for _, h := range g.held {
		if h.reply != nil {
			h.reply(err)
		}
	}
	g.held = nil
}
