package tune

import (
	"fmt"
	"strings"

	"github.com/p4ce/p4ce/link/nic"
)

// Use is what an interface is used for.
type Use uint8

// The uses.
const (
	Port   Use = iota // a port of a switch in XDP
	Socket            // a host's AF_XDP socket
	Packet            // a host's packet socket
)

// MaxMTU is the largest MTU of an interface that a native program without multi-buffer support can be attached to, whatever
// the driver, on machines with pages of 4 KiB.
const MaxMTU = 3506

// Level says how bad a lack is.
type Level uint8

// The levels.
const (
	Worse    Level = iota // it works, but not as well as it could, or not always
	Hinders               // it does not work
	Settable              // it does not work, and Take mends it
	Wanted                // it may not work for others behind the same switch, and Take mends it
)

// Lack is something that an interface lacks.
type Lack struct {
	What  string // in a word: "mtu", "VLAN"
	Found string // in plain words
	Mend  string // the command that mends it, or what else to do; "": nothing can be done
	Level Level

	features    map[string]bool // what Take sets
	up, promisc bool
}

// noDriver is what to do about an interface that cannot be a port.
const noDriver = "use an interface whose driver has native XDP (docs/hardware.md lists them), or the interpreter: p4ce switch --target interp"

// Lacks says what an interface lacks for a use on a machine with so many CPUs. It asks nobody.
func Lacks(i nic.Interface, u Use, cpus int) []Lack {
	l := &list{i: i, u: u}
	if u == Packet {
		l.veth()
		return l.out
	}
	l.driver()
	l.mtu()
	l.others()
	l.offloads()
	l.queues(cpus)
	l.device()
	if u == Port {
		l.port()
	} else {
		l.veth()
	}
	return l.out
}

type list struct {
	i   nic.Interface
	u   Use
	out []Lack
}

func (l *list) add(level Level, what, mend, found string, args ...any) *Lack {
	l.out = append(l.out, Lack{What: what, Found: fmt.Sprintf(found, args...), Mend: mend, Level: level})
	return &l.out[len(l.out)-1]
}

// set adds what Take mends by features of the device, if its driver lets anybody change them.
func (l *list) set(level Level, what string, flags string, features map[string]bool, found string, args ...any) {
	for f, want := range features {
		on, known := l.i.Active(f)
		if known && on != want && l.i.Fixed[f] {
			if level == Settable {
				level = Hinders
			} else {
				level = Worse
			}
			l.add(level, what, "", found+"; its driver does not change it", args...)
			return
		}
		if !known || on == want {
			delete(features, f)
		}
	}
	l.add(level, what, fmt.Sprintf("ethtool -K %s %s", l.i.Name, flags), found, args...).features = features
}

// driver: there is native XDP.
func (l *list) driver() {
	i := &l.i
	mend := noDriver
	if l.u == Socket {
		mend = "use packet sockets (--wire packet), or an interface whose driver has native XDP (docs/hardware.md lists them)"
	}
	d, known := i.Known()
	name := i.Driver
	if name == "" {
		name = i.Kind
	}
	native := i.Features&nic.FeatureBasic != 0 && i.Features&nic.FeatureRedirect != 0
	switch {
	case l.u == Socket && i.Kind == "bond":
		l.add(Hinders, "driver", "use packet sockets (--wire packet)", "a bond: its packets come by its members, and AF_XDP sockets of the bond do not get them")
	case i.FeatKnown && native, !i.FeatKnown && known && d.Native != "":
		if l.u == Port && known && !d.Xmit {
			l.add(Hinders, "driver", noDriver, "%s: XDP cannot redirect packets to it", name)
		}
	case !i.FeatKnown && !known:
		l.add(Worse, "driver", "", "%s: before Linux 6.3, only attaching shows whether it has native XDP", name)
	default:
		l.add(Hinders, "driver", mend, "%s: no native XDP. Generic mode would lose what the programs tell each other beside packets", name)
	}
}

// Limit is the largest MTU that an interface may have for a program in XDP.
func Limit(i nic.Interface) int {
	if d, ok := i.Known(); ok && d.MTU > 0 && d.MTU < MaxMTU {
		return d.MTU
	}
	return MaxMTU
}

func (l *list) mtu() {
	most := Limit(l.i)
	// A path MTU of 2048 needs about 2150 bytes.
	set := most
	if set > 3000 {
		set = 3000
	}
	if l.i.MTU > most {
		l.add(Hinders, "mtu", fmt.Sprintf("ip link set %s mtu %d", l.i.Name, set), "%d; native XDP takes at most %d (path MTU 2048 needs about 2150)", l.i.MTU, most)
	}
	if far := l.i.Far; far != nil && far.MTU > most {
		l.add(Hinders, "mtu", fmt.Sprintf("there: ip link set %s mtu %d", far.Name, set), "its other end, %s, has MTU %d; native XDP takes at most %d", far.Name, far.MTU, most)
	}
}

// others: nobody else has the interface.
func (l *list) others() {
	i := &l.i
	if i.XDP != "" {
		l.add(Hinders, "XDP", fmt.Sprintf("end the program that attached it, or: ip link set %s xdp off", i.Name), "program %d is attached already (%s)", i.XDPProg, i.XDP)
	}
	if i.Master && l.u == Port {
		l.add(Hinders, "master", fmt.Sprintf("ip link set %s nomaster", i.Name), "belongs to a bridge or bond, which would no longer get packets")
	}
}

// offloads: XDP sees packets as they are on the wire.
func (l *list) offloads() {
	i := &l.i
	if i.LRO {
		l.set(Settable, "LRO", "lro off", map[string]bool{"rx-lro": false}, "on: packets are merged before XDP sees them, and drivers refuse XDP")
	}
	if i.GROHW {
		l.set(Settable, "GRO in hardware", "rx-gro-hw off", map[string]bool{"rx-gro-hw": false}, "on: packets are merged before XDP sees them, and drivers refuse XDP")
	}
	if i.VLANStrip {
		l.set(Settable, "VLAN", "rxvlan off rx-vlan-stag-hw-parse off", map[string]bool{"rx-vlan-hw-parse": false, "rx-vlan-stag-hw-parse": false},
			"it takes VLAN tags out of packets: XDP does not see them, and would lose them")
	}
}

// queues: those that the driver wants.
func (l *list) queues(cpus int) {
	i := &l.i
	d, _ := i.Known()
	command := func(n int) string {
		if i.Apart {
			return fmt.Sprintf("ethtool -L %s rx %d", i.Name, n)
		}
		return fmt.Sprintf("ethtool -L %s combined %d", i.Name, n)
	}
	want := min(cpus, i.MaxChan)
	switch {
	case d.Queues == nic.QueuesCombined && i.Apart:
		l.add(Hinders, "queues", fmt.Sprintf("ethtool -L %s rx 0 tx 0 combined %d", i.Name, max(want, 1)), "some receive and others send; %s runs XDP on combined ones only", i.Driver)
	case d.Queues == nic.QueuesHalf && 2*i.Channels > i.MaxChan && i.MaxChan > 1:
		l.add(Hinders, "queues", command(i.MaxChan/2), "%d of %d; %s needs as many for what XDP sends", i.Channels, i.MaxChan, i.Driver)
	case d.Queues == nic.QueuesFar && i.Far != nil && i.Far.TXQueues > i.Queues:
		l.add(Hinders, "queues", fmt.Sprintf("there: ethtool -L %s tx %d", i.Far.Name, i.Queues), "%d to receive, and its other end, %s, sends by %d; %s runs XDP only with as many or more", i.Queues, i.Far.Name, i.Far.TXQueues, i.Driver)
	}
	if l.u == Socket {
		if i.Queues > 1 {
			l.add(Hinders, "queues", command(1), "%d receive queues, and the socket reads from the first only", i.Queues)
		}
		return
	}
	switch {
	case i.Kind != "device" || i.Channels == 0:
	case d.Queues == nic.QueuesSpare:
		// One that is attached already counts those for sending, too.
		free, mend := i.MaxChan-cpus, fmt.Sprintf("on the host: give the device %d queues", i.Channels+cpus)
		if free > 0 {
			mend = command(free)
		}
		if i.XDP == "" && i.Channels > free {
			l.add(Worse, "queues", mend, "%d of %d are in use, and %d CPUs want one each for what XDP sends: they share, under a lock", i.Channels, i.MaxChan, cpus)
		}
	case d.Queues == nic.QueuesHalf:
		want = min(cpus, i.MaxChan/2)
		fallthrough
	default:
		if i.Channels < want {
			l.add(Worse, "queues", command(want), "%d of %d: only as many processors receive packets", i.Channels, i.MaxChan)
		}
	}
}

// device: what sysfs tells.
func (l *list) device() {
	i := &l.i
	if d, _ := i.Known(); d.VFs && i.VFs > 0 {
		l.add(Hinders, "virtual functions", fmt.Sprintf("echo 0 > /sys/class/net/%s/device/sriov_numvfs", i.Name), "%d; %s runs no XDP beside them", i.VFs, i.Driver)
	}
	if i.Offloads {
		l.add(Hinders, "host offloads", "on the host, for QEMU's device: ctrl_guest_offloads=on, or guest_csum=off,guest_tso4=off,guest_tso6=off,guest_ecn=off,guest_ufo=off", "the host merges packets and leaves checksums out, and the guest cannot end it: the driver refuses XDP")
	}
}

// port: what only a switch needs.
func (l *list) port() {
	i := &l.i
	switch {
	case i.Far != nil && i.Far.VLANInsert:
		l.add(Hinders, "VLAN", fmt.Sprintf("there: ethtool -K %s txvlan off tx-vlan-stag-hw-insert off", i.Far.Name), "its other end, %s, leaves VLAN tags beside packets: XDP does not see them, and would lose them", i.Far.Name)
	case i.Far == nil && i.Kind == "veth":
		l.add(Worse, "VLAN", "at the other end, if VLANs are used there: ethtool -K INTERFACE txvlan off tx-vlan-stag-hw-insert off", "the other end cannot be inspected: it may leave VLAN tags beside packets, where XDP does not see them")
	}
	// Hardware says that it can be redirected to only once a program is attached; a veth, once its far end takes such packets.
	if i.FeatKnown && i.Features&nic.FeatureXmit == 0 && i.Kind == "veth" {
		l.add(Worse, "far end", "there, while it is up: ethtool -K INTERFACE gro on", "has neither GRO nor XDP: packets redirected to it are dropped")
	}
	if !i.Up {
		l.add(Settable, "state", fmt.Sprintf("ip link set %s up", i.Name), "down").up = true
	}
	if !i.Promisc {
		l.add(Settable, "promiscuous mode", fmt.Sprintf("ip link set %s promisc on", i.Name), "off: it takes only packets to its own address").promisc = true
	}
}

// veth: a host on a virtual link leaves to the other end what a NIC does in hardware, and a switch in XDP there cannot do.
func (l *list) veth() {
	i := &l.i
	if i.Kind != "veth" {
		return
	}
	if !i.GRO && i.XDP == "" && l.u == Packet {
		l.set(Wanted, "GRO", "gro on", map[string]bool{"rx-gro": true}, "off: a switch in XDP at the other end cannot reach it")
	}
	if i.TXChecksum {
		l.set(Wanted, "tx checksums", "tx off", map[string]bool{"tx-checksum-ip-generic": false}, "left to the device: ordinary TCP and UDP through a switch in XDP fail")
	}
	if i.VLANInsert {
		l.set(Wanted, "VLAN tags", "txvlan off tx-vlan-stag-hw-insert off", map[string]bool{"tx-vlan-hw-insert": false, "tx-vlan-stag-hw-insert": false},
			"left to the device: a switch in XDP at the other end refuses it as a port, because it would lose the tags")
	}
}

// String returns a lack as an error says it.
func (l Lack) String() string {
	var b strings.Builder
	b.WriteString(l.What + ": " + l.Found)
	if l.Mend != "" {
		b.WriteString(" (" + l.Mend + ")")
	}
	return b.String()
}
