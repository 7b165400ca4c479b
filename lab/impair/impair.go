// Package impair makes a link bad: a BPF program at the point where an interface
// receives loses, duplicates, reorders and damages RoCE packets (this kind of kernel
// often has no netem).
//
//	wire -> interface -> [lose, damage, duplicate, hold back] -> sockets
//	                                                   |  ^
//	                                        held0 - held1: this process
//
// A packet that is held back takes the way through this process, which lets it go
// after a random time of up to HoldBack; what comes later overtakes it.
//
// It sees what the kernel's stack receives: packet sockets for one protocol and UDP
// sockets, not AF_XDP. Packets that are sent are left alone: those of packet sockets
// bypass what could be hooked.
//
// The package needs root and Linux 6.6 (tcx).
package impair

import (
	"errors"
	"fmt"
	"net"
	"time"

	"github.com/cilium/ebpf"
	"github.com/cilium/ebpf/asm"
	"github.com/cilium/ebpf/link"
)

// Rates say which part of the packets meets what, from 0 to 1.
type Rates struct {
	Loss, Duplicate, Reorder, Corrupt float64
}

// Counts say what has happened to how many packets.
type Counts struct {
	Lost, Duplicated, Reordered, Corrupted uint64
}

// HoldBack is the longest time for which a packet is held back.
const HoldBack = 2 * time.Millisecond

// Link is an interface that is impaired until Close, or the end of the process.
type Link struct {
	m     *ebpf.Map
	progs []*ebpf.Program
	links []link.Link
	held  *holder
}

// cell is the value of the map's only element.
type cell struct {
	Loss, Duplicate, Reorder, Corrupt uint32 // of 2^32
	Counts                            Counts
}

// Open impairs an interface of the current network namespace.
func Open(name string, r Rates) (_ *Link, err error) {
	ifi, err := net.InterfaceByName(name)
	if err != nil {
		return nil, fmt.Errorf("interface %s: %w", name, err)
	}
	l := &Link{}
	defer func() {
		if err != nil {
			_ = l.Close()
			err = fmt.Errorf("impair %s: %w", name, err)
		}
	}()
	if l.m, err = ebpf.NewMap(&ebpf.MapSpec{Name: "impair", Type: ebpf.Array, KeySize: 4, ValueSize: 48, MaxEntries: 1}); err != nil {
		return nil, err
	}
	of := func(rate float64) uint32 { return uint32(min(max(rate, 0), 1) * (1<<32 - 1)) }
	if err := l.m.Put(uint32(0), cell{Loss: of(r.Loss), Duplicate: of(r.Duplicate), Reorder: of(r.Reorder), Corrupt: of(r.Corrupt)}); err != nil {
		return nil, err
	}
	hold := ifi.Index // unused while nothing is held back
	if r.Reorder > 0 {
		if l.held, err = newHolder(); err != nil {
			return nil, err
		}
		hold = l.held.ifindex
		if err := l.attach(release(int32(ifi.Index)), hold); err != nil {
			return nil, err
		}
	}
	return l, l.attach(program(l.m.FD(), int32(ifi.Index), int32(hold)), ifi.Index)
}

// attach puts a program where an interface receives.
func (l *Link) attach(ins asm.Instructions, ifindex int) error {
	prog, err := ebpf.NewProgram(&ebpf.ProgramSpec{Name: "impair", Type: ebpf.SchedCLS, AttachType: ebpf.AttachTCXIngress, Instructions: ins, License: "Apache-2.0"})
	if err != nil {
		return err
	}
	l.progs = append(l.progs, prog)
	at, err := link.AttachTCX(link.TCXOptions{Interface: ifindex, Program: prog, Attach: ebpf.AttachTCXIngress})
	if err != nil {
		return err
	}
	l.links = append(l.links, at)
	return nil
}

// Counts reads what has happened so far.
func (l *Link) Counts() (Counts, error) {
	var c cell
	if err := l.m.Lookup(uint32(0), &c); err != nil {
		return Counts{}, fmt.Errorf("impair: %w", err)
	}
	return c.Counts, nil
}

// Close makes the link good again. What is held back is lost. It is called in the
// network namespace that Open was called in.
func (l *Link) Close() error {
	var errs []error
	for i := len(l.links) - 1; i >= 0; i-- { // that of the interface first
		errs = append(errs, l.links[i].Close())
	}
	if l.held != nil {
		errs = append(errs, l.held.close())
	}
	for _, p := range l.progs {
		errs = append(errs, p.Close())
	}
	if l.m != nil {
		errs = append(errs, l.m.Close())
	}
	return errors.Join(errs...)
}

// Offsets in struct __sk_buff, in an Ethernet frame, and in cell.
const (
	skbLen, skbMark, skbProtocol, skbIfindex = 0, 8, 16, 40

	ipProtocol = 14 + 9
	udpPort    = 14 + 20 + 2
	payload    = 14 + 20 + 8

	atLoss, atDuplicate, atReorder, atCorrupt = 0, 4, 8, 12
	atCounts                                  = 16
)

// markDone is the mark of packets that have been here before.
const markDone = 1

// What a tcx program returns.
const (
	tcxPass = 0
	tcxDrop = 2
)

const (
	redirectIngress = 1    // BPF_F_INGRESS
	etherIP         = 0x08 // 0x0800 as a little-endian host reads it
)

// redirect ends a program: the packet goes on at an interface, as received there or as
// sent by it.
func redirect(ifindex, flags int32) asm.Instructions {
	return asm.Instructions{
		asm.Mov.Imm(asm.R1, ifindex),
		asm.Mov.Imm(asm.R2, flags),
		asm.FnRedirect.Call(),
		asm.Return(),
	}
}

// release gives what was held back to the interface.
func release(ifindex int32) asm.Instructions {
	return append(asm.Instructions{
		asm.Mov.Imm(asm.R2, markDone),
		asm.StoreMem(asm.R1, skbMark, asm.R2, asm.Word),
	}, redirect(ifindex, redirectIngress)...)
}

// program: r6 is the packet, r7 the cell, r8 an offset.
func program(fd int, ifindex, hold int32) asm.Instructions {
	count := func(n int16) asm.Instructions {
		add := asm.StoreXAdd(asm.R7, asm.R1, asm.DWord)
		add.Offset = atCounts + 8*n
		return asm.Instructions{asm.Mov.Imm(asm.R1, 1), add}
	}
	// unless goes on at label with the packets that do not meet this.
	unless := func(rate int16, label string) asm.Instructions {
		return asm.Instructions{
			asm.FnGetPrandomU32.Call(),
			asm.LoadMem(asm.R1, asm.R7, rate, asm.Word),
			asm.JGE.Reg(asm.R0, asm.R1, label),
		}
	}
	ins := asm.Instructions{
		asm.Mov.Reg(asm.R6, asm.R1),
		asm.LoadMem(asm.R1, asm.R6, skbMark, asm.Word),
		asm.JEq.Imm(asm.R1, markDone, "pass"),
	}
	ins = append(ins,
		// RoCE packets only.
		asm.LoadMem(asm.R1, asm.R6, skbProtocol, asm.Word),
		asm.JNE.Imm(asm.R1, etherIP, "pass"),
		asm.LoadMem(asm.R1, asm.R6, skbLen, asm.Word),
		asm.JLE.Imm(asm.R1, payload, "pass"),
		asm.Mov.Reg(asm.R1, asm.R6),
		asm.Mov.Imm(asm.R2, ipProtocol),
		asm.Mov.Reg(asm.R3, asm.RFP),
		asm.Add.Imm(asm.R3, -16),
		asm.Mov.Imm(asm.R4, udpPort+2-ipProtocol),
		asm.FnSkbLoadBytes.Call(),
		asm.JNE.Imm(asm.R0, 0, "pass"),
		asm.LoadMem(asm.R1, asm.RFP, -16, asm.Byte),
		asm.JNE.Imm(asm.R1, 17, "pass"),
		asm.LoadMem(asm.R1, asm.RFP, -16+udpPort-ipProtocol, asm.Byte),
		asm.JNE.Imm(asm.R1, 4791>>8, "pass"),
		asm.LoadMem(asm.R1, asm.RFP, -16+udpPort-ipProtocol+1, asm.Byte),
		asm.JNE.Imm(asm.R1, 4791&0xff, "pass"),
		asm.StoreImm(asm.RFP, -24, 0, asm.Word),
		asm.LoadMapPtr(asm.R1, fd),
		asm.Mov.Reg(asm.R2, asm.RFP),
		asm.Add.Imm(asm.R2, -24),
		asm.FnMapLookupElem.Call(),
		asm.JEq.Imm(asm.R0, 0, "pass"),
		asm.Mov.Reg(asm.R7, asm.R0),
	)
	ins = append(ins, unless(atLoss, "keep")...)
	ins = append(ins, count(0)...)
	ins = append(ins, asm.Mov.Imm(asm.R0, tcxDrop), asm.Return())

	keep := unless(atCorrupt, "whole")
	keep[0] = keep[0].WithSymbol("keep")
	ins = append(ins, keep...)
	ins = append(ins, count(3)...)
	ins = append(ins, // one bit behind the UDP header
		asm.FnGetPrandomU32.Call(),
		asm.LoadMem(asm.R8, asm.R6, skbLen, asm.Word),
		asm.Sub.Imm(asm.R8, payload),
		asm.Mod.Reg(asm.R0, asm.R8),
		asm.Mov.Reg(asm.R8, asm.R0),
		asm.Add.Imm(asm.R8, payload),
		asm.Mov.Reg(asm.R1, asm.R6),
		asm.Mov.Reg(asm.R2, asm.R8),
		asm.Mov.Reg(asm.R3, asm.RFP),
		asm.Add.Imm(asm.R3, -16),
		asm.Mov.Imm(asm.R4, 1),
		asm.FnSkbLoadBytes.Call(),
		asm.JNE.Imm(asm.R0, 0, "whole"),
		asm.LoadMem(asm.R1, asm.RFP, -16, asm.Byte),
		asm.Xor.Imm(asm.R1, 0x10),
		asm.StoreMem(asm.RFP, -16, asm.R1, asm.Byte),
		asm.Mov.Reg(asm.R1, asm.R6),
		asm.Mov.Reg(asm.R2, asm.R8),
		asm.Mov.Reg(asm.R3, asm.RFP),
		asm.Add.Imm(asm.R3, -16),
		asm.Mov.Imm(asm.R4, 1),
		asm.Mov.Imm(asm.R5, 0),
		asm.FnSkbStoreBytes.Call(),
	)
	whole := unless(atDuplicate, "single")
	whole[0] = whole[0].WithSymbol("whole")
	ins = append(ins, whole...)
	ins = append(ins, count(1)...)
	ins = append(ins,
		asm.Mov.Imm(asm.R1, markDone),
		asm.StoreMem(asm.R6, skbMark, asm.R1, asm.Word),
		asm.Mov.Reg(asm.R1, asm.R6),
		asm.Mov.Imm(asm.R2, ifindex),
		asm.Mov.Imm(asm.R3, redirectIngress),
		asm.FnCloneRedirect.Call(),
		asm.Mov.Imm(asm.R1, 0),
		asm.StoreMem(asm.R6, skbMark, asm.R1, asm.Word),
	)
	single := unless(atReorder, "pass")
	single[0] = single[0].WithSymbol("single")
	ins = append(ins, single...)
	ins = append(ins, count(2)...)
	ins = append(ins, redirect(hold, 0)...)
	return append(ins, asm.Mov.Imm(asm.R0, tcxPass).WithSymbol("pass"), asm.Return())
}
