package check

import (
	"errors"
	"fmt"
	"net"
	"os"
	"runtime"
	"strings"
	"time"

	"github.com/cilium/ebpf"
	"github.com/cilium/ebpf/asm"
	"github.com/cilium/ebpf/link"
	"github.com/cilium/ebpf/rlimit"
	"github.com/vishvananda/netlink"
	"golang.org/x/sys/unix"

	"github.com/p4ce/p4ce/dataplane/xdp"
	"github.com/p4ce/p4ce/doctor"
	"github.com/p4ce/p4ce/link/nic"
)

// Facts is what is known about a machine that may become a switch.
type Facts struct {
	Machine    doctor.Machine  `json:"machine"`
	Interfaces []nic.Interface `json:"interfaces"`
	Features   []Feature       `json:"features"`
	// Trial is how it went to run a program natively on a pair of interfaces made
	// for that, and taken away again: "" for well.
	Trial string `json:"trial"`
	JIT   string `json:"jit"`   // net.core.bpf_jit_enable, "" when it cannot be read
	BPFFS bool   `json:"bpffs"` // mounted where it belongs
	XSK   string `json:"xsk"`   // why no AF_XDP socket can be made, "" if one can
}

// Feature is an xdp.Feature in words.
type Feature struct {
	What    string `json:"what"`
	Version string `json:"version"`
	Lacking bool   `json:"lacking"` // the kernel has it not
	Err     string `json:"err"`     // why it is not known, "" when it is
}

// Gather asks the kernel. The interfaces are those to be judged.
func Gather(m doctor.Machine, ifs []nic.Interface) Facts {
	f := Facts{Machine: m, Interfaces: ifs}
	privileged := m.Has(unix.CAP_SYS_ADMIN) || m.Has(unix.CAP_BPF)
	if privileged {
		// What this cannot do, the trial will say.
		_ = rlimit.RemoveMemlock()
		for _, k := range xdp.KernelFeatures() {
			x := Feature{What: k.What, Version: k.Version, Lacking: errors.Is(k.Err, ebpf.ErrNotSupported)}
			if k.Err != nil && !x.Lacking {
				x.Err = k.Err.Error()
			}
			f.Features = append(f.Features, x)
		}
	}
	if err := trial(); err != nil {
		f.Trial = err.Error()
	}
	jit, err := os.ReadFile("/proc/sys/net/core/bpf_jit_enable")
	if err == nil {
		f.JIT = strings.TrimSpace(string(jit))
	}
	var fs unix.Statfs_t
	f.BPFFS = unix.Statfs("/sys/fs/bpf", &fs) == nil && int64(fs.Type) == unix.BPF_FS_MAGIC
	f.XSK = text(doctor.TrySocket(unix.AF_XDP))
	return f
}

func text(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

// trialTime bounds the trial; the packet needs microseconds.
const trialTime = 2 * time.Second

// trial makes two interfaces in a network namespace of its own, attaches a program
// to one natively, sends a packet from the other, and waits until the program has
// counted it. The namespace ends with the thread.
func trial() error {
	done := make(chan error, 1)
	go func() {
		// The goroutine ends locked, so the thread ends with it.
		runtime.LockOSThread()
		done <- inTrial()
	}()
	return <-done
}

func inTrial() error {
	if err := unix.Unshare(unix.CLONE_NEWNET); err != nil {
		return fmt.Errorf("network namespace: %w", err)
	}
	const near, far = "p4near", "p4far"
	attrs := netlink.NewLinkAttrs()
	attrs.Name = near
	if err := netlink.LinkAdd(&netlink.Veth{LinkAttrs: attrs, PeerName: far}); err != nil {
		return fmt.Errorf("veth pair: %w", err)
	}
	ifs := map[string]netlink.Link{}
	for _, name := range []string{near, far} {
		l, err := netlink.LinkByName(name)
		if err == nil {
			err = netlink.LinkSetUp(l)
		}
		if err != nil {
			return fmt.Errorf("veth %s: %w", name, err)
		}
		ifs[name] = l
	}
	count, err := ebpf.NewMap(&ebpf.MapSpec{Type: ebpf.Array, KeySize: 4, ValueSize: 8, MaxEntries: 1})
	if err != nil {
		return fmt.Errorf("map: %w", err)
	}
	defer count.Close()
	prog, err := ebpf.NewProgram(&ebpf.ProgramSpec{Name: "p4ce_doctor", Type: ebpf.XDP, License: "Apache-2.0", Instructions: counter(count)})
	if err != nil {
		return fmt.Errorf("program: %w", err)
	}
	defer prog.Close()
	attached, err := link.AttachXDP(link.XDPOptions{Program: prog, Interface: ifs[near].Attrs().Index, Flags: link.XDPDriverMode})
	if err != nil {
		return fmt.Errorf("native XDP on a veth: %w", err)
	}
	defer attached.Close()
	if err := sendFrame(ifs[far].Attrs().Index); err != nil {
		return fmt.Errorf("packet: %w", err)
	}
	for start := time.Now(); ; {
		var n uint64
		if err := count.Lookup(uint32(0), &n); err != nil {
			return fmt.Errorf("map: %w", err)
		}
		if n > 0 {
			return nil
		}
		if time.Since(start) > trialTime {
			return errors.New("the program was attached and did not see the packet")
		}
		time.Sleep(time.Millisecond)
	}
}

// counter adds one to the only entry of m and drops the packet.
func counter(m *ebpf.Map) asm.Instructions {
	return asm.Instructions{
		asm.StoreImm(asm.RFP, -4, 0, asm.Word),
		asm.LoadMapPtr(asm.R1, m.FD()),
		asm.Mov.Reg(asm.R2, asm.RFP),
		asm.Add.Imm(asm.R2, -4),
		asm.FnMapLookupElem.Call(),
		asm.JEq.Imm(asm.R0, 0, "out"),
		asm.Mov.Imm(asm.R1, 1),
		asm.StoreXAdd(asm.R0, asm.R1, asm.DWord),
		asm.Mov.Imm(asm.R0, 1).WithSymbol("out"), // XDP_DROP
		asm.Return(),
	}
}

func sendFrame(ifindex int) error {
	fd, err := unix.Socket(unix.AF_PACKET, unix.SOCK_RAW|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return err
	}
	defer unix.Close(fd)
	frame := make([]byte, 60)
	copy(frame, net.HardwareAddr{0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 2, 0, 0, 0, 0, 1, 0x88, 0xb5}) // local experimental
	return unix.Sendto(fd, frame, 0, &unix.SockaddrLinklayer{Ifindex: ifindex})
}
