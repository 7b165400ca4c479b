package smr

import (
	"context"
	"errors"
	"fmt"
	"net/netip"

	"github.com/p4ce/p4ce/host/rdma"
	"github.com/p4ce/p4ce/systems/rdma/mu"
	"github.com/p4ce/p4ce/systems/rdma/private"
	"github.com/p4ce/p4ce/systems/rdma/proof"
)

// Who may connect. Every side proves that it knows the cluster's token. In addition:
//
//   - A server connects from the address that the membership has for it, on the network
//     that it names. A server that waits to be added knows no membership; for it, the
//     proof is enough.
//   - The membership may have changed while this server was away. Today's leader may have
//     been added meanwhile, and only the leader can bring this server up to date. So a
//     server that is not known is admitted when a known member, asked, calls it a member.
//   - The switch connects from its own address, for the leader and the term that have the
//     permission to write the log. It has had that leader prove the token.
//
// The accepting side proves the token in turn, with its reply, and with the answer to a question.
//
// A proof answers a challenge of this server (package proof), so an overheard proof is useless.

// secret is what the servers of this cluster know.
func (n *Node) secret() private.Secret {
	return private.Secret{Cluster: n.cfg.Cluster, Token: n.cfg.Token}
}

// journaled is the bit of the version that says that promises and entries are on disk before they
// count. Servers that disagree about this must not count each other.
const journaled = 1 << 15

func (n *Node) version() uint16 {
	if n.cfg.Journal != "" {
		return protocolVersion | journaled
	}
	return protocolVersion
}

// request is what this server sends to connect to another server.
func (n *Node) request(dev int, id mu.ID, kind uint8) private.Request {
	return private.Request{
		Form: private.FormPeer, LeaderID: uint16(n.cfg.ID), Peer: uint16(id), Port: n.cfg.Port, Kind: kind, Route: uint8(dev),
		Cluster: n.cfg.Cluster, Version: n.version(),
	}
}

// check decides about a request.
func (n *Node) check(dev int, req rdma.Request) (*admitted, error) {
	m, err := private.ParseRequest(req.Private())
	a := &admitted{m: m}
	if err != nil {
		return a, err
	}
	from := req.RemoteAddr()
	switch m.Form {
	case private.FormAsk:
		if err = n.ours(m.Cluster); err == nil {
			err = n.proved(dev, from, a)
		}
	case private.FormPeer:
		err = n.checkPeer(dev, from, a)
	case private.FormMember:
		err = n.checkGroup(dev, from, a)
	default:
		err = errors.New("this is a server, not a switch: connect to the switch's address to form a group")
	}
	return a, err
}

// admitted is a request, and what is known about it once it has not been refused.
type admitted struct {
	m        private.Request
	key      inKey
	exchange *private.Exchange // used for the answer; nil: there is no token
}

// ours refuses other clusters before any proof, so that a server that has reached the wrong cluster is
// told so.
func (n *Node) ours(cluster uint64) error {
	if cluster != n.cfg.Cluster {
		return fmt.Errorf("cluster %d (this server is of cluster %d)", cluster, n.cfg.Cluster)
	}
	return nil
}

// proved checks the proof of a request.
func (n *Node) proved(dev int, from netip.Addr, a *admitted) (err error) {
	a.exchange, err = n.guard.Check(&a.m, from, n.cfg.Devices[dev].Addr())
	return err
}

// checkPeer decides about another server's request.
func (n *Node) checkPeer(dev int, from netip.Addr, a *admitted) error {
	m := &a.m
	switch {
	case m.Version == n.version()^journaled:
		keeps := map[bool]string{true: "keeps", false: "does not keep"}
		return fmt.Errorf("this server %s a journal (--fsync), server %d %s one: all servers of a cluster do, or none does",
			keeps[n.cfg.Journal != ""], m.LeaderID, keeps[n.cfg.Journal == ""])
	case m.Version != n.version():
		return fmt.Errorf("protocol version %d (this server has %d)", m.Version&^journaled, protocolVersion)
	}
	if err := n.ours(m.Cluster); err != nil {
		return err
	}
	if err := n.proved(dev, from, a); err != nil {
		return err
	}
	switch {
	case m.Peer != uint16(n.cfg.ID):
		return fmt.Errorf("the peer expects server %d, and this is server %d (are the addresses of two servers mixed up?)", m.Peer, n.cfg.ID)
	case m.LeaderID > mu.MaxID || m.LeaderID == uint16(n.cfg.ID):
		return fmt.Errorf("server id %d (another server has it, or it exceeds %d)", m.LeaderID, mu.MaxID)
	case m.Kind == kindWhole || m.Kind == kindStream:
		return fmt.Errorf("server %d asks for the state as earlier versions do [give all servers the same version]", m.LeaderID)
	case m.Kind > kindSnapshot:
		return fmt.Errorf("connection kind %d", m.Kind)
	case int(m.Route) != dev:
		return fmt.Errorf("network %d of server %d is this server's network %d (give all servers their networks in the same order)", m.Route, m.LeaderID, dev)
	}
	a.key = inKey{from: mu.ID(m.LeaderID), kind: mu.Control, route: m.Route}
	if m.Kind == kindReplication {
		a.key.kind = mu.Replication
	}
	k := a.key
	if n.knows(k.from, k.route, from) {
		return nil
	}
	if m.Kind != kindQuestion && (n.waits() || n.vouched(k.from, k.route, from)) {
		return nil
	}
	return noMember(k.from, from)
}

// checkGroup decides about the request of the switch on behalf of a leader.
func (n *Node) checkGroup(dev int, from netip.Addr, a *admitted) error {
	m := &a.m
	k := inKey{from: mu.ID(m.LeaderID), kind: mu.Group, term: mu.Term(m.Term >> genBits), gen: uint32(m.Term & mu.MaxGen)}
	a.key = k
	if dev != 0 || from != n.cfg.Switch {
		return fmt.Errorf("%v is not the switch of this server", from)
	}
	if err := n.proved(dev, from, a); err != nil {
		return err
	}
	switch {
	case m.LeaderID > mu.MaxID || !n.knows(k.from, 0, m.Leader):
		return noMember(k.from, m.Leader)
	}
	n.lock.Lock()
	defer n.lock.Unlock()
	if k.from != k.term.Leader() || !n.may(k) {
		return fmt.Errorf("server %d does not lead in term %v here", m.LeaderID, k.term)
	}
	return nil
}

// knows reports whether a member, or a server that is being added, has this address.
func (n *Node) knows(id mu.ID, route uint8, addr netip.Addr) bool {
	n.lock.Lock()
	defer n.lock.Unlock()
	m, ok := n.members[id]
	return ok && int(route) < len(m.Addrs) && m.Addrs[route].Addr() == addr
}

// waits reports whether this server waits to be added.
func (n *Node) waits() bool {
	n.lock.Lock()
	defer n.lock.Unlock()
	return len(n.core.Status().Members) == 0
}

// isMember is the text of the answer to a question about a server that is a member.
const isMember = "member"

// answer says whether a server that another server does not know is a member. No connection is needed
// for it: the refusal of a connection carries the answer.
func (n *Node) answer(m *private.Request) error {
	if m.About <= mu.MaxID && n.knows(mu.ID(m.About), m.Route, m.AboutAddr) {
		return errors.New(isMember)
	}
	return fmt.Errorf("the cluster has no member %d at %v", m.About, m.AboutAddr)
}

// maxQuestions limits how many questions strangers can make a server ask at a time.
const maxQuestions = 4

// vouched asks the members that this server knows about a server that it does not know. It reports
// whether any of them calls that server a member.
func (n *Node) vouched(id mu.ID, route uint8, addr netip.Addr) bool {
	select {
	case n.questions <- struct{}{}:
		defer func() { <-n.questions }()
	default:
		return false // it will try again
	}
	n.lock.Lock()
	var ask []Member
	for _, m := range n.members {
		if m.ID != id && int(route) < len(m.Addrs) {
			ask = append(ask, m)
		}
	}
	n.lock.Unlock()
	ctx, cancel := context.WithCancel(n.ctx)
	defer cancel()
	yes := make(chan bool, len(ask))
	for _, m := range ask {
		n.wg.Go(func() {
			r := n.request(int(route), m.ID, kindQuestion)
			r.About, r.AboutAddr = uint16(id), addr
			conn, err := n.dialPeer(ctx, int(route), &r, m.Addrs[route])
			if err == nil {
				_ = conn.Close() // no server answers like that
			}
			var answer *proof.Refused // answered by a member, and not by a stranger in its place
			yes <- errors.As(err, &answer) && answer.Text == isMember
		})
	}
	for range ask {
		if <-yes {
			return true
		}
	}
	return false
}
