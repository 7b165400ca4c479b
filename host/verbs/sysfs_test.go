package verbs

import (
	"net/netip"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"
)

// machine is what /sys/class/infiniband looks like with an RNIC of two ports, one of
// them InfiniBand, and an rxe.
func machine() fstest.MapFS {
	fsys := fstest.MapFS{}
	put := func(name, content string) { fsys[name] = &fstest.MapFile{Data: []byte(content + "\n")} }
	port := func(dir, layer, state string) {
		put(dir+"/link_layer", layer)
		put(dir+"/state", state)
	}
	gid := func(dir, index, gid, kind, ndev string) {
		put(dir+"/gids/"+index, gid)
		put(dir+"/gid_attrs/types/"+index, kind)
		put(dir+"/gid_attrs/ndevs/"+index, ndev)
	}
	port("mlx5_0/ports/1", "Ethernet", "4: ACTIVE")
	gid("mlx5_0/ports/1", "0", "fe80:0000:0000:0000:0e42:a1ff:fe00:0001", "IB/RoCE v1", "eth4")
	gid("mlx5_0/ports/1", "1", "fe80:0000:0000:0000:0e42:a1ff:fe00:0001", "RoCE v2", "eth4")
	gid("mlx5_0/ports/1", "2", "0000:0000:0000:0000:0000:ffff:0a42:0007", "IB/RoCE v1", "eth4")
	gid("mlx5_0/ports/1", "3", "0000:0000:0000:0000:0000:ffff:0a42:0007", "RoCE v2", "eth4")
	gid("mlx5_0/ports/1", "4", "0000:0000:0000:0000:0000:ffff:0a43:0007", "RoCE v2", "eth4.100")
	gid("mlx5_0/ports/1", "10", "0000:0000:0000:0000:0000:0000:0000:0000", "", "")
	port("mlx5_0/ports/2", "InfiniBand", "1: DOWN")
	port("rxe0/ports/1", "Ethernet", "4: ACTIVE")
	port("mlx5_0/ports/3", "Ethernet", "1: DOWN")
	put("rxe0/parent", "eth0")
	gid("rxe0/ports/1", "0", "fe80:0000:0000:0000:0000:00ff:fe00:0001", "RoCE v2", "eth0")
	gid("rxe0/ports/1", "1", "0000:0000:0000:0000:0000:ffff:c0a8:0102", "RoCE v2", "eth0")
	return fsys
}

func TestDevices(t *testing.T) {
	devs, err := Devices(machine())
	require.NoError(t, err)
	require.Len(t, devs, 2)
	require.Equal(t, "mlx5_0", devs[0].Name)
	require.Len(t, devs[0].Ports, 3)
	require.Len(t, devs[0].Ports[0].GIDs, 5, "the empty entry is no GID")
	require.Equal(t, GID{Index: 3, Addr: netip.MustParseAddr("10.66.0.7"), Type: RoCEv2, Interface: "eth4"}, devs[0].Ports[0].GIDs[3])
	require.Equal(t, "ACTIVE", devs[0].Ports[0].State)
	require.Equal(t, "rdma_rxe", devs[1].Driver)

	devs, err = Devices(fstest.MapFS{})
	require.NoError(t, err)
	require.Empty(t, devs)
}

func TestSelect(t *testing.T) {
	devs, err := Devices(machine())
	require.NoError(t, err)
	addr := netip.MustParseAddr
	for _, c := range []struct {
		name  string
		o     Options
		dev   string
		index int
		err   string
	}{
		{name: "by name: the first IPv4 GID of RoCE v2", o: Options{Device: "mlx5_0"}, dev: "mlx5_0", index: 3},
		{name: "by address", o: Options{Addr: addr("10.67.0.7")}, dev: "mlx5_0", index: 4},
		{name: "by address, another device", o: Options{Addr: addr("192.168.1.2")}, dev: "rxe0", index: 1},
		{name: "by GID index", o: Options{Device: "mlx5_0", GIDIndex: 4}, dev: "mlx5_0", index: 4},
		{name: "which?", o: Options{}, err: "several devices fit: mlx5_0 (10.66.0.7), rxe0 (192.168.1.2) (name one)"},
		{name: "no such device", o: Options{Device: "mlx5_7"}, err: "rdma device mlx5_7 does not exist (there is mlx5_0, rxe0)"},
		{name: "no such port", o: Options{Device: "rxe0", Port: 2}, err: "rdma device rxe0 has no port 2 (it has 1)"},
		{name: "InfiniBand", o: Options{Device: "mlx5_0", Port: 2}, err: "rdma device mlx5_0 port 2 is InfiniBand (RoCE needs Ethernet; some NICs can switch to it, mlxconfig LINK_TYPE)"},
		{name: "down", o: Options{Device: "mlx5_0", Port: 3}, err: "rdma device mlx5_0 port 3 is DOWN (bring its network interface up)"},
		{name: "RoCE v1", o: Options{Device: "mlx5_0", GIDIndex: 2}, err: `GID index 2 is of type "IB/RoCE v1" (want "RoCE v2")`},
		{name: "link-local", o: Options{Device: "mlx5_0", GIDIndex: 1}, err: "GID index 1 is fe80::e42:a1ff:fe00:1, not an IPv4 address"},
		{name: "empty entry", o: Options{Device: "mlx5_0", GIDIndex: 10}, err: "GID index 10 is empty"},
		{name: "GID and address differ", o: Options{Device: "mlx5_0", GIDIndex: 4, Addr: addr("10.66.0.7")}, err: "GID index 4 is 10.67.0.7, not 10.66.0.7"},
		{name: "address of nobody", o: Options{Device: "rxe0", Addr: addr("10.0.0.1")}, err: "no GID of type RoCE v2 has 10.0.0.1 (give its network interface the address)"},
		{name: "IPv6", o: Options{Addr: addr("fe80::1")}, err: "address fe80::1 is not IPv4"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := Select(devs, c.o)
			if c.err != "" {
				require.ErrorContains(t, err, c.err)
				return
			}
			require.NoError(t, err)
			require.Equal(t, c.dev, got.Device.Name)
			require.Equal(t, c.index, got.GID.Index)
		})
	}
	_, err = Select(nil, Options{})
	require.ErrorContains(t, err, "this machine has no RDMA device")
}
