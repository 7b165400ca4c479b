package udp

import (
	"bytes"
	"net"
	"net/netip"
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

var anywhere = netip.MustParseAddrPort("127.0.0.1:0")

func pair(t testing.TB) (a, b *Conn) {
	a, err := Listen(anywhere, 100)
	require.NoError(t, err)
	b, err = Listen(anywhere, 100)
	require.NoError(t, err)
	t.Cleanup(func() {
		require.NoError(t, a.Close())
		require.NoError(t, b.Close())
	})
	return a, b
}

func TestBatches(t *testing.T) {
	a, b := pair(t)
	var out []Packet
	const n = 3*Batch + 1
	for i := range n {
		out = append(out, Packet{b.Addr(), bytes.Repeat([]byte{byte(i)}, i%101)})
	}
	require.NoError(t, a.Write(out))
	in := make([]Packet, Batch)
	for got := 0; got < n; {
		k, err := b.Read(in, time.Now().Add(10*time.Second))
		require.NoError(t, err)
		for _, p := range in[:k] {
			require.Equal(t, a.Addr(), p.Addr)
			require.Equal(t, out[got].Data, append([]byte{}, p.Data...))
			got++
		}
	}
	_, err := b.Read(in, time.Now())
	require.ErrorIs(t, err, os.ErrDeadlineExceeded)
}

// TestRefused: what cannot be sent is lost, and nothing else.
func TestRefused(t *testing.T) {
	a, b := pair(t)
	big := make([]byte, 1<<16) // more than a datagram can have
	ok := func(s string) Packet { return Packet{b.Addr(), []byte(s)} }
	bad := Packet{b.Addr(), big}
	nowhere := Packet{Data: []byte("z")}
	require.ErrorContains(t, a.Write([]Packet{bad, ok("x"), bad, nowhere, bad, ok("y"), bad}), "sendmmsg to "+b.Addr().String())
	in := make([]Packet, Batch)
	var got string
	for len(got) < 2 {
		k, err := b.Read(in, time.Now().Add(10*time.Second))
		require.NoError(t, err)
		for _, p := range in[:k] {
			got += string(p.Data)
		}
	}
	require.Equal(t, "xy", got)
}

func TestClose(t *testing.T) {
	a, b := pair(t)
	done := make(chan error)
	go func() {
		_, err := a.Read(make([]Packet, 1), time.Time{})
		done <- err
	}()
	require.NoError(t, a.Close())
	require.ErrorIs(t, <-done, net.ErrClosed)
	require.ErrorIs(t, a.Write([]Packet{{b.Addr(), []byte("x")}}), net.ErrClosed)
	_, err := Listen(netip.MustParseAddrPort("[::1]:0"), 100)
	require.ErrorContains(t, err, "not an IPv4 address")
}

func TestAllocations(t *testing.T) {
	a, b := pair(t)
	out := []Packet{{b.Addr(), []byte("x")}, {b.Addr(), []byte("y")}}
	in := make([]Packet, Batch)
	require.Zero(t, testing.AllocsPerRun(100, func() {
		if a.Write(out) != nil {
			t.Error("write")
		}
		for got := 0; got < 2; {
			n, err := b.Read(in, time.Time{})
			if err != nil {
				t.Error(err)
				return
			}
			got += n
		}
	}))
}
