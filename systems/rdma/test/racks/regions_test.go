package racks

import (
	"crypto/sha256"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/p4ce/p4ce/host/rdma"
	"github.com/p4ce/p4ce/host/roce"
	"github.com/p4ce/p4ce/internal/long"
	"github.com/p4ce/p4ce/systems/rdma/lab/multicast"
	"github.com/p4ce/p4ce/systems/rdma/region"
)

// offer has a host offer memory for one region. What it has offered comes by mrs, and by gone that nobody writes there.
func (r *racks) offer(host string, port uint16, size int) (mrs chan *roce.MR, gone chan struct{}) {
	r.t.Helper()
	dev := roce.RDMA(r.device(host), roce.QPConfig{})
	ln, err := dev.Listen(port)
	require.NoError(r.t, err)
	mr, err := dev.RegisterMemory(make([]byte, size), rdma.LocalWrite|rdma.RemoteWrite)
	require.NoError(r.t, err)
	mrs, gone = make(chan *roce.MR, 1), make(chan struct{})
	go func() {
		defer close(gone)
		defer ln.Close()
		req, err := ln.Accept(r.ctx)
		if err != nil {
			return
		}
		c, err := region.Offer(r.ctx, dev, req, nil, mr)
		if err != nil {
			return
		}
		mrs <- mr.(*roce.MR)
		<-c.Done()
		c.Close()
	}()
	return mrs, gone
}

// TestLeafSpineRegions: a region is added to a group across racks while links lose one packet of a hundred, written in messages of
// many packets while a port goes down and comes up, and taken away. Records of the group go on beside it.
func TestLeafSpineRegions(t *testing.T) {
	long.Test(t)
	bad := lossy(3, 2)
	r := newRacksOf(t, multicast.Options{Leaves: 3, Spines: 2, Hosts: 2, Hold: 10 * time.Second, Bad: bad})
	to := []string{"h2", "h3", "h4", "h5"}
	g := r.group(4740, "h1", to...)
	g.write(100, nil)
	const size, va, port = 1 << 20, 1 << 22, 4741
	var mrs []chan *roce.MR
	var gone []chan struct{}
	for _, h := range to {
		m, over := r.offer(h, port, size)
		mrs, gone = append(mrs, m), append(gone, over)
	}
	own := g.tx.Region()
	add, err := region.Add(r.ctx, roce.RDMA(r.device("h1"), roce.QPConfig{}), region.Group{Switch: r.Home("h1"), Port: port, RKey: own.RKey, LeaderID: 1, Term: 1}, va, size)
	require.NoError(t, err)
	var at []*roce.MR
	for i := range mrs {
		at = append(at, <-mrs[i])
	}
	const message = 64 << 10
	data := make([]byte, message)
	links := r.arrived(func() {
		for round := range size / message {
			switch round {
			case 5:
				require.NoError(t, r.SetPort("l0", "s0", false))
			case 10:
				require.NoError(t, r.SetPort("l0", "s0", true))
				require.NoError(t, r.SetPort("l0", "s1", false))
			}
			off := round * message
			for i := 0; i < message; i += sha256.Size {
				sum := sha256.Sum256([]byte(fmt.Sprint(off + i)))
				copy(data[i:], sum[:])
			}
			require.NoError(t, g.tx.WriteAt(r.ctx, va+uint64(off), data))
			got := make([]byte, message)
			for i, mr := range at {
				_, err := mr.ReadAt(got, int64(off))
				require.NoError(t, err)
				require.Equal(t, data, got, "round %d: acknowledged, and %s lacks it", round, to[i])
			}
			g.write(10, nil)
		}
	})
	require.Positive(t, links["l0-s0"])
	require.Positive(t, links["l0-s1"])
	require.NoError(t, add.Close())
	for i := range gone {
		<-gone[i]
	}
	g.write(100, nil)
	r.mend(bad)
	g.check()
	g.close()
	r.empty()
}
