// Package nic asks the kernel what a network interface is like: its state, its driver, its queues,
// and what the device does with packets before XDP and packet sockets see them. It changes nothing
// (package link/tune does). Drivers is what drivers do with XDP.
package nic

import (
	"errors"
	"fmt"
	"net"
	"net/netip"
	"strconv"
	"strings"

	"github.com/safchain/ethtool"
	"github.com/vishvananda/netlink"
	"github.com/vishvananda/netlink/nl"
	"golang.org/x/sys/unix"

	"github.com/p4ce/p4ce/link/files"
)

// Interface is a network interface.
type Interface struct {
	Name      string       `json:"name"`
	Index     int          `json:"index"`
	Kind      string       `json:"kind"` // "device" for hardware, else "veth", "bridge", "tun"...
	Driver    string       `json:"driver,omitempty"`
	MAC       string       `json:"mac,omitempty"`
	MTU       int          `json:"mtu"`
	Up        bool         `json:"up"`                // set up
	Carrier   bool         `json:"carrier"`           // the other end is there
	Promisc   bool         `json:"promisc"`           // set to take packets to any address
	Members   []int        `json:"members,omitempty"` // of a bond: their indexes
	Addrs     []netip.Addr `json:"addrs,omitempty"`
	Master    bool         `json:"master"` // belongs to a bridge or bond
	XDP       string       `json:"xdp"`    // program attached: "", "native", "generic", "offloaded"
	XDPProg   uint32       `json:"xdp_program,omitempty"`
	Features  uint64       `json:"xdp_features"` // what the driver's native XDP can do, if FeatKnown
	FeatKnown bool         `json:"xdp_features_known"`

	GRO        bool `json:"gro"`
	LRO        bool `json:"lro"`
	GROHW      bool `json:"gro_hw"` // the device merges packets
	TXChecksum bool `json:"tx_checksum"`
	VLANStrip  bool `json:"vlan_strip"`    // the device takes VLAN tags out of packets that it receives
	VLANInsert bool `json:"vlan_insert"`   // tags of VLANs that are sent are left to the device
	Far        *Far `json:"far,omitempty"` // of a veth, the other end; nil when it cannot be looked at
	Channels   int  `json:"channels"`      // queues for receiving, 0 when the device does not say
	Queues     int  `json:"queues"`        // for receiving: Channels, or where the device does not say how many it was made with
	MaxChan    int  `json:"max_channels"`
	Apart      bool `json:"apart"` // queues for receiving are others than those for sending
	VFs        int  `json:"vfs"`   // virtual functions that the device has
	// Offloads says that a virtio_net device receives what the host has merged, or left without a checksum, and that
	// the guest cannot end this.
	Offloads bool `json:"offloads"`
	// Fixed are features that the driver does not let anybody change.
	Fixed map[string]bool `json:"-"`

	active map[string]bool
}

// Active reports whether a feature is on, by the name that ethtool has for it, and whether that is known.
func (i *Interface) Active(feature string) (on, known bool) {
	on, known = i.active[feature]
	return on, known
}

// The bits of Interface.Features (linux/netdev.h).
const (
	FeatureBasic    = 1 << 0 // drop, pass, tx
	FeatureRedirect = 1 << 1
	FeatureXmit     = 1 << 2 // can be redirected to
	FeatureZeroCopy = 1 << 3
)

// ErrNoInterface is returned for a name that no interface of this network namespace
// has.
var ErrNoInterface = errors.New("does not exist in this network namespace")

// Read asks the kernel about one interface.
func Read(name string) (Interface, error) {
	l, err := netlink.LinkByName(name)
	var none netlink.LinkNotFoundError
	if errors.As(err, &none) {
		return Interface{}, fmt.Errorf("interface %s %w", name, ErrNoInterface)
	}
	if err != nil {
		return Interface{}, fmt.Errorf("interface %s: %w", name, err)
	}
	return read(l)
}

// ReadAll asks about all Ethernet interfaces.
func ReadAll() ([]Interface, error) {
	links, err := netlink.LinkList()
	if err != nil {
		return nil, fmt.Errorf("interfaces: %w", err)
	}
	var all []Interface
	for _, l := range links {
		if a := l.Attrs(); a.EncapType != "ether" || a.Flags&net.FlagLoopback != 0 {
			continue
		}
		i, err := read(l)
		if err != nil {
			return nil, err
		}
		all = append(all, i)
	}
	return all, nil
}

func read(l netlink.Link) (Interface, error) {
	a := l.Attrs()
	i := Interface{
		Name: a.Name, Index: a.Index, Kind: l.Type(), MAC: a.HardwareAddr.String(), MTU: a.MTU, Up: a.Flags&net.FlagUp != 0,
		Carrier: a.OperState == netlink.OperUp || a.OperState == netlink.OperUnknown && a.RawFlags&unix.IFF_LOWER_UP != 0,
		Master:  a.MasterIndex != 0,
		Promisc: a.RawFlags&unix.IFF_PROMISC != 0,
	}
	if a.Xdp != nil && a.Xdp.Attached {
		i.XDPProg = a.Xdp.ProgId
		i.XDP = map[uint32]string{nl.XDP_ATTACHED_DRV: "native", nl.XDP_ATTACHED_SKB: "generic", nl.XDP_ATTACHED_HW: "offloaded"}[a.Xdp.AttachMode]
		if i.XDP == "" {
			i.XDP = "several programs"
		}
	}
	addrs, err := netlink.AddrList(l, netlink.FAMILY_V4)
	if err != nil {
		return i, fmt.Errorf("interface %s: addresses: %w", a.Name, err)
	}
	for _, x := range addrs {
		if ip, ok := netip.AddrFromSlice(x.IP); ok {
			i.Addrs = append(i.Addrs, ip.Unmap())
		}
	}
	i.Features, i.FeatKnown = xdpFeatures(a.Index)
	i.ethtool()
	if i.Queues = i.Channels; i.Queues == 0 {
		i.Queues = a.NumRxQueues
	}
	if i.Kind == "veth" {
		i.Far = readFar(a)
	}
	if i.Kind == "bond" {
		i.Driver = "bonding"
		if i.Members, err = Members(a.Index); err != nil {
			return i, fmt.Errorf("interface %s: %w", a.Name, err)
		}
	}
	return i, nil
}

// Force has an interface that was not read from the kernel have a feature, on or off, and changeable or not.
func (i *Interface) Force(feature string, on, fixed bool) {
	if i.active == nil {
		i.active, i.Fixed = map[string]bool{}, map[string]bool{}
	}
	i.active[feature], i.Fixed[feature] = on, fixed
}

// Members returns the indexes of the interfaces that belong to a bond.
func Members(bond int) (out []int, err error) {
	links, err := netlink.LinkList()
	if err != nil {
		return nil, fmt.Errorf("members: %w", err)
	}
	for _, l := range links {
		if l.Attrs().MasterIndex == bond {
			out = append(out, l.Attrs().Index)
		}
	}
	return out, nil
}

// xdpFeatures asks the netdev family, which Linux has since 6.3.
func xdpFeatures(index int) (uint64, bool) {
	const (
		devGet       = 1 // NETDEV_CMD_DEV_GET
		attrIndex    = 1 // NETDEV_A_DEV_IFINDEX
		attrFeatures = 3 // NETDEV_A_DEV_XDP_FEATURES
	)
	family, err := netlink.GenlFamilyGet("netdev")
	if err != nil {
		return 0, false
	}
	req := nl.NewNetlinkRequest(int(family.ID), 0)
	// nl.Genlmsg leaves the two reserved bytes to chance, which this family refuses.
	req.AddRawData(append([]byte{devGet, uint8(family.Version), 0, 0}, nl.NewRtAttr(attrIndex, nl.Uint32Attr(uint32(index))).Serialize()...))
	msgs, err := req.Execute(unix.NETLINK_GENERIC, 0)
	if err != nil || len(msgs) != 1 || len(msgs[0]) < nl.SizeofGenlmsg {
		return 0, false
	}
	attrs, err := nl.ParseRouteAttr(msgs[0][nl.SizeofGenlmsg:])
	if err != nil {
		return 0, false
	}
	for _, a := range attrs {
		if a.Attr.Type == attrFeatures && len(a.Value) == 8 {
			return nl.NativeEndian().Uint64(a.Value), true
		}
	}
	return 0, false
}

// ethtool fills in what only ethtool's ioctl tells. What a device does not tell
// stays zero.
func (i *Interface) ethtool() {
	e, err := ethtool.NewEthtool()
	if err != nil {
		return
	}
	defer e.Close()
	var f map[string]bool
	i.Driver, _ = e.DriverName(i.Name)
	f, i.Fixed = map[string]bool{}, map[string]bool{}
	states, _ := e.FeaturesWithState(i.Name)
	for name, s := range states {
		f[name], i.Fixed[name] = s.Active, s.NeverChanged || !s.Available
	}
	i.active = f
	i.GRO, i.LRO, i.GROHW = f["rx-gro"], f["rx-lro"], f["rx-gro-hw"]
	i.TXChecksum = f["tx-checksum-ip-generic"] || f["tx-checksum-ipv4"] || f["tx-checksum-ipv6"]
	i.VLANStrip = i.Kind != "veth" && (f["rx-vlan-hw-parse"] || f["rx-vlan-stag-hw-parse"])
	i.VLANInsert = f["tx-vlan-hw-insert"] || f["tx-vlan-stag-hw-insert"]
	if c, err := e.GetChannels(i.Name); err == nil {
		i.Channels, i.MaxChan = int(c.RxCount+c.CombinedCount), int(max(c.MaxRx, c.MaxCombined))
		i.Apart = c.CombinedCount == 0 && c.RxCount > 0
	}
	i.device()
}

// device fills in what only sysfs tells of the device below an interface, where it shows this network namespace.
func (i *Interface) device() {
	at := "/sys/class/net/" + i.Name + "/device/"
	if b, err := files.Read(at+"sriov_numvfs", files.Settings); err == nil {
		i.VFs, _ = strconv.Atoi(strings.TrimSpace(string(b)))
	}
	if b, err := files.Read(at+"features", files.Settings); err == nil && i.Driver == "virtio_net" {
		i.Offloads = offloads(string(b))
	}
}

// offloads reads the features of a virtio device, a 0 or 1 for each bit (virtio 1.2, 5.1.3).
func offloads(features string) bool {
	const guestCsum, ctrlGuestOffloads, guestTSO4, guestTSO6, guestECN, guestUFO = 1, 2, 7, 8, 9, 10
	has := func(bit int) bool { return len(features) > bit && features[bit] == '1' }
	return !has(ctrlGuestOffloads) && (has(guestCsum) || has(guestTSO4) || has(guestTSO6) || has(guestECN) || has(guestUFO))
}
