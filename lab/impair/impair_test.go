package impair_test

import (
	"fmt"
	"net"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"github.com/p4ce/p4ce/doctor/needs"
	"github.com/p4ce/p4ce/lab"
	"github.com/p4ce/p4ce/lab/impair"
)

// Every impairment is seen by a UDP socket on the RoCE port, and gone afterwards.
func TestImpair(t *testing.T) {
	needs.Root(t, "network namespaces")
	l, err := lab.New(2)
	require.NoError(t, err)
	defer l.Close()
	require.NoError(t, l.AddNetwork())
	var from, to *net.UDPConn
	require.NoError(t, l.InHost(l.Hosts[0], func() (err error) {
		from, err = net.ListenUDP("udp4", &net.UDPAddr{IP: l.Hosts[0].SecondIP().AsSlice()})
		return err
	}))
	defer from.Close()
	raw, err := from.SyscallConn()
	require.NoError(t, err)
	require.NoError(t, raw.Control(func(fd uintptr) { // no UDP checksum, as in RoCE
		err = unix.SetsockoptInt(int(fd), unix.SOL_SOCKET, unix.SO_NO_CHECK, 1)
	}))
	require.NoError(t, err)
	dst := &net.UDPAddr{IP: l.Hosts[1].SecondIP().AsSlice(), Port: 4791}
	require.NoError(t, l.InHost(l.Hosts[1], func() (err error) {
		to, err = net.ListenUDP("udp4", dst)
		return err
	}))
	defer to.Close()

	const packets = 60 // fit in a socket, twice
	// run sends numbered packets, takes so many, and then, the link being good again,
	// what else there is. It returns what has arrived: how many of each, how many damaged
	// ones, and how many came after one with a higher number.
	run := func(r impair.Rates, want int) (seen map[int]int, damaged, late int, c impair.Counts) {
		var bad *impair.Link
		require.NoError(t, l.InHost(l.Hosts[1], func() (err error) {
			bad, err = impair.Open(lab.SecondInterface, r)
			return err
		}))
		for i := range packets {
			_, err := from.WriteTo(fmt.Appendf(nil, "packet %04d", i), dst)
			require.NoError(t, err)
		}
		require.NoError(t, to.SetReadDeadline(time.Now().Add(10*time.Second)))
		seen = map[int]int{}
		last := -1
		receive := func() bool {
			buf := make([]byte, 100)
			n, _, err := to.ReadFrom(buf)
			require.NoError(t, err)
			text := string(buf[:n])
			var i int
			switch _, err := fmt.Sscanf(text, "packet %d", &i); {
			case text == "end":
				return false
			case err != nil || text != fmt.Sprintf("packet %04d", i):
				damaged++
			default:
				seen[i]++
				if i < last {
					late++
				}
				last = max(last, i)
			}
			return true
		}
		for range want {
			require.True(t, receive())
		}
		c, err = bad.Counts()
		require.NoError(t, err)
		require.NoError(t, l.InHost(l.Hosts[1], bad.Close))
		_, err := from.WriteTo([]byte("end"), dst)
		require.NoError(t, err)
		for receive() {
		}
		return seen, damaged, late, c
	}

	seen, damaged, late, c := run(impair.Rates{}, packets)
	require.Len(t, seen, packets)
	require.Zero(t, damaged+late)
	require.Zero(t, c)

	seen, _, _, c = run(impair.Rates{Loss: 1}, 0)
	require.Empty(t, seen)
	require.Equal(t, impair.Counts{Lost: packets}, c)

	seen, _, _, c = run(impair.Rates{Duplicate: 1}, 2*packets)
	require.Len(t, seen, packets)
	for i, n := range seen {
		require.Equal(t, 2, n, "packet %d", i)
	}
	require.Equal(t, impair.Counts{Duplicated: packets}, c)

	seen, damaged, _, c = run(impair.Rates{Corrupt: 1}, packets)
	require.Equal(t, impair.Counts{Corrupted: packets}, c)
	require.Empty(t, seen)
	require.Equal(t, packets, damaged)

	seen, _, late, c = run(impair.Rates{Reorder: 0.5}, packets)
	require.Len(t, seen, packets)
	require.Positive(t, late)
	t.Logf("%d of %d held back, %d late", c.Reordered, packets, late)
}
