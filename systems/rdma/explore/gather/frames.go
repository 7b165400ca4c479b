package gather

import (
	"encoding/binary"

	"github.com/p4ce/p4ce/dataplane"
	names "github.com/p4ce/p4ce/p4/rdma"
	"github.com/p4ce/p4ce/roce/wire"
)

// Addresses and numbers of those that take part.
const (
	switchIP  = 0x0a420001
	leaderIP  = 0x0a42000b
	replicaIP = 0x0a42000c // of the first; the next have the next

	leaderPort   = 1
	replicaPort  = 2 // of the first
	strangerPort = 9
	cpuPort      = dataplane.Port(names.PortCPU)

	bcastQP  = 0x100000 // of the first group; the next has the next
	aggrQP   = 0x200000 // of slot 0 of the first group; another group's are 16 higher
	leaderQP = 0x000011
	peerQP   = 0x000022 // of the first replica
	rkey     = 0xabcd
)

// addr is an address as the program's tables have it, as the wire has it.
func addr(a uint32) wire.Addr { return wire.Addr(binary.BigEndian.AppendUint32(nil, a)) }

// frame makes a RoCE packet.
func frame(src, dst uint32, h wire.Header, payload []byte) []byte {
	h.SrcMAC, h.DstMAC = wire.MAC{2, 0, 0, 0, 0, byte(src)}, wire.MAC{2, 0x50, 0x34, 0x63, 0x65, 1}
	h.Src, h.Dst, h.SrcPort, h.AckReq = addr(src), addr(dst), 0xc000, true
	return wire.AppendFrame(nil, &h, payload)
}

// write is a request of the leader.
func write(gen int, psn uint32) []byte {
	return frame(leaderIP, switchIP, wire.Header{Opcode: wire.WriteOnly, DestQP: uint32(bcastQP + gen), PSN: wire.PSN(psn), RKey: rkey, Length: 8}, make([]byte, 8))
}

// ack is an ACK or NAK of a replica.
func ack(gen, slot int, psn uint32, syndrome byte) []byte {
	return frame(uint32(replicaIP+slot), switchIP, wire.Header{
		Opcode: wire.Acknowledge, DestQP: uint32(aggrQP + 16*gen + slot), PSN: wire.PSN(psn), Syndrome: wire.Syndrome(syndrome), MSN: 1,
	}, nil)
}
