package control

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/p4ce/p4ce/ctrl/store"
	"github.com/p4ce/p4ce/ctrl/store/embedded"
	"github.com/p4ce/p4ce/ctrl/store/storetest"
	"github.com/p4ce/p4ce/internal/long"
	"github.com/p4ce/p4ce/roce/wire"
	"github.com/p4ce/p4ce/systems/paxos"
)

// standing is a journal that can stand still, or fail.
type standing struct {
	MemoryJournal
	mu    sync.Mutex
	err   error
	still chan struct{} // nil: it works
}

func (s *standing) set(still chan struct{}, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.still, s.err = still, err
}

func (s *standing) Append(r Record) error {
	s.mu.Lock()
	still, err := s.still, s.err
	s.mu.Unlock()
	if still != nil {
		<-still
	}
	if err != nil {
		return err
	}
	return s.MemoryJournal.Append(r)
}

// resolves demands that the controller answers ARP.
func (h *testHost) resolves(whose Address) {
	h.t.Helper()
	ask := make([]byte, 60)
	me := h.conf.Hosts[h.name]
	copy(ask, "\xff\xff\xff\xff\xff\xff")
	copy(ask[6:], me.MAC[:])
	copy(ask[12:], "\x08\x06\x00\x01\x08\x00\x06\x04\x00\x01")
	copy(ask[22:], me.MAC[:])
	copy(ask[28:], me.IP[:])
	copy(ask[38:], whose.IP[:])
	h.mu.Lock()
	h.arp = map[wire.Addr]wire.MAC{}
	h.mu.Unlock()
	h.end.Send(ask)
	require.Eventually(h.t, func() bool {
		h.mu.Lock()
		defer h.mu.Unlock()
		return h.arp[whose.IP] == whose.MAC
	}, time.Minute, time.Millisecond)
}

// TestJournalStalls: while its journal has no room, stands still, or has failed, a controller answers ARP and whoever
// asks for its status, and says what is wrong; what rests on a record waits, and goes on by itself. Of a journal that
// stands still or has failed another controller might know more: it steps down.
func TestJournalStalls(t *testing.T) {
	long.Test(t)
	l := newLab(t)
	j := &standing{}
	l.controller(j)
	client := NewAdminClient(l.admin)
	l.begin()
	l.submit(1, 10)
	answers := func(why string) {
		t.Helper()
		l.hosts["p1"].resolves(l.conf.Apps[0].Leader)
		require.Eventually(t, func() bool {
			err := client.Health(l.ctx)
			return err != nil && strings.Contains(err.Error(), why)
		}, time.Minute, 10*time.Millisecond)
		l.wait("the status says why", func(in *Info) bool { return in.State == "waiting" && strings.Contains(in.Waiting, why) })
		l.hosts["p1"].resolves(l.conf.Apps[0].Leader)
	}
	// A switch that was stopped is not well any more, and is not what this is about.
	well := func() {
		t.Helper()
		require.Eventually(t, func() bool {
			err := client.Health(l.ctx)
			return err == nil || !strings.Contains(err.Error(), "record") && !strings.Contains(err.Error(), "journal")
		}, time.Minute, 10*time.Millisecond)
	}

	j.set(nil, fmt.Errorf("store: %w", store.ErrNoSpace))
	l.stop("l")
	answers("etcd has no space")
	ctx, cancel := context.WithTimeout(l.ctx, 100*time.Millisecond)
	defer cancel()
	require.Error(t, client.Lead(ctx, "log", "t"), "nothing is recorded of it")
	text, err := client.Metrics(l.ctx)
	require.NoError(t, err)
	require.Regexp(t, `p4ce_controller_paxos_messages_total\{event="record_refused",switch="[a-z0-9]+"\} [1-9]`, text)
	j.set(nil, nil)
	l.wait("another leads", running("t"))
	well()
	l.submit(11, 20)

	still := make(chan struct{})
	j.set(still, nil)
	l.stop("a2")
	answers("the journal has not answered for")
	j.set(nil, nil)
	close(still)
	l.wait("the spare is an acceptor", func(in *Info) bool { return in.State == "running" && in.Acceptors[1].Switch == "a4" })
	well()
	l.submit(21, 30)

	j.set(nil, errors.New("no disk"))
	for seq := uint32(31); ; seq++ { // until something is trimmed
		l.hosts["p1"].send(l.conf.Apps[0].Leader, &paxos.Message{Kind: paxos.Request, Client: 7, Sequence: seq, Value: fmt.Appendf(nil, "value %d", seq)})
		for _, h := range l.hosts {
			h.report()
		}
		if err := client.Health(l.ctx); err != nil && strings.Contains(err.Error(), "no disk") {
			break
		}
		require.NoError(t, l.ctx.Err())
	}
	answers("records cannot be stored, so the controller does nothing more: no disk")
}

// TestScribe: a candidate lives with a journal that has no room, as nobody has more; not with one that
// does not answer, or has failed.
func TestScribe(t *testing.T) {
	long.Test(t)
	j, ending := &standing{}, make(chan struct{})
	s := newScribe(j, slog.New(slog.DiscardHandler), ending)
	s.again = time.Millisecond
	var running sync.WaitGroup
	running.Go(s.run)
	defer running.Wait()
	defer close(ending)
	s.begin(Record{Kind: recordRound, Round: 1})
	require.NoError(t, <-s.outcome)
	require.NoError(t, s.health())
	j.set(nil, store.ErrNoSpace)
	s.begin(Record{Kind: recordRound, Round: 2})
	require.Eventually(t, func() bool { return s.failures() > 3 }, time.Minute, time.Millisecond)
	require.ErrorIs(t, s.health(), store.ErrNoSpace)
	require.NoError(t, s.stalled())
	still := make(chan struct{})
	j.set(still, nil)
	close(still)
	require.NoError(t, <-s.outcome)
	require.NoError(t, s.health())
	require.Len(t, j.Records(), 2, "each is stored once")
	still = make(chan struct{})
	j.set(still, nil)
	s.begin(Record{Kind: recordRound, Round: 3})
	require.Eventually(t, func() bool { return s.stalled() != nil }, time.Minute, 10*time.Millisecond)
	require.ErrorContains(t, s.stalled(), "the journal has not answered for")
	close(still)
	require.NoError(t, <-s.outcome)
	require.NoError(t, s.stalled())
	j.set(nil, errors.New("no disk"))
	s.begin(Record{Kind: recordRound, Round: 4})
	require.ErrorContains(t, <-s.outcome, "no disk")
	require.ErrorContains(t, s.stalled(), "no disk")
	require.ErrorContains(t, s.health(), "no disk")
}

// TestGate: what a Core wants leaves in order, each when the records before it are stored; and nothing after one that
// cannot be.
func TestGate(t *testing.T) {
	g, c := &gate{}, &Core{}
	var told []error
	want := func(records, id int) {
		for range records {
			require.NoError(t, g.Append(Record{Kind: recordRound}))
		}
		c.out = append(c.out, Write{ID: uint64(id)}, Note{Text: "note"})
		g.reply(func(err error) { told = append(told, err) })
	}
	ids := func(list []Output) (out []int) {
		for _, o := range list {
			switch o := o.(type) {
			case Write:
				out = append(out, int(o.ID))
			case Note:
				out = append(out, 0)
			case reply:
				o(nil)
			}
		}
		return out
	}
	want(0, 1)
	require.Equal(t, []int{0, 1}, ids(g.pass(c, false)), "nothing was recorded")
	want(2, 2)
	require.Equal(t, []int{0}, ids(g.pass(c, false)), "only the log is told")
	require.True(t, g.shut())
	want(1, 3)
	require.Equal(t, []int{0}, ids(g.pass(c, false)))
	c.out = append(c.out, Send{Switch: "arp"})
	require.Len(t, g.pass(c, true), 1, "it rests on no record")
	store := func() []int {
		_, ok := g.next()
		require.True(t, ok)
		return ids(g.stored())
	}
	require.Empty(t, store(), "one of two")
	require.Len(t, told, 1)
	require.Equal(t, []int{2}, store())
	require.Equal(t, []error{nil, nil}, told)
	_, ok := g.next()
	require.True(t, ok)
	g.fail(errors.New("no disk"))
	require.Len(t, told, 3)
	require.ErrorContains(t, told[2], "no disk")
	want(0, 4)
	require.Equal(t, []int{0}, ids(g.pass(c, false)))
	require.Empty(t, g.held, "nothing is kept that will not leave")
	_, ok = g.next()
	require.False(t, ok)
	require.False(t, g.shut())
}

// TestEtcdFull: the same with the journal of a controller that has others beside it, in an etcd without space; and the next
// one goes on from there.
func TestEtcdFull(t *testing.T) {
	long.Test(t)
	dir, err := os.MkdirTemp("", "p4ce-paxos-")
	require.NoError(t, err)
	t.Cleanup(func() { os.RemoveAll(dir) })
	etcd, err := embedded.Start(filepath.Join(dir, "etcd"), nil, storetest.SmallQuota)
	require.NoError(t, err)
	t.Cleanup(etcd.Close)
	s, err := store.Open(t.Context(), store.Options{Endpoints: []string{etcd.Endpoint}, Name: "a", TTL: 10 * time.Second})
	require.NoError(t, err)
	t.Cleanup(func() { s.Close() })
	candidate, err := s.Campaign(t.Context(), "deployment")
	require.NoError(t, err)
	t.Cleanup(candidate.Close)
	<-candidate.Elected()
	l := newLab(t)
	j, err := OpenKeptJournal(candidate, "deployment")
	require.NoError(t, err)
	stop := l.controller(j)
	l.begin()
	l.submit(1, 10)
	free := storetest.Fill(t, etcd.Endpoint)
	l.stop("l")
	client := NewAdminClient(l.admin)
	full := func() {
		t.Helper()
		require.Eventually(t, func() bool {
			err := client.Health(l.ctx)
			return err != nil && strings.Contains(err.Error(), "a record is not stored, and what depends on it waits: journal: store: etcd has no space")
		}, time.Minute, 10*time.Millisecond)
		l.hosts["p1"].resolves(l.conf.Apps[0].Leader)
	}
	full()
	require.NoError(t, candidate.May(), "it goes on serving")
	stop()
	j, err = OpenKeptJournal(candidate, "deployment")
	require.NoError(t, err, "there is no room to shorten it")
	l.controller(j)
	full()
	free()
	l.wait("another leads", running("t"))
	require.Eventually(t, func() bool { return client.Health(l.ctx) == nil }, time.Minute, 10*time.Millisecond)
	l.submit(11, 20)
}
