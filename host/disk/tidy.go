package disk

import (
	"sync"
	"sync/atomic"
	"time"

	"github.com/cockroachdb/pebble/v2"
)

// tidying is a scheduler of compactions that lets a database compact only while there is room for it: a compaction that
// fills the disk ends the store, and frees nothing.
type tidying struct {
	room func() bool
	may  atomic.Bool // as room has said last
	db   pebble.DBForCompaction
	poke chan struct{}
	stop chan struct{}
	over sync.WaitGroup

	mu      sync.Mutex // locked after the database's
	running int
	closed  bool
}

// tidyEvery is how often it is looked whether there is room, and whether the database may compact more.
const tidyEvery = 100 * time.Millisecond

func newTidying(room func() bool) *tidying {
	t := &tidying{room: room, poke: make(chan struct{}, 1), stop: make(chan struct{})}
	t.may.Store(room())
	return t
}

// Register implements pebble.CompactionScheduler.
func (t *tidying) Register(_ int, db pebble.DBForCompaction) {
	t.db = db
	t.over.Go(t.run)
}

// Unregister implements pebble.CompactionScheduler.
func (t *tidying) Unregister() {
	t.mu.Lock()
	t.closed = true
	t.mu.Unlock()
	close(t.stop)
	t.over.Wait()
}

// take takes a place for a compaction.
func (t *tidying) take() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.closed || !t.may.Load() || t.running >= t.db.GetAllowedWithoutPermission() {
		return false
	}
	t.running++
	return true
}

// give gives a place back.
func (t *tidying) give() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.running--
}

// TrySchedule implements pebble.CompactionScheduler.
func (t *tidying) TrySchedule() (bool, pebble.CompactionGrantHandle) {
	if !t.take() {
		return false, nil
	}
	return true, &grant{t: t}
}

// UpdateGetAllowedWithoutPermission implements pebble.CompactionScheduler.
func (t *tidying) UpdateGetAllowedWithoutPermission() {
	select {
	case t.poke <- struct{}{}:
	default:
	}
}

// run starts compactions that wait.
func (t *tidying) run() {
	tick := time.NewTicker(tidyEvery)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
			t.may.Store(t.room())
		case <-t.poke:
		case <-t.stop:
			return
		}
		for t.take() {
			if waiting, _ := t.db.GetWaitingCompaction(); !waiting || !t.db.Schedule(&grant{t: t}) {
				t.give()
				break
			}
		}
	}
}

// grant is one compaction's. What pebble counts of it is of no interest.
type grant struct {
	pebble.CompactionGrantHandle
	t *tidying
}

func (g *grant) Started()                                            {}
func (g *grant) MeasureCPU(pebble.CompactionGoroutineKind)           {}
func (g *grant) CumulativeStats(_ pebble.CompactionGrantHandleStats) {}

// Done implements pebble.CompactionGrantHandle.
func (g *grant) Done() {
	g.t.give()
	g.t.UpdateGetAllowedWithoutPermission()
}
