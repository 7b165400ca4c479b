package fabric

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/p4ce/p4ce/sim/fabric"
	"github.com/p4ce/p4ce/systems/rdma/private"
)

// A chain answers when its last member holds a request, over links that lose, double and spoil what
// they carry; each link carries a request once.
func TestChain(t *testing.T) {
	for _, n := range []int{1, 2, 4} {
		for _, loss := range []float64{0, 0.01} {
			t.Run(fmt.Sprint(n, " ", loss), func(t *testing.T) {
				f := network(t, 1)
				c := rack(n + 1)
				c.Edge = fabric.ProgramPlain
				c.HostLink.Faults = fabric.Faults{Loss: loss, Duplicate: loss, Corrupt: loss}
				lc := LoadConfig{
					LoadConfig:   fabric.LoadConfig{Name: "chain", From: "h1", Size: 5000, Count: 500, Outstanding: 8},
					LoadSettings: LoadSettings{Via: ViaChain, Policy: private.PolicyAll, QP: QPConfig{AckTimeout: 200 * time.Microsecond}},
				}
				for i := range n {
					lc.To = append(lc.To, fmt.Sprint("h", i+2))
				}
				l := build(t, f, c, lc)
				finish(t, f, l...)
				require.NoError(t, l[0].Result.Err)
				require.Equal(t, 500, l[0].Result.Done)
				require.Zero(t, l[0].Result.Unheld)
				require.NoError(t, f.Check())
				if loss > 0 {
					return
				}
				for i := range n + 1 {
					link, _ := f.Link(fmt.Sprintf("h%d-s1", i+1))
					in, out := link.Half[1].Count.DeliveredBytes, link.Half[0].Count.DeliveredBytes
					const all = 500 * 5000
					if i > 0 {
						require.InEpsilon(t, all, in, 0.15, "into %d", i)
					}
					if i < n {
						require.InEpsilon(t, all, out, 0.15, "out of %d", i)
					} else {
						require.Less(t, out, uint64(all/10))
					}
				}
			})
		}
	}
}

// A write of any length through a group arrives whole at each receiver, in order.
func TestArrivals(t *testing.T) {
	for _, via := range []string{ViaGroup, ViaFanOut, ViaChain} {
		t.Run(via, func(t *testing.T) {
			f := network(t, 1)
			c := rack(4)
			c.HostLink.Faults.Loss = 0.01
			require.NoError(t, f.Build(c))
			require.NoError(t, f.Start())
			sizes := []int{1, 1024, 1025, 70000, 16, 300000}
			var ch *Channel
			answered := 0
			got := map[int][]int{}
			cc := ChannelConfig{
				Name: "c", From: f.Hosts[0], To: f.Hosts[1:], Via: via, Policy: private.PolicyAll, Port: 7000, Region: 1 << 19, Queue: 8,
				QP: QPConfig{AckTimeout: 200 * time.Microsecond},
			}
			up := func() {
				off := 0
				for i, n := range sizes {
					data := make([]byte, n)
					for j := range data {
						data[j] = byte(i + j)
					}
					ch.Write(&Writing{Off: off, Data: data, Answered: func() { answered++ }})
					off += n
				}
			}
			f.At(2*fabric.Millisecond, func() {
				var err error
				ch, err = f.NewChannel(cc, up, func(err error) { f.Fail(err) })
				require.NoError(t, err)
				ch.Arrived = func(r int, w *Writing) {
					got[r] = append(got[r], len(w.Data))
					ch.Region(r).Read(func(b []byte) { require.Equal(t, w.Data, b[w.Off:w.Off+len(w.Data)]) })
				}
			})
			require.NoError(t, f.RunWhile(fabric.Second, func() bool { return answered < len(sizes) }))
			require.Equal(t, map[int][]int{0: sizes, 1: sizes, 2: sizes}, got)
		})
	}
}
