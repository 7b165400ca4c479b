package fault

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net"
	"net/netip"
	"os"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/p4ce/p4ce/lab"
	"github.com/p4ce/p4ce/systems/rdma/lab/cluster"
	"github.com/p4ce/p4ce/systems/rdma/lab/store"
)

// crowd is connections to a store's clients' port from a host that does not know the password.
type crowd struct {
	lab     *lab.Lab
	from    *lab.Host
	servers []*lab.Host
	made    [kindsOfClients]atomic.Int64
	failed  atomic.Int64 // connections that were not made
}

// What a hostile connection does.
const (
	sendsGarbage = iota
	speaksHTTP
	saysHalf
	commands
	sendsMuch
	guesses
	isSilent
	kindsOfClients
)

// evil is what nobody writes who may.
const evil = "evil"

// begin does what a connection of a kind begins with.
func begin(c net.Conn, kind int) {
	_ = c.SetWriteDeadline(time.Now().Add(100 * time.Millisecond))
	switch kind {
	case sendsGarbage:
		b := make([]byte, 4096)
		for i := range b {
			b[i] = byte(rand.Uint32())
		}
		_, _ = c.Write(b)
	case speaksHTTP:
		_, _ = fmt.Fprintf(c, "POST / HTTP/1.1\r\nHost: store\r\nContent-Length: 99\r\n\r\nSET s0 %s\r\nSET s1 %[1]s\r\n", evil)
	case saysHalf:
		_, _ = fmt.Fprint(c, "*3\r\n$3\r\nSE")
	case commands:
		_, _ = fmt.Fprint(c, strings.Repeat("SET s0 "+evil+"\r\nFLUSHALL\r\nCLUSTER REMOVE 0\r\n", 20))
	case sendsMuch:
		_, _ = fmt.Fprint(c, "*2\r\n$4\r\nAUTH\r\n$536870912\r\n"+strings.Repeat("x", 64<<10))
	case guesses:
		_, _ = fmt.Fprint(c, strings.Repeat("AUTH guess\r\n", 20))
	}
}

// each is the time between two connections of one of those who attack. On one machine with what it attacks, a crowd that is
// as fast as it can measures who gets the processors.
const each = 20 * time.Millisecond

// attack opens so many connections, and replaces one after the other until ctx is done. full is called when all are there.
func (x *crowd) attack(ctx context.Context, keep int, full func()) error {
	full = sync.OnceFunc(full)
	defer full()
	return x.lab.InHost(x.from, func() error {
		var open []net.Conn
		defer func() {
			for _, c := range open {
				_ = c.Close()
			}
		}()
		pace := time.NewTicker(each)
		defer pace.Stop()
		for n := 0; ctx.Err() == nil; n++ {
			if len(open) == keep {
				full()
				select {
				case <-pace.C:
				case <-ctx.Done():
				}
				i := rand.IntN(keep)
				_ = open[i].(*net.TCPConn).SetLinger(0) // some end by a reset
				_ = open[i].Close()
				open[i] = open[keep-1]
				open = open[:keep-1]
			}
			to := x.servers[n%len(x.servers)]
			// One address, so it connects on this thread, and in its namespace.
			c, err := (&net.Dialer{Timeout: time.Second}).DialContext(ctx, "tcp", netip.AddrPortFrom(to.IP, store.ClientPort).String())
			if err != nil {
				x.failed.Add(1)
				continue
			}
			kind := rand.IntN(kindsOfClients)
			x.made[kind].Add(1)
			begin(c, kind)
			open = append(open, c)
			slow := open[rand.IntN(len(open))] // a byte more of what it has not ended
			_ = slow.SetWriteDeadline(time.Now().Add(time.Millisecond))
			_, _ = slow.Write([]byte("x"))
		}
		return nil
	})
}

// resident is how many bytes of memory a process has.
func resident(t *testing.T, pid int) int {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	require.NoError(t, err)
	for line := range strings.Lines(string(text)) {
		if after, ok := strings.CutPrefix(line, "VmRSS:"); ok {
			n, err := strconv.Atoi(strings.Fields(after)[0])
			require.NoError(t, err)
			return n << 10
		}
	}
	t.Fatal("no VmRSS")
	return 0
}

// TestHostileClients: a host that does not know the password opens connections to the clients' port of all servers, thousands at a time,
// with garbage, HTTP, commands, half of a request, a request without an end, wrong passwords, a byte now and then, and
// nothing. Nothing of it is done, no server has more connections or memory than it may, and clients go on at no less than half
// their rate.
func TestHostileClients(t *testing.T) {
	wanted(t)
	ctx, cancel := context.WithTimeout(context.Background(), 4*time.Minute)
	defer cancel()
	log := &lab.Log{}
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("log of all processes:\n%s", log)
		}
	})
	const n, token, most, memory = 3, 0x5eed, 400, 32 << 20
	s, err := store.Start(ctx, store.Options{
		Servers: n, Others: 1, ID: 1, Token: token, Password: "only-friends-know", Binary: binary, Dir: t.TempDir(), Switch: true, Log: log,
		Flags:   []string{"--timeout", "2s", "--max-clients", fmt.Sprint(most), "--client-memory", fmt.Sprint(memory)},
		Cluster: cluster.Options{Controller: []string{"--cluster", "1=" + secret(t, token)}},
	})
	require.NoError(t, err)
	t.Cleanup(s.Close)
	r := &run{Store: s, t: t, ctx: ctx}
	r.accelerated()
	r.load = startLoad(ctx, s)
	r.progress()
	x := &crowd{lab: s.Lab, from: s.Lab.Hosts[n], servers: s.Lab.Hosts[:n]}
	within := func() {
		for i := range n {
			info, err := s.Info(i, "clients")
			require.NoError(t, err)
			connected, err := strconv.Atoi(info["connected_clients"])
			require.NoError(t, err)
			require.LessOrEqual(t, connected, most)
			used, err := strconv.Atoi(info["client_memory"])
			require.NoError(t, err)
			require.LessOrEqual(t, used, memory)
		}
	}
	var before []int
	for i := range n {
		before = append(before, resident(t, s.Server(i).Proc.PID()))
	}
	const interval = 2 * time.Second
	operations := func() int64 {
		from := r.load.done.Load()
		time.Sleep(interval)
		return r.load.done.Load() - from
	}
	var quiet, hostile int64
	for round := 1; ; round++ {
		q := operations()
		attacking, stop := context.WithCancel(ctx)
		var wg, full sync.WaitGroup
		for range 4 {
			full.Add(1)
			wg.Go(func() {
				if err := x.attack(attacking, 500, full.Done); err != nil {
					t.Error(err)
				}
			})
		}
		full.Wait()
		h := operations()
		within()
		stop()
		wg.Wait()
		quiet, hostile = quiet+q, hostile+h
		t.Logf("round %d: %d operations in peace, %d under attack", round, q, h)
		// One round in which other work took the machine says nothing.
		if round >= 3 && (2*hostile >= quiet || round == 6) {
			break
		}
	}
	var made [kindsOfClients]int64
	for kind := range made {
		made[kind] = x.made[kind].Load()
		require.Positive(t, made[kind])
	}
	t.Logf("connections by kind %v, not made %d", made, x.failed.Load())
	for i := range n {
		after := resident(t, s.Server(i).Proc.PID())
		t.Logf("server %d: %d MiB before, %d MiB after", i, before[i]>>20, after>>20)
		require.Less(t, after, before[i]+memory+128<<20, "server %d", i)
	}
	require.GreaterOrEqual(t, 2*hostile, quiet, "half the rate, taken together")
	require.Eventually(t, func() bool {
		for i := range n {
			if info, err := s.Info(i, "clients"); err != nil || len(info["connected_clients"]) > 2 {
				return false
			}
		}
		return true
	}, 20*time.Second, 50*time.Millisecond, "nothing is left of them")
	r.regroups()
	r.progress()
	r.finish()
}
