package fault

import (
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// TestDisksFull: the disks of all servers become full. Writes are refused before, in words, nobody ends, and reads and deletes go on. Then
// somebody else takes the last byte of all disks, and all servers are killed: they start again, with everything, and take
// writes by themselves when there is room.
func TestDisksFull(t *testing.T) {
	wanted(t)
	const disk = 192 << 20
	const reserve = disk / 4
	r := openOnDisks(t, fmt.Sprint("size=", disk))
	others := make([]*taker, r.Servers())
	for i := range others {
		others[i] = r.taker(i)
		others[i].leave(reserve/2 + 40<<20) // beside the ballast
	}
	random := make([]byte, 512<<10) // which cannot be compressed
	rand.NewChaCha8([32]byte{}).Read(random)
	value := string(random)
	n := 0
	var refused error
	for refused == nil {
		c := r.Client(r.leader())
		for r.ctx.Err() == nil {
			if err := c.Set(r.ctx, fmt.Sprint("big", n), fmt.Sprint(n)+value, 0).Err(); err == nil {
				n++
			} else if strings.HasPrefix(err.Error(), "OOM ") {
				refused = err
				break
			} else {
				break // another one leads
			}
		}
		require.NoError(t, c.Close())
		require.NoError(t, r.ctx.Err())
	}
	t.Logf("refused after %d values of 512 KiB: %v", n, refused)
	c := r.Client(r.leader())
	defer func() { c.Close() }()
	got, err := c.Get(r.ctx, "big0").Result()
	require.NoError(t, err)
	require.Equal(t, "0"+value, got)
	require.NoError(t, c.Del(r.ctx, "big1").Err())
	for i := range r.Servers() {
		require.True(t, r.Server(i).Proc.Running())
	}

	// They end in order, with the same state: one that had to get another image of it would need room for that.
	r.equal()
	for i := range r.Servers() {
		require.NoError(t, r.Server(i).Proc.Stop(r.ctx))
	}
	for _, o := range others {
		var left int64
		if _, err := os.Stat(o.ballast()); err != nil {
			left = reserve / 2 // its database has needed the ballast's room, and does when it starts
		}
		o.leave(left)
	}
	for i := range r.Servers() {
		require.NoError(t, r.Restart(i))
	}
	r.whole()
	c.Close()
	c = r.Client(r.leader())
	for i := range n {
		if i == 1 {
			continue
		}
		got, err := c.Get(r.ctx, fmt.Sprint("big", i)).Result()
		require.NoError(t, err, "value %d", i)
		require.Equal(t, fmt.Sprint(i)+value, got)
	}
	require.NoError(t, c.Del(r.ctx, "big2").Err())

	for _, f := range others {
		require.NoError(t, f.Truncate(0))
	}
	require.Eventually(t, func() bool {
		keys := []string{}
		for i := range n / 2 {
			keys = append(keys, fmt.Sprint("big", i))
		}
		if err := c.Del(r.ctx, keys...).Err(); err != nil {
			c.Close()
			c = r.Client(r.leader())
		}
		return c.Set(r.ctx, "more", "v", 0).Err() == nil
	}, time.Minute, 100*time.Millisecond, "there is room again")
	for i := range r.Servers() {
		if !r.Server(i).Proc.Running() { // it had no room for what its database did by itself
			require.NoError(t, r.Restart(i))
		}
	}
	r.equal()
}
