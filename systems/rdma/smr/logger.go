package smr

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"sync"

	"github.com/p4ce/p4ce/host/durable"
	"github.com/p4ce/p4ce/host/replicated"
	"github.com/p4ce/p4ce/systems/rdma/mu"
	"github.com/p4ce/p4ce/systems/rdma/smr/journal"
)

// logger writes entries to the journal, many with one flush of the disk.
type logger struct {
	n *Node

	mu      sync.Mutex // guards the fields below
	cond    sync.Cond
	queue   []mu.Logged // their bytes are in buf, in order
	buf     []byte
	stopped bool

	disk durable.Watch
}

func (l *logger) init(n *Node) {
	l.n = n
	l.cond.L = &l.mu
}

// add queues an entry. The node's lock is held.
func (l *logger) add(e mu.Logged) {
	l.mu.Lock()
	l.buf = append(l.buf, e.Bytes...)
	l.queue = append(l.queue, e)
	l.cond.Signal()
	l.mu.Unlock()
}

func (l *logger) stop() {
	l.mu.Lock()
	l.stopped = true
	l.cond.Broadcast()
	l.mu.Unlock()
}

// run is the goroutine that writes.
func (l *logger) run() {
	n := l.n
	var queue, spare []mu.Logged
	var buf, spareBuf []byte
	for {
		l.mu.Lock()
		for len(l.queue) == 0 && !l.stopped {
			l.cond.Wait()
		}
		if l.stopped {
			l.mu.Unlock()
			return
		}
		queue, l.queue = l.queue, spare[:0]
		buf, l.buf = l.buf, spareBuf[:0]
		l.mu.Unlock()
		at := 0
		for i := range queue {
			k := len(queue[i].Bytes)
			queue[i].Bytes = buf[at : at+k]
			at += k
		}
		l.disk.Begin(n.now())
		err := n.journal.Append(queue)
		l.disk.End()
		if err != nil {
			n.fail(err)
			return
		}
		n.lock.Lock()
		for i := range queue {
			if n.closed == nil && (i == len(queue)-1 || queue[i+1].Term != queue[i].Term) {
				n.core.Logged(n.now(), queue[i].Term, queue[i].End)
			}
		}
		n.lock.Unlock()
		clear(queue)
		spare, spareBuf = queue, buf
	}
}

// openJournal applies what the journal knows to be decided to the state machine, and puts the entries
// into the log.
func (n *Node) openJournal(st state) (state, error) {
	var err error
	n.journal, err = journal.Open(n.cfg.Journal, durable.Disk, journal.Owner{ID: n.cfg.ID, Cluster: n.cfg.Cluster, LogSize: n.cfg.LogSize})
	if err != nil {
		return st, err
	}
	return replay(n.journal, n.cfg, st, n.memory[mu.LogRegion].buf, false)
}

// openCarried does the same with the journal of an earlier life that this life carries over. It
// removes a journal that holds nothing.
func (n *Node) openCarried(st state) (state, error) {
	dir := n.cfg.Carry
	if _, err := durable.Disk.Stat(dir); errors.Is(err, fs.ErrNotExist) {
		return st, nil
	}
	j, err := journal.Open(dir, durable.Disk, journal.Owner{ID: n.cfg.ID, Cluster: n.cfg.Cluster, LogSize: n.cfg.LogSize})
	if err != nil {
		return st, err
	}
	if !j.Stored().Full {
		return st, errors.Join(j.Close(), durable.Disk.RemoveAll(dir))
	}
	n.carried = j
	n.log.Warn("this server has a journal, and continues without it: it carries over the contents, and answers new records before they are on disk. All servers of the cluster must do the same: until then there is no leader",
		"journal", dir, "entries", j.Len())
	return replay(j, n.cfg, st, n.memory[mu.LogRegion].buf, false)
}

// replay gives the state machine what a journal knows to be decided, or everything in it. It puts the
// entries into a log region, which is zeroed.
func replay(j *journal.Journal, cfg Config, st state, region []byte, all bool) (state, error) {
	if !j.Stored().Full {
		return st, nil
	}
	if at := j.Trimmed(); st.Position < at {
		return st, fmt.Errorf("state at position %d of the log, journal from %d on (the state was lost or is an old copy; to have the others bring this server up to date, also remove the journal, %s)", st.Position, at, cmp.Or(cfg.Journal, cfg.Carry))
	}
	from := st.Position
	var entries []replicated.Entry
	r := mu.Replay{Region: region, Position: st.Position, Index: st.Index}
	flush := func() error {
		st.Position, st.Index = r.Position, r.Index
		_, err := cfg.Machine.Apply(entries, st.encode())
		if entries = entries[:0]; err != nil {
			return fmt.Errorf("state machine: %w", err)
		}
		return nil
	}
	r.Apply = func(d mu.Decided) error {
		if d.Members != nil {
			st.change(d.Members, cfg.ID)
			return nil
		}
		entries = append(entries, replicated.Entry{Index: d.Index, Record: bytes.Clone(d.Record)})
		if len(entries) == maxBatch {
			return flush()
		}
		return nil
	}
	err := j.Entries(r.Add)
	if err == nil && all {
		err = r.Rest()
	}
	if err != nil || r.Position == from {
		return st, err
	}
	if err := flush(); err != nil {
		return st, err
	}
	cfg.Log.Info("executed the records of the journal", "from", from, "to", st.Position, "records", st.Index)
	if err := cfg.Machine.Sync(); err != nil {
		return st, fmt.Errorf("state machine: sync: %w", err)
	}
	return st, j.Trim(st.Position)
}
