package control

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/p4ce/p4ce/ctrl/p4rtclient"
	p4src "github.com/p4ce/p4ce/p4"
	names "github.com/p4ce/p4ce/p4/rdma"
	"github.com/p4ce/p4ce/roce/wire"
	"github.com/p4ce/p4ce/systems/rdma/control/group"
)

func TestWiring(t *testing.T) {
	var w Wiring
	require.Equal(t, group.Host{Port: 7, PortGroup: 7}, w.place(wire.MAC{}, 7), "one pipe, and a port group by itself")
	require.NoError(t, w.AddPortGroup("512=30,40-42"))
	require.NoError(t, w.AddPipe("0=1-16"))
	require.NoError(t, w.AddPipe("1=17-32,41"))
	require.NoError(t, w.check())
	require.Equal(t, group.Host{Port: 41, PortGroup: 512, Pipe: 1}, w.place(wire.MAC{}, 41))
	require.Equal(t, group.Host{Port: 16, PortGroup: 16, Pipe: 0}, w.place(wire.MAC{}, 16))
	require.Equal(t, group.NoPipe, w.place(wire.MAC{}, 33).Pipe)
	for s, want := range map[string]string{
		"30":       "want a number and = first",
		"x=1":      "want a number and = first",
		"511=1":    "port groups are numbered from 512 to 65535",
		"600=":     "is not a port or range of ports",
		"600=5-4":  "is not a port or range of ports",
		"600=1000": "is not a port or range of ports",
		"600=30":   "port 30 is already in port group 512",
	} {
		require.ErrorContains(t, w.AddPortGroup(s), want, s)
	}
	require.ErrorContains(t, w.AddPipe("2=16"), "port 16 is already on pipe 0")
	require.ErrorContains(t, (&Wiring{PortGroups: map[uint16]uint16{5: 6}}).check(), "port group 6")
	require.ErrorContains(t, (&Wiring{PortGroups: map[uint16]uint16{512: 600}}).check(), "below 512")
}

// TestMovedGroup: the entries of a group that moves are those of the new ports, and
// not of the old ones any more.
func TestMovedGroup(t *testing.T) {
	info, err := p4src.Info("rdma")
	require.NoError(t, err)
	r := &tables{info: p4rtclient.NewInfo(info), wiring: &Wiring{}}
	old := &group.Plan{Size: 4096, Slots: []group.Slot{{AggrQP: 1, Endpoint: group.Endpoint{Host: group.Host{Port: 2, PortGroup: 2}}}, {AggrQP: 2, Endpoint: group.Endpoint{Host: group.Host{Port: 3, PortGroup: 3}}}}}
	moved := *old
	moved.Slots = append([]group.Slot(nil), old.Slots...)
	moved.Slots[1].Host = group.Host{Port: 9, PortGroup: 9}
	u, err := r.move(old, &moved)
	require.NoError(t, err)
	var ops []string
	for _, x := range u {
		e := x.GetEntity().GetTableEntry()
		if e == nil {
			continue
		}
		d, err := r.info.Decode(e)
		require.NoError(t, err)
		if d.Table == names.TableQP {
			ops = append(ops, x.GetType().String()+" "+d.Action)
			if x.GetType().String() == "DELETE" {
				require.Equal(t, uint64(3), key(d, names.TableQPKeyPortGroup))
			}
			if x.GetType().String() == "INSERT" {
				require.Equal(t, uint64(9), key(d, names.TableQPKeyPortGroup))
			}
		}
	}
	require.Equal(t, []string{"DELETE gather", "MODIFY gather", "INSERT gather", "MODIFY scatter"}, ops)
}
