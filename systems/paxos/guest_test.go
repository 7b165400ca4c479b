package paxos_test

import (
	"fmt"
	"net/netip"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/p4ce/p4ce/systems/paxos"
	"github.com/p4ce/p4ce/systems/paxos/soft"
	"github.com/p4ce/p4ce/systems/paxos/udp"
)

// lossy is a wire that loses answers: of each value the first two.
type lossy struct {
	paxos.Wire
	lost atomic.Int64
	seen map[uint32]int
}

func (w *lossy) Read(ps []udp.Packet, until time.Time) (int, error) {
	n, err := w.Wire.Read(ps, until)
	kept := 0
	for _, p := range ps[:max(n, 0)] {
		var m paxos.Message
		if m.Parse(p.Data) == nil && m.Kind == paxos.Answer {
			if w.seen[m.Sequence]++; w.seen[m.Sequence] <= 2 {
				w.lost.Add(1)
				continue
			}
		}
		ps[kept] = p
		kept++
	}
	return kept, err
}

// guests opens guests, and replicas that answer them.
func guests(t *testing.T, c *soft.Cluster, replicas, n int, wire func(paxos.Wire) paxos.Wire) (hosts []*server, guests []*paxos.Guest) {
	at := map[uint16]netip.AddrPort{}
	var wires []paxos.Wire
	for i := range n {
		conn, err := udp.Listen(anywhere, paxos.MaxMessage+1)
		require.NoError(t, err)
		at[uint16(101+i)] = conn.Addr()
		wires = append(wires, wire(conn))
	}
	for i := range replicas {
		hosts = append(hosts, openWith(t, c, uint32(1+i), 10, nil, func(c *paxos.Config) { c.Guests = at }))
	}
	c.Replicas(addrs(hosts...))
	for i, w := range wires {
		g, err := paxos.OpenGuest(paxos.GuestConfig{
			Wire: w, Leader: c.Leaders[0].Addr(), Replicas: addrs(hosts...), Controller: c.Addr(), Host: uint32(101 + i),
			Proposer: paxos.ProposerOptions{Client: uint32(101+i)<<16 | 1},
		})
		require.NoError(t, err)
		t.Cleanup(func() { require.NoError(t, g.Close()) })
		guests = append(guests, g)
	}
	return hosts, guests
}

// TestGuest: hosts that are no replicas propose, and hear from replicas that their values were applied.
func TestGuest(t *testing.T) {
	const each = 300
	c := cluster(t, 128)
	hosts, guests := guests(t, c, 2, 3, func(w paxos.Wire) paxos.Wire { return w })
	ctx := limit(t)
	var wait sync.WaitGroup
	var mu sync.Mutex
	instances := map[uint64]string{}
	for i, g := range guests {
		wait.Go(func() {
			for n := range each {
				v := fmt.Sprint(i, " ", n)
				at, err := g.Submit(ctx, []byte(v))
				if err != nil {
					t.Error(err)
					return
				}
				mu.Lock()
				if at != 0 {
					instances[at] = v
				}
				mu.Unlock()
			}
		})
	}
	_, err := hosts[0].Submit(ctx, []byte("a replica proposes, too"))
	require.NoError(t, err)
	wait.Wait()
	require.False(t, t.Failed())
	got := hosts[0].wait(3*each + 1)
	require.Equal(t, got, hosts[1].wait(3*each+1))
	require.NotEmpty(t, instances)
	for _, v := range instances {
		require.Contains(t, got, v)
	}
	slices.Sort(got)
	require.Len(t, slices.Compact(got), 3*each+1, "each once")
	require.Zero(t, guests[0].Status().Pending)
}

// TestGuestLostAnswers: answers that are lost are asked for again, and the values are applied once.
func TestGuestLostAnswers(t *testing.T) {
	const values = 40
	c := cluster(t, 1024)
	var wires []*lossy
	hosts, guests := guests(t, c, 1, 1, func(w paxos.Wire) paxos.Wire {
		wires = append(wires, &lossy{Wire: w, seen: map[uint32]int{}})
		return wires[0]
	})
	ctx := limit(t)
	var want []string
	var wait sync.WaitGroup
	for i := range values {
		v := fmt.Sprint("value ", i)
		want = append(want, v)
		wait.Go(func() {
			if _, err := guests[0].Submit(ctx, []byte(v)); err != nil {
				t.Error(err)
			}
		})
	}
	wait.Wait()
	require.EqualValues(t, 2*values, wires[0].lost.Load())
	require.ElementsMatch(t, want, hosts[0].wait(values))
	require.GreaterOrEqual(t, guests[0].Status().Resent, uint64(2*values))
	require.GreaterOrEqual(t, hosts[0].Status().Replica.Again, uint64(2*values))
}

// TestGuestStrangers: what somebody else says is no answer, nor is an answer to somebody else.
func TestGuestStrangers(t *testing.T) {
	replica, err := udp.Listen(anywhere, paxos.MaxMessage+1)
	require.NoError(t, err)
	defer replica.Close()
	stranger, err := udp.Listen(anywhere, paxos.MaxMessage+1)
	require.NoError(t, err)
	defer stranger.Close()
	g, err := paxos.OpenGuest(paxos.GuestConfig{
		Listen: anywhere, Leader: replica.Addr(), Replicas: []netip.AddrPort{replica.Addr()}, Proposer: paxos.ProposerOptions{Client: 7},
	})
	require.NoError(t, err)
	defer g.Close()
	done := make(chan uint64, 1)
	require.NoError(t, g.Go([]byte("a"), func(instance uint64, err error) { done <- instance }))
	answer := func(from *udp.Conn, client uint32) {
		m := paxos.Message{Kind: paxos.Answer, Instance: 5, VoteRound: 1, Client: client, Sequence: 1}
		b, err := m.Append(nil)
		require.NoError(t, err)
		require.NoError(t, from.Write([]udp.Packet{{Addr: g.Addr(), Data: b}}))
	}
	answer(stranger, 7)
	answer(replica, 8)
	ctx := limit(t)
	for g.Status().Dropped < 2 {
		require.NoError(t, ctx.Err())
		time.Sleep(time.Millisecond)
	}
	require.Empty(t, done)
	answer(replica, 7)
	require.EqualValues(t, 1<<32+5, <-done)
}

// TestGuestFull: all that a leader has given may be lost, until it has no room. The replicas hear of it from
// the guest, whose requests are the only ones.
func TestGuestFull(t *testing.T) {
	t.Run("alone", func(t *testing.T) { guestFull(t, false) })
	t.Run("shared", func(t *testing.T) { guestFull(t, true) })
}

// guestFull has the guest's oldest value be the only one of its request, or the second of two.
func guestFull(t *testing.T, shared bool) {
	leader, err := udp.Listen(anywhere, paxos.MaxMessage+1)
	require.NoError(t, err)
	defer leader.Close()
	guestConn, err := udp.Listen(anywhere, paxos.MaxMessage+1)
	require.NoError(t, err)
	h, err := paxos.Open(paxos.Config{
		Listen: anywhere, Leader: leader.Addr(), Learners: []netip.AddrPort{leader.Addr()}, Acceptors: []netip.AddrPort{leader.Addr()}, Apply: func(paxos.Entry) {},
		Proposer: paxos.ProposerOptions{Client: 1}, Guests: map[uint16]netip.AddrPort{7: guestConn.Addr()},
	})
	require.NoError(t, err)
	defer h.Close()
	g, err := paxos.OpenGuest(paxos.GuestConfig{
		Wire: guestConn, Leader: leader.Addr(), Replicas: []netip.AddrPort{h.Addr(), leader.Addr()}, Proposer: paxos.ProposerOptions{Client: 7<<16 | 1},
	})
	require.NoError(t, err)
	defer g.Close()
	ctx := limit(t)
	send := func(m paxos.Message) {
		m.Client, m.Sequence = 7<<16|1, 1
		b, err := m.Append(nil)
		require.NoError(t, err)
		require.NoError(t, leader.Write([]udp.Packet{{Addr: g.Addr(), Data: b}}))
	}
	refusal := paxos.Message{Kind: paxos.Refused, VoteRound: uint32(paxos.ReasonFull), Instance: 17}
	require.NoError(t, g.Go([]byte("a"), func(uint64, error) {}))
	if shared {
		require.NoError(t, g.Go([]byte("b"), func(uint64, error) {}))
		refusal.Shared, refusal.Value = 132, []byte("\x01a\x01b")
		send(paxos.Message{Kind: paxos.Answer, Instance: 1})
		for g.Status().Pending != 1 {
			require.NoError(t, ctx.Err())
			time.Sleep(time.Millisecond)
		}
	}
	for h.Status().Heard != 17 {
		require.NoError(t, ctx.Err())
		send(refusal)
		time.Sleep(time.Millisecond)
	}
	require.Equal(t, paxos.ReasonFull, g.Status().Refusal)
}

func TestGuestConfig(t *testing.T) {
	_, err := paxos.OpenGuest(paxos.GuestConfig{})
	require.ErrorContains(t, err, "Leader and Replicas are needed")
	_, err = paxos.OpenGuest(paxos.GuestConfig{Leader: anywhere, Replicas: []netip.AddrPort{anywhere}})
	require.ErrorIs(t, err, paxos.ErrClient)
}

// TestReplicaAnswers: guests are answered when their values were delivered, and again for each repetition;
// others are not.
func TestReplicaAnswers(t *testing.T) {
	r := newReplica(t, paxos.ReplicaOptions{Guests: []uint16{7}})
	answers := func() (out []paxos.Message) {
		for _, s := range r.Sends() {
			require.Equal(t, paxos.ToClient, s.To)
			out = append(out, s.Message)
		}
		return out
	}
	r.Deliver(0, deliver(2, 7<<16|2, 1, "a"))
	require.Empty(t, log(r))
	require.Empty(t, answers(), "it is not delivered yet")
	r.Deliver(0, deliver(1, 8<<16|2, 1, "of a replica"))
	r.Deliver(0, deliver(3, 7<<16|2, 1, "a"))
	r.Deliver(0, deliver(4, 7<<16|1, 9, "of an earlier life"))
	require.Equal(t, []string{"of a replica", "a"}, log(r))
	require.Equal(t, []paxos.Message{
		{Kind: paxos.Answer, Instance: 2, Client: 7<<16 | 2, Sequence: 1}, {Kind: paxos.Answer, Client: 7<<16 | 2, Sequence: 1},
	}, answers())
	require.EqualValues(t, 2, r.Stats().Answers)
}
