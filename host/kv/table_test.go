package kv

import (
	"fmt"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/stretchr/testify/require"
)

// What was applied is read, while keys move between memory and the database.
func TestReadBesideWrites(t *testing.T) {
	m := open(t, vfs.NewMem())
	m.table.limit = 2 * itemSize
	const keys, records, most = 7, 4000, 1 << 20
	var applied [keys]atomic.Int64
	var ended atomic.Bool
	var wg sync.WaitGroup
	failed := make(chan error, 8)
	run := func(f func(i int) error) {
		wg.Go(func() {
			for i := 0; !ended.Load(); i++ {
				if err := f(i); err != nil {
					failed <- err
					return
				}
			}
		})
	}
	for range 2 {
		run(func(i int) error {
			k := i % keys
			least := applied[k].Load()
			found, _, err := m.Read(0, args(fmt.Sprint(k), "never"), nil)
			if err != nil {
				return err
			}
			n, _ := strconv.ParseInt(string(found[0].value), 10, 64)
			if n < least || found[1].exists {
				return fmt.Errorf("key %d: %q, after %d was written; never: %v", k, found[0].value, least, found[1].exists)
			}
			return nil
		})
	}
	run(func(int) error { return m.save() })
	turned := func() bool { // on a busy machine it takes more records until a save has ended
		m.mem.Lock()
		defer m.mem.Unlock()
		return m.table.turns > 0
	}
	for n := 0; n < records || n < most && !turned(); n++ {
		apply(t, m, n, set(int64(n), fmt.Sprint(n%keys), fmt.Sprint(n)))
		applied[n%keys].Store(int64(n))
	}
	ended.Store(true)
	wg.Wait()
	select {
	case err := <-failed:
		t.Fatal(err)
	default:
	}
	require.NotZero(t, m.table.turns, "nothing was forgotten")
	require.NoError(t, m.Close())
}

// Keys are forgotten when the database has them: when a save has ended that began after
// they were written last.
func TestTurn(t *testing.T) {
	tab := newTable(itemSize)
	tab.begun = 1
	i := &item{key: "a"}
	tab.add(i)
	tab.mark(i, 1)
	tab.turn()
	require.Equal(t, i, tab.old["a"])
	tab.add(&item{key: "b"})
	tab.turn()
	require.NotNil(t, tab.find([]byte("a")), "no save has begun since")
	tab.begun++
	tab.underWay = append(tab.underWay, i)
	tab.turn()
	require.NotNil(t, tab.find([]byte("a")), "the save has not ended")
	tab.underWay = nil
	tab.turn()
	require.Nil(t, tab.find([]byte("a")))
	require.NotNil(t, tab.find([]byte("b")))
}
