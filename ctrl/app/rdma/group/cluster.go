package group

import (
	"errors"
	"fmt"
	"time"

	"github.com/p4ce/p4ce/roce/p4ce"
	"github.com/p4ce/p4ce/roce/wire"
)

// Where a cluster has a token, its leaders prove it to the switch, and the switch to its replicas: a
// proof is for two addresses and cannot be passed on.
//
//	leader                    controller                     replicas
//	  | ---- REQ, no proof ----> |                               |
//	  | <--- REJ, challenge ---- |                               |
//	  | ---- REQ, proof -------> | ---- REQ, no proof ---------> |  each
//	  |                          | <--- REJ, challenge --------- |
//	  |                          | ---- REQ, proof ------------> |
//	  |                          | <--- REP -------------------- |

// newChallenger draws a key, if there is a token to be asked for.
func newChallenger(cfg *Config) *p4ce.Challenger {
	var key [32]byte
	for _, c := range cfg.Clusters {
		if c.Token != 0 {
			for i := range key {
				key[i] = byte(cfg.Rand.Uint32())
			}
			break
		}
	}
	return p4ce.NewChallenger(key)
}

// cluster finds the cluster that a leader's request has been made by. Without any, everybody is
// of one that is not known.
func (c *Core) cluster(now time.Duration, r *p4ce.Request, leader, local wire.Addr) (*Cluster, error) {
	if len(c.cfg.Clusters) == 0 {
		return &Cluster{}, nil
	}
	secrets := make([]p4ce.Secret, len(c.cfg.Clusters))
	for i := range secrets {
		secrets[i] = c.cfg.Clusters[i].Secret
	}
	i, err := c.challenger.Check(now, r, leader.Netip(), local.Netip(), secrets...)
	if err == nil {
		return &c.cfg.Clusters[i], nil
	}
	const wrong = "wrong token, or a cluster that the controller does not know"
	var u *p4ce.Unproved
	switch {
	case !errors.As(err, &u):
		return nil, errors.New(wrong)
	case !u.Asks:
		u.Text = wrong
	}
	return nil, u
}

// replicas checks a leader's request, and returns its cluster and its replicas. The error is what the
// leader is told.
func (c *Core) replicas(now time.Duration, r *p4ce.Request, leader, local wire.Addr) (*Cluster, []member, error) {
	if !within(c.cfg.Allow, leader.Netip()) {
		return nil, nil, fmt.Errorf("leader %v is not in an allowed prefix", leader)
	}
	of, err := c.cluster(now, r, leader, local)
	if err != nil {
		return nil, nil, err
	}
	list, err := c.cfg.replicas(r, of, c.made, leader, local)
	return of, list, err
}

// proved is the private data of the next REQ to a replica, for a request that is complete but for
// the proof. That of a cluster without a token is the leader's.
func (g *group) proved(rep *replica, r *p4ce.Request) ([]byte, error) {
	if g.secret.Token == 0 {
		r.Proof = g.req.Proof
		return r.Append(nil)
	}
	if rep.prover == nil {
		rep.prover = g.secret.Prover(r, g.local.Netip(), rep.addr.Netip())
	}
	return rep.prover.Private()
}

// challenged answers a replica's REJ that wants the token proved, by another REQ. It reports whether it has.
func (c *Core) challenged(now time.Duration, rep *replica, private []byte) bool {
	g := rep.g
	if g.phase != connecting || rep.prover == nil || !rep.prover.Refused(private) {
		return false
	}
	out, err := g.request(rep, g.asked, g.header)
	if err != nil {
		return false
	}
	rep.conn = c.agent.Connect(now, g.local, rep.addr, out)
	rep.conn.Data = &rep.peer
	return true
}

// refusedBy is why a replica has refused, in words.
func (g *group) refusedBy(who string, r p4ce.Refusal) string {
	if g.secret.Token == 0 && r.Challenge != (p4ce.Challenge{}) {
		return fmt.Sprintf("%s wants a proof of its cluster's token, which this controller does not know [p4ce controller --cluster]", who)
	}
	return fmt.Sprintf("%s refused: %s", who, r.Text)
}
