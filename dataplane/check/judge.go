package check

import (
	"fmt"
	"slices"
	"strings"

	"golang.org/x/sys/unix"

	"github.com/p4ce/p4ce/dataplane/xdp"
	"github.com/p4ce/p4ce/doctor"
	"github.com/p4ce/p4ce/link/nic"
	"github.com/p4ce/p4ce/link/tune"
)

// Memory that a switch with 4096 groups of 8 needs, and that it should have beside.
const (
	needMemory = 256 << 20
	wantMemory = 1 << 30
)

// Examine looks at the machine, and judges it.
func Examine(m doctor.Machine, ifs []nic.Interface, named bool) (doctor.Verdict, any) {
	f := Gather(m, ifs)
	return Judge(f, named), f
}

// Judge says whether the machine can be a switch. Interfaces in named were asked
// for: what they lack, the switch lacks. The others are only described.
func Judge(f Facts, named bool) doctor.Verdict {
	v := doctor.Verdict{Role: "switch", Possible: true}
	f.kernel(&v)
	f.privilege(&v)
	f.features(&v)
	f.resources(&v)
	v.Possible = v.Worst() < doctor.Missing
	ports := f.ports(&v, named)
	switch {
	case !v.Possible:
		v.Summary = "this machine cannot be a switch in XDP as it is; it can be one with the interpreter (p4ce switch --target interp)"
	case named && v.Worst() == doctor.Missing:
		v.Possible = false
		v.Summary = "this machine can be a switch in XDP, but not with these interfaces as they are"
	case len(f.Interfaces) == 0:
		v.Summary = "this machine can be a switch in XDP, once it has Ethernet interfaces for ports"
	case ports == 0:
		v.Summary = "this machine can be a switch in XDP; none of its interfaces can be a port as it is"
	case v.Worst() == doctor.Warning:
		v.Summary = "this machine can be a switch in XDP; see the warnings"
	default:
		v.Summary = "this machine can be a switch in XDP"
	}
	return v
}

func (f *Facts) kernel(v *doctor.Verdict) {
	switch ok, err := f.Machine.AtLeast(5, 15); {
	case err != nil:
		v.Add(doctor.Warning, "kernel", "", "release %q is not understood; Linux %s or newer is needed", f.Machine.Release, xdp.MinKernel)
	case !ok:
		v.Add(doctor.Missing, "kernel", "install Linux "+xdp.MinKernel+" or newer", "Linux %s", f.Machine.Release)
	default:
		// It has what the programs use; whether its verifier takes them is another
		// question, which was asked on 6.1 and newer ones only.
		if tried, _ := f.Machine.AtLeast(6, 1); !tried {
			v.Add(doctor.Warning, "kernel", "install Linux "+xdp.MinKernel+" or newer, if the switch does not load its program",
				"Linux %s: has what is needed; not tried", f.Machine.Release)
			return
		}
		v.Add(doctor.OK, "kernel", "", "Linux %s", f.Machine.Release)
	}
}

func (f *Facts) privilege(v *doctor.Verdict) {
	var lack []string
	for _, c := range xdp.Capabilities() {
		if !slices.ContainsFunc(c.Bits, f.Machine.Has) && (!c.OrMemlock || f.Machine.Memlock != doctor.Unlimited) {
			lack = append(lack, c.Name)
		}
	}
	if len(lack) > 0 {
		v.Add(doctor.Missing, "privilege", "run p4ce as root (sudo p4ce doctor switch)", "this process has no %s", strings.Join(lack, ", no "))
		return
	}
	v.Add(doctor.OK, "privilege", "", "XDP programs may be loaded and attached")
}

func (f *Facts) features(v *doctor.Verdict) {
	all := len(f.Features) > 0
	for _, k := range f.Features {
		switch {
		case k.Lacking:
			all = false
			v.Add(doctor.Missing, k.What, "install Linux "+k.Version+" or newer, or one built with it", "the kernel has none")
		case k.Err != "":
			all = false
			v.Add(doctor.Missing, k.What, "", "unknown: %s", k.Err)
		}
	}
	if all {
		v.Add(doctor.OK, "kernel features", "", "XDP, devmaps with broadcast, AF_XDP, ring buffers, LPM tries")
	}
	switch {
	case f.Trial == "":
		v.Add(doctor.OK, "native XDP", "", "a program ran on a veth pair in a network namespace of its own")
	case len(f.Features) == 0:
		v.Add(doctor.Missing, "native XDP", "run as root to find out", "not tried: %s", f.Trial)
	default:
		v.Add(doctor.Missing, "native XDP", "find out what forbids it: a security module, a container without CAP_NET_ADMIN or CAP_BPF, kernel lockdown", "%s", f.Trial)
	}
	switch {
	case f.XSK == "":
		v.Add(doctor.OK, "AF_XDP", "", "a socket can be opened: packets to the controller and back")
	case !f.Machine.Has(unix.CAP_NET_RAW):
		v.Add(doctor.Missing, "AF_XDP", "run as root", "cannot open a socket: %s", f.XSK)
	default:
		v.Add(doctor.Missing, "AF_XDP", "use a kernel with CONFIG_XDP_SOCKETS", "cannot open a socket: %s", f.XSK)
	}
	switch f.JIT {
	case "0":
		v.Add(doctor.Warning, "BPF JIT", "sysctl -w net.core.bpf_jit_enable=1", "off: every packet is interpreted, several times slower")
	case "":
		// Always on, or not to be read.
	default:
		v.Add(doctor.OK, "BPF JIT", "", "on")
	}
	if f.BPFFS {
		v.Add(doctor.OK, "bpffs", "", "mounted on /sys/fs/bpf")
	} else {
		v.Add(doctor.Warning, "bpffs", "mount -t bpf bpf /sys/fs/bpf", "not mounted on /sys/fs/bpf; the switch does not need it, but tools that read its maps do")
	}
}

func (f *Facts) resources(v *doctor.Verdict) {
	m := f.Machine
	switch {
	case m.MemTotal < needMemory:
		v.Add(doctor.Missing, "memory", fmt.Sprintf("give the machine %s", doctor.Bytes(wantMemory)), "%s; 4096 groups of 8 replicas need %s", doctor.Bytes(m.MemTotal), doctor.Bytes(needMemory))
	case m.MemAvailable < needMemory:
		v.Add(doctor.Warning, "memory", "", "%s of %s are free; 4096 groups of 8 replicas need %s", doctor.Bytes(m.MemAvailable), doctor.Bytes(m.MemTotal), doctor.Bytes(needMemory))
	default:
		v.Add(doctor.OK, "memory", "", "%s of %s are free", doctor.Bytes(m.MemAvailable), doctor.Bytes(m.MemTotal))
	}
	// Since 5.11 maps are accounted to control groups.
	if newer, err := m.AtLeast(5, 11); err == nil && !newer && m.Memlock != doctor.Unlimited && !m.Has(unix.CAP_SYS_RESOURCE) {
		v.Add(doctor.Missing, "locked memory", "ulimit -l unlimited, or LimitMEMLOCK=infinity in the unit", "at most %s, and this kernel counts maps", doctor.Bytes(m.Memlock))
	}
	if m.CPUs < 2 {
		v.Add(doctor.Warning, "processors", "", "1: packets and the P4Runtime server share it")
	} else {
		v.Add(doctor.OK, "processors", "", "%d", m.CPUs)
	}
}

// ports judges interfaces, and returns how many could be ports.
func (f *Facts) ports(v *doctor.Verdict, named bool) int {
	bad := doctor.Warning
	if named {
		bad = doctor.Missing
	}
	good := 0
	for _, i := range f.Interfaces {
		v.Add(doctor.OK, i.Name, "", "%s", tune.Describe(i))
		lacks := tune.Lacks(i, tune.Port, f.Machine.CPUs)
		for _, l := range lacks {
			level := [...]doctor.Level{tune.Worse: doctor.Warning, tune.Hinders: bad, tune.Settable: doctor.OK, tune.Wanted: doctor.OK}[l.Level]
			v.Add(level, i.Name+" "+l.What, l.Does("the switch does it"), "%s", l.Found)
		}
		if tune.Refuse(i.Name, lacks) == nil {
			good++
		}
		f.port(v, i)
	}
	return good
}

// port says what an operator may not have meant of an interface as a port.
func (f *Facts) port(v *doctor.Verdict, i nic.Interface) {
	what := func(s string) string { return i.Name + " " + s }
	if i.Up && !i.Carrier {
		v.Add(doctor.Warning, what("carrier"), "plug it in; check the other end", "no carrier")
	}
	if len(i.Addrs) > 0 {
		v.Add(doctor.Warning, what("address"), fmt.Sprintf("if you reach this machine through it, use another interface; else: ip address flush dev %s", i.Name), "%v: once it is a port, it no longer reaches this machine", i.Addrs[0])
	}
}
