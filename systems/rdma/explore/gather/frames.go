package gather

import (
	"encoding/binary"

	"github.com/p4ce/p4ce/dataplane"
	names "github.com/p4ce/p4ce/p4/rdma"
	"github.com/p4ce/p4ce/roce/icrc"
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

	opWriteOnly = 0x0a
	opMiddle    = 0x07
	opAck       = 0x11

	ackHeaders  = 14 + 20 + 8 + 12 // before the AETH
	offSyndrome = ackHeaders
	offPSN      = 14 + 20 + 8 + 9
	offQP       = 14 + 20 + 8 + 5
	offOpcode   = 14 + 20 + 8
	offSrc      = 14 + 12
	offDst      = 14 + 16
)

var be = binary.BigEndian

// frame makes a RoCE packet with a right ICRC and IP checksum.
func frame(src, dst uint32, opcode byte, qp, psn uint32, rest []byte) []byte {
	n := 20 + 8 + 12 + len(rest) + icrc.Size
	b := make([]byte, 14+n)
	copy(b, []byte{2, 0x50, 0x34, 0x63, 0x65, 1, 2, 0, 0, 0, 0, byte(src), 8, 0})
	ip := b[14:]
	ip[0], ip[6], ip[8], ip[9] = 0x45, 0x40, 64, 17
	be.PutUint16(ip[2:], uint16(n))
	be.PutUint32(ip[12:], src)
	be.PutUint32(ip[16:], dst)
	sum := uint32(0)
	for i := 0; i < 20; i += 2 {
		sum += uint32(be.Uint16(ip[i:]))
	}
	for sum>>16 != 0 {
		sum = sum&0xffff + sum>>16
	}
	be.PutUint16(ip[10:], ^uint16(sum))
	udp := ip[20:]
	be.PutUint16(udp, 0xc000)
	be.PutUint16(udp[2:], 4791)
	be.PutUint16(udp[4:], uint16(n-20))
	bth := udp[8:]
	bth[0], bth[1] = opcode, 0x40
	be.PutUint16(bth[2:], 0xffff)
	be.PutUint32(bth[4:], qp)
	be.PutUint32(bth[8:], psn)
	bth[8] = 0x80 // an acknowledgement is wanted
	copy(bth[12:], rest)
	icrc.Put(ip)
	return b
}

// write is a request of the leader.
func write(gen int, psn uint32) []byte {
	rest := make([]byte, 16+8)
	be.PutUint32(rest[8:], rkey)
	be.PutUint32(rest[12:], 8)
	return frame(leaderIP, switchIP, opWriteOnly, uint32(bcastQP+gen), psn, rest)
}

// ack is an ACK or NAK of a replica.
func ack(gen, slot int, psn uint32, syndrome byte) []byte {
	return frame(uint32(replicaIP+slot), switchIP, opAck, uint32(aggrQP+16*gen+slot), psn, []byte{syndrome, 0, 0, 1})
}
