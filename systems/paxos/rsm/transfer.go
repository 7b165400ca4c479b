package rsm

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strconv"

	"github.com/p4ce/p4ce/host/replicated"
	"github.com/p4ce/p4ce/host/replicated/transfer"
	"github.com/p4ce/p4ce/systems/paxos"
)

// image is a consistent image of this host's machine, or the reason why there is none.
type image struct {
	replicated.Image
	at  uint64 // lowest instance that is not in it
	err error
}

const (
	// maxStreams is how many hosts may get the state at a time.
	maxStreams = 2
	// positionHeader says which instance an image goes up to.
	positionHeader = "P4ce-Position"
)

// The log's goroutine calls snapshot.
func (n *Node) snapshot() image {
	if n.flush(); n.ended() {
		return image{err: ErrClosed}
	}
	i, err := n.c.Machine.Snapshot()
	return image{i, n.stored.Load(), err}
}

// ServeHTTP gives this host's state to another host that asks with GET and from=INSTANCE, the lowest
// instance that it does not have. The answer is an image (replicated.Image), 204 if this host is no
// further, or 503 if it already gives its state to enough others.
func (n *Node) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	from, err := strconv.ParseUint(r.URL.Query().Get("from"), 10, 64)
	if r.Method != http.MethodGet || err != nil {
		http.Error(w, "GET with from=INSTANCE", http.StatusBadRequest)
		return
	}
	if n.log.Status().Position <= from {
		w.WriteHeader(http.StatusNoContent)
		return
	}
	if n.streaming.Add(1) > maxStreams {
		n.streaming.Add(-1)
		http.Error(w, "other hosts are receiving the state", http.StatusServiceUnavailable)
		return
	}
	defer n.streaming.Add(-1)
	answer := make(chan image, 1)
	n.images <- answer // has room for all streams
	var i image
	select {
	case i = <-answer:
	case <-n.done:
		http.Error(w, ErrClosed.Error(), http.StatusServiceUnavailable)
		return
	}
	if i.err != nil {
		http.Error(w, i.err.Error(), http.StatusServiceUnavailable)
		return
	}
	if i.at <= from {
		i.Close()
		w.WriteHeader(http.StatusNoContent)
		return
	}
	w.Header().Set(positionHeader, strconv.FormatUint(i.at, 10))
	if err := transfer.Give(w, i); err != nil {
		n.c.Logger.Warn("the state was not sent to another host", "host", r.RemoteAddr, "error", err)
		panic(http.ErrAbortHandler) // otherwise a partial image would look complete
	}
	n.given.Add(1)
	n.c.Logger.Info("the state was sent to another host", "host", r.RemoteAddr, "instance", i.at)
}

// Fetch implements paxos.StateTransfer: the log calls it when the switches have forgotten what
// comes next.
func (n *Node) Fetch(ctx context.Context, from uint64) ([]byte, error) {
	<-n.opened
	if n.flush(); n.ended() {
		return nil, ErrClosed
	}
	var errs []error
	for _, peer := range n.c.Peers {
		state, err := n.fetch(ctx, peer, from)
		if err != nil {
			errs = append(errs, fmt.Errorf("%s: %w", peer, err))
			continue
		}
		if state != nil {
			return state, nil
		}
	}
	if len(errs) > 0 {
		n.c.Logger.Warn("this host is behind, and no other host sends its state", "instance", from, "error", errors.Join(errs...))
	}
	return nil, errors.Join(errs...)
}

// fetch asks one host. The state is nil if that host is no further.
func (n *Node) fetch(ctx context.Context, peer string, from uint64) ([]byte, error) {
	r, err := transfer.Peer{Address: peer, Dial: n.c.Dial}.Do(ctx, http.MethodGet, "/?from="+strconv.FormatUint(from, 10), nil)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	if r.StatusCode == http.StatusNoContent {
		return nil, nil
	}
	at, err := strconv.ParseUint(r.Header.Get(positionHeader), 10, 64)
	if err != nil || at <= from {
		return nil, fmt.Errorf("it reports all instances up to %q", r.Header.Get(positionHeader))
	}
	n.c.Logger.Info("receives the state of another host", "peer", peer, "instance", from, "up_to", at)
	if err := n.c.Machine.Restore(r); err != nil {
		return nil, err
	}
	// The machine has another state now: anything that does not fit it ends the node.
	state, err := n.c.Machine.Load()
	if err == nil {
		state, err = n.restore(state)
	}
	if err == nil {
		if at, _ := paxos.StatePosition(state); at <= from {
			err = fmt.Errorf("the state of %s ends before instance %d, and %d is next", peer, at, from)
		}
	}
	if err != nil {
		n.fail(err)
		return nil, err
	}
	if n.appears(state) {
		n.fail(n.forgotten())
		return nil, ErrForgotten
	}
	n.fetched.Add(1)
	n.durable.Store(n.stored.Load())
	return state, nil
}
