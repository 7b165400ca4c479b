package vm

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/p4ce/p4ce/lab"
)

// event is what p4ce node prints.
type event struct {
	Event   string
	Mode    string
	Records uint64
	Total   uint64
	Writes  uint64
	Repairs uint64
	SHA256  string
	Error   string
}

// node is a p4ce node, in a guest or in a host's namespace.
type node struct {
	name  string
	stdin io.Writer
	ended <-chan struct{}
	err   func() error
	log   *lab.Log

	mu     sync.Mutex
	line   []byte
	events []event
	more   chan struct{} // closed when there are more events
}

// Write implements io.Writer: the node's standard output.
func (n *node) Write(p []byte) (int, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.line = append(n.line, p...)
	for {
		at := bytes.IndexByte(n.line, '\n')
		if at < 0 {
			return len(p), nil
		}
		var e event
		if json.Unmarshal(n.line[:at], &e) == nil {
			n.events = append(n.events, e)
			close(n.more)
			n.more = make(chan struct{})
		}
		n.line = n.line[at+1:]
	}
}

// await waits for the next event that satisfies ok, and forgets those before.
func (n *node) await(ctx context.Context, what string, ok func(e event) bool) (event, error) {
	for {
		n.mu.Lock()
		for i, e := range n.events {
			if ok(e) {
				n.events = n.events[i+1:]
				n.mu.Unlock()
				return e, nil
			}
		}
		more := n.more
		n.mu.Unlock()
		select {
		case <-more:
		case <-n.ended:
			// All it has said is in the list by now.
			n.mu.Lock()
			left := slices.ContainsFunc(n.events, ok)
			n.mu.Unlock()
			if !left {
				return event{}, fmt.Errorf("%s has ended before %q: %v\n%s", n.name, what, n.err(), n.log)
			}
		case <-ctx.Done():
			return event{}, fmt.Errorf("%s: no %q: %w\n%s", n.name, what, ctx.Err(), n.log)
		}
	}
}

func (n *node) event(t *testing.T, ctx context.Context, kind string) event {
	t.Helper()
	e, err := n.await(ctx, kind, func(e event) bool { return e.Event == kind })
	require.NoError(t, err)
	return e
}

func (n *node) say(t *testing.T, command string) {
	t.Helper()
	_, err := fmt.Fprintln(n.stdin, command)
	require.NoError(t, err, n.name)
}

func newNode(name string) *node { return &node{name: name, log: &lab.Log{}, more: make(chan struct{})} }

// guestBinary is where the guests have p4ce.
const guestBinary = "/usr/bin/p4ce"

// verbsImage is the image with p4ce in it, built with the verbs provider.
func verbsImage(t *testing.T) *Image {
	t.Helper()
	im := image(t)
	needVerbs(t)
	dir := t.TempDir()
	binary := p4ceBinary(t, "-tags", "verbs", "-ldflags", "-s -w")
	input := filepath.Join(dir, "input")
	require.NoError(t, os.WriteFile(input, []byte(text), 0o644))
	im, err := im.Extend(filepath.Join(dir, "initrd"), map[string]string{guestBinary: binary, "/input": input})
	require.NoError(t, err)
	return im
}

// text is what is replicated.
var text = strings.Repeat("It was the best of times, it was the worst of times, it was the age of wisdom, it was the age of foolishness. ", 300)

// slow are flags for servers that are emulated: an acknowledgement may take a
// while.
var slow = []string{"--ack-timeout", "4s"}

// guestNode starts a node in a guest.
func (n *network) guestNode(guest int, args ...string) *node {
	n.t.Helper()
	nd := newNode("guest " + n.guests[guest].Name)
	p, err := n.guests[guest].Start(Spec{
		Args: append(append([]string{guestBinary, "node", "--rdma", "verbs", "--device", Device}, slow...), args...), Stdout: nd, Stderr: nd.log,
	})
	require.NoError(n.t, err)
	nd.stdin, nd.ended, nd.err = p, p.Done(), p.Err
	return nd
}

// hostNode starts a node with a software endpoint in a host's namespace.
func (n *network) hostNode(host int, args ...string) *node {
	n.t.Helper()
	h := n.lab.Hosts[host]
	nd := newNode(h.Name)
	r, w, err := os.Pipe()
	require.NoError(n.t, err)
	defer r.Close()
	n.t.Cleanup(func() { w.Close() })
	p, err := n.lab.StartInHost(h, lab.Spec{
		Name: h.Name, Stdin: r, Stdout: nd, Stderr: nd.log,
		Args: append(append([]string{p4ceBinary(n.t), "node", "--interface", lab.Interface}, slow...), args...),
	})
	require.NoError(n.t, err)
	nd.stdin, nd.ended, nd.err = w, p.Done(), p.Err
	return nd
}

// digest asks a replica for the digest of its log.
func (n *node) digest(t *testing.T, ctx context.Context) event {
	t.Helper()
	n.say(t, "digest")
	return n.event(t, ctx, "digest")
}

// inputFile is where a server finds the text.
func (n *network) inputFile(s server) string {
	if s.inGuest {
		return "/input"
	}
	file := filepath.Join(n.t.TempDir(), "input")
	require.NoError(n.t, os.WriteFile(file, []byte(text), 0o644))
	return file
}
