package control

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/p4ce/p4ce/ctrl/store"
)

// KeptJournal is a Journal where several controllers keep their records, in one term of a primary:
// PREFIX/sum says what all records of earlier terms do (sumRecord), and PREFIX/log/N, in hexadecimal, is one since.
// Only the primary can write, so no two controllers give out the same round.
type KeptJournal struct {
	kept   store.Records
	prefix string
	next   uint64
	list   []Record
	failed error
}

// sumRecord says what the records before Next add up to.
type sumRecord struct {
	Next    uint64   `json:"next"`
	Records []Record `json:"records"`
}

// OpenKeptJournal reads the journal of a name, and shortens it to what still matters, if there is room for that: a
// controller that takes over when etcd is full goes on with what is there.
func OpenKeptJournal(kept store.Records, name string) (*KeptJournal, error) {
	j := &KeptJournal{kept: kept, prefix: "paxos/" + name + "/"}
	all, err := kept.List(j.prefix)
	if err != nil {
		return nil, fmt.Errorf("journal: %w", err)
	}
	var sum sumRecord
	var old []Record
	read := func(key string, value []byte, v any) error {
		if err := json.Unmarshal(value, v); err != nil {
			return fmt.Errorf("journal: record %s: %w [it is damaged: it may lack rounds that were given out]", key, err)
		}
		return nil
	}
	for _, r := range all {
		if r.Key == j.prefix+"sum" {
			if err := read(r.Key, r.Value, &sum); err != nil {
				return nil, err
			}
		}
	}
	old, j.next = sum.Records, sum.Next
	for _, r := range all {
		number, isLog := strings.CutPrefix(r.Key, j.prefix+"log/")
		if !isLog {
			continue
		}
		if want := fmt.Sprintf("%016x", j.next); number != want {
			return nil, fmt.Errorf("journal: record %s: %s should come next [it is damaged: it may lack rounds that were given out]", r.Key, want)
		}
		var one Record
		if err := read(r.Key, r.Value, &one); err != nil {
			return nil, err
		}
		old = append(old, one)
		j.next++
	}
	j.list = shortened(old)
	data, err := json.Marshal(sumRecord{j.next, j.list})
	if err != nil {
		return nil, fmt.Errorf("journal: %w", err)
	}
	if j.next == sum.Next { // it is short
		return j, nil
	}
	if err := kept.Replace(j.prefix+"log/", j.prefix+"sum", data); err != nil && !errors.Is(err, store.ErrNoSpace) {
		return nil, fmt.Errorf("journal: %w", err)
	}
	return j, nil
}

// Append implements Journal: it returns when a majority of etcd has the record, or when etcd has no room for it.
func (j *KeptJournal) Append(r Record) error {
	if j.failed != nil {
		return j.failed
	}
	data, err := json.Marshal(r)
	if err == nil {
		err = j.kept.Put(fmt.Sprintf("%slog/%016x", j.prefix, j.next), data)
	}
	if err != nil {
		if err = fmt.Errorf("journal: %w", err); !errors.Is(err, store.ErrNoSpace) {
			j.failed = err
		}
		return err
	}
	j.next++
	return nil
}

// Records implements Journal: those that were there when it was opened.
func (j *KeptJournal) Records() []Record { return j.list }
