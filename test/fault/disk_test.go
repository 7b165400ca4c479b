package fault

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"github.com/p4ce/p4ce/doctor/needs"
	"github.com/p4ce/p4ce/systems/rdma/lab/store"
)

const (
	// healthAt is where each server, in its own namespace, says how it is.
	healthAt = "127.0.0.1:9562"
	// diskSize is that of each server's disk, and reserve the mark that comes of it.
	diskSize = 1 << 30
	reserve  = diskSize / 4
)

// health asks a server how it is; 0: it does not answer.
func (r *run) health(i int) (code int, body string) {
	c := &http.Client{Timeout: 10 * time.Second, Transport: &http.Transport{
		DisableKeepAlives: true,
		DialContext: func(ctx context.Context, network, addr string) (conn net.Conn, err error) {
			err = r.Lab.InHost(r.Host(i), func() (err error) {
				conn, err = (&net.Dialer{}).DialContext(ctx, network, addr)
				return err
			})
			return conn, err
		},
	}}
	got, err := c.Get("http://" + healthAt + "/healthz")
	if err != nil {
		return 0, err.Error()
	}
	defer got.Body.Close()
	text, err := io.ReadAll(got.Body)
	if err != nil {
		return 0, err.Error()
	}
	return got.StatusCode, string(text)
}

// says waits until a server says something of itself.
func (r *run) says(i, code int, what string) {
	r.t.Helper()
	require.Eventually(r.t, func() bool {
		c, body := r.health(i)
		return c == code && strings.Contains(body, what)
	}, time.Minute, 10*time.Millisecond, "server %d says %d, %q", i, code, what)
}

// taker is a file of somebody else's on a server's disk.
type taker struct {
	*os.File
	t   *testing.T
	dir string
}

func (r *run) taker(i int) *taker {
	f, err := os.Create(filepath.Join(r.Data(i), "other"))
	require.NoError(r.t, err)
	r.t.Cleanup(func() { _ = f.Close() })
	o := &taker{f, r.t, r.Data(i)}
	require.FileExists(r.t, o.ballast())
	return o
}

func (o *taker) ballast() string { return filepath.Join(o.dir, "ballast") }

// free is how much of the disk nobody has.
func (o *taker) free() int64 {
	o.t.Helper()
	var st unix.Statfs_t
	require.NoError(o.t, unix.Statfs(o.dir, &st))
	return int64(st.Bavail) * st.Bsize
}

// leave takes or gives back room, so that so many bytes are free. When the server takes room at the same time, fewer are.
func (o *taker) leave(bytes int64) {
	o.t.Helper()
	st, err := o.Stat()
	require.NoError(o.t, err)
	switch more := o.free() - bytes; {
	case more > 0:
		if err := unix.Fallocate(int(o.Fd()), 0, st.Size(), more); err != unix.ENOSPC {
			require.NoError(o.t, err)
		}
	case more < 0:
		require.NoError(o.t, o.Truncate(max(0, st.Size()+more)))
	}
}

// takeBallast takes the disk until the server has given its ballast up. Its database may have used so much room that it has
// already done so.
func (o *taker) takeBallast() {
	o.t.Helper()
	for end := time.Now().Add(time.Minute); ; time.Sleep(10 * time.Millisecond) {
		if _, err := os.Stat(o.ballast()); os.IsNotExist(err) {
			return
		}
		o.leave(reserve / 16)
		require.True(o.t, time.Now().Before(end), "the ballast is given up")
	}
}

// bigValue is what is written. A database makes it no smaller.
type bigValue [256 << 10]byte

func newValue() (v bigValue) {
	var seed [32]byte
	for i := range seed {
		seed[i] = byte(rand.Uint32())
	}
	_, _ = rand.NewChaCha8(seed).Read(v[:]) // never fails
	return v
}

// takesNothing is what a server says whose disk has less than a quarter of its reserve.
const takesNothing = "takes nothing from the leader"

// writer writes values that take room, whoever leads.
type writer struct {
	*run
	n int
}

// write writes one, and returns why it is refused if the leader has no room.
func (w *writer) write() (refused error) {
	w.t.Helper()
	v := newValue()
	require.Eventually(w.t, func() bool {
		c := w.Client(w.leader())
		defer c.Close()
		err := c.Set(w.ctx, fmt.Sprint("big", w.n), v[:], 0).Err()
		if err != nil && strings.HasPrefix(err.Error(), "OOM ") && strings.Contains(err.Error(), "of this server") {
			refused = err
			return true
		}
		// Else another one leads; or, on a busy machine, the leader has not heard of the one with room lately.
		return err == nil
	}, time.Minute, time.Millisecond)
	w.n++
	return refused
}

// more writes as much as is said: nothing is refused.
func (w *writer) more(bytes int) {
	w.t.Helper()
	for range bytes / len(bigValue{}) {
		require.NoError(w.t, w.write())
	}
}

// readsAndDeletes checks that the leader reads and deletes.
func (w *writer) readsAndDeletes() {
	w.t.Helper()
	c := w.Client(w.leader())
	defer c.Close()
	key := fmt.Sprint("big", rand.IntN(w.n))
	require.NoError(w.t, c.Exists(w.ctx, key).Err())
	require.NoError(w.t, c.Del(w.ctx, key).Err())
	n, err := c.Exists(w.ctx, key).Result()
	require.NoError(w.t, err)
	require.Zero(w.t, n)
}

// openOneSmall opens a store with a disk for each server.
func openOneSmall(t *testing.T) (*run, *writer) {
	wanted(t)
	r := openOnDisks(t, fmt.Sprint("size=", diskSize), "--metrics", healthAt, "--heartbeat", "250ms") // who leads matters here: servers are patient
	w := &writer{run: r}
	w.more(8 << 20)
	for i := range r.Servers() {
		r.says(i, http.StatusOK, "ok")
	}
	return r, w
}

// TestFollowersDiskFull: the disk of one server that follows becomes full. Writes go on; it says so, is not written to any more
// below a quarter of its reserve, does not end, and catches up by itself when there is room.
func TestFollowersDiskFull(t *testing.T) {
	r, w := openOneSmall(t)
	small := r.Servers() - 1 // the last that would lead
	if r.leader() == small {
		small--
	}
	o := r.taker(small)
	o.leave(reserve / 4) // and the ballast
	r.says(small, http.StatusServiceUnavailable, "disk low")
	w.more(4 << 20)
	o.takeBallast()
	o.leave(reserve/4 + 16<<20)
	begun := w.n
	for {
		require.NoError(t, w.write(), "the others have room")
		if _, body := r.health(small); strings.Contains(body, takesNothing) {
			break
		}
		require.Less(t, w.n-begun, reserve/len(bigValue{}), "it takes no more than a quarter of its reserve")
	}
	t.Logf("server %d takes nothing after %d values more, with %d bytes free", small, w.n-begun, o.free())
	// More than there is room for, also when its database has flushed what it has, and given back its log.
	least := o.free()
	for range 3 * reserve / 4 / len(bigValue{}) {
		require.NoError(t, w.write(), "the others have room")
		least = min(least, o.free())
	}
	t.Logf("%d bytes were free at least", least)
	require.Positive(t, least)
	require.True(t, r.Running(small))
	r.says(small, http.StatusServiceUnavailable, takesNothing)
	require.Eventually(t, func() bool {
		info, err := r.Info(r.leader(), "replication")
		return err == nil && info["confirmed_peers"] == "1"
	}, time.Minute, 10*time.Millisecond, "it is not written to")
	w.readsAndDeletes()
	for i := range r.Servers() {
		if i != small {
			r.says(i, http.StatusOK, "ok")
		}
	}

	require.NoError(t, o.Truncate(0))
	r.says(small, http.StatusOK, "ok")
	r.equal()
	w.more(1 << 20)
	r.equal()
}

// TestLeadersDiskFull: the same for the one that leads. It refuses writes, in words, and reads and deletes; when it dies the next
// one takes writes, and it follows without being written to, until there is room.
func TestLeadersDiskFull(t *testing.T) {
	r, w := openOneSmall(t)
	small := r.leader()
	o := r.taker(small)
	o.leave(reserve / 4)
	r.says(small, http.StatusServiceUnavailable, "refuses writes")
	if r.leader() == small { // a busy machine may have had an election
		require.ErrorContains(t, w.write(), "the disk of this server is nearly full")
	}
	w.readsAndDeletes()
	o.takeBallast()
	for end := time.Now().Add(time.Minute); ; time.Sleep(10 * time.Millisecond) {
		o.leave(reserve / 8) // again and again: the blocks of a file become free some time after its name is gone
		if _, body := r.health(small); strings.Contains(body, takesNothing) {
			break
		}
		require.True(t, time.Now().Before(end), "it takes nothing")
	}
	w.readsAndDeletes()
	require.True(t, r.Running(small))

	r.Kill(small)
	require.NotEqual(t, small, r.leader())
	w.more(reserve / 4)
	r.ok(r.Restart(small))
	r.says(small, http.StatusServiceUnavailable, "disk low") // its database has given back its log when it starts
	w.more(reserve / 4)
	w.readsAndDeletes()
	require.True(t, r.Running(small))
	require.Positive(t, o.free())

	require.NoError(t, o.Truncate(0))
	r.says(small, http.StatusOK, "ok")
	r.equal()
	w.more(1 << 20)
	r.equal()
}

// openOnDisks is open for three servers, each with a disk of its own.
func openOnDisks(t *testing.T, size string, flags ...string) *run {
	dir := t.TempDir()
	for i := range 3 {
		data := filepath.Join(dir, fmt.Sprint("data", i))
		require.NoError(t, os.Mkdir(data, 0o700))
		if err := unix.Mount("tmpfs", data, "tmpfs", 0, size+",mode=700"); err != nil {
			needs.Kernel(t, fmt.Errorf("a small disk: mount tmpfs: %w", err))
		}
		t.Cleanup(func() { require.NoError(t, unix.Unmount(data, unix.MNT_DETACH)) })
	}
	return openWith(t, 5*time.Minute, store.Options{Dir: dir, Servers: 3, Flags: append([]string{"--heartbeat", "60ms"}, flags...)})
}
