package rsm

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/p4ce/p4ce/host/replicated"
	"github.com/p4ce/p4ce/systems/onepipe"
)

// disk is a machine that notes what is asked of it.
type disk struct {
	calls []string
	state []byte
	seen  func() // when Sync is called
}

func (d *disk) Load() ([]byte, error) { return d.state, nil }
func (d *disk) Apply(entries []replicated.Entry, state []byte) (results []any, err error) {
	d.calls = append(d.calls, "apply")
	d.state = state
	for _, e := range entries {
		results = append(results, string(e.Record))
	}
	return results, nil
}

func (d *disk) Snapshot() (replicated.Image, error) {
	d.calls = append(d.calls, "snapshot")
	return nil, errors.New("none")
}
func (d *disk) Restore(io.Reader) error { return errors.New("none") }
func (d *disk) Sync() error {
	d.calls = append(d.calls, "sync")
	if d.seen != nil {
		d.seen()
	}
	return nil
}

// serving is a node without a host that serves alone.
func serving(t *testing.T, c Config) (*Node, *disk) {
	t.Helper()
	d := &disk{}
	c.Machine, c.Logger = d, slog.New(slog.DiscardHandler)
	n := &Node{c: c, wake: make(chan struct{}, 1), done: make(chan struct{})}
	n.give(newGroup(member, state{}))
	require.NoError(t, n.begin())
	require.Equal(t, []string{"apply", "sync"}, d.calls, "a view begins on the disk")
	d.calls = nil
	return n, d
}

// said delivers what the node wants to send.
func said(t *testing.T, n *Node, time uint64) {
	t.Helper()
	to, data, ok := n.group.next()
	require.True(t, ok)
	require.NotEmpty(t, to)
	require.NoError(t, n.applyOne(&onepipe.Message{Time: time, From: member.Process, Data: data}))
}

// With Fsync a record is answered when it is on the disk.
func TestFsync(t *testing.T) {
	for _, fsync := range []bool{false, true} {
		n, d := serving(t, Config{Fsync: fsync})
		p := &proposal{record: []byte("x"), result: make(chan outcome, 1)}
		n.group.propose(p)
		d.seen = func() { require.Empty(t, p.result) }
		said(t, n, 1)
		require.NoError(t, n.flush())
		require.Equal(t, outcome{result: "x"}, <-p.result)
		want := []string{"apply"}
		if fsync {
			want = append(want, "sync")
		}
		require.Equal(t, want, d.calls)
		d.calls = nil
		require.NoError(t, n.flush())
		require.Empty(t, d.calls, "nothing is new")
	}
}

// The members are on the disk before anything of the view that they begin is answered, and before the state is given away.
func TestViewOnDisk(t *testing.T) {
	n, d := serving(t, Config{})
	other := member
	other.Name, other.Process.Number = "h2", 3
	added := make(chan image, 1)
	n.group.add(other, added)
	said(t, n, 1)
	require.Equal(t, []string{"apply", "sync", "sync", "snapshot"}, d.calls)
	st, err := parseState(d.state)
	require.NoError(t, err)
	require.Equal(t, []Member{member, other}, st.Members)
	require.Error(t, (<-added).err)
	d.calls = nil
	n.group.failed(other.Process)
	said(t, n, 2)
	require.Equal(t, []string{"apply", "sync"}, d.calls)
}

// A server that has missed a message that takes effect does not go on.
func TestMissed(t *testing.T) {
	n, _ := serving(t, Config{})
	m := message{kind: records, view: 9, records: [][]byte{[]byte("x")}}
	require.ErrorIs(t, n.applyOne(&onepipe.Message{Time: 1, From: member.Process, Data: m.append(nil)}), errMissed)
}

// Nobody is added by what is not a request of a server of the store, nor by a server that does not serve.
func TestJoinRequests(t *testing.T) {
	n, _ := serving(t, Config{Name: "h1", Servers: map[string]string{"h1": "unix:a", "h2": "unix:b"}})
	ask := func(method, path, body string) (code int) {
		w := httptest.NewRecorder()
		ctx, cancel := context.WithCancel(t.Context())
		cancel() // nobody waits for what is accepted
		r := httptest.NewRequestWithContext(ctx, method, path, strings.NewReader(body))
		defer func() { _ = recover() }() // the answer is broken off
		n.ServeHTTP(w, r)
		return w.Code
	}
	require.Equal(t, http.StatusOK, ask("GET", "/status", ""))
	for _, c := range [][3]string{{"POST", "/status", ""}, {"GET", "/join", ""}, {"GET", "/", ""}} {
		require.Equal(t, http.StatusNotFound, ask(c[0], c[1], c[2]))
	}
	for _, body := range []string{"", "{", `{"name":"h1","address":"10.0.0.1"}`, `{"name":"h3","address":"10.0.0.1"}`, `{"name":"h2","address":"x"}`, `{"name":"h2","address":"::1"}`, strings.Repeat("[", 1<<17)} {
		require.Equal(t, http.StatusBadRequest, ask("POST", "/join", body), body)
	}
	n.group.dead[member.Process] = true
	require.Equal(t, http.StatusServiceUnavailable, ask("POST", "/join", `{"name":"h2","address":"10.0.0.2","process":1}`), "a member has failed")
	clear(n.group.dead)
	n.group.serving = false
	require.Equal(t, http.StatusServiceUnavailable, ask("POST", "/join", `{"name":"h2","address":"10.0.0.2","process":1}`))
	require.Empty(t, n.group.queue)
}

// Bad configurations and records are errors.
func TestOpenErrors(t *testing.T) {
	open := func(onepipe.Events) (*onepipe.Host, error) { return nil, errors.New("no link") }
	for _, c := range []Config{
		{}, {Machine: &disk{}}, {Open: open}, {Machine: &disk{}, Open: open, Name: "a", Servers: map[string]string{"b": "unix:b"}},
		{Machine: &disk{}, Open: open, Name: "a", Servers: map[string]string{"a": "unix:a", strings.Repeat("b", 256): "unix:b"}},
		{Machine: &disk{state: []byte("other")}, Open: open, Name: "a", Servers: map[string]string{"a": "unix:a"}},
	} {
		_, err := Open(c)
		require.Error(t, err)
	}
	n, err := Open(Config{Machine: &disk{}, Open: open, Name: "a", Servers: map[string]string{"a": "unix:a"}})
	require.NoError(t, err)
	_, err = n.Propose(t.Context(), make([]byte, MaxRecord+1))
	require.ErrorIs(t, err, ErrRecord)
	<-n.Done()
	require.ErrorContains(t, n.Err(), "no link")
	require.ErrorContains(t, n.Health(), "no link")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = n.Propose(ctx, nil)
	require.Error(t, err)
	require.Error(t, n.Close())
}

// Who is no member has no say.
func TestStranger(t *testing.T) {
	n, _ := serving(t, Config{})
	stranger := member.Process
	stranger.Number++
	for _, data := range [][]byte{(&message{kind: records, view: 1, records: [][]byte{[]byte("x")}}).append(nil), []byte("x"), nil} {
		require.NoError(t, n.applyOne(&onepipe.Message{Time: 1, From: stranger, Data: data}))
		require.NoError(t, n.applyOne(&onepipe.Message{Time: 2, From: member.Process, Data: data[:len(data)/2]}))
	}
	require.Empty(t, n.entries)
	require.EqualValues(t, 6, n.group.strange)
}

// A server that the others have removed does not go on.
func TestRemoved(t *testing.T) {
	n, _ := serving(t, Config{})
	other := Member{"h2", onepipe.Process{Addr: member.Process.Addr, Number: 9}}
	n.group.Members = append(n.group.Members, other)
	m := message{kind: leave, view: 1, member: member}
	require.ErrorIs(t, n.applyOne(&onepipe.Message{Time: 1, From: other.Process, Data: m.append(nil)}), onepipe.ErrExpelled)
	require.False(t, n.group.serving)
}
