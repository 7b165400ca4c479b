package lab

import (
	"sync"
	"time"

	"github.com/p4ce/p4ce/systems/paxos"
)

// Checkpoints says again and again that what hosts have seen is in a checkpoint: here it need not
// outlive them. Without, rings would be full. It returns what ends that.
func Checkpoints[H interface {
	Status() paxos.Status
	Checkpoint(instance uint64)
}](hosts []H) (stop func()) {
	done := make(chan struct{})
	var ended sync.WaitGroup
	ended.Go(func() {
		t := time.NewTicker(20 * time.Millisecond)
		defer t.Stop()
		for {
			select {
			case <-done:
				return
			case <-t.C:
				for _, h := range hosts {
					h.Checkpoint(h.Status().Position)
				}
			}
		}
	})
	return func() { close(done); ended.Wait() }
}
