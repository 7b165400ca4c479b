package xdp

import (
	"encoding/binary"

	"github.com/cilium/ebpf"
	"github.com/cilium/ebpf/asm"

	"github.com/p4ce/p4ce/host/roce/wire"
)

// actionPass is XDP_PASS.
const actionPass = 2

// program steers unfragmented IPv4 UDP packets without options to addr, port
// 4791, into the socket, and passes everything else.
func program(xsks *ebpf.Map, addr [4]byte) asm.Instructions {
	// Loads are in host order, so constants are as the bytes lie in memory.
	half := func(v uint16) int32 {
		return int32(binary.NativeEndian.Uint16(binary.BigEndian.AppendUint16(nil, v)))
	}
	return asm.Instructions{
		asm.LoadMem(asm.R2, asm.R1, 0, asm.Word), // data
		asm.LoadMem(asm.R3, asm.R1, 4, asm.Word), // data_end
		asm.Mov.Reg(asm.R4, asm.R2),
		asm.Add.Imm(asm.R4, wire.EthernetLen+wire.IPv4Len+wire.UDPLen),
		asm.JGT.Reg(asm.R4, asm.R3, "pass"),

		asm.LoadMem(asm.R4, asm.R2, 12, asm.Half),
		asm.JNE.Imm(asm.R4, half(wire.EtherTypeIPv4), "pass"),
		asm.LoadMem(asm.R4, asm.R2, 14, asm.Byte),
		asm.JNE.Imm(asm.R4, 0x45, "pass"),
		asm.LoadMem(asm.R4, asm.R2, 20, asm.Half),
		asm.And.Imm(asm.R4, half(0x3fff)),
		asm.JNE.Imm(asm.R4, 0, "pass"),
		asm.LoadMem(asm.R4, asm.R2, 23, asm.Byte),
		asm.JNE.Imm(asm.R4, wire.ProtocolUDP, "pass"),
		asm.LoadMem(asm.R4, asm.R2, 36, asm.Half),
		asm.JNE.Imm(asm.R4, half(wire.UDPPort), "pass"),
		// Compare in 64 bits: an immediate would be sign-extended.
		asm.LoadMem(asm.R4, asm.R2, 30, asm.Word),
		asm.LoadImm(asm.R5, int64(binary.NativeEndian.Uint32(addr[:])), asm.DWord),
		asm.JNE.Reg(asm.R4, asm.R5, "pass"),

		asm.LoadMapPtr(asm.R1, xsks.FD()),
		asm.Mov.Imm(asm.R2, 0),
		asm.Mov.Imm(asm.R3, actionPass), // when the socket is gone
		asm.FnRedirectMap.Call(),
		asm.Return(),

		asm.Mov.Imm(asm.R0, actionPass).WithSymbol("pass"),
		asm.Return(),
	}
}
