package e2e

import (
	"fmt"
	"net"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// listen opens a UDP socket on a host.
func (c *system) listen(host int) *net.UDPConn {
	c.t.Helper()
	var conn *net.UDPConn
	require.NoError(c.t, c.lab.InHost(c.lab.Hosts[host], func() (err error) {
		conn, err = net.ListenUDP("udp4", &net.UDPAddr{IP: c.ip(host).AsSlice(), Port: 7000})
		return err
	}))
	c.t.Cleanup(func() { conn.Close() })
	return conn
}

// reaches says whether a datagram comes through; ARP loses the first ones.
func (c *system) reaches(from, to *net.UDPConn) bool {
	for i := range 20 {
		text := fmt.Sprint("datagram ", time.Now(), i)
		if _, err := from.WriteTo([]byte(text), to.LocalAddr()); err != nil {
			return false
		}
		_ = to.SetReadDeadline(time.Now().Add(100 * time.Millisecond))
		// Earlier ones come before it, all at once, when ARP has been answered at last.
		for b := make([]byte, 200); ; {
			n, _, err := to.ReadFrom(b)
			if err != nil {
				break
			}
			if string(b[:n]) == text {
				return true
			}
		}
	}
	return false
}

// TestPortComesBack: when the interface of a port is deleted, the switch says so, and the rest goes on; when
// there is one of its name again, the port is used again.
func TestPortComesBack(t *testing.T) {
	for _, target := range []string{"xdp", "interp"} {
		t.Run(target, func(t *testing.T) {
			c := newClusterOn(t, target, 3)
			a, b, third := c.listen(0), c.listen(1), c.listen(2)
			require.True(t, c.reaches(a, b))
			down := func() []uint32 {
				st, err := c.admin.Status(c.ctx)
				require.NoError(t, err)
				return st.Switches[0].Down
			}
			require.Empty(t, down())
			for range 2 {
				require.NoError(t, c.lab.Unwire(c.lab.Hosts[1]))
				port := uint32(c.lab.Hosts[1].Port)
				require.Eventually(t, func() bool { d := down(); return len(d) == 1 && d[0] == port }, 20*time.Second, 10*time.Millisecond)
				require.True(t, c.reaches(a, third))
				require.NoError(t, c.lab.Wire(c.lab.Hosts[1]))
				b.Close()
				b = c.listen(1)
				require.Eventually(t, func() bool { return len(down()) == 0 && c.reaches(b, a) && c.reaches(a, b) }, 30*time.Second, 10*time.Millisecond)
			}
		})
	}
}
