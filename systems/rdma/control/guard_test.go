package control

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	names "github.com/p4ce/p4ce/p4/rdma"
	"github.com/p4ce/p4ce/roce/wire"
	"github.com/p4ce/p4ce/systems/rdma/private"
)

// TestHostsAtPorts: what the controller knows of hosts, learned or given, the switch holds as sources: by another port
// nothing passes from their addresses. Strict hosts are all that there are, and send IPv4 and ARP only.
func TestHostsAtPorts(t *testing.T) {
	for _, strict := range []bool{false, true} {
		t.Run(fmt.Sprintf("strict %v", strict), func(t *testing.T) {
			l := newLab(t)
			l.controller(func(c *Config) {
				if c.StrictHosts = strict; !strict {
					return
				}
				for i := range 2 {
					h, err := ParseHost(fmt.Sprintf("10.0.0.%d,02:66:00:00:00:%02x,%d", i+1, i+1, i+1))
					require.NoError(t, err)
					c.Hosts = append(c.Hosts, h)
				}
			})
			leader := l.attach(1)
			l.replica(2, "")
			_, err := l.dial(leader, private.PolicyQuorum, "10.0.0.2")
			require.NoError(t, err)
			dropped := func(d names.Drop) (n uint64) {
				v, err := l.client.ReadCounter(l.ctx, l.info, names.CounterDrops, int(d))
				require.NoError(t, err)
				return v[0].Packets
			}
			mac := func(i byte) wire.MAC { return wire.MAC{2, 0x66, 0, 0, 0, i} }
			send := func(from byte, ip wire.Addr) {
				h := wire.Header{Opcode: wire.WriteOnly, SrcMAC: mac(from), DstMAC: mac(1), Src: ip, Dst: wire.Addr{10, 0, 0, 1}, SrcPort: 0xc000, Length: 8}
				_, err := l.target.Inject(5, wire.AppendFrame(nil, &h, make([]byte, 8)))
				require.NoError(t, err)
			}
			// Entries are written when hosts are learned, and no earlier.
			require.Eventually(t, func() bool {
				before := dropped(names.DropForeignSource)
				send(0x66, wire.Addr{10, 0, 0, 2})
				send(2, wire.Addr{10, 0, 0, 0x66})
				return dropped(names.DropForeignSource) == before+2
			}, 20*time.Second, time.Millisecond)

			before := dropped(names.DropForeignSource)
			send(0x66, wire.Addr{10, 0, 0, 0x66})
			f := append(append(append([]byte{}, 2, 0x66, 0, 0, 0, 1), 2, 0x66, 0, 0, 0, 0x66, 0x86, 0xdd, 0x60), make([]byte, 47)...)
			f[20] = 59
			_, err = l.target.Inject(5, f)
			require.NoError(t, err)
			if strict {
				require.Equal(t, before+1, dropped(names.DropForeignSource), "nobody knows him")
				require.EqualValues(t, 1, dropped(names.DropPortFamily), "IPv6")
			} else {
				require.Equal(t, before, dropped(names.DropForeignSource))
				require.Zero(t, dropped(names.DropPortFamily))
			}
		})
	}
}
