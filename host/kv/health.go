package kv

import (
	"errors"
	"fmt"

	"github.com/p4ce/p4ce/host/replicated"
)

// Health reports what prevents this server from doing all that clients may ask of it, one line for
// each problem, or nil. Problems are a disk that has failed, its own disk when it is low, and, on the
// leader, the disks of so many others that no majority is left.
func (s *Server) Health() error {
	m := s.cfg.Machine
	if err := m.Failure(); err != nil {
		return err
	}
	var errs []error
	if room := m.Room(); room != replicated.RoomEnough {
		what := "this server refuses writes that need room"
		if room == replicated.RoomNone {
			what += ", and takes nothing from the leader while a majority continues without it"
		}
		errs = append(errs, fmt.Errorf("disk low: %d bytes are free, and %d must be (--disk-reserve): %s", m.space.free.Load(), m.space.reserve, what))
	}
	if l, ok := s.cfg.Log.(replicated.LeaderLog); ok && l.Short() {
		errs = append(errs, errors.New("disks low: no majority of the servers has room: writes that need room are refused"))
	}
	return errors.Join(errs...)
}
