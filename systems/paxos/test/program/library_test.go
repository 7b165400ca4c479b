package program

import (
	"context"
	"fmt"
	"net/netip"
	"runtime"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/p4ce/p4ce/dataplane"
	"github.com/p4ce/p4ce/dataplane/interp"
	"github.com/p4ce/p4ce/link/hub"
	names "github.com/p4ce/p4ce/p4/paxos"
	"github.com/p4ce/p4ce/roce/wire"
	"github.com/p4ce/p4ce/systems/paxos"
	"github.com/p4ce/p4ce/systems/paxos/chaos"
	"github.com/p4ce/p4ce/systems/paxos/frames"
)

// TestLibrary: three hosts with the library at one switch which has all roles. What they submit
// is applied at all of them, in one order; and when the ring is full, who submits is told.
func TestLibrary(t *testing.T) {
	const hosts, each, room = 3, 100, 350
	target := interp.New(interp.Options{})
	t.Cleanup(func() { require.NoError(t, target.Close()) })
	program, err := compile()
	require.NoError(t, err)
	require.NoError(t, target.Load(&dataplane.Pipeline{Program: program}))
	d := &device{target, program}
	d.role(t, names.AtLeader, leaderAt)
	d.role(t, names.AtAcceptor, acceptorAt)
	d.role(t, names.AtLearner, learnerAt)
	d.live(t, 1, room)
	d.write(t, names.RegisterNext, app, 1)
	d.insert(t, names.TableLeader, []uint64{app, uint64(names.AtLeader), uint64(names.MsgRequest)}, names.ActionLead, round, 2)
	d.insert(t, names.TableAcceptor, []uint64{app, uint64(names.AtLeader)}, names.ActionVoteAs, 0, 1, 3, 1)
	d.insert(t, names.TableAcceptor, []uint64{app, uint64(names.AtAcceptor)}, names.ActionVoteAs, 0, 1, 3, 1)
	d.configure(t, round, 1)
	var copies []copyTo
	for i := range place(hosts) {
		copies = append(copies, copyTo{names.BecameDeliver, names.MsgDeliver, learnerAt, replica + i})
	}
	d.group(t, 2, copies...)
	d.group(t, 4, copies...)

	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	var logs []*paxos.Log
	var mu sync.Mutex
	applied := make([][]string, hosts)
	all := make(chan struct{})
	total := 0
	for i := range hosts {
		at := replica + place(i)
		port, end := hub.Cable(1024)
		require.NoError(t, target.AddLink(dataplane.Port(at), fmt.Sprint("host ", i), port))
		l, err := paxos.Open(paxos.Config{
			Wire: frames.New(end, frames.Config{
				Addr: chaos.At(byte(at)), MAC: wire.MAC(at.mac()), Resolve: func(a netip.Addr) (wire.MAC, bool) { return wire.MAC(place(a.As4()[3]).mac()), true },
			}),
			Leader: chaos.At(byte(leaderAt)), Acceptors: []netip.AddrPort{chaos.At(byte(acceptorAt))}, Learners: []netip.AddrPort{chaos.At(byte(learnerAt))},
			Host: uint32(i), Proposer: paxos.ProposerOptions{Client: uint32(i + 1)},
			Apply: func(e paxos.Entry) {
				mu.Lock()
				defer mu.Unlock()
				applied[i] = append(applied[i], string(e.Value))
				if total++; total == hosts*hosts*each {
					close(all)
				}
			},
		})
		require.NoError(t, err)
		t.Cleanup(func() { require.NoError(t, l.Close()) })
		logs = append(logs, l)
	}
	var wait sync.WaitGroup
	for i, l := range logs {
		wait.Go(func() {
			for n := range each {
				if _, err := l.Submit(ctx, fmt.Appendf(nil, "%d of %d", n, i)); err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	wait.Wait()
	require.False(t, t.Failed())
	<-all
	for _, a := range applied[1:] {
		require.Equal(t, applied[0], a)
	}
	sorted := slices.Sorted(slices.Values(applied[0]))
	require.Len(t, slices.Compact(sorted), hosts*each, "each once")

	// Nobody has a checkpoint: there is no room for more than so many.
	d.write(t, names.RegisterLast, app, uint64(logs[0].Status().Position)-1)
	soon, stop := context.WithCancel(ctx)
	defer stop()
	go func() {
		for logs[0].Status().Refusal != paxos.ReasonFull && soon.Err() == nil {
			runtime.Gosched()
		}
		stop()
	}()
	_, err = logs[0].Submit(soon, []byte("too much"))
	require.ErrorContains(t, err, "the ring is full")
	d.write(t, names.RegisterLast, app, 10*room)
	_, err = logs[1].Submit(ctx, []byte("again"))
	require.NoError(t, err)
}
