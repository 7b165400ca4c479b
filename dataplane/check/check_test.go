package check

import (
	"net/netip"
	"runtime"
	"strings"
	"testing"

	"github.com/safchain/ethtool"
	"github.com/stretchr/testify/require"
	"github.com/vishvananda/netlink"
	"golang.org/x/sys/unix"

	"github.com/p4ce/p4ce/doctor"
	"github.com/p4ce/p4ce/doctor/needs"
	"github.com/p4ce/p4ce/link/nic"
)

// good is a machine without a flaw.
func good() Facts {
	return Facts{
		Machine: doctor.Machine{
			Release: "6.8.0-31-generic", CPUs: 8, MemTotal: 32 << 30, MemAvailable: 30 << 30, Memlock: 8 << 20,
			Caps: 1<<unix.CAP_NET_ADMIN | 1<<unix.CAP_BPF | 1<<unix.CAP_PERFMON | 1<<unix.CAP_NET_RAW | 1<<unix.CAP_IPC_LOCK,
		},
		Interfaces: []nic.Interface{port()},
		Features:   []Feature{{What: "XDP programs", Version: "4.8"}, {What: "BPF ring buffers", Version: "5.8"}},
		JIT:        "1", BPFFS: true,
	}
}

func port() nic.Interface {
	return nic.Interface{
		Name: "eth1", Kind: "device", Driver: "ice", MTU: 3000, Up: true, Carrier: true, Promisc: true, FeatKnown: true,
		Features: nic.FeatureBasic | nic.FeatureRedirect, GRO: true, Channels: 8, MaxChan: 8,
	}
}

// find returns the finding about something.
func find(v doctor.Verdict, what string) doctor.Finding {
	for _, f := range v.Findings {
		if f.What == what {
			return f
		}
	}
	return doctor.Finding{}
}

func TestGoodMachine(t *testing.T) {
	v := Judge(good(), true)
	require.True(t, v.Possible)
	require.Equal(t, doctor.OK, v.Worst(), "%+v", v.Findings)
	require.Equal(t, "this machine can be a switch in XDP", v.Summary)
	require.Equal(t, "device, driver ice, mtu 3000, 8 queues, native XDP up to mtu 3046", find(v, "eth1").Found)
}

// TestBadMachines: each flaw alone, and what is said about it.
func TestBadMachines(t *testing.T) {
	for _, c := range []struct {
		name     string
		spoil    func(*Facts)
		what     string
		level    doctor.Level // with the interface named
		mend     string       // part of it
		possible bool
	}{
		{"old kernel", func(f *Facts) { f.Machine.Release = "4.19.0-27-amd64" }, "kernel", doctor.Missing, "install Linux 6.1", false},
		{"kernel that was not tried", func(f *Facts) { f.Machine.Release = "5.15.0-91-generic" }, "kernel", doctor.Warning, "install Linux 6.1", true},
		{"strange kernel", func(f *Facts) { f.Machine.Release = "six" }, "kernel", doctor.Warning, "", true},
		{"no privilege", func(f *Facts) { f.Machine.Caps = 0 }, "privilege", doctor.Missing, "as root", false},
		{"CAP_SYS_ADMIN will do for CAP_BPF", func(f *Facts) {
			f.Machine.Caps = 1<<unix.CAP_NET_ADMIN | 1<<unix.CAP_SYS_ADMIN | 1<<unix.CAP_NET_RAW | 1<<unix.CAP_IPC_LOCK
		}, "privilege", doctor.OK, "", true},
		{"no CAP_PERFMON", func(f *Facts) { f.Machine.Caps &^= 1 << unix.CAP_PERFMON }, "privilege", doctor.Missing, "as root", false},
		{"no CAP_IPC_LOCK", func(f *Facts) { f.Machine.Caps &^= 1 << unix.CAP_IPC_LOCK }, "privilege", doctor.Missing, "as root", false},
		{"no limit on locked memory", func(f *Facts) {
			f.Machine.Caps &^= 1 << unix.CAP_IPC_LOCK
			f.Machine.Memlock = doctor.Unlimited
		}, "privilege", doctor.OK, "", true},
		{"lacks a feature", func(f *Facts) { f.Features[1].Lacking = true }, "BPF ring buffers", doctor.Missing, "install Linux 5.8", false},
		{"cannot tell", func(f *Facts) { f.Features[1].Err = "operation not permitted" }, "BPF ring buffers", doctor.Missing, "", false},
		{"XDP forbidden", func(f *Facts) { f.Trial = "native XDP on a veth: operation not permitted" }, "native XDP", doctor.Missing, "security module", false},
		{"no AF_XDP", func(f *Facts) { f.XSK = "address family not supported" }, "AF_XDP", doctor.Missing, "CONFIG_XDP_SOCKETS", false},
		{"no JIT", func(f *Facts) { f.JIT = "0" }, "BPF JIT", doctor.Warning, "sysctl", true},
		{"no bpffs", func(f *Facts) { f.BPFFS = false }, "bpffs", doctor.Warning, "mount -t bpf", true},
		{"small", func(f *Facts) { f.Machine.MemTotal = 100 << 20 }, "memory", doctor.Missing, "1024 MiB", false},
		{"full", func(f *Facts) { f.Machine.MemAvailable = 100 << 20 }, "memory", doctor.Warning, "", true},
		{"memlock on an old kernel", func(f *Facts) { f.Machine.Release = "5.4.0" }, "locked memory", doctor.Missing, "ulimit -l", false},
		{"one processor", func(f *Facts) { f.Machine.CPUs = 1 }, "processors", doctor.Warning, "", true},
		{"MTU of its driver", func(f *Facts) { f.Interfaces[0].Driver, f.Interfaces[0].MTU = "igc", 1501 }, "eth1 mtu", doctor.Missing, "ip link set eth1 mtu 1500", false},
		{"jumbo beyond", func(f *Facts) {
			f.Interfaces[0].Kind, f.Interfaces[0].Far = "veth", &nic.Far{Name: "eth0", MTU: 9000}
		}, "eth1 mtu", doctor.Missing, "there: ip link set eth0 mtu 3000", false},
		{"more queues beyond", func(f *Facts) {
			f.Interfaces[0].Kind, f.Interfaces[0].Driver, f.Interfaces[0].Queues, f.Interfaces[0].Far = "veth", "veth", 1, &nic.Far{Name: "eth0", TXQueues: 4}
		}, "eth1 queues", doctor.Missing, "there: ethtool -L eth0 tx 1", false},
		{"no queue for XDP", func(f *Facts) { f.Interfaces[0].Driver = "ena" }, "eth1 queues", doctor.Missing, "ethtool -L eth1 combined 4", false},
		{"queues that XDP shares", func(f *Facts) { f.Interfaces[0].Driver = "virtio_net" }, "eth1 queues", doctor.Warning, "give the device 16 queues", true},
		{"queues that XDP need not share", func(f *Facts) { f.Interfaces[0].Driver, f.Interfaces[0].MaxChan = "virtio_net", 12 }, "eth1 queues", doctor.Warning, "ethtool -L eth1 combined 4", true},
		{"queues apart", func(f *Facts) { f.Interfaces[0].Driver, f.Interfaces[0].Apart = "bnxt_en", true }, "eth1 queues", doctor.Missing, "rx 0 tx 0 combined 8", false},
		{"virtual functions", func(f *Facts) { f.Interfaces[0].Driver, f.Interfaces[0].VFs = "ixgbe", 4 }, "eth1 virtual functions", doctor.Missing, "sriov_numvfs", false},
		{"host offloads", func(f *Facts) { f.Interfaces[0].Driver, f.Interfaces[0].Offloads = "virtio_net", true }, "eth1 host offloads", doctor.Missing, "ctrl_guest_offloads=on", false},
		{"GRO in hardware", func(f *Facts) { f.Interfaces[0].GROHW = true }, "eth1 GRO in hardware", doctor.OK, "rx-gro-hw off", true},
		{"own address only", func(f *Facts) { f.Interfaces[0].Promisc = false }, "eth1 promiscuous mode", doctor.OK, "the switch does it: ip link set eth1 promisc on", true},
		{"jumbo", func(f *Facts) { f.Interfaces[0].MTU = 9000 }, "eth1 mtu", doctor.Missing, "ip link set eth1 mtu 3000", false},
		{"no native XDP", func(f *Facts) { f.Interfaces[0].Features = 0 }, "eth1 driver", doctor.Missing, "docs/hardware.md", false},
		{"features not told", func(f *Facts) { f.Interfaces[0].FeatKnown, f.Interfaces[0].Driver = false, "new" }, "eth1 driver", doctor.Warning, "", true},
		{"features not told, of a driver without", func(f *Facts) { f.Interfaces[0].FeatKnown, f.Interfaces[0].Driver = false, "e1000" }, "eth1 driver", doctor.Missing, "--target interp", false},
		{"driver that cannot be redirected to", func(f *Facts) { f.Interfaces[0].Driver = "ixgbevf" }, "eth1 driver", doctor.Missing, "--target interp", false},
		{"veth without GRO beyond", func(f *Facts) { f.Interfaces[0].Kind = "veth" }, "eth1 far end", doctor.Warning, "gro on", true},
		{"has a program", func(f *Facts) { f.Interfaces[0].XDP, f.Interfaces[0].XDPProg = "native", 77 }, "eth1 XDP", doctor.Missing, "xdp off", false},
		{"in a bridge", func(f *Facts) { f.Interfaces[0].Master = true }, "eth1 master", doctor.Missing, "nomaster", false},
		{"down", func(f *Facts) { f.Interfaces[0].Up = false }, "eth1 state", doctor.OK, "the switch does it: ip link set eth1 up", true},
		{"unplugged", func(f *Facts) { f.Interfaces[0].Carrier = false }, "eth1 carrier", doctor.Warning, "plug it in", true},
		{"LRO", func(f *Facts) { f.Interfaces[0].LRO = true }, "eth1 LRO", doctor.OK, "the switch does it: ethtool -K eth1 lro off", true},
		{"VLAN", func(f *Facts) { f.Interfaces[0].VLANStrip = true }, "eth1 VLAN", doctor.OK, "the switch does it: ethtool -K eth1 rxvlan off", true},
		{"VLAN beyond", func(f *Facts) {
			f.Interfaces[0].Kind, f.Interfaces[0].Far = "veth", &nic.Far{Name: "eth0", VLANInsert: true}
		}, "eth1 VLAN", doctor.Missing, "there: ethtool -K eth0 txvlan off", false},
		{"unknown beyond", func(f *Facts) { f.Interfaces[0].Kind, f.Interfaces[0].Features = "veth", ^uint64(0) }, "eth1 VLAN", doctor.Warning, "txvlan off", true},
		{"queues", func(f *Facts) { f.Interfaces[0].Channels = 1 }, "eth1 queues", doctor.Warning, "combined 8", true},
		{"somebody's address", func(f *Facts) { f.Interfaces[0].Addrs = []netip.Addr{netip.MustParseAddr("192.0.2.1")} }, "eth1 address", doctor.Warning, "another interface", true},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := good()
			c.spoil(&f)
			v := Judge(f, true)
			got := find(v, c.what)
			require.Equal(t, c.what, got.What, "%+v", v.Findings)
			require.Equal(t, c.level, got.Level)
			require.NotEmpty(t, got.Found)
			require.Contains(t, got.Mend, c.mend)
			require.Equal(t, c.possible, v.Possible, v.Summary)
			// An interface that nobody has asked for takes nothing from the machine.
			loose := Judge(f, false)
			if find(loose, c.what).Level == doctor.Missing {
				require.False(t, loose.Possible)
			} else {
				require.True(t, loose.Possible)
			}
		})
	}
}

func TestNoInterfaces(t *testing.T) {
	f := good()
	f.Interfaces = nil
	v := Judge(f, false)
	require.True(t, v.Possible)
	require.Contains(t, v.Summary, "once it has Ethernet interfaces")
}

// TestThisMachine: what is gathered as root agrees with what the switch does.
func TestThisMachine(t *testing.T) {
	m, err := doctor.ReadMachine()
	require.NoError(t, err)
	needs.Root(t, "a switch")
	f := Gather(m, nil)
	v := Judge(f, false)
	require.Empty(t, f.Trial)
	require.True(t, v.Possible, "%+v", v.Findings)
}

// TestVeth: in a network namespace, a port is found to be fit when its far end has
// GRO, and not before.
func TestVeth(t *testing.T) {
	needs.Root(t, "a switch")
	done := make(chan struct{})
	go func() {
		defer close(done)
		// The thread, and with it the namespace, ends with the goroutine.
		runtime.LockOSThread()
		if !check(t, unix.Unshare(unix.CLONE_NEWNET)) {
			return
		}
		attrs := netlink.NewLinkAttrs()
		attrs.Name = "port"
		check(t, netlink.LinkAdd(&netlink.Veth{LinkAttrs: attrs, PeerName: "far"}))
		for _, name := range []string{"port", "far"} {
			l, err := netlink.LinkByName(name)
			if !check(t, err) {
				return
			}
			check(t, netlink.LinkSetUp(l))
		}
		i, err := nic.Read("port")
		if !check(t, err) {
			return
		}
		if i.Kind != "veth" || i.Driver != "veth" || i.MTU != 1500 || !i.Up || !i.Carrier {
			t.Errorf("%+v", i)
		}
		if !i.FeatKnown {
			return // before Linux 6.3
		}
		f := good()
		f.Interfaces = []nic.Interface{i}
		if got := find(Judge(f, true), "port far end"); got.Level != doctor.Warning {
			t.Errorf("far end without GRO: %+v of %+v", got, i)
		}
		if got := find(Judge(f, true), "port VLAN"); got.Level != doctor.Missing || !strings.Contains(got.Mend, "ethtool -K far txvlan off") {
			t.Errorf("far end that leaves tags beside: %+v of %+v", got, i)
		}
		e, err := ethtool.NewEthtool()
		if !check(t, err) {
			return
		}
		defer e.Close()
		if !check(t, e.Change("far", map[string]bool{"rx-gro": true, "tx-vlan-hw-insert": false, "tx-vlan-stag-hw-insert": false})) {
			return
		}
		i, err = nic.Read("port")
		check(t, err)
		f.Interfaces = []nic.Interface{i}
		if v := Judge(f, true); !v.Possible {
			t.Errorf("far end with GRO: %+v", v.Findings)
		}
		far, err := nic.Read("far")
		if check(t, err); !far.GRO {
			t.Errorf("%+v", far)
		}
		_, err = nic.Read("nobody")
		if err == nil || err.Error() != "interface nobody does not exist in this network namespace" {
			t.Error(err)
		}
	}()
	<-done
}

// check is require for goroutines other than the test's.
func check(t *testing.T, err error) bool {
	t.Helper()
	if err != nil {
		t.Error(err)
	}
	return err == nil
}
