package check

import (
	"context"
	"fmt"
	"strings"

	"golang.org/x/sys/unix"

	"github.com/p4ce/p4ce/doctor"
	"github.com/p4ce/p4ce/host/verbs"
	"github.com/p4ce/p4ce/link/nic"
	"github.com/p4ce/p4ce/link/tune"
	"github.com/p4ce/p4ce/roce/wire"
)

// lockedMemory is what a server's log, queues and staging memory need at least.
const lockedMemory = 64 << 20

// Examine looks at the machine, and judges it.
func Examine(ctx context.Context, m doctor.Machine, ifs []nic.Interface, a doctor.Asked) (doctor.Verdict, any) {
	f := Gather(ctx, m, ifs)
	return Judge(f, a), f
}

// Judge says whether the machine can be a server.
func Judge(f Facts, a doctor.Asked) doctor.Verdict {
	v := doctor.Verdict{Role: "server"}
	hardware := f.devices(&v, a)
	f.memory(&v, a, hardware != "")
	software, iface := f.software(&v, a)
	fine := true
	for _, x := range v.Findings {
		fine = fine && x.Level != doctor.Missing
	}
	switch {
	case a.Verbs && hardware == "":
		v.Summary = "this machine cannot be a server with an RDMA device as it is"
		if software {
			v.Summary += "; in software it can (p4ce node --rdma soft)"
		}
	case a.Interfaces && !fine:
		v.Summary = "this machine cannot be a server with these interfaces as they are"
	case hardware != "":
		v.Possible = true
		v.Summary = fmt.Sprintf("this machine can be a server with the RDMA device %s (p4ce node --rdma verbs)", hardware)
	case software:
		v.Possible = true
		v.Summary = "this machine can be a server in software (p4ce node --interface NAME), but not with an RDMA device"
		if !iface {
			v.Summary = "this machine can be a server in software, once an interface has an IPv4 address, but not with an RDMA device"
		}
	default:
		v.Summary = "this machine cannot be a server as it is"
	}
	return v
}

// devices judges the RDMA devices, and returns the name of the first that can be
// used, "" if none can.
func (f *Facts) devices(v *doctor.Verdict, a doctor.Asked) string {
	bad := doctor.Warning
	if a.Verbs {
		bad = doctor.Missing
	}
	if f.DevErr != "" {
		v.Add(bad, "RDMA devices", "", "unknown: %s", f.DevErr)
		return ""
	}
	if len(f.Devices) == 0 {
		v.Add(bad, "RDMA devices", "with an RNIC: load its driver (mlx5_ib, irdma, bnxt_re, ...)\nwithout: modprobe rdma_rxe && rdma link add rxe0 type rxe netdev INTERFACE", "none")
		return ""
	}
	usable, known := "", false
	for _, d := range f.Devices {
		if a.Device != "" && d.Name != a.Device {
			continue
		}
		known = true
		if f.device(v, d, bad) && usable == "" {
			usable = d.Name
		}
	}
	if !known {
		var have []string
		for _, d := range f.Devices {
			have = append(have, d.Name)
		}
		v.Add(bad, "RDMA device "+a.Device, "", "does not exist; there is %s", strings.Join(have, ", "))
		return ""
	}
	if f.RDMACM != "" {
		v.Add(bad, "rdma_cm", "modprobe rdma_ucm; the user must be able to read and write /dev/infiniband/rdma_cm", "%s", f.RDMACM)
		usable = ""
	}
	if !f.Built {
		v.Add(bad, "verbs provider", "use a p4ce built with: make verbs (needs gcc, librdmacm-dev, libibverbs-dev)", "not in this binary, so the devices were not tried")
		usable = ""
	}
	return usable
}

// device judges one RDMA device, and reports whether it can be used.
func (f *Facts) device(v *doctor.Verdict, d Device, bad doctor.Level) bool {
	what := func(s string) string { return d.Name + " " + s }
	driver := d.Driver
	if driver == "" {
		driver = "driver unknown"
	}
	gid, port, ok := address(d.DeviceInfo)
	if !ok {
		f.withoutAddress(v, d, bad)
		return false
	}
	if port.State != "ACTIVE" {
		v.Add(bad, what("port"), fmt.Sprintf("ip link set %s up; check the cable", gid.Interface), "port %d is %s", port.Number, port.State)
		return false
	}
	v.Add(doctor.OK, d.Name, "", "%s, port %d, %v on %s: GID index %d, %s", driver, port.Number, gid.Addr, gid.Interface, gid.Index, gid.Type)
	if mode := strings.TrimSpace(f.Configfs[d.Name]); mode != "" && mode != verbs.RoCEv2 {
		v.Add(bad, what("GID type"), fmt.Sprintf("echo %q > /sys/kernel/config/rdma_cm/%s/ports/%d/default_roce_mode", verbs.RoCEv2, d.Name, port.Number), "rdma_cm takes %q by default; the switch supports only RoCE v2", mode)
		return false
	}
	if d.Err != "" {
		v.Add(bad, what("use"), "", "cannot be opened: %s", d.Err)
		return false
	}
	if d.Report == nil {
		return true
	}
	return f.report(v, d, bad)
}

// withoutAddress says why no connection can use a device.
func (f *Facts) withoutAddress(v *doctor.Verdict, d Device, bad doctor.Level) {
	for _, p := range d.Ports {
		if p.LinkLayer != "Ethernet" {
			v.Add(bad, d.Name, "switch the port to Ethernet, if the NIC can: mlxconfig -d DEVICE set LINK_TYPE_P1=ETH", "port %d is %s; RoCE needs Ethernet", p.Number, p.LinkLayer)
			continue
		}
		iface := "its interface"
		old := false
		for _, g := range p.GIDs {
			if g.Interface != "" {
				iface = g.Interface
			}
			old = old || g.Addr.Is4()
		}
		if old {
			v.Add(bad, d.Name, fmt.Sprintf("enable RoCE v2 in the NIC's firmware or driver (cma_roce_mode -d %s -p %d -m 2)", d.Name, p.Number), "port %d has an IPv4 address, but only GIDs of RoCE v1", p.Number)
		} else {
			v.Add(bad, d.Name, fmt.Sprintf("ip address add ADDRESS/PREFIX dev %s", iface), "port %d has no IPv4 address, so connections have no GID to use", p.Number)
		}
	}
	if len(d.Ports) == 0 {
		v.Add(bad, d.Name, "", "has no port")
	}
}

// report judges what a device said when it was tried.
func (f *Facts) report(v *doctor.Verdict, d Device, bad doctor.Level) bool {
	r := d.Report
	what := func(s string) string { return d.Name + " " + s }
	v.Add(doctor.OK, what("limits"), "", "%d queue pairs of %d requests, %d READs in flight, %d memory regions of up to %s, %d B inline, path MTU %d, firmware %s",
		r.MaxQP, r.MaxSendWR, r.MaxReads, r.MaxMR, doctor.Bytes(r.MaxMRSize), r.MaxInline, r.MTU, orNone(r.Firmware))
	switch {
	case r.MTU < 1024:
		v.Add(doctor.Warning, what("mtu"), "ip link set INTERFACE mtu 1500 or more, on all servers alike", "path MTU %d: small packets for large records", r.MTU)
	case r.MTU > 2048:
		v.Add(doctor.Warning, what("mtu"), "ip link set INTERFACE mtu 3000, on all servers alike, if the switch runs in XDP", "path MTU %d: a switch in XDP carries at most 2048; a Tofino carries it", r.MTU)
	}
	switch {
	case r.FlagsInRTS == "ok":
		v.Add(doctor.OK, what("rights"), "", "change while a queue pair runs; a refused WRITE ends with: %s", r.RevokedGets)
	case r.StateCycle == "ok":
		v.Add(doctor.Warning, what("rights"), "", "cannot be changed while a queue pair runs (%s); p4ce cycles its states instead, which takes longer", r.FlagsInRTS)
	default:
		v.Add(bad, what("rights"), "use another device, or other firmware: without this, an old leader could continue writing", "cannot be changed: by flags: %s; by cycling states: %s", r.FlagsInRTS, r.StateCycle)
		return false
	}
	if !r.ResizeCQ {
		v.Add(doctor.OK, what("completion queues"), "", "cannot grow; p4ce makes them large enough")
	}
	return true
}

func orNone(s string) string {
	if s == "" {
		return "not told"
	}
	return s
}

func (f *Facts) memory(v *doctor.Verdict, a doctor.Asked, hardware bool) {
	if !hardware && !a.Verbs {
		return
	}
	m := f.Machine
	if m.Memlock != doctor.Unlimited && !m.Has(unix.CAP_IPC_LOCK) {
		l := doctor.Warning
		if m.Memlock < lockedMemory && a.Verbs {
			l = doctor.Missing
		}
		v.Add(l, "locked memory", "ulimit -l unlimited, or LimitMEMLOCK=infinity in the unit", "at most %s; registered memory is locked", doctor.Bytes(m.Memlock))
	} else {
		v.Add(doctor.OK, "locked memory", "", "no limit for this process")
	}
	if m.HugePages == 0 {
		v.Add(doctor.OK, "huge pages", "", "none reserved; they are not needed")
	} else {
		v.Add(doctor.OK, "huge pages", "", "%s reserved; not used", doctor.Bytes(m.HugePages))
	}
}

// software judges what the endpoint in software needs. It reports whether it can
// run, and whether an interface has an address for it.
func (f *Facts) software(v *doctor.Verdict, a doctor.Asked) (can, iface bool) {
	can = true
	bad := doctor.Warning
	if !a.Verbs {
		bad = doctor.Missing
	}
	switch {
	case f.Packet != "":
		can = false
		v.Add(bad, "AF_PACKET", "run as root, or with CAP_NET_RAW; without: p4ce node --wire udp", "cannot open a socket: %s", f.Packet)
	case f.XSK != "":
		v.Add(doctor.OK, "raw sockets", "", "AF_PACKET, not AF_XDP (%s)", f.XSK)
	default:
		v.Add(doctor.OK, "raw sockets", "", "AF_PACKET, AF_XDP")
	}
	for _, i := range f.Interfaces {
		if f.iface(v, i, a) {
			iface = true
		}
	}
	return can, iface
}

// answers says whether the kernel can answer for the server (--wire kernel, xdp).
func (f *Facts) answers(v *doctor.Verdict, i nic.Interface) {
	if err := tune.Refuse(i.Name, tune.Lacks(i, tune.Socket, f.Machine.CPUs)); err != nil {
		v.Add(doctor.Warning, i.Name+" AF_XDP", "", "packet sockets are used (--wire packet): %v", err)
		return
	}
	v.Add(doctor.OK, i.Name+" AF_XDP", "", "the kernel can answer for the server (--wire kernel)")
}

// iface judges an interface for the endpoint in software.
func (f *Facts) iface(v *doctor.Verdict, i nic.Interface, a doctor.Asked) bool {
	bad := doctor.Warning
	if a.Interfaces {
		bad = doctor.Missing
	}
	what := func(s string) string { return i.Name + " " + s }
	good := true
	add := func(l doctor.Level, w, mend, found string, args ...any) {
		good = good && l == doctor.OK
		v.Add(l, what(w), mend, found, args...)
	}
	if len(i.Addrs) == 0 {
		if !a.Interfaces {
			return false // one of many; nobody asked for it
		}
		add(bad, "address", fmt.Sprintf("ip address add ADDRESS/PREFIX dev %s", i.Name), "no IPv4 address")
	}
	mtu := wire.PathMTU(i.MTU)
	if mtu < 1024 {
		add(bad, "mtu", fmt.Sprintf("ip link set %s mtu 1500", i.Name), "%d carries a path MTU of %d", i.MTU, mtu)
	}
	if !i.Up {
		add(bad, "state", fmt.Sprintf("ip link set %s up", i.Name), "down")
	} else if !i.Carrier {
		add(doctor.Warning, "carrier", "plug it in; check the other end", "no carrier")
	}
	if good {
		v.Add(doctor.OK, i.Name, "", "%v, mtu %d: path MTU %d; %s", i.Addrs[0], i.MTU, mtu, tune.Describe(i))
	}
	for _, l := range tune.Lacks(i, tune.Packet, f.Machine.CPUs) {
		level := [...]doctor.Level{tune.Worse: doctor.Warning, tune.Hinders: bad, tune.Settable: doctor.OK, tune.Wanted: doctor.OK}[l.Level]
		v.Add(level, what(l.What), l.Does("the server does it"), "%s", l.Found)
	}
	if a.Interfaces {
		f.answers(v, i)
	}
	return good
}
