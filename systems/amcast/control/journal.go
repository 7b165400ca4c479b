package control

import (
	"encoding/json"
	"fmt"
	"net/url"
	"path/filepath"

	"github.com/p4ce/p4ce/ctrl/fleet"
	"github.com/p4ce/p4ce/ctrl/store"
	"github.com/p4ce/p4ce/host/durable"
	"github.com/p4ce/p4ce/link/files"
	names "github.com/p4ce/p4ce/p4/amcast"
)

// Record is what is durable before it is acted upon. The last record of a name counts. One of Salt, Group and Host is
// set.
type Record struct {
	// Salt is of the deployment: lives of its roles are its own.
	Salt  uint32       `json:"salt,omitempty"`
	Group *GroupRecord `json:"group,omitempty"`
	Host  *HostRecord  `json:"host,omitempty"`
}

// GroupRecord is the epochs of a group. An epoch is never used again.
type GroupRecord struct {
	Number uint8 `json:"number"`
	// Last is the highest epoch that was begun; Complete the last one whose members had the state of the group.
	Last     uint32   `json:"last"`
	Complete uint32   `json:"complete"`
	Members  []string `json:"members"` // of Complete; the first one leads
	// Order is the members that somebody has asked for, the leader first; empty: those of the configuration.
	Order []string `json:"order,omitempty"`
	// Merged is the state of the group in an epoch that was begun after Complete, while its members are being given it: they
	// do not have what they had in Complete any more.
	Merged *Merged `json:"merged,omitempty"`
}

// Merged is a State, without what is 0. Seqs are the order of the cells.
type Merged struct {
	Clock uint32       `json:"clock"`
	Cells map[int]Cell `json:"cells"`
}

// kept is what of a state is durable.
func (s *State) kept() *Merged {
	m := &Merged{s.Clock, map[int]Cell{}}
	for i, c := range s.Cells {
		if c.Epoch > 0 {
			m.Cells[i] = c
		}
	}
	return m
}

// state is the state, as of an epoch. Nothing was proposed since.
func (m *Merged) state(epoch uint32) *State {
	s := &State{Clock: m.Clock, Mark: uint32(len(m.Cells)), Cells: make([]Cell, names.Ring), Ring: make([]Place, names.Ring)}
	for i, c := range m.Cells {
		c.Epoch = epoch
		s.Cells[i] = c
		s.Ring[c.Seq%names.Ring] = Place{c.Seq, names.RingHere + uint32(i)}
	}
	return s
}

// HostRecord is a host's run, and what became of those before it. A number of a client is never another host's, and
// numbers of messages are never used again under it.
type HostRecord struct {
	Host   string `json:"host"`
	Token  uint64 `json:"token"` // of the run; 0: it never had one
	Client uint16 `json:"client"`
	First  uint32 `json:"first"` // number of the client's first message in this run, or the next one if it has left
	Left   bool   `json:"left,omitempty"`
	Failed bool   `json:"failed,omitempty"` // this run has
	Lost   bool   `json:"lost,omitempty"`   // a run with the host's replicas has ended: they take part in nothing any more
	// Clients are those of runs that have failed.
	Clients []uint16 `json:"clients,omitempty"`
}

// name is what a record is the last of.
func (r *Record) name() string {
	switch {
	case r.Group != nil:
		return fmt.Sprintf("group-%d", r.Group.Number)
	case r.Host != nil:
		return "host-" + r.Host.Host
	}
	return "deployment"
}

// Journal keeps the last record of each name. Append returns when the record is safe.
type Journal = fleet.Journal[Record]

type journal struct {
	put  func(name string, value []byte) error
	list []Record
}

// damaged is what a record that cannot be read means.
const damaged = "[it is damaged: an epoch, or the number of a client, might be used again]"

// OpenJournal opens the journal in a folder, which is made when it does not exist: a file for each name.
func OpenJournal(dir string) (Journal, error) {
	if err := durable.MakeDir(durable.Disk, dir); err != nil {
		return nil, fmt.Errorf("journal: %w", err)
	}
	if err := files.Private(dir); err != nil {
		return nil, fmt.Errorf("journal: %w", err)
	}
	return openJournal(durable.Disk, dir)
}

func openJournal(f durable.FS, dir string) (Journal, error) {
	if err := durable.Tidy(f, dir); err != nil {
		return nil, fmt.Errorf("journal: %w", err)
	}
	const suffix = ".json"
	j := &journal{put: func(name string, value []byte) error {
		return durable.Put(f, filepath.Join(dir, url.PathEscape(name)+suffix), value)
	}}
	all, err := durable.Names(f, dir, suffix)
	if err != nil {
		return nil, fmt.Errorf("journal: %w", err)
	}
	for _, name := range all {
		b, err := durable.Get(f, filepath.Join(dir, name))
		if err != nil {
			return nil, fmt.Errorf("journal: %w %s", err, damaged)
		}
		if err := j.read(name, b); err != nil {
			return nil, err
		}
	}
	return j, nil
}

// OpenKeptJournal opens the journal where several controllers keep their records, in one term of a primary.
func OpenKeptJournal(kept store.Records) (Journal, error) {
	const prefix = "amcast/"
	j := &journal{put: func(name string, value []byte) error { return kept.Put(prefix+name, value) }}
	all, err := kept.List(prefix)
	if err != nil {
		return nil, fmt.Errorf("journal: %w", err)
	}
	for _, r := range all {
		if err := j.read(r.Key, r.Value); err != nil {
			return nil, err
		}
	}
	return j, nil
}

func (j *journal) read(name string, value []byte) error {
	var r Record
	if err := json.Unmarshal(value, &r); err != nil {
		return fmt.Errorf("journal: record %s: %w %s", name, err, damaged)
	}
	j.list = append(j.list, r)
	return nil
}

// Append implements Journal.
func (j *journal) Append(r Record) error {
	b, err := json.Marshal(r)
	if err != nil {
		return fmt.Errorf("journal: %w", err)
	}
	if err := j.put(r.name(), b); err != nil {
		return fmt.Errorf("journal: %w", err)
	}
	return nil
}

// Records implements Journal.
func (j *journal) Records() []Record { return j.list }
