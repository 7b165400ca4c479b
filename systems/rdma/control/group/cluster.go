package group

import (
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/p4ce/p4ce/roce/cm"
	"github.com/p4ce/p4ce/roce/wire"
	rdmaprivate "github.com/p4ce/p4ce/systems/rdma/private"
)

// Where a cluster has a token, its leaders prove it to the switch, and the switch to its replicas: a
// proof is for two addresses and cannot be passed on. Whoever answers proves it in turn, with the challenge and the REP.
//
//	leader                    controller                     replicas
//	  | ---- REQ, nonce -------> |                               |
//	  | <--- REJ, challenge ---- |                               |
//	  | ---- REQ, proof -------> | ---- REQ, nonce ------------> |  each
//	  |                          | <--- REJ, challenge --------- |
//	  |                          | ---- REQ, proof ------------> |
//	  |                          | <--- REP, answer ------------ |
//	  | <--- REP, answer ------- |                               |

// newChallenger draws a key, if there is a token to be asked for.
func newChallenger(cfg *Config) *rdmaprivate.Challenger {
	var key [32]byte
	for _, c := range cfg.Clusters {
		if c.Token != 0 {
			for i := range key {
				key[i] = byte(cfg.Rand.Uint32())
			}
			break
		}
	}
	return rdmaprivate.NewChallenger(key)
}

// proven is a cluster that a leader has shown to be of, and by what it is answered; nil where there is no token.
type proven struct {
	*Cluster
	exchange *rdmaprivate.Exchange
}

// ask answers a leader that asks for a challenge: the error is the challenge, or why there is none.
func (c *Core) ask(now time.Duration, r *rdmaprivate.Request, leader, local wire.Addr) error {
	if err := c.allowed(leader); err != nil {
		return err
	}
	if len(c.cfg.Clusters) == 0 {
		return errors.New("this controller does not know the cluster's token [p4ce controller --cluster]")
	}
	_, err := c.cluster(now, r, leader, local)
	return err
}

func (c *Core) allowed(leader wire.Addr) error {
	if !within(c.cfg.Allow, leader.Netip()) {
		return fmt.Errorf("leader %v is not in an allowed prefix", leader)
	}
	return nil
}

// cluster finds the cluster that a leader's request has been made by. Without any, everybody is
// of one that is not known.
func (c *Core) cluster(now time.Duration, r *rdmaprivate.Request, leader, local wire.Addr) (proven, error) {
	if len(c.cfg.Clusters) == 0 {
		return proven{Cluster: &Cluster{}}, nil
	}
	secrets := make([]rdmaprivate.Secret, len(c.cfg.Clusters))
	for i := range secrets {
		secrets[i] = c.cfg.Clusters[i].Secret
	}
	i, x, err := c.challenger.Check(now, r, leader.Netip(), local.Netip(), secrets...)
	if err == nil {
		return proven{&c.cfg.Clusters[i], x}, nil
	}
	const wrong = "wrong token, or a cluster that the controller does not know"
	var u *rdmaprivate.Unproved
	switch {
	case !errors.As(err, &u):
		return proven{}, errors.New(wrong)
	case !u.Asks:
		u.Text = wrong
	}
	return proven{}, u
}

// replicas checks a leader's request, and returns its cluster and its replicas. The error is what the
// leader is told.
func (c *Core) replicas(now time.Duration, r *rdmaprivate.Request, leader, local wire.Addr) (proven, []member, error) {
	if err := c.allowed(leader); err != nil {
		return proven{}, nil, err
	}
	of, err := c.cluster(now, r, leader, local)
	if err != nil {
		return proven{}, nil, err
	}
	list, err := c.cfg.replicas(r, of.Cluster, c.static, leader, local)
	return of, list, err
}

// proved is the private data of the next REQ to a replica, for a request that is complete but for
// the proof. That of a cluster without a token is the leader's.
func (c *Core) proved(g *group, rep *replica, r *rdmaprivate.Request) ([]byte, error) {
	if g.secret.Token == 0 {
		r.Proof = g.req.Proof
		return r.Append(nil)
	}
	if rep.prover == nil {
		rep.prover = g.secret.Prover(r, g.local.Netip(), rep.addr.Netip(), c.cfg.Rand.Uint64)
	}
	return rep.prover.Private()
}

// challenged answers a replica's REJ that wants the token proved, by another REQ. It reports whether it has. The error is that the
// challenge is a stranger's.
func (c *Core) challenged(now time.Duration, rep *replica, private []byte) (bool, error) {
	g := rep.g
	if g.phase != connecting || rep.prover == nil {
		return false, nil
	}
	again, _, err := rep.prover.Refused(private)
	if !again {
		return false, err
	}
	out, err := c.request(g, rep, g.asked, g.header)
	if err != nil {
		return false, nil
	}
	rep.conn = c.agent.Connect(now, g.local, rep.addr, out)
	rep.conn.Data = &rep.peer
	return true, nil
}

// proves looks at who has answered in a replica's name. The error is that he is a stranger.
func (g *group) proves(rep *replica, private []byte) error {
	switch {
	case g.secret.Token == 0:
		return nil
	case rep.part != nil:
		return rep.exchange.Replied(private)
	case rep.prover != nil:
		return rep.prover.Replied(private)
	}
	return rdmaprivate.ErrStranger
}

// stranger ends a group that would have had one for a replica.
func (c *Core) stranger(now time.Duration, g *group, r *peer, err error) {
	c.stats.Strangers++
	text := fmt.Sprintf("replica %d (%v): %v", r.slot, r.addr, err)
	c.note(slog.LevelWarn, "a stranger answers in a replica's place", "group", g.index, "addr", r.addr)
	c.finish(now, g, refusal{cm.ReasonConsumer, r.slot, text})
}

// refusedBy is why a replica has refused, in words.
func (g *group) refusedBy(who string, r rdmaprivate.Refusal) string {
	if g.secret.Token == 0 && r.Unproved {
		return fmt.Sprintf("%s requires a proof of its cluster's token, which this controller does not know [p4ce controller --cluster]", who)
	}
	return fmt.Sprintf("%s refused: %s", who, r.Text)
}
