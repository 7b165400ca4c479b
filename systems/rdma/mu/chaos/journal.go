package chaos

import (
	"slices"
	"time"

	"github.com/p4ce/p4ce/systems/rdma/mu"
	"github.com/p4ce/p4ce/systems/rdma/mu/rig"
)

// journal is what a server of a durable world has on disk beside its state.
type journal struct {
	stored  mu.Stored
	entries []mu.Logged // in the order in which they were written
	open    []mu.Logged // not on disk yet
	writes  bool
}

// write brings an entry to disk: several at a time, and later.
func (s *server) write(e mu.Logged) {
	j := &s.journal
	e.Bytes = slices.Clone(e.Bytes)
	j.open = append(j.open, e)
	if j.writes {
		return
	}
	j.writes = true
	d := s.w.between(10*time.Microsecond, time.Millisecond)
	if s.w.chance(0.01) {
		d = s.w.between(0, 30*time.Millisecond)
	}
	s.do(d, func() {
		j.writes = false
		last := j.open[len(j.open)-1]
		j.entries = append(j.entries, j.open...)
		j.open = nil
		s.core.Logged(s.clock(), last.Term, last.End)
	})
}

// copied is what a disk had when somebody made a copy of it.
type copied struct {
	disk    machine
	journal journal
}

func (j *journal) clone() journal {
	return journal{stored: j.stored, entries: slices.Clone(j.entries)}
}

// trim drops what the state on disk has.
func (j *journal) trim(pos uint64) {
	n := 0
	for n < len(j.entries) && j.entries[n].End <= pos {
		n++
	}
	j.entries = j.entries[n:]
}

// replay brings the state up to what the journal knows to be decided, and puts the
// entries into the log.
func (s *server) replay() {
	j := &s.journal
	j.open, j.writes = nil, false
	if !j.stored.Full {
		j.entries = nil
		return
	}
	r := mu.Replay{Region: s.log, Position: s.machine.pos, Index: s.machine.index, Apply: func(d mu.Decided) error {
		s.w.checkApplied(s, d)
		s.machine.apply(d)
		return nil
	}}
	for _, e := range j.entries {
		if err := r.Add(e); err != nil {
			s.w.violate("server %d does not start: %v", s.id, err)
		}
	}
	s.machine.pos, s.machine.index = r.Position, r.Index
	s.given = r.Position
	s.sync()
}

// lostDisk is what was on a disk that is no more.
type lostDisk struct {
	pos     uint64
	entries []mu.Logged
}

// rememberDisk keeps what was on a disk, for the checks.
func (s *server) rememberDisk() {
	if len(s.lost) == pasts {
		s.lost = s.lost[1:]
	}
	s.lost = append(s.lost, lostDisk{s.disk.pos, s.journal.entries})
}

// loseDisk ends the journal with its disk.
func (s *server) loseDisk() {
	s.rememberDisk()
	s.disk = machine{members: s.disk.members}
	s.journal = journal{}
}

// onDisk reports whether a server has an entry on disk, or had on one that it lost: as
// with has, an acknowledgement may be looked at long after it was given.
func (s *server) onDisk(d mu.Decided) bool {
	for _, l := range s.lost {
		if l.pos >= d.Position || rig.Written(l.entries, len(s.log), d) {
			return true
		}
	}
	return s.disk.pos >= d.Position || rig.Written(s.journal.entries, len(s.log), d)
}
