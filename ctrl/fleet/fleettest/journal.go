// Package fleettest has a journal for tests of controllers of many switches.
package fleettest

import (
	"slices"
	"sync"
)

// Journal is a fleet.Journal in memory. It can be made to stand still, or fail. Any goroutine may
// use it.
type Journal[R any] struct {
	mu    sync.Mutex
	list  []R
	err   error
	still <-chan struct{} // nil: it works
}

// Set has each Append wait until still is closed, if it is not nil, and then return err, if it is
// not nil.
func (j *Journal[R]) Set(still <-chan struct{}, err error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.still, j.err = still, err
}

// Append implements fleet.Journal.
func (j *Journal[R]) Append(r R) error {
	j.mu.Lock()
	still, err := j.still, j.err
	j.mu.Unlock()
	if still != nil {
		<-still
	}
	if err != nil {
		return err
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	j.list = append(j.list, r)
	return nil
}

// Records returns what was appended.
func (j *Journal[R]) Records() []R {
	j.mu.Lock()
	defer j.mu.Unlock()
	return slices.Clone(j.list)
}
