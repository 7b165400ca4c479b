package session

import (
	"testing"

	p4 "github.com/p4lang/p4runtime/go/p4/v1"
	"github.com/stretchr/testify/require"

	"github.com/p4ce/p4ce/ctrl/p4rtclient"
	programs "github.com/p4ce/p4ce/p4"
)

// What a switch is told: all ports, then those of another rate, and the limit of its queues.
func TestECN(t *testing.T) {
	info, err := programs.Info("rdma")
	require.NoError(t, err)
	meter := func(rate, burst int64) *p4.MeterConfig {
		return &p4.MeterConfig{Cir: rate, Cburst: burst, Pir: rate, Pburst: burst}
	}
	for name, c := range map[string]struct {
		ECN
		limit uint64
		ports map[int64]*p4.MeterConfig // -1: all
	}{
		"off":            {ECN{Share: 90}, queueUnlimited, map[int64]*p4.MeterConfig{-1: nil}},
		"a rate":         {ECN{Rate: 800e6}, 65536 / 80, map[int64]*p4.MeterConfig{-1: meter(95e6, 65536)}},
		"share, queue":   {ECN{Rate: 800e6, Share: 50, Queue: 8000}, 100, map[int64]*p4.MeterConfig{-1: meter(50e6, 8000)}},
		"ports":          {ECN{Ports: map[uint16]uint64{7: 8e9, 510: 8e6}}, 65536 / 80, map[int64]*p4.MeterConfig{-1: nil, 7: meter(950e6, 65536), 510: meter(950e3, 65536)}},
		"own queue only": {ECN{Queue: 160}, 2, map[int64]*p4.MeterConfig{-1: nil}},
		"one bit/s":      {ECN{Rate: 1, Queue: 160}, 2, map[int64]*p4.MeterConfig{-1: meter(1, 160)}},
	} {
		t.Run(name, func(t *testing.T) {
			u, err := c.Updates(p4rtclient.NewInfo(info))
			require.NoError(t, err)
			got := map[int64]*p4.MeterConfig{}
			for i, up := range u {
				require.Equal(t, p4.Update_MODIFY, up.GetType())
				switch e := up.GetEntity().GetEntity().(type) {
				case *p4.Entity_TableEntry:
					require.True(t, e.TableEntry.GetIsDefaultAction())
					require.Equal(t, c.limit, p4rtclient.ToUint(e.TableEntry.GetAction().GetAction().GetParams()[0].GetValue()))
				case *p4.Entity_MeterEntry:
					at := int64(-1)
					if x := e.MeterEntry.GetIndex(); x != nil {
						at = x.GetIndex()
					} else {
						require.Equal(t, 1, i, "all ports before one of them")
					}
					got[at] = e.MeterEntry.GetConfig()
				}
			}
			require.Len(t, u, 1+len(got))
			require.Equal(t, len(c.ports), len(got))
			for at, want := range c.ports {
				require.Equal(t, want.String(), got[at].String(), "port %d", at)
			}
		})
	}
	none, err := programs.Info("l2")
	require.NoError(t, err)
	u, err := (&ECN{Rate: 1e9}).Updates(p4rtclient.NewInfo(none))
	require.NoError(t, err)
	require.Empty(t, u, "the program does not mark")
}

func TestECNChecked(t *testing.T) {
	for want, c := range map[string]ECN{
		"1 to 100":             {Rate: 1e9, Share: 101},
		"-1%":                  {Share: -1},
		"at most 8 Tb/s":       {Rate: 8e12 + 1},
		"port 511:":            {Ports: map[uint16]uint64{511: 1}},
		"queue of -1 bytes":    {Queue: -1},
		"at most 1073741824":   {Queue: 1<<30 + 1},
		"link rate of 9000000": {Ports: map[uint16]uint64{1: 9e12}},
	} {
		require.ErrorContains(t, c.check(), want)
		_, err := c.Updates(nil)
		require.Error(t, err)
	}
}
