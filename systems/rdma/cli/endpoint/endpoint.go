// Package endpoint has the flags that say which RDMA endpoint a server uses, and opens it: in software on an
// interface or a socket, or an RNIC.
package endpoint

import (
	"fmt"
	"log/slog"
	"net"
	"net/netip"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"github.com/p4ce/p4ce/host/rdma"
	"github.com/p4ce/p4ce/host/roce"
	"github.com/p4ce/p4ce/host/roce/dcqcn"
	"github.com/p4ce/p4ce/host/roce/farewell"
	"github.com/p4ce/p4ce/host/roce/kernel"
	"github.com/p4ce/p4ce/host/verbs"
	"github.com/p4ce/p4ce/internal/cli"
	"github.com/p4ce/p4ce/internal/units"
	"github.com/p4ce/p4ce/link"
	"github.com/p4ce/p4ce/link/datagram"
	"github.com/p4ce/p4ce/link/pace"
	"github.com/p4ce/p4ce/link/packet"
	"github.com/p4ce/p4ce/link/udp"
	"github.com/p4ce/p4ce/link/xdp"
)

// ServicePort is the RDMA service of servers, in rdma_cm's TCP port space, unless a flag says another.
const ServicePort = 4740

// Flags say which RDMA endpoint a server uses.
type Flags struct {
	RDMA       string        // soft or verbs
	AckTimeout time.Duration // to wait for an acknowledgement
	Memory     int           // bytes of the regions that peers reach, more or less
	LinkRate   float64       // bits per second; 0: as fast as it goes
	Loop       bool          // soft: the endpoint's goroutine does the program's work, too (roce.Options)

	device            string
	gidIndex          int
	wire, iface, addr string
	mac, gateway      string
	paced             *pace.Wire
	dcqcn             string             // the link's rate, for DCQCN; empty: none
	kernel            bool               // the kernel answers for this server
	farewell          *farewell.Farewell // shared with the endpoints that On makes
}

// Add adds them to a command, with the time that an acknowledgement may take by default.
func (o *Flags) Add(f *pflag.FlagSet, ackTimeout time.Duration) {
	o.farewell = newFarewell()
	f.StringVar(&o.RDMA, "rdma", "soft", "RDMA endpoint: soft (in this program), or verbs (an RNIC or rxe)")
	f.StringVar(&o.device, "device", "", "verbs: RDMA device, such as mlx5_0 or rxe0; default: the only one that fits")
	f.IntVar(&o.gidIndex, "gid-index", 0, "verbs: index of the GID; default: the first of type RoCE v2 with an IPv4 address")
	f.StringVar(&o.wire, "wire", "auto", "soft: how frames are sent and who answers them: kernel (AF_XDP, and an XDP program that executes peers' requests without this process), xdp (AF_XDP), packet (AF_PACKET), auto (kernel where the interface can, else packet), udp (kernel socket, no privilege), or sockets to a switch: unix:LOCAL,PEER, udp:LOCAL,PEER")
	f.StringVar(&o.iface, "interface", "", "soft: network interface")
	f.StringVar(&o.addr, "address", "", "own IPv4 address; default: the interface's or the RDMA device's")
	f.StringVar(&o.mac, "mac", "", "own Ethernet address (with unix: and udp: wires)")
	f.StringVar(&o.gateway, "gateway-mac", "", "Ethernet address of the switch (with unix: and udp: wires)")
	f.StringVar(&o.dcqcn, "dcqcn", "", "soft: react to congestion (DCQCN) on a link of this rate, such as 25Gb/s; switches on the way must mark (ECN). Default: do not")
	f.DurationVar(&o.AckTimeout, "ack-timeout", ackTimeout, "time to wait for an acknowledgement; verbs: rounded up to 4.096 us times a power of two")
}

// AddLinkRate adds the flag for a link with a rate.
func (o *Flags) AddLinkRate(f *pflag.FlagSet) {
	f.Float64Var(&o.LinkRate, "link-rate", 0, "soft: rate of the link to send on in bits per second, with headers, FCS, preamble and gap; 0: no limit")
}

// CheckLinkRate looks at it.
func (o *Flags) CheckLinkRate() error {
	switch {
	case !(o.LinkRate >= 0):
		return cli.Usagef("--link-rate %g: not negative", o.LinkRate)
	case o.LinkRate > 0 && o.RDMA != "soft":
		return cli.Usagef("--link-rate is for --rdma soft; an RDMA device has limits of its own")
	}
	return nil
}

// On is an endpoint of the same kind on another interface or RDMA device.
func (o *Flags) On(name string) *Flags {
	c := *o
	c.addr, c.gidIndex = "", 0
	c.Memory = 0 // regions are shared with the first one, and lie in its memory
	if c.RDMA == "verbs" {
		c.device = name
	} else {
		c.iface = name
	}
	return &c
}

// Begin has the link idle from now on: what was not sent before is not made up for.
func (o *Flags) Begin() {
	if o.paced != nil {
		o.paced.Begin()
	}
}

// Sent is how many bytes have gone to a link with a rate.
func (o *Flags) Sent() uint64 {
	if o.paced == nil {
		return 0
	}
	return o.paced.Sent()
}

// OpenDevice opens the RDMA device.
func (o *Flags) OpenDevice(log *slog.Logger) (rdma.Device, error) {
	switch o.RDMA {
	case "soft":
		dev, err := o.OpenSoft(log)
		if err != nil {
			return nil, err
		}
		return roce.RDMA(dev, roce.QPConfig{}), nil
	case "verbs":
		if o.dcqcn != "" {
			return nil, cli.Usagef("--dcqcn is for --rdma soft; an RNIC is set up by its own tools")
		}
		if o.iface != "" || o.wire != "auto" || o.mac != "" || o.gateway != "" {
			return nil, cli.Usagef("--interface, --wire, --mac and --gateway-mac are for --rdma soft; an RDMA device has a network interface of its own (--device)")
		}
		v := verbs.Options{Device: o.device, GIDIndex: o.gidIndex, Log: log}
		if o.addr != "" {
			var err error
			if v.Addr, err = o.address(); err != nil {
				return nil, err
			}
		}
		return verbs.Open(v)
	}
	return nil, cli.Usagef("--rdma must be soft or verbs, not %q", o.RDMA)
}

// OpenSoft opens the endpoint in this program.
func (o *Flags) OpenSoft(log *slog.Logger) (*roce.Device, error) {
	if o.device != "" || o.gidIndex != 0 {
		return nil, cli.Usagef("--device and --gid-index are for --rdma verbs")
	}
	opts := roce.Options{Log: log, Loop: o.Loop}
	if o.dcqcn != "" {
		rate, err := units.Rate(o.dcqcn)
		if err != nil {
			return nil, cli.Usagef("--dcqcn: %v", err)
		}
		// A frame waits for a timer of this machine, which may be late.
		opts.Congestion = &dcqcn.Params{LineRate: rate, Burst: 200 * time.Microsecond}
		if err := opts.Congestion.Check(); err != nil {
			return nil, cli.Usagef("--dcqcn: %v", err)
		}
	}
	w, err := o.openWire(log, &opts)
	if err != nil {
		return nil, err
	}
	o.openFarewell(log, &opts)
	if o.LinkRate > 0 {
		o.paced = pace.New(w, o.LinkRate)
		w = o.paced
	}
	return roce.Open(w, opts)
}

// beside is the memory of a responder in the kernel for what is not known beforehand.
const beside = 1 << 20

// openKernel opens an AF_XDP wire with a responder in the kernel.
func (o *Flags) openKernel(addr netip.Addr, opts *roce.Options) (link.Wire, error) {
	r, err := kernel.Open(o.iface, addr, o.Memory+beside)
	if err != nil {
		return nil, err
	}
	opts.Responder = r
	o.kernel = true
	return r.Wire(), nil
}

// openWire opens what --wire names.
func (o *Flags) openWire(log *slog.Logger, opts *roce.Options) (link.Wire, error) {
	kind, _, sockets := strings.Cut(o.wire, ":")
	switch {
	case sockets && (kind == "unix" || kind == "udp"):
		return o.openDatagram()
	case o.wire == "udp":
		if o.iface == "" && o.addr == "" {
			return nil, cli.Usagef("--address or --interface is missing: want the server's address")
		}
	case o.wire == "auto", o.wire == "kernel", o.wire == "packet", o.wire == "xdp":
		if o.iface == "" {
			return nil, cli.Usagef("--interface is missing: want the server's interface (--wire %s)", o.wire)
		}
	default:
		return nil, cli.Usagef("--wire must be auto, kernel, xdp, packet, udp, unix:LOCAL,PEER or udp:LOCAL,PEER, not %q", o.wire)
	}
	if o.mac != "" || o.gateway != "" {
		return nil, cli.Usagef("--mac and --gateway-mac are for unix: and udp: wires; an interface has an address of its own")
	}
	addr, err := o.address()
	if err != nil {
		return nil, err
	}
	switch o.wire {
	case "auto":
		w, err := o.openKernel(addr, opts)
		if err == nil {
			return w, nil
		}
		log.Warn("the kernel cannot answer for this server on this interface: packet sockets are used, and this process answers", "interface", o.iface, "err", err)
		return packet.Open(o.iface, addr)
	case "kernel":
		return o.openKernel(addr, opts)
	case "packet":
		return packet.Open(o.iface, addr)
	case "xdp":
		return xdp.Open(o.iface, addr)
	}
	return udp.Open(addr)
}

func (o *Flags) openDatagram() (link.Wire, error) {
	if err := datagram.Check(o.wire); err != nil {
		return nil, cli.Usage(fmt.Errorf("--wire: %w", err))
	}
	if o.iface != "" {
		return nil, cli.Usagef("--interface %s: a server has an interface or sockets (--wire %s), not both", o.iface, o.wire)
	}
	if o.addr == "" {
		return nil, cli.Usagef("--wire %s needs --address, --mac and --gateway-mac", o.wire)
	}
	addr, err := o.address()
	if err != nil {
		return nil, err
	}
	d := datagram.Options{Addr: addr}
	if d.MAC, err = net.ParseMAC(o.mac); err != nil {
		return nil, cli.Usagef("--mac %q is not an Ethernet address", o.mac)
	}
	if d.Gateway, err = net.ParseMAC(o.gateway); err != nil {
		return nil, cli.Usagef("--gateway-mac %q is not an Ethernet address", o.gateway)
	}
	return datagram.Open(o.wire, d)
}

// address is the one given, or the interface's first IPv4 address.
func (o *Flags) address() (netip.Addr, error) {
	if o.addr != "" {
		a, err := netip.ParseAddr(o.addr)
		if err != nil || !a.Is4() {
			return a, cli.Usagef("--address %q is not an IPv4 address", o.addr)
		}
		return a, nil
	}
	ifi, err := net.InterfaceByName(o.iface)
	if err != nil {
		return netip.Addr{}, fmt.Errorf("interface %s does not exist in this network namespace", o.iface)
	}
	addrs, err := ifi.Addrs()
	if err != nil {
		return netip.Addr{}, fmt.Errorf("interface %s: %w", o.iface, err)
	}
	for _, a := range addrs {
		if p, err := netip.ParsePrefix(a.String()); err == nil && p.Addr().Is4() {
			return p.Addr(), nil
		}
	}
	return netip.Addr{}, fmt.Errorf("interface %s has no IPv4 address", o.iface)
}
