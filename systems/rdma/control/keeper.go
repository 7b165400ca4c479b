package control

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/p4ce/p4ce/systems/rdma/control/group"
)

// keeper writes to a Store for a loop that does not wait for it. What is not written yet is bounded by the number of
// groups: of several changes of one record the last counts. A record that cannot be written is tried again, until
// the session has ended.
//
//	loop ──save, forget──> changes, one per group ──> goroutine ──> Store
//	requests ──ask───────> questions, in order ──────────┘ └──> answer
//
// Safe for use by several goroutines.
type keeper struct {
	store  Store
	sw     string
	log    *slog.Logger
	ending <-chan struct{} // closed when the session ends: what is left is tried once more
	start  func(func())    // runs a goroutine that the session's end waits for
	now    bool            // all is written at once: there is no other goroutine (package sim/fabric)
	again  time.Duration   // the pause before a record is tried again; 0: keepAgain

	io sync.Mutex // held while the store is used

	mu      sync.Mutex
	changes map[uint16]*change
	order   []uint16
	asked   []question
	asking  int       // questions that are not answered, the one under way among them
	busy    bool      // the goroutine is there
	since   time.Time // of the oldest thing that is not written
	failing error     // of the last attempt
	failed  uint64
}

// change is what is to become of a record; nil: it goes.
type change struct{ record *group.Record }

// question is something that a request waits for.
type question struct {
	do     func() error
	answer func(error)
}

// keepAgain is the pause after a failure; keepLate how long the store may take until the controller
// calls itself unwell.
const (
	keepAgain = time.Second
	keepLate  = 5 * time.Second
)

func (k *keeper) save(r group.Record) { k.change(r.Index, &change{&r}) }

func (k *keeper) forget(index uint16) { k.change(index, &change{}) }

func (k *keeper) change(index uint16, c *change) {
	if k.now {
		k.outcome(k.write(index, c))
		return
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.changes[index] == nil {
		k.order = append(k.order, index)
	}
	if k.changes == nil {
		k.changes = map[uint16]*change{}
	}
	k.changes[index] = c
	k.begin()
}

// ask does something with the store, and waits for it as long as ctx lasts. What is done late is done all the same;
// late gets its outcome then.
func (k *keeper) ask(ctx context.Context, do func() error, late func(error)) error {
	if k.now {
		return do()
	}
	answer := make(chan error)
	k.mu.Lock()
	k.asking++
	k.asked = append(k.asked, question{do, func(err error) {
		select {
		case answer <- err:
		case <-ctx.Done():
			late(err)
		}
	}})
	k.begin()
	k.mu.Unlock()
	select {
	case err := <-answer:
		return err
	case <-ctx.Done():
		return fmt.Errorf("the store does not answer: %w%s", ctx.Err(), k.why())
	}
}

func (k *keeper) why() string {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.failing == nil {
		return ""
	}
	return fmt.Sprintf(" [%v]", k.failing)
}

// begin sees to it that there is a goroutine. k.mu is held.
func (k *keeper) begin() {
	if !k.busy {
		k.busy, k.since = true, time.Now()
		k.start(k.run)
	}
}

// run writes until nothing is left.
func (k *keeper) run() {
	for {
		k.mu.Lock()
		var q question
		var index uint16
		var c *change
		switch {
		case len(k.asked) > 0:
			q, k.asked = k.asked[0], k.asked[1:]
		case len(k.order) > 0:
			index = k.order[0]
			c = k.changes[index]
		default:
			k.busy, k.failing = false, nil
			k.mu.Unlock()
			return
		}
		k.mu.Unlock()
		if q.do != nil {
			k.io.Lock()
			err := q.do()
			k.io.Unlock()
			k.mu.Lock()
			k.since = time.Now()
			k.asking--
			if err != nil {
				k.failed++
			}
			k.mu.Unlock()
			q.answer(err)
			continue
		}
		over := false
		select {
		case <-k.ending:
			over = true
		default:
		}
		k.io.Lock()
		err := k.write(index, c)
		k.outcome(err)
		k.mu.Lock()
		k.order = k.order[1:]
		if (err == nil || over) && k.changes[index] == c {
			delete(k.changes, index)
		} else {
			k.order = append(k.order, index) // it failed, or there is a later one
		}
		k.io.Unlock()
		if k.since = time.Now(); err == nil {
			k.failing = nil
		}
		k.mu.Unlock()
		if err == nil {
			continue
		}
		select {
		case <-k.ending:
		case <-time.After(cmp.Or(k.again, keepAgain)):
		}
	}
}

func (k *keeper) write(index uint16, c *change) error {
	if c.record == nil {
		return k.store.Forget(k.sw, index)
	}
	return k.store.Save(k.sw, *c.record)
}

// outcome counts failures, and logs the first of several.
func (k *keeper) outcome(err error) {
	if err == nil {
		return
	}
	k.mu.Lock()
	k.failed++
	first := k.failing == nil
	k.failing = err
	k.mu.Unlock()
	if first {
		k.log.Error("record not stored: after a restart, only its peers can end the group; the controller tries again", "err", err)
	}
}

// load is what the store has, with what is still to be written.
func (k *keeper) load() ([]group.Record, error) {
	k.io.Lock()
	defer k.io.Unlock()
	list, err := k.store.Load(k.sw)
	k.mu.Lock()
	defer k.mu.Unlock()
	if len(k.changes) == 0 {
		return list, err
	}
	byIndexOf := map[uint16]group.Record{}
	for _, r := range list {
		byIndexOf[r.Index] = r
	}
	for i, c := range k.changes {
		if c.record == nil {
			delete(byIndexOf, i)
		} else {
			byIndexOf[i] = *c.record
		}
	}
	return slices.SortedFunc(maps.Values(byIndexOf), byIndex), err
}

// failures is how often something was not stored.
func (k *keeper) failures() uint64 {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.failed
}

// health says what has not been stored for long.
func (k *keeper) health() error {
	k.mu.Lock()
	defer k.mu.Unlock()
	switch waits := len(k.changes) + k.asking; {
	case !k.busy:
		return nil
	case k.failing != nil:
		return fmt.Errorf("records of groups are not stored (%d): %w", waits, k.failing)
	case time.Since(k.since) > keepLate:
		return fmt.Errorf("records of groups are not stored (%d): the store has not answered for %v", waits, time.Since(k.since).Round(time.Second))
	}
	return nil
}
