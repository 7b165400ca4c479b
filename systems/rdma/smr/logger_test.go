package smr

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/p4ce/p4ce/systems/rdma/internal/hosttest"
	"github.com/p4ce/p4ce/systems/rdma/mu"
)

func newDrivenJournal(t *testing.T, change func(*Config)) *driven {
	dir := filepath.Join(t.TempDir(), "journal")
	return newDriven(t, func(c *Config) {
		c.Journal = dir
		if change != nil {
			change(c)
		}
	})
}

// loggedOf is an entry at a position that is 100 times its number.
func loggedOf(term mu.Term, i uint64) mu.Logged {
	return mu.Logged{Term: term, Position: 100 * i, End: 100*i + 100, Bytes: []byte("entry")}
}

// TestPromiseIsOnDisk: a promise is on disk when the call returns; if it cannot be, the
// core hears that, and the server ends and asks for nothing any more.
func TestPromiseIsOnDisk(t *testing.T) {
	members := []Member{{ID: 1, Addrs: addrPorts(1)}, {ID: 2, Addrs: addrPorts(2)}, {ID: 3, Addrs: addrPorts(3)}}
	d := newDrivenJournal(t, nil)
	want := mu.Stored{Full: true, Promised: 258, Incarnation: 3}
	d.call(func(e *env) { require.True(t, e.Promise(want)) })
	require.NoError(t, d.Close())
	again := newDriven(t, func(c *Config) { c.Journal, c.Members = d.cfg.Journal, members })
	require.Equal(t, want, again.journal.Stored())
	require.Equal(t, mu.Full, again.Status().State)
	require.Equal(t, mu.Term(258), again.Status().Term)

	// The disk goes away.
	require.NoError(t, again.journal.Close())
	again.call(func(e *env) {
		require.False(t, e.Promise(want))
		e.Post(mu.Op{Path: mu.Path{Peer: 9, Kind: mu.Control}}) // of a server that has ended
	})
	recv(t, again.Done())
	require.ErrorContains(t, again.Err(), "journal")
	again.journal = nil // closed
}

// TestLogIsOnDisk: entries are on disk, in their order, and are dropped when the state
// machine has them on disk, and not before.
func TestLogIsOnDisk(t *testing.T) {
	syncing, goOn := make(chan struct{}, 10), make(chan struct{})
	m := &disk{onSync: func() error {
		syncing <- struct{}{}
		<-goOn
		return nil
	}}
	d := newDrivenJournal(t, func(c *Config) { c.Machine = m; c.SyncEvery = time.Millisecond })
	defer close(goOn)
	d.call(func(e *env) {
		e.Promise(mu.Stored{Full: true, Promised: 258})
		for i := range uint64(10) {
			e.Log(loggedOf(258, i))
		}
	})
	require.Eventually(t, func() bool { return d.journal.Len() == 10 }, 20*time.Second, time.Millisecond)
	d.decided(entryOf(0, "a"), entryOf(1, "b")) // up to position 200
	<-syncing
	require.Zero(t, d.journal.Trimmed())
	goOn <- struct{}{}
	require.Eventually(t, func() bool { return d.journal.Trimmed() == 200 }, 20*time.Second, time.Millisecond)
}

// TestLogFails: a disk that does not take entries ends the server.
func TestLogFails(t *testing.T) {
	d := newDrivenJournal(t, nil)
	require.NoError(t, d.journal.Close())
	d.call(func(e *env) { e.Log(loggedOf(258, 0)) })
	recv(t, d.Done())
	require.ErrorContains(t, d.Err(), "journal")
	d.journal = nil
}

// TestJournalOrNot: servers that do not agree on journals do not connect.
func TestJournalOrNot(t *testing.T) {
	dir := t.TempDir()
	c := newNodes(t, 2, func(_ *nodes, cfg *Config) {
		if cfg.ID == 1 {
			cfg.Journal = filepath.Join(dir, "journal")
		}
	})
	m := c.nodes[0].request(0, 1, kindControl)
	_, err := c.nodes[0].dialPeer(hosttest.Context(t), 0, &m, c.members[1].Addrs[0])
	require.ErrorContains(t, err, "this server keeps a journal (--fsync), server 0 does not keep one")
	m = c.nodes[1].request(0, 0, kindControl)
	_, err = c.nodes[1].dialPeer(hosttest.Context(t), 0, &m, c.members[0].Addrs[0])
	require.ErrorContains(t, err, "this server does not keep a journal (--fsync), server 1 keeps one")
}

// TestDamagedJournal: a journal that cannot be read is an error, and stays as it is.
func TestDamagedJournal(t *testing.T) {
	d := newDrivenJournal(t, nil)
	d.call(func(e *env) {
		e.Promise(mu.Stored{Full: true, Promised: 258})
		e.Log(loggedOf(258, 0)) // its bytes are no entry
	})
	require.Eventually(t, func() bool { return d.journal.Len() == 1 }, 20*time.Second, time.Millisecond)
	require.NoError(t, d.Close())
	cfg := d.cfg
	cfg.Machine = &sum{}
	_, err := Open(cfg)
	require.ErrorContains(t, err, "no entry at position 0 (it is damaged)")
	_, err = os.Stat(cfg.Journal)
	require.NoError(t, err)
}
