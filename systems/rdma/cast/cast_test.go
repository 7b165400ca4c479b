package cast

import (
	"bytes"
	"context"
	"encoding/hex"
	"io"
	"log/slog"
	"math/rand/v2"
	"net/netip"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"
	"golang.org/x/sys/unix"

	"github.com/p4ce/p4ce/doctor/needs"
	"github.com/p4ce/p4ce/host/rdma"
	"github.com/p4ce/p4ce/host/roce"
	"github.com/p4ce/p4ce/link/hub"
	"github.com/p4ce/p4ce/roce/wire"
	"github.com/p4ce/p4ce/systems/rdma/internal/hosttest"
	"github.com/p4ce/p4ce/systems/rdma/private"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const chunk = 4096

var secret = private.Secret{Cluster: 3, Token: 9}

// world is a sender, receivers and a switch on a hub.
type world struct {
	t      *testing.T
	ctx    context.Context
	hub    *hub.Hub
	dev    rdma.Device // the sender's
	hosts  []netip.AddrPort
	dirs   []string
	stops  []func()
	file   string
	data   []byte
	dead   [16]atomic.Bool // by last byte of the address: what it sends and gets is lost
	passed atomic.Int64    // WRITE packets of data to any receiver
}

func newWorld(t *testing.T, receivers, size int) *world {
	w := &world{t: t, ctx: hosttest.Context(t), hub: hub.New(), file: filepath.Join(t.TempDir(), "file")}
	w.hub.SetFilter(func(f []byte) bool {
		var p wire.Packet
		if wire.Parse(f, &p) != nil {
			return true
		}
		if p.RETH != nil {
			w.passed.Add(1)
		}
		return !w.dead[p.IP.Src()[3]&15].Load() && !w.dead[p.IP.Dst()[3]&15].Load()
	})
	hosttest.NewSwitch(t, w.hub, hosttest.Addr(15), secret)
	w.dev = roce.RDMA(hosttest.Device(t, w.hub, hosttest.Addr(1)), roce.QPConfig{})
	w.stops = make([]func(), receivers)
	for i := range receivers {
		w.hosts = append(w.hosts, netip.AddrPortFrom(hosttest.Addr(2+i), Port))
		w.dirs = append(w.dirs, t.TempDir())
		w.start(i)
	}
	w.content(size)
	return w
}

// content makes another file.
func (w *world) content(size int) {
	w.data = make([]byte, size)
	r := rand.NewChaCha8([32]byte{byte(size)})
	_, _ = r.Read(w.data)
	require.NoError(w.t, os.WriteFile(w.file, w.data, 0o600))
}

// start runs a receiver.
func (w *world) start(i int) {
	dev := hosttest.Device(w.t, w.hub, w.hosts[i].Addr())
	r := &Receiver{Device: roce.RDMA(dev, roce.QPConfig{}), Dir: w.dirs[i], Secret: secret, Log: slog.New(slog.NewTextHandler(hosttest.Writer{T: w.t}, nil))}
	ctx, cancel := context.WithCancel(w.ctx)
	done, ready := make(chan error, 1), make(chan struct{})
	r.Ready = func() { close(ready) }
	port := w.hosts[i].Port()
	go func() { done <- r.Serve(ctx, port) }()
	<-ready
	var once sync.Once
	w.stops[i] = func() {
		once.Do(func() {
			cancel()
			require.NoError(w.t, <-done)
			require.NoError(w.t, dev.Close())
		})
	}
	w.t.Cleanup(w.stops[i])
}

// options are those of most tests.
func (w *world) options(via Via) Options {
	return Options{Via: via, Switch: hosttest.Addr(15), Chunk: chunk, Secret: secret, AckTimeout: 5 * time.Millisecond,
		Log: slog.New(slog.NewTextHandler(hosttest.Writer{T: w.t}, nil))}
}

func (w *world) send(o Options) []Result {
	w.t.Helper()
	got, err := Send(w.ctx, w.dev, w.file, "film", w.hosts, o)
	require.NoError(w.t, err)
	require.Len(w.t, got, len(w.hosts))
	for i, r := range got {
		require.Equal(w.t, w.hosts[i], r.Host)
	}
	return got
}

// has: the file is there, and no part of it.
func (w *world) has(i int) {
	w.t.Helper()
	got, err := os.ReadFile(filepath.Join(w.dirs[i], "film"))
	require.NoError(w.t, err)
	require.True(w.t, bytes.Equal(w.data, got), "host %d", i)
	parts, _ := os.ReadDir(filepath.Join(w.dirs[i], partsFolder))
	require.Empty(w.t, parts)
}

// lacks: nothing has the final name.
func (w *world) lacks(i int) {
	w.t.Helper()
	_, err := os.Stat(filepath.Join(w.dirs[i], "film"))
	require.ErrorIs(w.t, err, os.ErrNotExist)
}

var ways = []Via{Multicast, FanOut, Chain}

func TestWays(t *testing.T) {
	for _, via := range ways {
		t.Run(string(via), func(t *testing.T) {
			w := newWorld(t, 3, 0)
			for _, size := range []int{0, 1, chunk - 1, chunk, chunk + 1, 3*Slots*chunk + 77} {
				w.content(size)
				for i, r := range w.send(w.options(via)) {
					require.Empty(t, r.Error)
					require.EqualValues(t, size, r.Bytes)
					require.Zero(t, r.Had)
					w.has(i)
				}
			}
			before := w.passed.Load()
			for _, r := range w.send(w.options(via)) {
				require.Empty(t, r.Error)
				require.EqualValues(t, len(w.data), r.Had, "it was there")
			}
			require.Equal(t, before, w.passed.Load(), "nothing was written")
		})
	}
}

// after calls f once, when the first host has taken some chunks.
func (w *world) after(chunks int64, f func()) func(netip.AddrPort, int64) {
	var once sync.Once
	return func(h netip.AddrPort, n int64) {
		if h == w.hosts[0] && n >= chunks*chunk {
			once.Do(f)
		}
	}
}

// TestSenderDies, in the middle; the next one goes on where it was.
func TestSenderDies(t *testing.T) {
	for _, via := range ways {
		t.Run(string(via), func(t *testing.T) {
			w := newWorld(t, 3, 100*chunk+5)
			ctx, cancel := context.WithCancel(w.ctx)
			o := w.options(via)
			end := w.after(20, func() { w.dead[1].Store(true); cancel() })
			o.Progress = func(h netip.AddrPort, n int64) {
				if via == FanOut && h != w.hosts[0] && n >= 20*chunk {
					<-ctx.Done() // each is at a pace of its own
				}
				end(h, n)
			}
			got, err := Send(ctx, w.dev, w.file, "film", w.hosts, o)
			require.NoError(t, err)
			for i, r := range got {
				require.NotEmpty(t, r.Error)
				w.lacks(i)
			}
			w.dead[1].Store(false)
			for i, r := range w.send(w.options(via)) {
				require.Empty(t, r.Error)
				if i == 0 {
					require.GreaterOrEqual(t, r.Had, int64(20*chunk))
				}
				w.has(i)
			}
		})
	}
}

// TestReceiverDies without a word: the others finish; it goes on when it is back.
func TestReceiverDies(t *testing.T) {
	for _, via := range ways {
		t.Run(string(via), func(t *testing.T) {
			w := newWorld(t, 3, 100*chunk+5)
			o := w.options(via)
			const who = 0 // whom the sender hears of, in a chain, too
			o.Progress = w.after(20, func() { w.dead[2+who].Store(true) })
			for i, r := range w.send(o) {
				if i == who {
					require.Contains(t, r.Error, "no longer answers")
					w.lacks(i)
					continue
				}
				require.Empty(t, r.Error, "host %d", i)
				w.has(i)
			}
			w.stops[who]()
			w.dead[2+who].Store(false)
			w.start(who)
			for i, r := range w.send(w.options(via)) {
				require.Empty(t, r.Error)
				require.GreaterOrEqual(t, r.Had, int64(20*chunk))
				w.has(i)
			}
		})
	}
}

// TestChecksum: what does not have the checksum that was said gets no name, and is not gone on with.
func TestChecksum(t *testing.T) {
	for _, via := range ways {
		t.Run(string(via), func(t *testing.T) {
			w := newWorld(t, 2, 30*chunk)
			f, err := os.Open(w.file)
			require.NoError(t, err)
			defer f.Close()
			sum, err := sumOf(f, int64(len(w.data)))
			require.NoError(t, err)
			off := offered{name: "film", size: int64(len(w.data)), sum: hex.EncodeToString(sum.Sum(nil)), chunk: chunk}
			other := bytes.Clone(w.data)
			other[17*chunk+1] ^= 1
			require.NoError(t, os.WriteFile(w.file, other, 0o600))
			o := w.options(via)
			o.setDefaults()
			for i, r := range inOrder(w.hosts, spread(w.ctx, w.dev, off, &file{f, off}, w.hosts, &o)) {
				require.Contains(t, r.Error, "checksum")
				w.lacks(i)
				parts, _ := os.ReadDir(filepath.Join(w.dirs[i], partsFolder))
				require.Empty(t, parts)
			}
		})
	}
}

// TestDamagedPart: a part that is not what it should be is found, whoever sends the rest.
func TestDamagedPart(t *testing.T) {
	w := newWorld(t, 1, 10*chunk)
	o := offered{name: "film", size: int64(len(w.data)), chunk: chunk, sum: hex.EncodeToString(mustSum(t, w.data))}
	p, err := openPartial(w.dirs[0], o)
	require.NoError(t, err)
	require.NoError(t, p.add(make([]byte, chunk)))
	require.NoError(t, p.f.Close())
	got := w.send(w.options(FanOut))
	require.Contains(t, got[0].Error, "checksum")
	w.lacks(0)
	require.Empty(t, w.send(w.options(FanOut))[0].Error)
	w.has(0)
}

func mustSum(t *testing.T, b []byte) []byte {
	h, err := sumOf(bytes.NewReader(b), int64(len(b)))
	require.NoError(t, err)
	return h.Sum(nil)
}

// TestNames: a receiver writes in its folder only, whatever a sender says.
func TestNames(t *testing.T) {
	w := newWorld(t, 1, 5)
	for _, name := range []string{"", ".", "..", "../film", "/etc/film", "a/b", "a\\b", "a\x00", partsFolder, strings.Repeat("x", maxNameLen+1)} {
		_, err := Send(w.ctx, w.dev, w.file, name, w.hosts, w.options(FanOut))
		require.ErrorContains(t, err, "name", "%q", name)
		o := w.options(FanOut)
		o.setDefaults()
		off := offered{name: name, size: 5, sum: hex.EncodeToString(mustSum(t, w.data)), chunk: chunk}
		l := &lane{dev: w.dev, o: &o, off: off, src: &file{offered: off}}
		require.Contains(t, l.run(w.ctx, w.hosts, nil)[0].Error, "name", "%q", name)
	}
	all, err := os.ReadDir(w.dirs[0])
	require.NoError(t, err)
	require.Empty(t, all)
}

// TestTakenOver: of two senders of one name the later one wins, and the other is told.
func TestTakenOver(t *testing.T) {
	w := newWorld(t, 1, 100*chunk)
	o := w.options(FanOut)
	second := make(chan []Result, 1)
	o.Progress = w.after(10, func() {
		go func() {
			got, _ := Send(w.ctx, w.dev, w.file, "film", w.hosts, w.options(FanOut))
			second <- got
		}()
		second <- <-second // the first one waits until it is over
	})
	first := w.send(o)
	require.Contains(t, first[0].Error, "another sender now sends this file")
	got := <-second
	require.Empty(t, got[0].Error)
	require.GreaterOrEqual(t, got[0].Had, int64(10*chunk))
	w.has(0)
}

// TestStrangers: who does not know the token gets nothing; who is not there is said so.
func TestStrangers(t *testing.T) {
	w := newWorld(t, 2, 100)
	for _, via := range ways {
		o := w.options(via)
		o.Secret.Token++
		for i, r := range w.send(o) {
			require.Contains(t, r.Error, "wrong token")
			w.lacks(i)
		}
	}
	w.stops[1]()
	for _, via := range ways {
		got := w.send(w.options(via))
		require.Empty(t, got[0].Error)
		require.NotEmpty(t, got[1].Error)
		w.has(0)
	}
}

// TestBadInput of a sender.
func TestBadInput(t *testing.T) {
	w := newWorld(t, 2, 100)
	bad := func(want string, change func(path *string, hosts *[]netip.AddrPort, o *Options)) {
		t.Helper()
		path, hosts, o := w.file, w.hosts, w.options(Multicast)
		change(&path, &hosts, &o)
		_, err := Send(w.ctx, w.dev, path, "film", hosts, o)
		require.ErrorContains(t, err, want)
	}
	bad("no such file", func(p *string, _ *[]netip.AddrPort, _ *Options) { *p = "nowhere" })
	bad("not a regular file", func(p *string, _ *[]netip.AddrPort, _ *Options) { *p = t.TempDir() })
	bad("no host", func(_ *string, h *[]netip.AddrPort, _ *Options) { *h = nil })
	bad("given twice", func(_ *string, h *[]netip.AddrPort, _ *Options) { *h = append(w.hosts[:1:1], w.hosts[0]) })
	bad("listen on one port", func(_ *string, h *[]netip.AddrPort, _ *Options) {
		*h = append(w.hosts[:1:1], netip.AddrPortFrom(w.hosts[1].Addr(), 9))
	})
	bad("via \"pigeon\"", func(_ *string, _ *[]netip.AddrPort, o *Options) { o.Via = "pigeon" })
	bad("chunks of 5000", func(_ *string, _ *[]netip.AddrPort, o *Options) { o.Chunk = 5000 })
	bad("needs the address of a switch", func(_ *string, _ *[]netip.AddrPort, o *Options) { o.Switch = netip.Addr{} })
	r := &Receiver{Dir: w.file, Log: slog.New(slog.NewTextHandler(io.Discard, nil))}
	require.ErrorContains(t, r.Serve(w.ctx, 1), "is not a folder")
}

// TestFullDisk: the others finish.
func TestFullDisk(t *testing.T) {
	needs.Root(t, "a file system that is full (tmpfs)")
	for _, via := range ways {
		t.Run(string(via), func(t *testing.T) {
			w := newWorld(t, 3, 0)
			require.NoError(t, unix.Mount("tmpfs", w.dirs[0], "tmpfs", 0, "size=64k"))
			t.Cleanup(func() { _ = unix.Unmount(w.dirs[0], unix.MNT_DETACH) })
			w.content(100 * chunk)
			for i, r := range w.send(w.options(via)) {
				if i == 0 {
					require.Contains(t, r.Error, "no room for 409600 bytes: no space left on device")
					w.lacks(i)
					continue
				}
				require.Empty(t, r.Error)
				w.has(i)
			}
			w.stops[0]()
		})
	}
}
