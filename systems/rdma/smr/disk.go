package smr

import (
	"errors"
	"fmt"

	"github.com/p4ce/p4ce/host/durable"
	"github.com/p4ce/p4ce/host/replicated"

	"github.com/p4ce/p4ce/systems/rdma/mu"
)

// stalled returns an error when the disk of the state machine or of the journal does not answer.
func (n *Node) stalled() error {
	now := n.now()
	for _, w := range []*durable.Watch{&n.apply.disk, &n.logger.disk, &n.promise} {
		if err := w.Stalled(now, n.cfg.DiskPatience); err != nil {
			return err
		}
	}
	return nil
}

// refuses returns an error for requests while the disk has not written a promise for long: they would
// wait for it. This server does not lead then.
func (n *Node) refuses() error {
	if n.promise.Stalled(n.now(), n.cfg.DiskPatience) == nil {
		return nil
	}
	return &replicated.NotLeaderError{}
}

// tick advances the core's time. A server whose disk does not answer must not continue as if it did.
func (n *Node) tick(before bool) (stalled bool) {
	err := n.stalled()
	switch stalled = err != nil; {
	case stalled && !before:
		n.log.Error("the disk does not answer: this server leaves the work to the others until it does", "err", err)
	case before && !stalled:
		n.log.Info("the disk answers again")
	}
	n.lock.Lock()
	defer n.lock.Unlock()
	if stalled {
		n.core.DiskStalled(n.now())
	}
	n.core.Tick(n.now())
	n.short.Store(n.core.Short())
	return stalled
}

// Health reports what prevents this server from doing its work, or nil.
func (n *Node) Health() error {
	if err := n.stalled(); err != nil {
		return err
	}
	// While the process runs, memory is enough for its work.
	if err := n.apply.syncs.Stalled(n.now(), n.cfg.DiskPatience); err != nil {
		return fmt.Errorf("%w: decided records are in memory only", err)
	}
	if err := n.Err(); err != nil {
		return err
	}
	return serves(n.Status())
}

// serves reports why a server does not do its part for the cluster, or nil.
func serves(st Status) error {
	switch {
	case !st.Known:
		return fmt.Errorf("this server knows of no leader (its state: %v)", st.State)
	case st.State != mu.Full:
		return errors.New("this server is being brought up to date, and does not count as a full member yet")
	}
	return nil
}
