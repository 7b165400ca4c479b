package kv

import (
	"fmt"
	"net"
	"net/netip"
	"strings"

	kvcli "github.com/p4ce/p4ce/host/kv/cli"
	"github.com/p4ce/p4ce/internal/event"
	"github.com/p4ce/p4ce/systems/rdma/mu"
	"github.com/p4ce/p4ce/systems/rdma/smr"
)

// status prints a change of role, leader, mode or state.
func (k *log) status(st smr.Status) {
	k.server.Print(kvcli.Event{Event: event.Status, Role: st.Role.String(), Mode: st.Mode.String(), State: st.State.String(), Term: st.Term.String(), Leader: leaderOf(st)})
}

// leaderOf is where the leader serves clients, or which server it is.
func leaderOf(st smr.Status) string {
	if !st.Known {
		return ""
	}
	for _, m := range st.Members {
		if m.ID == st.Leader && m.Client != "" {
			return m.Client
		}
	}
	return fmt.Sprintf("server %d", st.Leader)
}

// clientAddress is where the cluster says that a server serves clients.
func clientAddress(n *smr.Node, id mu.ID) string {
	for _, m := range n.Status().Members {
		if m.ID == id {
			return m.Client
		}
	}
	return ""
}

// unreachable is whether a member's address for clients, "" for none, is one of other machines while the
// server listens on the loopback only.
func unreachable(client string, listen net.Addr) bool {
	t, ok := listen.(*net.TCPAddr)
	if !ok || !t.IP.IsLoopback() || client == "" {
		return false
	}
	host, _, err := net.SplitHostPort(client)
	if err != nil || host == "localhost" {
		return false
	}
	ip, err := netip.ParseAddr(host)
	return err != nil || !ip.IsLoopback()
}

// replicationInfo are lines for section replication of INFO.
func replicationInfo(n *smr.Node, o *flags) [][2]string {
	st := n.Status()
	info := [][2]string{
		{"server_id", fmt.Sprint(o.id)},
		{"server_role", st.Role.String()},
		{"server_state", st.State.String()},
		{"mode", st.Mode.String()},
		{"term", st.Term.String()},
		{"records", fmt.Sprint(st.Index)},
		{"confirmed_peers", fmt.Sprint(st.Confirmed)},
		{"fsync", fmt.Sprint(o.fsync)},
		{"reads", o.reads},
	}
	for i, m := range st.Members {
		var addrs []string
		for _, a := range m.Addrs {
			addrs = append(addrs, a.String())
		}
		info = append(info, [2]string{fmt.Sprintf("member%d", i), fmt.Sprintf("id=%d,rdma=%s,client=%s", m.ID, strings.Join(addrs, "+"), m.Client)})
	}
	return info
}
