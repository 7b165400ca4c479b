package txn

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"

	"github.com/p4ce/p4ce/host/replicated/transfer"
	"github.com/p4ce/p4ce/roce/wire"
	"github.com/p4ce/p4ce/systems/onepipe"
)

// maxStatus bounds what another server says, in bytes.
const maxStatus = 1 << 20

// strangeError is the error of a server that answers, and is not the one that it should be.
type strangeError struct{ text string }

func (e *strangeError) Error() string { return e.text }

// where asks a server where its shard is.
func (n *Node) where(ctx context.Context, name string) (p onepipe.Process, err error) {
	r, err := transfer.Peer{Address: n.c.Servers[name], Dial: n.c.Dial}.Do(ctx, http.MethodGet, "/status", nil)
	if err != nil {
		return p, err
	}
	defer r.Close()
	var s Status
	if err := json.NewDecoder(io.LimitReader(r, maxStatus)).Decode(&s); err != nil {
		return p, &strangeError{fmt.Sprintf("it does not say where its shard is: %v", err)}
	}
	return n.shardOf(name, &s)
}

// shardOf is where the shard of a server is that says this of itself. Keys are at the same server for all only if all
// have the same list of servers.
func (n *Node) shardOf(name string, s *Status) (p onepipe.Process, err error) {
	ip := net.ParseIP(s.Address).To4()
	switch {
	case s.Name != name:
		return p, &strangeError{fmt.Sprintf("it is server %q", s.Name)}
	case !slices.Equal(s.Servers, n.names):
		return p, &strangeError{fmt.Sprintf("its servers are %v, and here they are %v [all servers must have the same deployment]", s.Servers, n.names)}
	case s.Why != "":
		return p, fmt.Errorf("it %s", s.Why)
	case ip == nil:
		return p, &strangeError{fmt.Sprintf("its shard is at %q", s.Address)}
	}
	return onepipe.Process{Addr: wire.Addr(ip), Number: s.Process}, nil
}

// ServeHTTP answers other servers: GET /status says where this server's shard is (Status, as JSON).
func (n *Node) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodGet || r.URL.Path != "/status" {
		http.Error(w, "GET /status", http.StatusNotFound)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(n.Status())
}
