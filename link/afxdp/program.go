package afxdp

import (
	"encoding/binary"
	"fmt"
	"net/netip"

	"github.com/cilium/ebpf"
	"github.com/cilium/ebpf/asm"
)

// Filter says which frames the socket takes from the interface. The others go on
// to the kernel. The zero Filter takes everything.
type Filter struct {
	// UDPPort, when not 0, takes only unfragmented IPv4 packets without options
	// to this UDP port.
	UDPPort uint16
	// Addr, when valid, takes only those of them to this IPv4 address.
	Addr netip.Addr
}

func (f Filter) check() error {
	if f.Addr.IsValid() && (!f.Addr.Is4() || f.UDPPort == 0) {
		return fmt.Errorf("filter: address %v must be IPv4 and have a UDP port", f.Addr)
	}
	return nil
}

// Offsets in an Ethernet frame with an IPv4 packet without options.
const (
	offType     = 12
	offIP       = 14
	offFragment = offIP + 6
	offProtocol = offIP + 9
	offDst      = offIP + 16
	offPort     = offIP + 20 + 2
	endUDP      = offIP + 20 + 8

	fragment = 0x3fff // more fragments, or an offset
	udp      = 17
	xdpPass  = 2
)

// load is the filter's Loader.
func (f Filter) load(xsks *ebpf.Map) (*ebpf.Program, error) {
	return ebpf.NewProgram(&ebpf.ProgramSpec{
		Name: "to_xsk", Type: ebpf.XDP, License: "Dual BSD/GPL", Instructions: f.program(xsks),
	})
}

// program redirects what the filter takes to the socket, and passes the rest.
func (f Filter) program(xsks *ebpf.Map) asm.Instructions {
	redirect := asm.Instructions{
		asm.LoadMapPtr(asm.R1, xsks.FD()),
		asm.Mov.Imm(asm.R2, 0),
		asm.Mov.Imm(asm.R3, xdpPass), // when the socket is gone
		asm.FnRedirectMap.Call(),
		asm.Return(),
	}
	if f.UDPPort == 0 {
		return redirect
	}
	// Loads are in host order, so constants are as the bytes lie in memory.
	half := func(v uint16) int32 {
		return int32(binary.NativeEndian.Uint16(binary.BigEndian.AppendUint16(nil, v)))
	}
	p := asm.Instructions{
		asm.LoadMem(asm.R2, asm.R1, 0, asm.Word), // data
		asm.LoadMem(asm.R3, asm.R1, 4, asm.Word), // data_end
		asm.Mov.Reg(asm.R4, asm.R2),
		asm.Add.Imm(asm.R4, endUDP),
		asm.JGT.Reg(asm.R4, asm.R3, "pass"),

		asm.LoadMem(asm.R4, asm.R2, offType, asm.Half),
		asm.JNE.Imm(asm.R4, half(0x0800), "pass"),
		asm.LoadMem(asm.R4, asm.R2, offIP, asm.Byte),
		asm.JNE.Imm(asm.R4, 0x45, "pass"),
		asm.LoadMem(asm.R4, asm.R2, offFragment, asm.Half),
		asm.And.Imm(asm.R4, half(fragment)),
		asm.JNE.Imm(asm.R4, 0, "pass"),
		asm.LoadMem(asm.R4, asm.R2, offProtocol, asm.Byte),
		asm.JNE.Imm(asm.R4, udp, "pass"),
		asm.LoadMem(asm.R4, asm.R2, offPort, asm.Half),
		asm.JNE.Imm(asm.R4, half(f.UDPPort), "pass"),
	}
	if f.Addr.IsValid() {
		addr := f.Addr.As4()
		p = append(p,
			// Compare in 64 bits: an immediate would be sign-extended.
			asm.LoadMem(asm.R4, asm.R2, offDst, asm.Word),
			asm.LoadImm(asm.R5, int64(binary.NativeEndian.Uint32(addr[:])), asm.DWord),
			asm.JNE.Reg(asm.R4, asm.R5, "pass"),
		)
	}
	p = append(p, redirect...)
	return append(p,
		asm.Mov.Imm(asm.R0, xdpPass).WithSymbol("pass"),
		asm.Return(),
	)
}
