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
)

// Record is what is durable before it is acted upon: the run of a host that has joined, and which numbers its
// processes have had. A number is never used again: receivers know senders by it.
type Record struct {
	Host  string `json:"host"`
	Next  uint32 `json:"next"`  // the first that nobody has had
	Token uint64 `json:"token"` // of the host's run; 0: it has left
	First uint16 `json:"first"` // numbers of this run
	Have  uint16 `json:"have"`
	// Failed is when this run has failed, until all others know; 0: it has not.
	Failed uint64 `json:"failed,omitempty"`
	// Ended is the token of a run before, which has failed or has left; 0: there was none.
	Ended uint64 `json:"ended,omitempty"`
	// Counts are for a run that has failed, and may be there again: this one, or that of Ended.
	Counts []Count `json:"counts,omitempty"`
}

// Count is the time below which reliable messages of a host's processes to a host that has failed count: all others deliver
// these, and no others.
type Count struct {
	Host  string `json:"host"`
	First uint16 `json:"first"`
	Have  uint16 `json:"have"`
	Time  uint64 `json:"time"`
}

// Journal keeps the last record of each host. Append returns when the record is safe.
type Journal = fleet.Journal[Record]

// journal keeps each record under a name.
type journal struct {
	put  func(host string, value []byte) error
	list []Record
}

// damaged is what a record that cannot be read means.
const damaged = "[it is damaged: numbers of processes might be used again]"

// OpenJournal opens the journal in a folder, which is made when it does not exist: HOST.json.
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
	j := &journal{put: func(host string, value []byte) error {
		return durable.Put(f, filepath.Join(dir, url.PathEscape(host)+suffix), value)
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
	const prefix = "onepipe/hosts/"
	j := &journal{put: func(host string, value []byte) error { return kept.Put(prefix+host, value) }}
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
	if err := j.put(r.Host, b); err != nil {
		return fmt.Errorf("journal: %w", err)
	}
	return nil
}

// Records implements Journal.
func (j *journal) Records() []Record { return j.list }
