package vm

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/p4ce/p4ce/test/cluster"
	"github.com/p4ce/p4ce/test/lab"
)

// nodeEvent is what p4ce node prints, one per line.
type nodeEvent struct {
	Event, Mode, SHA256, Error string
	Records, Writes            int
}

// events collects what a node prints.
type events struct {
	mu     sync.Mutex
	rest   []byte
	all    []nodeEvent
	change chan struct{}
	other  bytes.Buffer // what is no event
}

func newEvents() *events { return &events{change: make(chan struct{})} }

func (e *events) Write(p []byte) (int, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.rest = append(e.rest, p...)
	for {
		i := bytes.IndexByte(e.rest, '\n')
		if i < 0 {
			break
		}
		var v nodeEvent
		if json.Unmarshal(e.rest[:i], &v) == nil {
			e.all = append(e.all, v)
		} else {
			e.other.Write(e.rest[:i+1])
		}
		e.rest = e.rest[i+1:]
	}
	close(e.change)
	e.change = make(chan struct{})
	return len(p), nil
}

// wait returns the next event of a name, and drops those before it.
func (e *events) wait(ctx context.Context, name string, ended <-chan struct{}) (nodeEvent, error) {
	for {
		e.mu.Lock()
		for i, v := range e.all {
			if v.Event == name {
				e.all = e.all[i+1:]
				e.mu.Unlock()
				return v, nil
			}
		}
		change := e.change
		all, other := fmt.Sprintf("%+v", e.all), e.other.String()
		e.mu.Unlock()
		select {
		case <-change:
		case <-ended:
			return nodeEvent{}, fmt.Errorf("ended before %q: %s\n%s", name, all, other)
		case <-ctx.Done():
			return nodeEvent{}, fmt.Errorf("no %q: %s\n%s", name, all, other)
		}
	}
}

// runningNode is a p4ce node, in a guest or in a host's namespace.
type runningNode struct {
	t     *testing.T
	ctx   context.Context
	out   *events
	done  <-chan struct{}
	input io.Writer
}

// ends waits for the end.
func (n *runningNode) ends() {
	n.t.Helper()
	select {
	case <-n.done:
	case <-n.ctx.Done():
		n.t.Fatal("a node does not end")
	}
}

func (n *runningNode) wait(event string) nodeEvent {
	n.t.Helper()
	e, err := n.out.wait(n.ctx, event, n.done)
	require.NoError(n.t, err)
	return e
}

func (n *runningNode) tell(command string) {
	n.t.Helper()
	_, err := io.WriteString(n.input, command+"\n")
	require.NoError(n.t, err)
}

func (n *network) nodeInGuest(i int, args ...string) *runningNode {
	n.t.Helper()
	out := newEvents()
	p, err := n.guests[i].Start(Spec{
		Args:   append([]string{"p4ce", "node", "--rdma", "verbs", "--device", Device, "--ack-timeout", "400ms"}, args...),
		Stdout: out, Stderr: out,
	})
	require.NoError(n.t, err)
	return &runningNode{n.t, n.ctx, out, p.Done(), p}
}

func (n *network) nodeInHost(i int, binary string, args ...string) *runningNode {
	n.t.Helper()
	out := newEvents()
	// A file: of any other reader the end would be waited for.
	r, w, err := os.Pipe()
	require.NoError(n.t, err)
	defer r.Close()
	p, err := n.lab.StartInHost(n.lab.Hosts[i], lab.Spec{
		Name: "node", Args: append([]string{binary, "node", "--interface", lab.Interface, "--ack-timeout", "400ms"}, args...),
		Stdin: r, Stdout: out, Stderr: out,
	})
	require.NoError(n.t, err)
	n.t.Cleanup(func() { w.Close() })
	return &runningNode{n.t, n.ctx, out, p.Done(), w}
}

// TestVerbsNode replicates from a leader on rxe to a replica on rxe and one in
// software, directly and through the switch.
func TestVerbsNode(t *testing.T) {
	im := image(t)
	needVerbs(t)
	dir := t.TempDir()
	binary, err := cluster.Build(dir, "-tags", "verbs", "-ldflags", "-s -w")
	require.NoError(t, err)
	input := filepath.Join(dir, "records")
	require.NoError(t, os.WriteFile(input, []byte(longText), 0o644))
	im, err = im.Extend(filepath.Join(dir, "initrd"), map[string]string{"/usr/bin/p4ce": binary, "/records": input})
	require.NoError(t, err)
	n := newNetwork(t, options{guests: 2, hosts: 1, memory: 512, image: im})

	replicas := []*runningNode{n.nodeInGuest(1, "--role", "replica"), n.nodeInHost(0, binary, "--role", "replica")}
	for _, r := range replicas {
		r.wait("ready")
	}
	const records = 200
	leader := n.nodeInGuest(0, "--role", "leader", "--replicas", fmt.Sprintf("%v,%v", guestAddr(1), n.lab.Hosts[0].IP),
		"--switch", lab.SwitchIP.String(), "--modes", "direct,accelerated", "--input", "/records", "--count", fmt.Sprint(records), "--window", "8")
	leader.wait("ready")
	for _, mode := range []string{"direct", "accelerated"} {
		require.Equal(t, mode, leader.wait("mode").Mode)
		leader.tell("go")
		done := leader.wait("done")
		t.Logf("%s: %+v", mode, done)
		require.Equal(t, records, done.Records)
		if mode == "direct" {
			require.GreaterOrEqual(t, done.Writes, 2*records)
		} else {
			require.Less(t, done.Writes, 2*records, "one WRITE for each record, and some for commits and repairs")
		}
	}
	want := leader.wait("digest")
	require.Equal(t, 2*records, want.Records)
	require.Len(t, want.SHA256, 64)
	for i, r := range replicas {
		// What is decided may still have to be applied there.
		for {
			r.tell("digest")
			got := r.wait("digest")
			if got.Records == want.Records {
				require.Equal(t, want.SHA256, got.SHA256, "replica %d", i+1)
				break
			}
			require.Less(t, got.Records, want.Records)
		}
	}
	for _, r := range append(replicas, leader) {
		r.tell("quit")
		r.ends()
	}
}

// longText is what is replicated.
const longText = `In-network consensus: a leader replicates with one WRITE, which the switch copies to every replica,
rewritten so that each takes it for its own; it gathers their acknowledgements, and answers the leader once a quorum holds
the data. Here the leader and one of the replicas are the Linux kernel's own RDMA device.`
