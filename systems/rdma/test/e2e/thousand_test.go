package e2e

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sync/errgroup"

	"github.com/p4ce/p4ce/host/rdma"
	"github.com/p4ce/p4ce/host/roce"
	"github.com/p4ce/p4ce/internal/long"
	"github.com/p4ce/p4ce/systems/rdma/private"
)

// cellSize is what a group has of a replica's memory: its number, how many leaders it has had, and how many WRITEs of this one.
const cellSize = 24

// shared is a replica of all groups: every leader gets all of its memory, and a queue pair of its own.
func (c *system) shared(dev *roce.Device) *roce.MR {
	mr, err := dev.RegisterMemory(make([]byte, 1<<15), rdma.LocalWrite|rdma.RemoteWrite)
	require.NoError(c.t, err)
	l, err := dev.Listen(service)
	require.NoError(c.t, err)
	c.t.Cleanup(func() { l.Close() })
	serve := func(r *roce.Request) error {
		qp, err := dev.CreateQP(roce.QPConfig{Access: rdma.RemoteWrite, MTU: r.PathMTU()})
		if err != nil {
			return err
		}
		region := private.Region{VA: mr.Addr(), Size: uint64(mr.Len()), RKey: mr.Key()}
		conn, err := r.Accept(c.ctx, qp, region.Append(nil))
		if err != nil {
			return err
		}
		<-conn.Done()
		return conn.Close()
	}
	go func() {
		for {
			r, err := l.Accept(c.ctx)
			if err != nil {
				return // the test is over
			}
			go func() {
				if err := serve(r); err != nil && c.ctx.Err() == nil {
					c.t.Log(err) // its leader fails, and says so
				}
			}()
		}
	}()
	return mr
}

// TestThousandGroups: 1,000 groups are at work at once on one switch, between the same servers. A third of them change their leader
// again and again: the next one is on another server. What a leader was told is done is in the memory of every replica, in the place
// of its group, and when all have ended the switch holds nothing.
func TestThousandGroups(t *testing.T) {
	long.Test(t)
	const groups, lives, writes = 1000, 4, 8
	c := newCluster(t, 4)
	leaders := []*roce.Device{c.device(0), c.device(3)}
	memories := []*roce.MR{c.shared(c.device(1)), c.shared(c.device(2))}
	busy := roce.QPConfig{AckTimeout: 500 * time.Millisecond, Retry: 7}           // a thousand leaders wait for two CPUs
	forming := [2]chan struct{}{make(chan struct{}, 32), make(chan struct{}, 32)} // the controller refuses more than 64 of a host
	lead := func(i, life int) (*thousandth, error) {
		at := (i + life) % 2
		forming[at] <- struct{}{}
		defer func() { <-forming[at] }()
		conn, region, err := c.connectWith(leaders[at], busy, c.ip(1), c.ip(2))
		return &thousandth{i, life, conn, region}, err
	}
	now := make([]*thousandth, groups)
	for _, step := range []struct {
		what string
		do   func(i int) error
	}{
		{"form", func(i int) (err error) {
			now[i], err = lead(i, 0)
			return err
		}},
		{"write", func(i int) error {
			for life := range lives {
				for n := range writes {
					if err := now[i].write(c.ctx, n); err != nil {
						return fmt.Errorf("leader %d, WRITE %d: %w", life, n, err)
					}
				}
				if i%3 != 0 || life == lives-1 {
					continue
				}
				if err := now[i].conn.Close(); err != nil {
					return err
				}
				next, err := lead(i, life+1)
				if err != nil {
					return fmt.Errorf("leader %d: %w", life+1, err)
				}
				now[i] = next
			}
			return nil
		}},
	} {
		var all errgroup.Group
		for i := range groups {
			all.Go(func() error {
				if err := step.do(i); err != nil {
					return fmt.Errorf("group %d: %w", i, err)
				}
				return nil
			})
		}
		require.NoError(t, all.Wait(), step.what)
		list, err := c.admin.Groups(c.ctx)
		require.NoError(t, err)
		require.Len(t, list, groups, step.what)
	}
	for _, mr := range memories {
		b := make([]byte, groups*cellSize)
		_, err := mr.ReadAt(b, 0)
		require.NoError(t, err)
		for i, last := range now {
			require.Equal(t, last.cell(writes-1), b[i*cellSize:(i+1)*cellSize], "group %d", i)
		}
	}
	for _, g := range now {
		require.NoError(t, g.conn.Close())
	}
	c.requireClean()
}

// thousandth is a group, as its leader sees it.
type thousandth struct {
	number, life int
	conn         *roce.Conn
	region       private.Region
}

// cell is what WRITE n says.
func (g *thousandth) cell(n int) []byte {
	return fmt.Appendf(nil, "%08d%08d%08d", g.number, g.life, n)
}

// write has the replicas keep WRITE n.
func (g *thousandth) write(ctx context.Context, n int) error {
	_, err := g.conn.QP().PostSend(rdma.SendWR{ID: 1, Op: rdma.OpWrite, Local: g.cell(n), VA: g.region.VA + uint64(g.number*cellSize), RKey: g.region.RKey})
	if err != nil {
		return err
	}
	cq := g.conn.QP().SendCQ()
	var done [1]rdma.Completion
	for cq.Poll(done[:]) == 0 {
		if err := cq.Wait(ctx); err != nil {
			return err
		}
	}
	if done[0].Status != rdma.StatusOK {
		return errors.New(done[0].Status.String())
	}
	return nil
}
