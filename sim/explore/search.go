package explore

import (
	"cmp"
	"fmt"
	"math"
	"runtime"
	"runtime/debug"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// Options bound a search.
type Options struct {
	Workers int           // 0: one per CPU
	States  int           // so many at most; 0: as many as there are
	Depth   int           // so many steps at most; 0: any
	Time    time.Duration // about so long at most; 0: any
	// Keep is how many worlds of one depth are kept, so that they need not be made anew;
	// default 8192. It matters where few states lie side by side.
	Keep int
	// Progress is called after every level, if it is not nil.
	Progress func(r Result)
	// Converge demands of every so many-th state, and of those in which nothing can happen
	// any more, that its world converges (Converger); 0: of none.
	Converge int
}

// Result is what a search has found.
type Result struct {
	States   int // different ones
	Steps    int // that were tried
	Live     int // states that were seen to converge
	Depth    int // of the deepest state
	Widest   int // states of one depth
	Time     time.Duration
	Reached  uint64
	Complete bool   // every state was seen
	Why      string // not, if it is not complete
	// Violation is the shortest way to a violation, nil if there is none.
	Violation *Run
}

// Run is a way through a world.
type Run struct {
	Names []string // of the actions, in order
	Err   error    // how it ended
}

// Rate is the number of different states per second.
func (r *Result) Rate() float64 { return float64(r.States) / max(r.Time.Seconds(), 1e-9) }

// node is a state that was found: how it was reached first.
type node struct {
	parent uint32
	action Action
}

type search struct {
	model  Model
	opt    Options
	hash   hasher
	seen   set
	nodes  []node
	depths []int         // index of the first node of each depth
	kept   map[int]World // some of the nodes that are looked behind now
	next   map[int]World
}

// Search goes through all states, breadth first.
func Search(m Model, o Options) (*Result, error) {
	o.Workers = cmp.Or(o.Workers, runtime.GOMAXPROCS(0))
	o.Keep = cmp.Or(o.Keep, 8192)
	s := &search{model: m, opt: o, hash: newHasher()}
	first, err := m.New()
	if err != nil {
		return nil, err
	}
	begin := time.Now()
	r := &Result{States: 1, Widest: 1, Reached: first.Reached()}
	s.seen.add(s.hash.key(first.Append(nil)))
	s.nodes = append(s.nodes, node{})
	s.depths = []int{0}
	for lo := 0; ; {
		hi := len(s.nodes)
		r.Widest = max(r.Widest, hi-lo)
		r.Time = time.Since(begin)
		if o.Progress != nil {
			o.Progress(*r)
		}
		switch {
		case o.Depth > 0 && len(s.depths) > o.Depth:
			r.Why = fmt.Sprintf("depth %d", o.Depth)
			return r, nil
		case o.Time > 0 && r.Time > o.Time:
			r.Why = fmt.Sprintf("%v", o.Time)
			return r, nil
		}
		s.depths = append(s.depths, hi)
		bad, err := s.level(lo, hi, begin, r)
		if err != nil {
			return nil, err
		}
		r.Time = time.Since(begin)
		if bad != nil {
			r.Depth = len(s.depths) - 1
			r.Violation, err = s.run(bad)
			return r, err
		}
		if r.Why != "" {
			return r, nil
		}
		if len(s.nodes) == hi {
			r.Complete = true
			return r, nil
		}
		r.Depth = len(s.depths) - 1
		lo = hi
	}
}

// found is a state that a worker has found behind a node.
type found struct {
	key key
	node
	world World // nil: it is made anew
}

// violation is a step that must not be.
type violation struct {
	node
	err error
	// It is none of the step: the state behind it does not converge.
	stuck bool
	pick  uint64
}

// chunk is how many nodes a worker takes at a time.
const chunk = 32

// batch is what became of a chunk.
type batch struct {
	found   []found
	bad     *violation
	steps   int
	live    int
	reached uint64
	err     error
	done    bool
}

// level looks behind the nodes of one depth. Workers only read what is known; what
// they find is added in the order of the nodes, so that the result is the same
// whoever is faster.
func (s *search) level(lo, hi int, begin time.Time, r *Result) (*violation, error) {
	s.kept, s.next = s.next, map[int]World{}
	n := (hi - lo + chunk - 1) / chunk
	batches := make([]batch, n)
	var next, stop atomic.Int64
	stop.Store(int64(n))
	var wait sync.WaitGroup
	for range min(s.opt.Workers, n) {
		wait.Go(func() {
			w := walker{search: s}
			for {
				i := next.Add(1) - 1
				if i >= stop.Load() {
					return
				}
				if s.opt.Time > 0 && time.Since(begin) > s.opt.Time+s.opt.Time/4 {
					return
				}
				b := &batches[i]
				w.chunk(b, lo+int(i)*chunk, min(lo+int(i+1)*chunk, hi), hi-lo)
				b.done = true
				for old := stop.Load(); (b.bad != nil || b.err != nil) && i+1 < old; old = stop.Load() {
					stop.CompareAndSwap(old, i+1)
				}
			}
		})
	}
	wait.Wait()
	for i := range batches[:stop.Load()] {
		b := &batches[i]
		if b.err != nil {
			return nil, b.err
		}
		if !b.done {
			r.Why = fmt.Sprintf("%v", s.opt.Time)
			return nil, nil
		}
		r.Steps += b.steps
		r.Live += b.live
		r.Reached |= b.reached
		for _, f := range b.found {
			if s.seen.add(f.key) {
				if f.world != nil && len(s.next) < s.opt.Keep {
					s.next[len(s.nodes)] = f.world
				}
				s.nodes = append(s.nodes, f.node)
			}
		}
		r.States = len(s.nodes)
		if b.bad != nil {
			return b.bad, nil
		}
		b.found = nil
		if s.opt.States > 0 && len(s.nodes) > s.opt.States {
			r.Why = fmt.Sprintf("%d states", s.opt.States)
			return nil, nil
		}
		if len(s.nodes) == math.MaxUint32 {
			r.Why = "more than 2^32 states"
			return nil, nil
		}
	}
	return nil, nil
}

// walker makes states of nodes. Those that come one after the other share most of
// their way, which it keeps.
type walker struct {
	*search
	index   []int // node of each depth on the present way
	world   []World
	actions []Action
	buf     []byte
	way     []int
}

// chunk looks behind some nodes of a depth that has so many.
func (w *walker) chunk(b *batch, lo, hi, level int) {
	for i := lo; i < hi; i++ {
		at := w.kept[i]
		if at == nil {
			if b.err = w.goTo(i); b.err != nil {
				return
			}
			at = w.world[len(w.world)-1]
		}
		c, cloner := at.(Cloner)
		w.actions = at.Actions(w.actions[:0])
		if n := w.opt.Converge; n > 0 && (i%n == n-1 || len(w.actions) == 0) {
			if c, ok := at.(Converger); ok && i > 0 {
				live, err := converge(c.Clone().(Converger), uint64(i), nil)
				if err != nil {
					b.bad = &violation{node: w.nodes[i], err: err, stuck: true, pick: uint64(i)}
					return
				}
				if live {
					b.live++
				}
			}
		}
		for _, a := range w.actions {
			var next World
			if cloner {
				next = c.Clone()
			} else if next, b.err = w.copyAt(len(w.world) - 1); b.err != nil {
				return
			}
			b.steps++
			if err := do(next, a, nil); err != nil {
				b.bad = &violation{node: node{uint32(i), a}, err: err}
				return
			}
			b.reached |= next.Reached()
			w.buf = next.Append(w.buf[:0])
			if k := w.hash.key(w.buf); !w.seen.has(k) {
				f := found{key: k, node: node{uint32(i), a}}
				if cloner && level <= w.opt.Keep {
					f.world = next
				}
				b.found = append(b.found, f)
			}
		}
	}
}

// caught makes a panic the error of who defers it.
func caught(err *error) {
	if p := recover(); p != nil {
		*err = fmt.Errorf("panic: %v%s", p, where(debug.Stack()))
	}
}

// converge is Converge that takes a panic for a violation.
func converge(w Converger, pick uint64, note func(Event)) (live bool, err error) {
	defer caught(&err)
	return w.Converge(pick, note)
}

// convergeStep is the last step of a run that ends in a state that does not converge.
const convergeStep = "converge "

// do is Do that takes a panic for a violation.
func do(w World, a Action, note func(Event)) (err error) {
	defer caught(&err)
	return w.Do(a, note)
}

// where is the place of a panic, from a stack.
func where(stack []byte) string {
	lines := strings.Split(string(stack), "\n")
	for i, l := range lines {
		if strings.HasPrefix(l, "panic(") {
			for j := i + 2; j+1 < len(lines); j += 2 {
				if !strings.HasPrefix(lines[j], "runtime.") {
					place, _, _ := strings.Cut(strings.TrimSpace(lines[j+1]), " ")
					return " at " + place[strings.LastIndexByte(place, '/')+1:]
				}
			}
		}
	}
	return ""
}

// goTo makes the state of a node.
func (w *walker) goTo(i int) error {
	if len(w.index) == 0 {
		first, err := w.model.New()
		if err != nil {
			return err
		}
		w.index, w.world = []int{0}, []World{first}
	}
	w.way = w.way[:0]
	for n := i; ; n = int(w.nodes[n].parent) {
		d := w.depth(n)
		if d < len(w.index) && w.index[d] == n {
			w.index, w.world = w.index[:d+1], w.world[:d+1]
			break
		}
		w.way = append(w.way, n)
	}
	for k := len(w.way) - 1; k >= 0; k-- {
		n := w.way[k]
		next, err := w.copyAt(len(w.world) - 1)
		if err != nil {
			return err
		}
		if err := do(next, w.nodes[n].action, nil); err != nil {
			return fmt.Errorf("the world is not deterministic: %s, which was all right before: %w", next.Name(w.nodes[n].action), err)
		}
		w.index, w.world = append(w.index, n), append(w.world, next)
	}
	return nil
}

// depth is that of a node: nodes are in the order of their depths.
func (s *search) depth(n int) int {
	lo, hi := 0, len(s.depths)
	for lo+1 < hi {
		if mid := (lo + hi) / 2; s.depths[mid] <= n {
			lo = mid
		} else {
			hi = mid
		}
	}
	return lo
}

// copyAt copies the state at a depth of the present way.
func (w *walker) copyAt(d int) (World, error) {
	if c, ok := w.world[d].(Cloner); ok {
		return c.Clone(), nil
	}
	world, err := w.model.New()
	if err != nil {
		return nil, err
	}
	for _, n := range w.index[1 : d+1] {
		if err := do(world, w.nodes[n].action, nil); err != nil {
			return nil, fmt.Errorf("the world is not deterministic: %w", err)
		}
	}
	return world, nil
}

// run is the way to a violation.
func (s *search) run(v *violation) (*Run, error) {
	actions := []Action{v.action}
	for n := int(v.parent); n != 0; n = int(s.nodes[n].parent) {
		actions = append(actions, s.nodes[n].action)
	}
	w, err := s.model.New()
	if err != nil {
		return nil, err
	}
	r := &Run{Err: v.err}
	for i := len(actions) - 1; i >= 0; i-- {
		r.Names = append(r.Names, w.Name(actions[i]))
		if err := do(w, actions[i], nil); err != nil && i > 0 {
			return nil, fmt.Errorf("the world is not deterministic: %w", err)
		}
	}
	if v.stuck {
		r.Names = append(r.Names, fmt.Sprint(convergeStep, v.pick))
	}
	return r, nil
}
