package check

import (
	"context"
	"net/netip"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"github.com/p4ce/p4ce/doctor"
	"github.com/p4ce/p4ce/host/verbs"
	"github.com/p4ce/p4ce/link/nic"
)

// good is a machine with an RNIC, without a flaw.
func good() Facts {
	addr := netip.MustParseAddr("10.66.0.7")
	return Facts{
		Machine: doctor.Machine{Release: "6.8.0", CPUs: 8, MemTotal: 32 << 30, Memlock: doctor.Unlimited},
		Interfaces: []nic.Interface{{
			Name: "eth4", Kind: "device", MTU: 3000, Up: true, Carrier: true, Addrs: []netip.Addr{addr}, GRO: true,
		}},
		Built: true,
		Devices: []Device{{
			DeviceInfo: verbs.DeviceInfo{Name: "mlx5_0", Driver: "mlx5_core", Ports: []verbs.PortInfo{{
				Number: 1, LinkLayer: "Ethernet", State: "ACTIVE",
				GIDs: []verbs.GID{
					{Index: 2, Addr: addr, Type: "IB/RoCE v1", Interface: "eth4"},
					{Index: 3, Addr: addr, Type: verbs.RoCEv2, Interface: "eth4"},
				},
			}}},
			Report: &verbs.Report{MTU: 2048, MaxInline: 220, FlagsInRTS: "ok", StateCycle: "ok", RevokedGets: "remote access error", ResizeCQ: true},
		}},
		Configfs: map[string]string{"mlx5_0": "RoCE v2\n"},
	}
}

func find(v doctor.Verdict, what string) doctor.Finding {
	for _, f := range v.Findings {
		if f.What == what {
			return f
		}
	}
	return doctor.Finding{}
}

func TestGoodMachine(t *testing.T) {
	v := Judge(good(), doctor.Asked{Interfaces: true, Verbs: true, Device: "mlx5_0"})
	require.True(t, v.Possible)
	require.Equal(t, doctor.OK, v.Worst(), "%+v", v.Findings)
	require.Equal(t, "this machine can be a server with the RDMA device mlx5_0 (p4ce node --rdma verbs)", v.Summary)
	require.Equal(t, "mlx5_core, port 1, 10.66.0.7 on eth4: GID index 3, RoCE v2", find(v, "mlx5_0").Found)
}

// TestBadMachines: each flaw alone, with the RDMA device and the interface asked for.
func TestBadMachines(t *testing.T) {
	for _, c := range []struct {
		name     string
		spoil    func(*Facts)
		what     string
		level    doctor.Level
		mend     string
		possible bool
	}{
		{"no device", func(f *Facts) { f.Devices = nil }, "RDMA devices", doctor.Missing, "modprobe rdma_rxe", false},
		{"unknown devices", func(f *Facts) { f.DevErr = "permission denied" }, "RDMA devices", doctor.Missing, "", false},
		{"another device", func(f *Facts) { f.Devices[0].Name = "irdma0" }, "RDMA device mlx5_0", doctor.Missing, "", false},
		{"without address", func(f *Facts) { f.Devices[0].Ports[0].GIDs = nil }, "mlx5_0", doctor.Missing, "ip address add", false},
		{"RoCE v1 only", func(f *Facts) { g := &f.Devices[0].Ports[0].GIDs; *g = (*g)[:1] }, "mlx5_0", doctor.Missing, "enable RoCE v2", false},
		{"InfiniBand", func(f *Facts) { f.Devices[0].Ports[0].LinkLayer = "InfiniBand" }, "mlx5_0", doctor.Missing, "mlxconfig", false},
		{"port down", func(f *Facts) { f.Devices[0].Ports[0].State = "DOWN" }, "mlx5_0 port", doctor.Missing, "ip link set eth4 up", false},
		{"no port", func(f *Facts) { f.Devices[0].Ports = nil }, "mlx5_0", doctor.Missing, "", false},
		{"v1 by default", func(f *Facts) { f.Configfs["mlx5_0"] = "IB/RoCE v1\n" }, "mlx5_0 GID type", doctor.Missing, "default_roce_mode", false},
		{"no rdma_cm", func(f *Facts) { f.RDMACM = "no such file" }, "rdma_cm", doctor.Missing, "modprobe rdma_ucm", false},
		{"without the provider", func(f *Facts) { f.Built = false }, "verbs provider", doctor.Missing, "make verbs", false},
		{"cannot be opened", func(f *Facts) { f.Devices[0].Err = "permission denied" }, "mlx5_0 use", doctor.Missing, "", false},
		{"flags refused", func(f *Facts) { f.Devices[0].Report.FlagsInRTS = "invalid argument" }, "mlx5_0 rights", doctor.Warning, "", true},
		{"rights fixed", func(f *Facts) { r := f.Devices[0].Report; r.FlagsInRTS, r.StateCycle = "no", "no" }, "mlx5_0 rights", doctor.Missing, "another device", false},
		{"small path MTU", func(f *Facts) { f.Devices[0].Report.MTU = 512 }, "mlx5_0 mtu", doctor.Warning, "ip link set", true},
		{"jumbo", func(f *Facts) { f.Devices[0].Report.MTU = 4096 }, "mlx5_0 mtu", doctor.Warning, "mtu 3000", true},
		{"memlock", func(f *Facts) { f.Machine.Memlock = 64 << 10 }, "locked memory", doctor.Missing, "ulimit -l", true},
		{"memlock, some", func(f *Facts) { f.Machine.Memlock = 1 << 30 }, "locked memory", doctor.Warning, "ulimit -l", true},
		{"memlock does not bind root", func(f *Facts) { f.Machine.Memlock, f.Machine.Caps = 64<<10, 1<<unix.CAP_IPC_LOCK }, "locked memory", doctor.OK, "", true},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := good()
			c.spoil(&f)
			v := Judge(f, doctor.Asked{Verbs: true, Device: "mlx5_0"})
			got := find(v, c.what)
			require.Equal(t, c.what, got.What, "%+v", v.Findings)
			require.Equal(t, c.level, got.Level)
			require.Contains(t, got.Mend, c.mend)
			require.Equal(t, c.possible, v.Possible, v.Summary)
			// Nobody asked for the device: there is still the endpoint in software.
			require.True(t, Judge(f, doctor.Asked{}).Possible)
		})
	}
}

// TestSoftware: what the endpoint in software needs of an interface that was asked
// for.
func TestSoftware(t *testing.T) {
	for _, c := range []struct {
		name     string
		spoil    func(*Facts)
		what     string
		level    doctor.Level
		mend     string
		possible bool
	}{
		{"nothing", func(*Facts) {}, "eth4", doctor.OK, "", true},
		{"no raw sockets", func(f *Facts) { f.Packet = "operation not permitted" }, "AF_PACKET", doctor.Missing, "--wire udp", false},
		{"no AF_XDP", func(f *Facts) { f.XSK = "not supported" }, "raw sockets", doctor.OK, "", true},
		{"no address", func(f *Facts) { f.Interfaces[0].Addrs = nil }, "eth4 address", doctor.Missing, "ip address add", false},
		{"small mtu", func(f *Facts) { f.Interfaces[0].MTU = 1000 }, "eth4 mtu", doctor.Missing, "mtu 1500", false},
		{"down", func(f *Facts) { f.Interfaces[0].Up = false }, "eth4 state", doctor.Missing, "ip link set eth4 up", false},
		{"unplugged", func(f *Facts) { f.Interfaces[0].Carrier = false }, "eth4 carrier", doctor.Warning, "plug", true},
		{"veth without GRO", func(f *Facts) { f.Interfaces[0].Kind, f.Interfaces[0].GRO = "veth", false }, "eth4 GRO", doctor.OK, "the server does it: ethtool -K eth4 gro on", true},
		{"veth with checksums", func(f *Facts) { f.Interfaces[0].Kind, f.Interfaces[0].TXChecksum = "veth", true }, "eth4 tx checksums", doctor.OK, "the server does it: ethtool -K eth4 tx off", true},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := good()
			f.Devices = nil
			c.spoil(&f)
			v := Judge(f, doctor.Asked{Interfaces: true})
			got := find(v, c.what)
			require.Equal(t, c.what, got.What, "%+v", v.Findings)
			require.Equal(t, c.level, got.Level)
			require.Contains(t, got.Mend, c.mend)
			require.Equal(t, c.possible, v.Possible, v.Summary)
		})
	}
}

// TestNeither: no RDMA device, no raw sockets.
func TestNeither(t *testing.T) {
	f := good()
	f.Devices, f.Packet = nil, "operation not permitted"
	v := Judge(f, doctor.Asked{})
	require.False(t, v.Possible)
	require.Equal(t, "this machine cannot be a server as it is", v.Summary)
}

// TestThisMachine: what is gathered is at least consistent.
func TestThisMachine(t *testing.T) {
	m, err := doctor.ReadMachine()
	require.NoError(t, err)
	ifs, err := nic.ReadAll()
	require.NoError(t, err)
	f := Gather(context.Background(), m, ifs)
	require.Empty(t, f.DevErr)
	require.Equal(t, verbs.Built, f.Built)
	if m.Has(unix.CAP_NET_RAW) {
		require.Empty(t, f.Packet)
	} else {
		require.NotEmpty(t, f.Packet)
	}
	v := Judge(f, doctor.Asked{})
	require.NotEmpty(t, v.Summary)
	require.NotEmpty(t, v.Findings)
}
