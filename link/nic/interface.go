// Package nic asks the kernel what a network interface is like: its state, its driver, its queues,
// and what the device does with packets before XDP and packet sockets see them. It changes nothing.
package nic

import (
	"errors"
	"fmt"
	"net"
	"net/netip"

	"github.com/safchain/ethtool"
	"github.com/vishvananda/netlink"
	"github.com/vishvananda/netlink/nl"
	"golang.org/x/sys/unix"
)

// Interface is a network interface.
type Interface struct {
	Name      string       `json:"name"`
	Kind      string       `json:"kind"` // "device" for hardware, else "veth", "bridge", "tun"...
	Driver    string       `json:"driver,omitempty"`
	MAC       string       `json:"mac,omitempty"`
	MTU       int          `json:"mtu"`
	Up        bool         `json:"up"`      // set up
	Carrier   bool         `json:"carrier"` // the other end is there
	Addrs     []netip.Addr `json:"addrs,omitempty"`
	Master    bool         `json:"master"` // belongs to a bridge or bond
	XDP       string       `json:"xdp"`    // program attached: "", "native", "generic", "offloaded"
	XDPProg   uint32       `json:"xdpProg,omitempty"`
	Features  uint64       `json:"xdpFeatures"` // what the driver's native XDP can do, if FeatKnown
	FeatKnown bool         `json:"xdpFeaturesKnown"`

	GRO        bool `json:"gro"`
	LRO        bool `json:"lro"`
	TXChecksum bool `json:"txChecksum"`
	VLANStrip  bool `json:"vlanStrip"`     // the device takes VLAN tags out of packets that it receives
	VLANInsert bool `json:"vlanInsert"`    // tags of VLANs that are sent are left to the device
	Far        *Far `json:"far,omitempty"` // of a veth, the other end; nil when it cannot be looked at
	Channels   int  `json:"channels"`      // queues for receiving, 0 when the device does not say
	Queues     int  `json:"queues"`        // for receiving: Channels, or where the device does not say how many it was made with
	MaxChan    int  `json:"maxChannels"`
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
		Name: a.Name, Kind: l.Type(), MAC: a.HardwareAddr.String(), MTU: a.MTU, Up: a.Flags&net.FlagUp != 0,
		Carrier: a.OperState == netlink.OperUp || a.OperState == netlink.OperUnknown && a.RawFlags&unix.IFF_LOWER_UP != 0,
		Master:  a.MasterIndex != 0,
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
	return i, nil
}

// TagsBeside says why the tags of VLANs do not come in the packets of an interface, where XDP
// sees them, but beside them, with the command that mends it; "": they come in the packets.
func (i *Interface) TagsBeside() (why, mend string) {
	switch {
	case i.VLANStrip:
		return "it takes VLAN tags out of packets", fmt.Sprintf("ethtool -K %s rxvlan off rx-vlan-stag-hw-parse off", i.Name)
	case i.Far != nil && i.Far.VLANInsert:
		return fmt.Sprintf("its other end, %s, leaves VLAN tags beside packets", i.Far.Name), fmt.Sprintf("there: ethtool -K %s txvlan off tx-vlan-stag-hw-insert off", i.Far.Name)
	}
	return "", ""
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
	i.Driver, _ = e.DriverName(i.Name)
	f, _ := e.Features(i.Name)
	i.GRO, i.LRO = f["rx-gro"], f["rx-lro"]
	i.TXChecksum = f["tx-checksum-ip-generic"] || f["tx-checksum-ipv4"] || f["tx-checksum-ipv6"]
	i.VLANStrip = i.Kind != "veth" && (f["rx-vlan-hw-parse"] || f["rx-vlan-stag-hw-parse"])
	i.VLANInsert = f["tx-vlan-hw-insert"] || f["tx-vlan-stag-hw-insert"]
	if c, err := e.GetChannels(i.Name); err == nil {
		i.Channels, i.MaxChan = int(c.RxCount+c.CombinedCount), int(max(c.MaxRx, c.MaxCombined))
	}
}
