package xdp

import (
	"errors"
	"fmt"
	"os"

	"github.com/cilium/ebpf"
	"github.com/cilium/ebpf/asm"
	"github.com/cilium/ebpf/features"
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

// checkKernel names the first feature that the kernel lacks, and the version
// that has it.
func checkKernel() error {
	if os.Geteuid() != 0 {
		return errors.New("the XDP target needs root (CAP_NET_ADMIN, CAP_BPF, CAP_NET_RAW); without it, use the interpreter: --target interp")
	}
	for _, f := range KernelFeatures() {
		if f.Err == nil {
			continue
		}
		if errors.Is(f.Err, ebpf.ErrNotSupported) {
			return fmt.Errorf("the kernel has no %s (Linux %s has): the XDP target needs Linux 5.15 or newer", f.What, f.Version)
		}
		return fmt.Errorf("probing the kernel for %s: %w", f.What, f.Err)
	}
	return nil
}
