package vm

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sync/errgroup"

	"github.com/p4ce/p4ce/lab"
)

// redis is the port of the store.
const redis = 6379

// client is a client of the store in a host's namespace. It asks one server after
// the other, until one has done what it wants.
type client struct {
	n       *network
	host    int
	servers []netip.Addr
	last    int // the server that answered
}

// errReply is an error that a server replies.
type errReply string

func (e errReply) Error() string { return string(e) }

// do sends one command to one server, and returns the reply.
func (c *client) do(ctx context.Context, server int, args ...string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	var conn net.Conn
	err := c.n.lab.InHost(c.n.lab.Hosts[c.host], func() (err error) {
		// One address, so it connects on this thread, and in its namespace.
		conn, err = (&net.Dialer{}).DialContext(ctx, "tcp", netip.AddrPortFrom(c.servers[server], redis).String())
		return err
	})
	if err != nil {
		return "", err
	}
	defer conn.Close()
	if deadline, ok := ctx.Deadline(); ok {
		_ = conn.SetDeadline(deadline)
	}
	req := fmt.Sprintf("*%d\r\n", len(args))
	for _, a := range args {
		req += fmt.Sprintf("$%d\r\n%s\r\n", len(a), a)
	}
	if _, err := conn.Write([]byte(req)); err != nil {
		return "", err
	}
	r := bufio.NewReader(conn)
	line, err := r.ReadString('\n')
	if err != nil {
		return "", err
	}
	line = strings.TrimRight(line, "\r\n")
	switch line[0] {
	case '-':
		return "", errReply(line[1:])
	case '$':
		if line == "$-1" {
			return "", errors.New("no such key")
		}
		line, err = r.ReadString('\n')
		return strings.TrimRight(line, "\r\n"), err
	}
	return line, nil
}

// any sends a command to the servers in turn until one accepts it. The commands
// of the test may be repeated.
func (c *client) any(ctx context.Context, args ...string) (string, error) {
	var why error
	for {
		for range c.servers {
			got, err := c.do(ctx, c.last, args...)
			if err == nil {
				return got, nil
			}
			why = err
			c.last = (c.last + 1) % len(c.servers)
		}
		select {
		case <-ctx.Done():
			return "", fmt.Errorf("%v: %w", args, why)
		case <-time.After(100 * time.Millisecond):
		}
	}
}

// TestLeaderDies: a store on three guests with rxe. The leader's guest dies, and
// later the switch, which carries everything. Nothing that was answered is lost, and
// the servers that are left agree.
func TestLeaderDies(t *testing.T) {
	n := newNetwork(t, options{guests: 3, hosts: 1, image: verbsImage(t), memory: 512, rxe: RXE{MTU: lab.MTU}})
	c := &client{n: n}
	var members []string
	for i := range n.guests {
		a := guestAddr(i)
		c.servers = append(c.servers, a)
		members = append(members, "--member", fmt.Sprintf("%d=%v,%v:%d", i+1, a, a, redis))
	}
	var nodes []*node
	for i, g := range n.guests {
		nd := newNode("guest " + g.Name)
		p, err := g.Start(Spec{Stdout: nd, Stderr: nd.log, Args: append([]string{
			guestBinary, "kv", "--rdma", "verbs", "--id", fmt.Sprint(i + 1), "--data", "/tmp/store", "--switch", lab.SwitchIP.String(),
			"--log-size", fmt.Sprint(1 << 20), "--ack-timeout", "1s", "--listen", fmt.Sprint(":", redis), "--insecure",
		}, members...)})
		require.NoError(t, err)
		nd.stdin, nd.ended, nd.err = p, p.Done(), p.Err
		nodes = append(nodes, nd)
		t.Cleanup(func() {
			if t.Failed() {
				t.Logf("%s: %s", nd.name, nd.log)
			}
		})
	}
	var g errgroup.Group
	for _, nd := range nodes {
		g.Go(func() error {
			_, err := nd.await(n.ctx, "ready", func(e event) bool { return e.Event == "ready" })
			return err
		})
	}
	require.NoError(t, g.Wait())

	stored := 0
	store := func(what string) {
		const count = 30
		for range count {
			stored++
			_, err := c.any(n.ctx, "SET", fmt.Sprint("key ", stored), fmt.Sprint("value ", stored))
			require.NoError(t, err, what)
		}
		for i := range stored {
			got, err := c.any(n.ctx, "GET", fmt.Sprint("key ", i+1))
			require.NoError(t, err, what)
			require.Equal(t, fmt.Sprint("value ", i+1), got, what)
		}
		t.Logf("%s: %d keys are there; server %d answered last", what, stored, c.last+1)
	}
	store("at first")
	_, err := nodes[c.last].await(n.ctx, "accelerated", func(e event) bool { return e.Mode == "accelerated" })
	require.NoError(t, err)
	store("accelerated")

	dead := c.last
	n.guests[dead].Kill()
	store("after the leader's death")
	require.NotEqual(t, dead, c.last)

	n.cluster.Switch().Kill()
	require.NoError(t, n.cluster.StartSwitch(n.ctx))
	store("after the switch's death")

	var left []*node
	for i, nd := range nodes {
		if i != dead {
			left = append(left, nd)
		}
	}
	require.Eventually(t, func() bool {
		a, b := left[0].digest(t, n.ctx), left[1].digest(t, n.ctx)
		return a.SHA256 == b.SHA256 && a.Records == b.Records
	}, time.Minute, 100*time.Millisecond, "the servers that are left hold the same")
}
