package smr

import (
	"errors"
	"fmt"

	"github.com/p4ce/p4ce/host/durable"
	"github.com/p4ce/p4ce/host/replicated"

	"github.com/p4ce/p4ce/systems/rdma/mu"
)

// stands is an error when what decided records are written to, or the journal, stands still.
func (n *Node) stands() error {
	now := n.now()
	for _, w := range []*durable.Watch{&n.apply.disk, &n.logger.disk, &n.promise} {
		if err := w.Stands(now, n.cfg.DiskPatience); err != nil {
			return err
		}
	}
	return nil
}

// refuses is an error for requests while a promise is not written for long: they would wait for it. This server does not
// lead then.
func (n *Node) refuses() error {
	if n.promise.Stands(n.now(), n.cfg.DiskPatience) == nil {
		return nil
	}
	return &replicated.NotLeaderError{}
}

// tick lets time pass in the core. A server whose disk stands still does not go on as if it worked.
func (n *Node) tick(stood bool) (stands bool) {
	err := n.stands()
	switch stands = err != nil; {
	case stands && !stood:
		n.log.Error("the disk does not answer: this server leaves the work to the others until it does", "err", err)
	case stood && !stands:
		n.log.Info("the disk answers again")
	}
	n.lock.Lock()
	defer n.lock.Unlock()
	if stands {
		n.core.Stands(n.now())
	}
	n.core.Tick(n.now())
	n.short.Store(n.core.Short())
	return stands
}

// Health says what keeps the server from its work; nil: nothing.
func (n *Node) Health() error {
	if err := n.stands(); err != nil {
		return err
	}
	// It does its work by its memory, for as long as that lasts.
	if err := n.apply.syncs.Stands(n.now(), n.cfg.DiskPatience); err != nil {
		return fmt.Errorf("%w: decided records are in memory only", err)
	}
	if err := n.Err(); err != nil {
		return err
	}
	return serves(n.Status())
}

// serves says why a server does not do its part for the cluster; nil: it does.
func serves(st Status) error {
	switch {
	case !st.Known:
		return fmt.Errorf("this server knows of no leader (its state: %v)", st.State)
	case st.State != mu.Full:
		return errors.New("this server is being brought up to date, and does not count as a full member yet")
	}
	return nil
}
