package p4rt

import (
	"testing"

	"github.com/stretchr/testify/require"
	"google.golang.org/grpc/codes"

	"github.com/p4ce/p4ce/link/oper"
)

// TestPorts: the primary is told of all ports, after it has heard that it is the primary, and then of what changes; nobody
// else is.
func TestPorts(t *testing.T) {
	h := newHarness(t, Options{})
	h.server.SetPort(3, false)
	h.server.SetPort(4, true)
	told := func(s *stream) map[uint32]bool {
		t.Helper()
		up, err := oper.Parse(s.next().GetOther())
		require.NoError(t, err)
		return up
	}
	one, two := h.stream(), h.stream()
	one.arbitrate("", 5)
	require.EqualValues(t, codes.OK, one.next().GetArbitration().GetStatus().GetCode())
	require.Equal(t, map[uint32]bool{3: false, 4: true}, told(one))
	two.arbitrate("", 4)
	require.EqualValues(t, codes.AlreadyExists, two.next().GetArbitration().GetStatus().GetCode())
	h.server.SetPort(4, true) // no news
	h.server.SetPort(3, true)
	require.Equal(t, map[uint32]bool{3: true}, told(one))
	two.arbitrate("", 6) // it takes over
	require.EqualValues(t, codes.OK, two.next().GetArbitration().GetStatus().GetCode(), "it has heard nothing of ports")
	require.Equal(t, map[uint32]bool{3: true, 4: true}, told(two))
	require.EqualValues(t, codes.AlreadyExists, one.next().GetArbitration().GetStatus().GetCode())
	h.server.SetPort(4, false)
	require.Equal(t, map[uint32]bool{4: false}, told(two))
}

// TestPortsCoalesced: who reads slowly gets the last state of each port, and needs no more room for many changes.
func TestPortsCoalesced(t *testing.T) {
	c := &client{ready: make(chan struct{}, 1)}
	for i := range 1000 {
		c.tell(map[uint32]bool{7: i%2 == 0})
		c.tell(map[uint32]bool{8: true})
	}
	list, _ := c.take()
	require.Len(t, list, 1)
	up, err := oper.Parse(list[0].GetOther())
	require.NoError(t, err)
	require.Equal(t, map[uint32]bool{7: false, 8: true}, up)
	list, _ = c.take()
	require.Empty(t, list)
}
