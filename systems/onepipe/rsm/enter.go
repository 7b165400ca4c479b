package rsm

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/p4ce/p4ce/host/replicated"
	"github.com/p4ce/p4ce/host/replicated/transfer"
	"github.com/p4ce/p4ce/roce/wire"
	"github.com/p4ce/p4ce/systems/onepipe"
)

const (
	// lookAgain is the pause of a server that waits for others.
	lookAgain = 200 * time.Millisecond
	// maxStreams is how many servers may get the state at a time.
	maxStreams = 2
	// maxRequest bounds what a peer says, in bytes.
	maxRequest = 64 << 10
)

// status asks a server.
func (n *Node) status(ctx context.Context, name string) (s Status, err error) {
	r, err := n.peer(name).Do(ctx, http.MethodGet, "/status", nil)
	if err != nil {
		return s, err
	}
	defer r.Close()
	err = json.NewDecoder(io.LimitReader(r, maxRequest)).Decode(&s)
	if err == nil && s.Name != name {
		err = fmt.Errorf("it is server %q", s.Name)
	}
	return s, err
}

func (n *Node) peer(name string) transfer.Peer {
	return transfer.Peer{Address: n.c.Servers[name], Dial: n.c.Dial}
}

// enter lets this server take part: it joins the others, or begins.
func (n *Node) enter(ctx context.Context) error {
	for {
		why, entered, err := n.tryEnter(ctx)
		if err != nil {
			return err
		}
		if entered {
			n.serve()
			return nil
		}
		n.wait(why)
		select {
		case <-time.After(lookAgain):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// tryEnter asks the others, and says why this server cannot take part yet. An error ends the server's life.
func (n *Node) tryEnter(ctx context.Context) (why string, entered bool, err error) {
	self := n.Status()
	answers := map[string]Status{n.c.Name: self}
	for _, name := range n.peers {
		s, err := n.status(ctx, name)
		if err != nil {
			continue
		}
		if s.Serving {
			err := n.join(ctx, name)
			if err == nil {
				return "", true, nil
			}
			if errors.Is(err, errRestored) || ctx.Err() != nil {
				return "", false, err
			}
			return fmt.Sprintf("could not join server %s: %v", name, err), false, nil
		}
		answers[name] = s
	}
	if n.c.Begin {
		n.c.Logger.Warn("this server begins without asking the others what they have, as it was told")
		return "", true, n.begin()
	}
	first, missing := beginner(answers)
	switch {
	case len(missing) > 0:
		return "waits for " + strings.Join(missing, ", "), false, nil
	case first != n.c.Name:
		return fmt.Sprintf("waits for %s to begin", first), false, nil
	}
	return "", true, n.begin()
}

// beginner says which of the servers begins, none of which serves. missing are those that must answer first: members of the
// newest view who have not answered, or who have lost what they had.
func beginner(answers map[string]Status) (first string, missing []string) {
	var newest Status
	for _, name := range sortedNames(answers) {
		if s := answers[name]; newest.Name == "" || s.View > newest.View {
			newest = s
		}
	}
	for _, name := range newest.Members {
		switch s, ok := answers[name]; {
		case !ok:
			missing = append(missing, "server "+name)
		case newest.View > 0 && s.View == 0:
			missing = append(missing, "the state of server "+name+", which has lost it")
		}
	}
	for _, name := range sortedNames(answers) {
		s, best := answers[name], answers[first]
		if first == "" || cmp.Or(cmp.Compare(s.View, best.View), cmp.Compare(s.Records, best.Records)) > 0 {
			first = name
		}
	}
	return first, missing
}

func sortedNames(m map[string]Status) (list []string) {
	for name := range m {
		list = append(list, name)
	}
	slices.Sort(list)
	return list
}

// begin starts a view of this server alone.
func (n *Node) begin() error {
	n.mu.Lock()
	n.group.begin()
	n.mu.Unlock()
	n.unsaved = true
	return n.flushSynced()
}

// request asks to be added.
type request struct {
	Name    string `json:"name"`
	Address string `json:"address"`
	Process uint16 `json:"process"`
}

// errRestored is the error of a machine whose state has been replaced by one that it cannot go on with.
var errRestored = errors.New("the state of another server")

// join asks a server to be added, and takes its state.
func (n *Node) join(ctx context.Context, name string) error {
	n.wait("joins server " + name)
	n.mu.Lock()
	self := n.group.self
	n.mu.Unlock()
	ask, err := json.Marshal(request{self.Name, net.IP(self.Process.Addr[:]).String(), self.Process.Number})
	if err != nil {
		return err
	}
	r, err := n.peer(name).Do(ctx, http.MethodPost, "/join", bytes.NewReader(ask))
	if err != nil {
		return err
	}
	defer r.Close()
	if err := n.c.Machine.Restore(r); err != nil {
		return err
	}
	st, err := n.load()
	if err == nil {
		err = n.c.Machine.Sync()
	}
	if err != nil {
		return fmt.Errorf("%w: %w", errRestored, err)
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	if !n.group.install(st) {
		return errors.New("its state does not have this server among the members")
	}
	n.fetched.Add(1)
	return nil
}

// ServeHTTP answers other servers. GET /status says how this one is doing (Status, as JSON). POST /join, with the name,
// the address and the process of a server (JSON), adds it to the members; the answer is the state of the moment
// when it was added (replicated.Image), or 503 if this server cannot add it now.
func (n *Node) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	switch {
	case r.Method == http.MethodGet && r.URL.Path == "/status":
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(n.Status())
	case r.Method == http.MethodPost && r.URL.Path == "/join":
		n.serveJoin(w, r)
	default:
		http.Error(w, "GET /status, or POST /join", http.StatusNotFound)
	}
}

func (n *Node) serveJoin(w http.ResponseWriter, r *http.Request) {
	var ask request
	err := json.NewDecoder(io.LimitReader(r.Body, maxRequest)).Decode(&ask)
	addr := net.ParseIP(ask.Address).To4()
	if err != nil || addr == nil || ask.Name == n.c.Name || n.c.Servers[ask.Name] == "" {
		http.Error(w, "want the name, address and process of another server of the store", http.StatusBadRequest)
		return
	}
	if n.streaming.Add(1) > maxStreams {
		n.streaming.Add(-1)
		http.Error(w, "other servers are receiving the state", http.StatusServiceUnavailable)
		return
	}
	defer n.streaming.Add(-1)
	added := make(chan image, 1)
	n.mu.Lock()
	g := n.group
	ok := g != nil && g.serving && g.settled()
	if ok {
		g.add(Member{ask.Name, onepipe.Process{Addr: wire.Addr(addr), Number: ask.Process}}, added)
	}
	n.mu.Unlock()
	if !ok {
		http.Error(w, "this server cannot add another one now", http.StatusServiceUnavailable)
		return
	}
	n.wakeUp()
	w.WriteHeader(http.StatusOK)
	_ = http.NewResponseController(w).Flush() // it may take a moment, and the other server must not think that nobody is here
	i, err := n.added(r.Context(), added)
	if err == nil {
		err = transfer.Give(w, i)
	}
	if err != nil {
		n.c.Logger.Warn("the state was not sent to another server", "server", ask.Name, "error", err)
		panic(http.ErrAbortHandler) // otherwise a partial image would look complete
	}
	n.c.Logger.Info("the state was sent to another server", "server", ask.Name)
}

// added waits for the image of the moment when a server was added.
func (n *Node) added(ctx context.Context, added chan image) (replicated.Image, error) {
	var err error
	select {
	case i := <-added:
		return i.Image, i.err
	case <-ctx.Done():
		err = ctx.Err()
	case <-n.done:
		err = ErrClosed
	}
	go func() { // it may still come
		select {
		case i := <-added:
			if i.err == nil {
				i.Close()
			}
		case <-n.done:
		}
	}()
	return nil, err
}
