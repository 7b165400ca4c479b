package lab

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/p4ce/p4ce/systems/amcast"
)

// message is the message of client 1 with a number, to groups, at a place in the order.
func message(t *testing.T, number, final uint32, groups ...uint8) amcast.Delivery {
	g, err := amcast.NewGroups(groups...)
	require.NoError(t, err)
	return amcast.Delivery{Final: final, ID: amcast.ID{Client: 1, Number: number}, Groups: g}
}

// What breaks the order is found.
func TestJudge(t *testing.T) {
	a, b, c := message(t, 1, 1, 1, 2), message(t, 2, 2, 1, 2), message(t, 3, 3, 1, 2)
	moved := b
	moved.Final = 9
	foreign := message(t, 4, 4, 3)
	order := func(group uint8, host string, log ...amcast.Delivery) Order {
		return Order{Group: group, Host: host, Log: log}
	}
	dead := func(o Order) Order { o.Dead = true; return o }
	for _, x := range []struct {
		name   string
		orders []Order
		want   string
	}{
		{"the same everywhere", []Order{order(1, "h1", a, b, c), order(1, "h2", a, b), order(2, "h3", a, c)}, ""},
		{"backwards", []Order{order(1, "h1", b, a)}, "replica h1 of group 1 has delivered 1/1 after 1/2"},
		{"twice", []Order{order(1, "h1", a, a)}, "replica h1 of group 1 has delivered 1/1 after 1/1"},
		{"twice, at two places", []Order{order(1, "h1", a, b, moved)}, "message 1/2 has two places in the order: 2 and 9"},
		{"two places", []Order{order(1, "h1", a, b), order(2, "h2", a, moved)}, "message 1/2 has two places in the order: 2 and 9"},
		{"one is left out", []Order{order(1, "h1", a, b, c), order(1, "h2", a, c)}, "replicas h1 and h2 of group 1 have delivered in different orders"},
		{"one is left out where the host is dead", []Order{order(1, "h1", a, b, c), dead(order(1, "h2", a, c))}, ""},
		{"of another group", []Order{order(1, "h1", foreign)}, "replica h1 of group 1 has delivered 1/4, which is for groups [3]"},
	} {
		err := Judge(x.orders)
		if x.want == "" {
			require.NoError(t, err, x.name)
		} else {
			require.EqualError(t, err, x.want, x.name)
		}
	}
	// Replicas that agree with themselves, and not with each other.
	require.NoError(t, acyclic([]Order{order(1, "h1", a, b), order(2, "h2", b, c)}))
	require.ErrorContains(t, acyclic([]Order{order(1, "h1", a, b), order(2, "h2", b, c), order(3, "h3", c, a)}), "comes after itself")

	orders := []Order{order(1, "h1", a, b), order(2, "h2", a, b)}
	require.Empty(t, Missing(orders, nil))
	require.Equal(t, "replica h1 of group 1 has not delivered message 1/3 to groups [1]", Missing(orders, map[amcast.ID]amcast.Groups{c.ID: message(t, 3, 3, 1).Groups}))
	orders[0].Log = orders[0].Log[:1]
	require.Equal(t, "replica h1 of group 1 has not delivered message 1/2 to groups [1 2]", Missing(orders, nil))
	require.Empty(t, Missing([]Order{dead(orders[0]), orders[1]}, nil))
	require.Empty(t, Missing([]Order{orders[0], dead(orders[1])}, nil))
}
