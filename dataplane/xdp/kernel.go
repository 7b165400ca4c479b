package xdp

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/cilium/ebpf"
	"github.com/cilium/ebpf/asm"
	"github.com/cilium/ebpf/features"
	"golang.org/x/sys/unix"
)

// Feature is something that the target needs of the kernel.
type Feature struct {
	What    string
	Version string // of Linux that has it
	Err     error  // nil if the kernel has it, ebpf.ErrNotSupported if not
}

// KernelFeatures asks the kernel for all that the target needs. Without privilege
// the answers are errors.
func KernelFeatures() []Feature {
	return []Feature{
		{"XDP programs", "4.8", features.HaveProgramType(ebpf.XDP)},
		{"devmap hash maps", "5.4", features.HaveMapType(ebpf.DevMapHash)},
		{"AF_XDP sockets", "4.18", features.HaveMapType(ebpf.XSKMap)},
		{"BPF ring buffers", "5.8", features.HaveMapType(ebpf.RingBuf)},
		{"LPM tries", "4.11", features.HaveMapType(ebpf.LPMTrie)},
		{"broadcast by bpf_redirect_map", "5.13", features.HaveProgramHelper(ebpf.XDP, asm.FnRedirectMap)},
	}
}

// MinKernel is the oldest Linux that the target is tried on.
const MinKernel = "6.1"

// A Capability is a capability that the target needs, by its name. One of the bits is sufficient.
type Capability struct {
	Name string
	Bits []int
	// OrMemlock: an unlimited RLIMIT_MEMLOCK is sufficient, too.
	OrMemlock bool
}

// Capabilities are what a process needs to run the target: to load and attach programs, to
// have them checked as the programs of a trusted user (else the verifier refuses them), and
// to send and receive on the CPU port, whose frames are in locked memory.
func Capabilities() []Capability {
	return []Capability{
		{Name: "CAP_NET_ADMIN", Bits: []int{unix.CAP_NET_ADMIN}},
		{Name: "CAP_BPF", Bits: []int{unix.CAP_BPF, unix.CAP_SYS_ADMIN}},
		{Name: "CAP_PERFMON", Bits: []int{unix.CAP_PERFMON, unix.CAP_SYS_ADMIN}},
		{Name: "CAP_NET_RAW", Bits: []int{unix.CAP_NET_RAW}},
		{Name: "CAP_IPC_LOCK", Bits: []int{unix.CAP_IPC_LOCK}, OrMemlock: true},
	}
}

// checkPrivilege names the capabilities that this process lacks.
func checkPrivilege() error {
	var sets [2]unix.CapUserData
	if err := unix.Capget(&unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}, &sets[0]); err != nil {
		return fmt.Errorf("capabilities of this process: %w", err)
	}
	has := func(bit int) bool { return sets[bit/32].Effective>>(bit%32)&1 == 1 }
	var memlock unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_MEMLOCK, &memlock); err != nil {
		return fmt.Errorf("limit on locked memory: %w", err)
	}
	var lack []string
	for _, c := range Capabilities() {
		if !slices.ContainsFunc(c.Bits, has) && (!c.OrMemlock || memlock.Cur != unix.RLIM_INFINITY) {
			lack = append(lack, c.Name)
		}
	}
	if len(lack) > 0 {
		return fmt.Errorf("the XDP target needs root, or these capabilities that the process lacks: %s (without them, use the interpreter: --target interp)", strings.Join(lack, ", "))
	}
	return nil
}

// checkKernel names the first feature that the kernel lacks, and the version
// that has it.
func checkKernel() error {
	if err := checkPrivilege(); err != nil {
		return err
	}
	for _, f := range KernelFeatures() {
		if f.Err == nil {
			continue
		}
		if errors.Is(f.Err, ebpf.ErrNotSupported) {
			return fmt.Errorf("the kernel has no %s (Linux %s has): the XDP target needs Linux %s or newer", f.What, f.Version, MinKernel)
		}
		return fmt.Errorf("probing the kernel for %s: %w", f.What, f.Err)
	}
	return nil
}
