package group

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/p4ce/p4ce/roce/wire"
	"github.com/p4ce/p4ce/systems/rdma/private"
)

// TestNestedRules holds for groups of which other switches gather for parts, at the group's home and at a part's.
func TestNestedRules(t *testing.T) {
	var ten []string
	for i := range 10 {
		ten = append(ten, fmt.Sprintf("10.0.0.%d:5000", 10+i))
	}
	// home has a group of ten, of whom two are its own.
	home := func(t *testing.T) *world {
		w := newWorld(Config{Nest: func(list []wire.Addr) ([]Part, error) {
			return []Part{{Receivers: list[:1]}, {Home: addr("10.0.0.253"), Receivers: list[1:9]}, {Receivers: list[9:]}}, nil
		}})
		do(t, w, "make name=ten port=4100 replicas="+strings.Join(ten, ","), "req from=10.0.0.1 id=1 qpn=0x11 port=4100 text=hello")
		require.Len(t, w.entrusted, 1)
		return w
	}
	entrusted := func(w *world, err error) string {
		w.out.Reset()
		w.core.Entrusted(w.now, w.entrusted[0], err)
		w.drain()
		return w.out.String()
	}
	replies := func(t *testing.T, w *world, list ...string) {
		t.Helper()
		for _, a := range list {
			do(t, w, fmt.Sprintf("rep from=%s qpn=0x22 va=0x1000 rkey=7 size=4096", a))
		}
	}

	t.Run("nobody is asked before the other switch expects it", func(t *testing.T) {
		w := home(t)
		require.NotContains(t, w.out.String(), "-> 10.0.0.253")
		require.Contains(t, w.out.String(), "-> 10.0.0.19 REQ port 5000")
		require.Contains(t, entrusted(w, nil), "-> 10.0.0.253 REQ port 1")
		require.NotContains(t, entrusted(w, nil), "REQ", "once")
	})
	t.Run("a part counts as one, and is waited for", func(t *testing.T) {
		w := home(t)
		entrusted(w, nil)
		replies(t, w, "10.0.0.10", "10.0.0.19")
		require.Empty(t, w.plans)
		replies(t, w, "10.0.0.253")
		require.Len(t, w.plans, 1)
		p := w.plans[0]
		require.Equal(t, 3, p.Needed)
		require.Equal(t, addr("10.0.0.253"), p.Slots[1].Addr)
		require.Equal(t, 8, w.core.List()[0].Slots[1].Part)
		do(t, w, "done group=0")
		require.Contains(t, do(t, w, "dreq from=10.0.0.253", "advance by=3s"), "remove group 0", "it ends with its part")
	})
	t.Run("a switch that is away", func(t *testing.T) {
		w := home(t)
		require.Contains(t, entrusted(w, errors.New("switch l1: away")), "REJ rejected by the consumer {slot 1: a part of the group (10.0.0.253): switch l1: away}")
		require.Empty(t, w.core.List())
		require.NotContains(t, entrusted(w, nil), "REQ", "the group has gone")
	})
	t.Run("it ends while the other switch is told", func(t *testing.T) {
		w := home(t)
		do(t, w, "dreq from=10.0.0.1", "rej from=10.0.0.10 reason=28")
		require.Empty(t, w.core.List())
		require.NotContains(t, entrusted(w, nil), "REQ")
	})
	t.Run("only for all", func(t *testing.T) {
		w := home(t)
		require.Contains(t, do(t, w, "req from=10.0.0.2 id=2 qpn=0x12 name=ten policy=quorum"), "10 replicas: a group of policy quorum has at most 8 here")
	})
	t.Run("a switch by itself", func(t *testing.T) {
		w := newWorld(Config{})
		require.Contains(t, do(t, w, "make name=ten port=4100 replicas="+strings.Join(ten, ",")), "10 replicas, and a group of policy all has at most 8 here")
	})

	// part is the home of a part of another's group.
	part := func() (*world, *Nested) {
		w := newWorld(Config{})
		n := &Nested{
			Name: "part-1", From: addr("10.0.0.240"), To: addr(switchIP), leader: addr("10.0.0.1"),
			req:     private.Request{Form: private.FormReference, Policy: private.PolicyAll, LeaderID: 7, Term: 9},
			members: []member{{addr("10.0.0.2"), 5000}, {addr("10.0.0.3"), 5001}},
		}
		w.core.Expect(w.now, n)
		return w, n
	}
	const asks = "req from=10.0.0.240 id=1 qpn=0x11 name=part-1 policy=all"
	t.Run("what the group's home has said", func(t *testing.T) {
		w, _ := part()
		out := do(t, w, asks)
		require.Contains(t, out, "-> 10.0.0.2 REQ port 5000")
		require.Contains(t, out, "-> 10.0.0.3 REQ port 5001")
		require.Contains(t, out, "{leader 10.0.0.1 id 7 term 9 slot 1}", "of the leader, not of the switch")
		replies(t, w, "10.0.0.2", "10.0.0.3")
		require.Equal(t, addr("10.0.0.240"), w.plans[0].Leader.Addr)
		require.Equal(t, 2, w.plans[0].Needed)
		require.Equal(t, "10.0.0.1", w.core.List()[0].PartOf)
	})
	t.Run("the token of the leader's cluster is proved by both switches", func(t *testing.T) {
		secret := private.Secret{Cluster: 1, Token: 5}
		home := newWorld(Config{Clusters: []Cluster{{Secret: secret}}, Nest: func(list []wire.Addr) ([]Part, error) {
			return []Part{{Home: addr("10.0.0.253"), Receivers: list[:8]}, {Receivers: list[8:9]}, {Receivers: list[9:]}}, nil
		}})
		do(t, home, "make name=ten port=4100 replicas="+strings.Join(ten, ","))
		require.Contains(t, do(t, home, "req from=10.0.0.1 id=1 qpn=0x11 name=ten policy=all cluster=1 token=5"), "-> 10.0.0.18 REQ")
		require.Equal(t, secret, home.entrusted[0].secret)
		const judge = "judge from=%s cluster=1 token=5"
		require.Contains(t, do(t, home, fmt.Sprintf(judge, "10.0.0.18")), "-> 10.0.0.18 REQ")
		require.Contains(t, do(t, home, fmt.Sprintf(judge, "10.0.0.18")), "10.0.0.18: proved")

		w, n := part()
		n.secret = secret
		w.core.Expect(w.now, n)
		do(t, w, asks)
		require.Contains(t, do(t, w, fmt.Sprintf(judge, "10.0.0.2")), "-> 10.0.0.2 REQ")
		require.Contains(t, do(t, w, fmt.Sprintf(judge, "10.0.0.2")), "10.0.0.2: proved")
	})
	t.Run("only the group's home", func(t *testing.T) {
		w, _ := part()
		require.Contains(t, do(t, w, strings.Replace(asks, "10.0.0.240", "10.0.0.66", 1)), "REJ")
		require.Empty(t, w.core.List())
		require.Contains(t, do(t, w, asks), "-> 10.0.0.2 REQ", "nobody has taken it away")
	})
	t.Run("once", func(t *testing.T) {
		w, _ := part()
		do(t, w, asks)
		require.Contains(t, do(t, w, strings.Replace(asks, "id=1", "id=2", 1)), "not registered")
		require.Len(t, w.core.List(), 1)
	})
	t.Run("not for ever", func(t *testing.T) {
		w, _ := part()
		w.now += time.Minute
		require.Contains(t, do(t, w, asks), "not registered")
		w.core.Expect(w.now, &Nested{Name: "another"})
		require.Len(t, w.core.expected, 1)
	})
}
