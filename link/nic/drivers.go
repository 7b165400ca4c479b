package nic

import (
	"fmt"
	"strings"
)

// Driver is what a driver of network interfaces does with XDP: what the doctor judges by, and docs/hardware.md prints.
type Driver struct {
	Name   string // as ethtool -i has it
	Source string // file or folder of Linux, below drivers/net
	// Native is the version of Linux since which a program runs in the driver; "": none does, and XDP would be generic.
	Native string
	// Xmit: packets can be redirected to it (ndo_xdp_xmit), which a port of a switch must be able to.
	Xmit bool
	// ZeroCopy is the version since which AF_XDP sockets share memory with it; "": frames are copied.
	ZeroCopy string
	// MTU is the largest with a program that takes a packet in one buffer, on machines with pages of 4 KiB, in bytes of IP
	// packet. 0: the driver sets no bound.
	MTU    int
	Queues Queues
	LRO    bool // large receive offload must be off
	VFs    bool // the device must have no virtual functions
	// Needs are other conditions of the driver, in words.
	Needs string
}

// Queues is what a driver wants of its queues before it runs a program.
type Queues uint8

// The rules.
const (
	QueuesAny      Queues = iota
	QueuesCombined        // each receives and sends
	QueuesHalf            // as many as are in use must be free, for packets that XDP sends
	QueuesSpare           // one for each CPU should be free; without, sending takes a lock
	QueuesFar             // at least as many to receive as the other end has to send
)

// String returns the rule as the table has it.
func (q Queues) String() string {
	return [...]string{
		QueuesAny:      "any number",
		QueuesCombined: "combined",
		QueuesHalf:     "at most half of those that the device has",
		QueuesSpare:    "one per CPU unused; else XDP sends under a lock",
		QueuesFar:      "as many to receive as the other end has to send, or more",
	}[q]
}

// drivers have their rules from Linux 6.1, or from the version that has brought native XDP.
var drivers = []Driver{
	{Name: "bnxt_en", Source: "ethernet/broadcom/bnxt", Native: "4.11", Xmit: true, MTU: 3502, Queues: QueuesCombined, Needs: "a free send queue for each receive queue"},
	{Name: "bonding", Source: "bonding/bond_main.c", Native: "5.15", Xmit: true, Needs: "mode balance-rr, active-backup, balance-xor or 802.3ad (no vlan+srcmac); all members have native XDP, and no program"},
	{Name: "e1000", Source: "ethernet/intel/e1000"},
	{Name: "e1000e", Source: "ethernet/intel/e1000e"},
	{Name: "ena", Source: "ethernet/amazon/ena/ena_netdev.h", Native: "5.6", Xmit: true, MTU: 3498, Queues: QueuesHalf},
	{Name: "gve", Source: "ethernet/google/gve/gve_main.c", Native: "6.4", Xmit: true, ZeroCopy: "6.4", MTU: 2032, Queues: QueuesHalf, LRO: true, Needs: "queue format GQI-QPL; as many queues to receive as to send"},
	{Name: "hv_netvsc", Source: "hyperv/netvsc_bpf.c", Native: "5.6", Xmit: true, MTU: 3506, LRO: true},
	{Name: "i40e", Source: "ethernet/intel/i40e/i40e_main.c", Native: "4.13", Xmit: true, ZeroCopy: "4.20", MTU: 3050},
	{Name: "ice", Source: "ethernet/intel/ice/ice_main.c", Native: "5.5", Xmit: true, ZeroCopy: "5.5", MTU: 3046},
	{Name: "igb", Source: "ethernet/intel/igb/igb_main.c", Native: "5.10", Xmit: true, MTU: 3046},
	{Name: "igc", Source: "ethernet/intel/igc/igc_xdp.c", Native: "5.13", Xmit: true, ZeroCopy: "5.14", MTU: 1500},
	{Name: "ixgbe", Source: "ethernet/intel/ixgbe/ixgbe_main.c", Native: "4.12", Xmit: true, ZeroCopy: "4.20", MTU: 3050, LRO: true, VFs: true, Needs: "no DCB; at most 128 CPUs"},
	{Name: "ixgbevf", Source: "ethernet/intel/ixgbevf/ixgbevf_main.c", Native: "4.17", MTU: 3050},
	{Name: "mana", Source: "ethernet/microsoft/mana/mana_bpf.c", Native: "5.17", Xmit: true, MTU: 3506},
	{Name: "mlx4_en", Source: "ethernet/mellanox/mlx4/en_netdev.c", Native: "4.8", MTU: 3498},
	{Name: "mlx5_core", Source: "ethernet/mellanox/mlx5/core/en_main.c", Native: "4.9", Xmit: true, ZeroCopy: "5.3", MTU: 3498, LRO: true, Needs: "no hardware GRO (rx-gro-hw)"},
	{Name: "mvneta", Source: "ethernet/marvell/mvneta.c", Native: "5.5", Xmit: true, MTU: 3520, Needs: "no hardware buffer management"},
	{Name: "nfp", Source: "ethernet/netronome/nfp/nfp_net_common.c", Native: "4.10", ZeroCopy: "5.18", MTU: 3434},
	{Name: "qede", Source: "ethernet/qlogic/qede/qede_filter.c", Native: "4.10", Xmit: true},
	{Name: "r8169", Source: "ethernet/realtek/r8169_main.c"},
	{Name: "sfc", Source: "ethernet/sfc/efx_common.c", Native: "5.5", Xmit: true, Needs: "an MTU of about 3500 or less, which depends on the NIC"},
	{Name: "st_gmac", Source: "ethernet/stmicro/stmmac/stmmac_xdp.c", Native: "5.13", Xmit: true, ZeroCopy: "5.13", MTU: 1500},
	{Name: "tg3", Source: "ethernet/broadcom/tg3.c"},
	{Name: "tun", Source: "tun.c", Native: "4.14", Xmit: true, MTU: 3442, Needs: "longer frames run the program in generic mode, and are lost"},
	{Name: "veth", Source: "veth.c", Native: "4.19", Xmit: true, MTU: 3506, Queues: QueuesFar, Needs: "the MTU of the other end counts, too; the other end must have GRO or XDP"},
	{Name: "virtio_net", Source: "virtio_net.c", Native: "4.10", Xmit: true, MTU: 3506, Queues: QueuesSpare, Needs: "the host leaves receive offloads to the guest (ctrl_guest_offloads), or has none. With queues to spare, ending the driver under a running program waits for ever (seen with 6.1): end the switch first"},
	{Name: "vmxnet3", Source: "vmxnet3/vmxnet3_xdp.c", Native: "6.6", Xmit: true, MTU: 3494, LRO: true},
	{Name: "xen_netfront", Source: "xen-netfront.c", Native: "5.9", Xmit: true, MTU: 3840, Needs: "a host that leaves room in front of packets (feature-xdp-headroom)"},
}

// Drivers returns the table of drivers, in the order of their names.
func Drivers() []Driver { return append([]Driver(nil), drivers...) }

// aliases are what one driver is called besides.
var aliases = map[string]string{"vif": "xen_netfront", "netvsc": "hv_netvsc", "stmmac": "st_gmac", "st_mac100": "st_gmac", "st_xgmac": "st_gmac", "mlx5e_rep": "mlx5_core"}

// Known returns the driver of an interface, if the table has it.
func (i *Interface) Known() (Driver, bool) {
	name := i.Driver
	if a, ok := aliases[name]; ok {
		name = a
	}
	for _, d := range drivers {
		if d.Name == name {
			return d, true
		}
	}
	return Driver{}, false
}

// Table prints the table of drivers in Markdown.
func Table() string {
	var b strings.Builder
	b.WriteString("| driver | native XDP since | can be a port | AF_XDP without a copy since | MTU at most | queues | needs | source below `drivers/net` |\n|---|---|---|---|---|---|---|---|\n")
	for _, d := range drivers {
		native, port, zero, mtu, queues := d.Native, "yes", d.ZeroCopy, fmt.Sprint(d.MTU), d.Queues.String()
		if !d.Xmit {
			port = "no"
		}
		if zero == "" {
			zero = "-"
		}
		if d.MTU == 0 {
			mtu = "-"
		}
		if native == "" {
			native, mtu, queues = "never", "-", "-"
		}
		var needs []string
		if d.LRO {
			needs = append(needs, "LRO off")
		}
		if d.VFs {
			needs = append(needs, "no virtual functions (SR-IOV)")
		}
		if d.Needs != "" {
			needs = append(needs, d.Needs)
		}
		fmt.Fprintf(&b, "| %s | %s | %s | %s | %s | %s | %s | `%s` |\n", d.Name, native, port, zero, mtu, queues, strings.Join(needs, "; "), d.Source)
	}
	return b.String()
}
