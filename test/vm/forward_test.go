package vm

import (
	"fmt"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/p4ce/p4ce/lab"
)

// listening waits until an RDMA service is offered in a guest.
const listening = `until rdma resource show cm_id | grep -q LISTEN; do sleep 0.05; done`

// attempts is how often a pair of perftest programs is started: the server
// listens twice, and a client that comes in between is rejected and dies. Each
// attempt leaves the server twice the time of the one before.
const attempts = 6

// pair runs a server and its client to their ends, and returns what the client
// has printed. The client's arguments are the server's and its address.
func (n *network) pair(server, client int, args []string, last ...string) string {
	n.t.Helper()
	var err error
	for i := range attempts {
		var out string
		if out, err = n.try(server, client, 250*time.Millisecond<<i-250*time.Millisecond, args, last); err == nil {
			return out
		}
		if !strings.Contains(err.Error(), "REJECTED") {
			break
		}
		n.t.Logf("%s: once more: %v", args[0], err)
	}
	require.NoError(n.t, err)
	return ""
}

// try starts the server, and the client a while after the server listens.
func (n *network) try(server, client int, after time.Duration, args, last []string) (string, error) {
	out := &lab.Log{}
	p, err := n.guests[server].Start(Spec{Args: args, Stdout: out, Stderr: out})
	if err != nil {
		return "", err
	}
	stop := func() {
		_ = p.Signal(syscall.SIGKILL)
		<-p.Done()
	}
	if _, err := n.guests[server].Shell(n.ctx, fmt.Sprintf("%s; sleep %v", listening, after.Seconds())); err != nil {
		stop()
		return "", err
	}
	got, err := n.guests[client].Run(n.ctx, append(args, last...)...)
	if err != nil {
		stop()
		return got, fmt.Errorf("%w\nserver: %s", err, out)
	}
	if err := p.Wait(n.ctx); err != nil {
		return got, fmt.Errorf("server: %w\n%s", err, out)
	}
	return got, nil
}

// errorCounters are those of rxe's that say that a packet was lost or came in
// the wrong order.
var errorCounters = []string{"out_of_seq_request", "rcvd_seq_err", "retry_exceeded_err", "completer_retry_err", "rcvd_rnr_err"}

// counters reads rxe's counters in a guest.
func (n *network) counters(guest int) map[string]int {
	n.t.Helper()
	out, err := n.guests[guest].Shell(n.ctx, "cd /sys/class/infiniband/"+Device+"/ports/1/hw_counters; grep . *")
	require.NoError(n.t, err)
	all := map[string]int{}
	for line := range strings.Lines(out) {
		name, value, _ := strings.Cut(strings.TrimSpace(line), ":")
		if all[name], err = strconv.Atoi(value); err != nil {
			n.t.Fatalf("counter %q", line)
		}
	}
	return all
}

// TestPlainForwarding runs the usual RDMA programs, as they are, between two
// guests. The switch must be a bridge to them: no packet changed, none lost.
func TestPlainForwarding(t *testing.T) {
	n := newNetwork(t, options{guests: 2})
	to := guestAddr(0).String()

	out := &lab.Log{}
	p, err := n.guests[0].Start(Spec{Args: []string{"rping", "-s", "-a", to, "-C", "20", "-S", "4000", "-V", "-v"}, Stdout: out, Stderr: out})
	require.NoError(t, err)
	_, err = n.guests[0].Shell(n.ctx, listening)
	require.NoError(t, err)
	got, err := n.guests[1].Run(n.ctx, "rping", "-c", "-a", to, "-C", "20", "-S", "4000", "-V", "-v")
	require.NoError(t, err, "server: %s", out)
	require.Equal(t, 20, strings.Count(got, "ping data:"), got)
	_ = p.Wait(n.ctx) // rping's server exits with 1 when its client leaves

	for _, args := range [][]string{
		{"ib_send_lat", "-s", "64", "-n", "200"},
		{"ib_write_bw", "-s", "20000", "-n", "100"},
		{"ib_read_lat", "-s", "3000", "-n", "100"},
		{"ib_atomic_lat", "-n", "100"},
	} {
		t.Run(args[0], func(t *testing.T) {
			got := n.pair(0, 1, append(args, "-R", "-F", "-d", Device), to)
			t.Log(lastLines(got, 4))
		})
	}
	for i := range n.guests {
		c := n.counters(i)
		t.Logf("guest %d: %v", i+1, c)
		for _, name := range errorCounters {
			require.Contains(t, c, name)
			require.Zero(t, c[name], "%s of guest %d", name, i+1)
		}
	}
	all := n.stopSwitch()
	require.Greater(t, requireForwarded(t, all, "p1", "p2"), 3000)
	requireWellFormed(t, n.capture)
}

func lastLines(s string, n int) string {
	lines := strings.Split(strings.TrimSpace(s), "\n")
	return strings.Join(lines[max(0, len(lines)-n):], "\n")
}
