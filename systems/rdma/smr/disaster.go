package smr

import (
	"errors"
	"fmt"
	"log/slog"

	"github.com/p4ce/p4ce/host/durable"
	"github.com/p4ce/p4ce/systems/rdma/mu"
	"github.com/p4ce/p4ce/systems/rdma/smr/journal"
)

// ForceNewCluster makes a server, which must not be running, the only member of a new cluster that
// begins with everything on its disk. It is for use after a disaster. Records that only the lost
// servers had are lost, although they may have been acknowledged. Records that only this server had,
// and that were never acknowledged, may appear. The servers of the old cluster must never run again
// with their data: start the new cluster under another number (Config.Cluster).
//
// It uses ID, Cluster (that of the old cluster), Machine, Journal, LogSize, Settings and Log of cfg.
// self is this server in the new cluster. The result is the number of records with which the new
// cluster begins.
func ForceNewCluster(cfg Config, self Member) (records uint64, err error) {
	if err := errors.Join(checkAddrs(self), mu.CheckMembers([]Member{self})); err != nil {
		return 0, fmt.Errorf("new cluster: %w", err)
	}
	if cfg.Log == nil {
		cfg.Log = slog.New(slog.DiscardHandler)
	}
	st, err := loadState(cfg.Machine)
	if err != nil {
		return 0, fmt.Errorf("new cluster: state machine: %w", err)
	}
	if cfg.Journal != "" {
		j, err := journal.Open(cfg.Journal, durable.Disk, journal.Owner{ID: cfg.ID, Cluster: cfg.Cluster, LogSize: cfg.LogSize})
		if err == nil {
			st, err = replay(j, cfg, st, make([]byte, cfg.LogSize), true)
			err = errors.Join(err, j.Close())
		}
		if err != nil {
			return 0, fmt.Errorf("new cluster: %w", err)
		}
	}
	if st.Position == 0 {
		return 0, errors.New("new cluster: this server's disk is empty")
	}
	st.setMembers([]Member{self})
	if _, err := cfg.Machine.Apply(nil, st.encode()); err != nil {
		return 0, fmt.Errorf("new cluster: state machine: %w", err)
	}
	if err := cfg.Machine.Sync(); err != nil {
		return 0, fmt.Errorf("new cluster: state machine: sync: %w", err)
	}
	// Only once the state has it. Promises of the old cluster bind nobody in the new one.
	if cfg.Journal != "" {
		if err := durable.Disk.RemoveAll(cfg.Journal); err != nil {
			return 0, fmt.Errorf("new cluster: journal: %w", err)
		}
	}
	// Its settings belong to the old cluster, too.
	if cfg.Settings != "" {
		if err := durable.Remove(durable.Disk, cfg.Settings); err != nil {
			return 0, fmt.Errorf("new cluster: settings: %w", err)
		}
	}
	return st.Index, nil
}
