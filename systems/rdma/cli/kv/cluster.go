package kv

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"strconv"
	"strings"

	"github.com/p4ce/p4ce/internal/cli"
	"github.com/p4ce/p4ce/systems/rdma/mu"
	"github.com/p4ce/p4ce/systems/rdma/smr"
)

// parseMembers parses --member flags.
func parseMembers(flags []string, port uint16) ([]smr.Member, error) {
	var members []smr.Member
	for _, f := range flags {
		id, rest, ok := strings.Cut(f, "=")
		n, err := strconv.ParseUint(id, 10, 8)
		if !ok || err != nil || n > mu.MaxID {
			return nil, cli.Usagef("--member %q: want ID=ADDRESS[:PORT][+SECOND[:PORT]][,CLIENT], with an ID from 0 to %d", f, mu.MaxID)
		}
		m := smr.Member{ID: mu.ID(n)}
		addrs, client, _ := strings.Cut(rest, ",")
		for _, addr := range strings.Split(addrs, "+") {
			ap, err := netip.ParseAddrPort(addr)
			if err != nil {
				var a netip.Addr
				a, err = netip.ParseAddr(addr)
				ap = netip.AddrPortFrom(a, port)
			}
			if err != nil || !ap.Addr().Is4() {
				return nil, cli.Usagef("--member %q: %q is not an IPv4 address", f, addr)
			}
			m.Addrs = append(m.Addrs, ap)
		}
		if len(m.Addrs) > mu.Routes {
			return nil, cli.Usagef("--member %q: %d addresses (at most %d, joined by +)", f, len(m.Addrs), mu.Routes)
		}
		if m.Client = client; client != "" {
			if _, _, err := net.SplitHostPort(client); err != nil {
				return nil, cli.Usagef("--member %q: %q is not HOST:PORT, where the server serves clients", f, client)
			}
		}
		members = append(members, m)
	}
	return members, nil
}

// cluster is what CLUSTER changes.
type cluster struct {
	node *smr.Node
	port uint16
}

// Members implements kv.Cluster.
func (c cluster) Members() []string {
	var out []string
	for _, m := range c.node.Status().Members {
		var addrs []string
		for _, a := range m.Addrs {
			addrs = append(addrs, a.String())
		}
		out = append(out, fmt.Sprintf("%d=%s,%s", m.ID, strings.Join(addrs, "+"), m.Client))
	}
	return out
}

// Add implements kv.Cluster.
func (c cluster) Add(ctx context.Context, member string) error {
	members, err := parseMembers([]string{member}, c.port)
	if err != nil {
		return errors.New(strings.TrimPrefix(err.Error(), "--member "))
	}
	return c.node.AddServer(ctx, members[0])
}

// Remove implements kv.Cluster.
func (c cluster) Remove(ctx context.Context, id string) error {
	n, err := strconv.ParseUint(id, 10, 8)
	if err != nil || n > mu.MaxID {
		return fmt.Errorf("%q is not a server id (want 0 to %d)", id, mu.MaxID)
	}
	for _, m := range c.node.Status().Members {
		if m.ID == mu.ID(n) {
			return c.node.RemoveServer(ctx, mu.ID(n))
		}
	}
	return fmt.Errorf("server %d is not a member (CLUSTER MEMBERS lists the members)", n)
}
