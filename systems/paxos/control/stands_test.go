package control

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/p4ce/p4ce/ctrl/fleet/fleettest"
	"github.com/p4ce/p4ce/ctrl/store"
	"github.com/p4ce/p4ce/ctrl/store/embedded"
	"github.com/p4ce/p4ce/ctrl/store/storetest"
	"github.com/p4ce/p4ce/internal/long"
	"github.com/p4ce/p4ce/roce/wire"
	"github.com/p4ce/p4ce/systems/paxos"
)

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
	j := &fleettest.Journal[Record]{}
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

	j.Set(nil, fmt.Errorf("store: %w", store.ErrNoSpace))
	l.stop("l")
	answers("etcd has no space")
	ctx, cancel := context.WithTimeout(l.ctx, 100*time.Millisecond)
	defer cancel()
	require.Error(t, client.Lead(ctx, "log", "t"), "nothing is recorded of it")
	text, err := client.Metrics(l.ctx)
	require.NoError(t, err)
	require.Regexp(t, `p4ce_controller_paxos_messages_total\{event="record_refused",switch="[a-z0-9]+"\} [1-9]`, text)
	j.Set(nil, nil)
	l.wait("another leads", running("t"))
	well()
	l.submit(11, 20)

	still := make(chan struct{})
	j.Set(still, nil)
	l.stop("a2")
	answers("the journal has not answered for")
	j.Set(nil, nil)
	close(still)
	l.wait("the spare is an acceptor", func(in *Info) bool { return in.State == "running" && in.Acceptors[1].Switch == "a4" })
	well()
	l.submit(21, 30)

	j.Set(nil, errors.New("no disk"))
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
