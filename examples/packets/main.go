// Command packets builds a RoCEv2 WRITE, reads it, and readdresses it as a switch does: the
// header bytes change, and the ICRC at the end of the packet stays right. Then it does the same
// for a connection request. It links nothing but the standard library.
package main

import (
	"bytes"
	"fmt"
	"log"
	"net/netip"

	"github.com/p4ce/p4ce/roce/cm"
	"github.com/p4ce/p4ce/roce/icrc"
	"github.com/p4ce/p4ce/roce/wire"
)

func main() {
	a, b := wire.Addr{10, 0, 0, 1}, wire.Addr{10, 0, 0, 2}
	macA, macB := wire.MAC{2, 0, 0, 0, 0, 1}, wire.MAC{2, 0, 0, 0, 0, 2}

	frame := wire.AppendFrame(nil, &wire.Header{
		SrcMAC: macA, DstMAC: macB, Src: a, Dst: b, SrcPort: 0xc000,
		Opcode: wire.WriteOnly, AckReq: true, DestQP: 17, PSN: 100, VA: 0x1000, RKey: 7, Length: 5,
	}, []byte("hello"))
	var p wire.Packet
	if err := wire.Parse(frame, &p); err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%v: %q, ICRC right: %v\n", &p, p.Payload, p.ICRCOK())

	p.BTH.SetDestQP(18)
	fmt.Printf("to queue pair %d, ICRC right: %v\n", p.BTH.DestQP(), p.ICRCOK())
	fix := icrc.Const(icrc.BTHDestQP, []byte{0, 0, 17 ^ 18}) // what cancels this change
	p.IP.SetID(p.IP.ID() ^ uint16(fix>>16))
	p.UDP.SetSrcPort(p.UDP.SrcPort() ^ uint16(fix))
	p.IP.SetChecksum()
	fmt.Printf("to queue pair %d, corrected, ICRC right: %v\n", p.BTH.DestQP(), p.ICRCOK())

	private := cm.IPHeader{SrcPort: 7000, Src: a.Netip(), Dst: b.Netip()}.Append(nil)
	request := &cm.REQ{LocalCommID: 1, ServiceID: cm.ServiceID(4000), LocalQPN: 17, StartingPSN: 100, PathMTU: cm.MTUCode(1024), PrivateData: append(private, "hello"...)}
	frame, err := cm.AppendFrame(nil, cm.FrameHeader{SrcMAC: macA, DstMAC: macB, Src: a, Dst: b, SrcPort: 0xc000}, 42, request)
	if err != nil {
		log.Fatal(err)
	}
	if err := wire.Parse(frame, &p); err != nil || !cm.IsFrame(&p) || !p.ICRCOK() {
		log.Fatal("not a connection management message: ", err)
	}
	_, m, err := cm.DecodeFrame(&p)
	if err != nil {
		log.Fatal(err)
	}
	req := m.(*cm.REQ)
	port, _ := cm.ServicePort(req.ServiceID)
	from, user, _ := cm.SplitPrivateData(req.PrivateData)
	fmt.Printf("%v of queue pair %d at %v for port %d, path MTU %d: %q\n", m.Attribute(), req.LocalQPN,
		netip.AddrPortFrom(from.Src, from.SrcPort), port, cm.MTUBytes(req.PathMTU), bytes.TrimRight(user, "\x00"))
}
