package soft

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"net/netip"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/p4ce/p4ce/systems/paxos"
	"github.com/p4ce/p4ce/systems/paxos/udp"
)

// TestAttend: a role at the end of a pipe gets its orders there, and its messages at its address;
// what is no order for it is refused, and it goes on.
func TestAttend(t *testing.T) {
	me := netip.MustParseAddrPort("127.0.0.1:0")
	conn, err := udp.Listen(me, paxos.MaxMessage+1)
	require.NoError(t, err)
	defer conn.Close()
	role, err := NewRole("leader", 8)
	require.NoError(t, err)
	w, err := udp.Listen(me, paxos.MaxMessage+1)
	require.NoError(t, err)
	in, orders := io.Pipe()
	answers, out := io.Pipe()
	ended := make(chan error, 1)
	go func() { ended <- Attend(role, w, in, out) }()
	lines := bufio.NewScanner(answers)
	hear := func() (s Said) {
		require.True(t, lines.Scan())
		require.NoError(t, json.Unmarshal(lines.Bytes(), &s))
		return s
	}
	ready := hear()
	require.Equal(t, "ready", ready.Event)
	for _, c := range []struct {
		order any
		wrong string
	}{
		{Order{Do: TrimTo, First: 1, Last: 8}, ""},
		{Order{Do: OwnRound, Round: 5}, `order "own" is not for a *soft.Leader`},
		{"nonsense", "cannot unmarshal"},
		{Order{Do: LeadIn, Round: 5, Next: 3, At: []netip.AddrPort{conn.Addr()}}, ""},
	} {
		b, err := json.Marshal(c.order)
		require.NoError(t, err)
		_, err = fmt.Fprintf(orders, "%s\n", b)
		require.NoError(t, err)
		said := hear()
		require.Equal(t, "done", said.Event)
		if c.wrong == "" {
			require.Empty(t, said.Error)
		} else {
			require.Contains(t, said.Error, c.wrong)
		}
	}
	m := paxos.Message{Kind: paxos.Request, Client: 7, Sequence: 1, Value: []byte("x")}
	b, err := m.Append(nil)
	require.NoError(t, err)
	require.NoError(t, conn.Write([]udp.Packet{{Addr: ready.At, Data: b}}))
	ps := make([]udp.Packet, udp.Batch)
	n, err := conn.Read(ps, time.Now().Add(10*time.Second))
	require.NoError(t, err)
	require.Equal(t, 1, n)
	require.NoError(t, m.Parse(ps[0].Data))
	require.Equal(t, paxos.Accept, m.Kind)
	require.EqualValues(t, 3, m.Instance)
	require.EqualValues(t, 5, m.Round)
	require.NoError(t, orders.Close())
	require.NoError(t, <-ended)
	_, err = NewRole("king", 8)
	require.ErrorContains(t, err, `role "king"`)
}
