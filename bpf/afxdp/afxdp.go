// Package afxdp sends and receives whole Ethernet frames through an AF_XDP
// socket on queue 0 of a network interface. It is the one place that knows
// github.com/asavie/xdp and its ways:
//
//   - its own Program type cannot live beside a bpf_link, so the program and the
//     xskmap here are ours;
//   - its Close never unmaps the rings, so a queue cannot be bound a second time
//     by the same process: a Socket is meant to live as long as the process;
//   - its Transmit panics when the interface is down: here that is an error;
//   - frames of 2048 bytes would cut what is received at 1792: here they have
//     4096.
//
// The socket works in copy mode, which every driver with native XDP has.
package afxdp

import (
	"errors"
	"fmt"
	"net"
	"sync"

	"github.com/asavie/xdp"
	"github.com/cilium/ebpf"
	"github.com/cilium/ebpf/asm"
	"github.com/cilium/ebpf/link"
	"golang.org/x/sys/unix"
)

const (
	ringSize  = 512
	frameSize = 4096
	// MaxFrame is the largest frame that can be received or sent.
	MaxFrame = frameSize - 256
)

// ErrFull: the transmit ring has no room; the frame was not sent.
var ErrFull = errors.New("AF_XDP transmit ring is full")

// Filter says which frames the socket takes from the interface. The others go
// on to the kernel.
type Filter struct {
	// UDPPort, when not 0, takes only IPv4 packets without options to this
	// UDP port; 0 takes everything.
	UDPPort uint16
}

// Socket is an open AF_XDP socket with its program. Send may be called from any
// goroutine, beside one that is in Receive.
type Socket struct {
	iface string
	wake  int // eventfd: Receive looks up
	prog  *ebpf.Program
	xsks  *ebpf.Map
	link  link.Link

	mu     sync.Mutex // guards xsk, which is not safe for concurrent use
	xsk    *xdp.Socket
	closed bool
}

// Open binds to queue 0 of the interface and attaches a native XDP program that
// steers frames to the socket. The caller closes it.
func Open(iface string, f Filter) (*Socket, error) {
	ifi, err := net.InterfaceByName(iface)
	if err != nil {
		return nil, fmt.Errorf("AF_XDP on %s: %w", iface, err)
	}
	s := &Socket{iface: iface, wake: -1}
	ok := false
	defer func() {
		if !ok {
			s.Close()
		}
	}()
	if s.wake, err = unix.Eventfd(0, unix.EFD_NONBLOCK|unix.EFD_CLOEXEC); err != nil {
		return nil, fmt.Errorf("AF_XDP on %s: eventfd: %w", iface, err)
	}
	s.xsk, err = xdp.NewSocket(ifi.Index, 0, &xdp.SocketOptions{
		NumFrames: 2 * ringSize, FrameSize: frameSize,
		FillRingNumDescs: ringSize, CompletionRingNumDescs: ringSize,
		RxRingNumDescs: ringSize, TxRingNumDescs: ringSize,
	})
	if err != nil {
		return nil, fmt.Errorf("AF_XDP socket on %s (needs CAP_NET_RAW and a kernel with CONFIG_XDP_SOCKETS; is the queue bound by somebody else?): %w", iface, err)
	}
	s.fill()
	s.xsks, err = ebpf.NewMap(&ebpf.MapSpec{Name: "xsks", Type: ebpf.XSKMap, KeySize: 4, ValueSize: 4, MaxEntries: 1})
	if err != nil {
		return nil, fmt.Errorf("AF_XDP on %s: xskmap: %w", iface, err)
	}
	if err := s.xsks.Put(uint32(0), uint32(s.xsk.FD())); err != nil {
		return nil, fmt.Errorf("AF_XDP on %s: xskmap: %w", iface, err)
	}
	s.prog, err = ebpf.NewProgram(&ebpf.ProgramSpec{
		Name: "to_xsk", Type: ebpf.XDP, License: "Dual BSD/GPL", Instructions: steer(s.xsks.FD(), f),
	})
	if err != nil {
		return nil, fmt.Errorf("AF_XDP on %s: program: %w", iface, err)
	}
	s.link, err = link.AttachXDP(link.XDPOptions{Program: s.prog, Interface: ifi.Index, Flags: link.XDPDriverMode})
	if err != nil {
		return nil, fmt.Errorf("AF_XDP on %s: attach in native mode (does the driver have XDP, and is the interface free of another program?): %w", iface, err)
	}
	ok = true
	return s, nil
}

// steer is the program: redirect to the socket of queue 0, or pass.
func steer(xsks int, f Filter) asm.Instructions {
	redirect := asm.Instructions{
		asm.LoadMapPtr(asm.R1, xsks).WithSymbol("redirect"),
		asm.Mov.Imm(asm.R2, 0),
		asm.Mov.Imm(asm.R3, 2), // XDP_PASS when there is no socket
		asm.FnRedirectMap.Call(),
		asm.Return(),
	}
	pass := asm.Instructions{
		asm.Mov.Imm(asm.R0, 2).WithSymbol("pass"),
		asm.Return(),
	}
	if f.UDPPort == 0 {
		return redirect
	}
	swap := func(v uint16) int32 { return int32(v<<8 | v>>8) } // as loaded on a little-endian machine
	head := asm.Instructions{
		asm.LoadMem(asm.R2, asm.R1, 0, asm.Word), // data
		asm.LoadMem(asm.R3, asm.R1, 4, asm.Word), // data_end
		asm.Mov.Reg(asm.R4, asm.R2),
		asm.Add.Imm(asm.R4, 42),
		asm.JGT.Reg(asm.R4, asm.R3, "pass"),
		asm.LoadMem(asm.R5, asm.R2, 12, asm.Half),
		asm.JNE.Imm(asm.R5, swap(0x0800), "pass"),
		asm.LoadMem(asm.R5, asm.R2, 14, asm.Byte),
		asm.JNE.Imm(asm.R5, 0x45, "pass"),
		asm.LoadMem(asm.R5, asm.R2, 23, asm.Byte),
		asm.JNE.Imm(asm.R5, 17, "pass"),
		asm.LoadMem(asm.R5, asm.R2, 36, asm.Half),
		asm.JNE.Imm(asm.R5, swap(f.UDPPort), "pass"),
	}
	return append(append(head, redirect...), pass...)
}

// fill gives the kernel frames to receive into; the rest stays for sending.
func (s *Socket) fill() {
	if n := ringSize - s.xsk.NumFilled(); n > 0 {
		s.xsk.Fill(s.xsk.GetDescs(n))
	}
}

// Receive calls f with every frame until the socket is closed; then it returns
// nil. f must not keep the frame.
func (s *Socket) Receive(f func(frame []byte)) error {
	fds := []unix.PollFd{{Events: unix.POLLIN}, {Events: unix.POLLIN}}
	batch := make([][]byte, 0, ringSize)
	for {
		s.mu.Lock()
		if s.closed {
			s.mu.Unlock()
			return nil
		}
		s.fill()
		descs := s.xsk.Receive(s.xsk.NumReceived())
		batch = batch[:0]
		for _, d := range descs {
			batch = append(batch, s.xsk.GetFrame(d))
		}
		fds[0].Fd, fds[1].Fd = int32(s.xsk.FD()), int32(s.wake)
		if len(batch) > 0 {
			// Received frames are ours until fill hands them out again, but
			// Send may take one: keep the lock while they are read.
			for _, frame := range batch {
				f(frame)
			}
			s.mu.Unlock()
			continue
		}
		s.mu.Unlock()
		if _, err := unix.Poll(fds, -1); err != nil && err != unix.EINTR {
			return fmt.Errorf("AF_XDP on %s: poll: %w", s.iface, err)
		}
	}
}

// Send sends a frame. It may not be called from within the function that
// Receive calls.
func (s *Socket) Send(frame []byte) (err error) {
	if len(frame) > MaxFrame {
		return fmt.Errorf("AF_XDP on %s: frame of %d bytes (at most %d)", s.iface, len(frame), MaxFrame)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return net.ErrClosed
	}
	if n := s.xsk.NumCompleted(); n > 0 {
		s.xsk.Complete(n)
	}
	d := s.xsk.GetDescs(1)
	if len(d) == 0 || s.xsk.NumFreeTxSlots() == 0 {
		return ErrFull
	}
	d[0].Len = uint32(copy(s.xsk.GetFrame(d[0]), frame))
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("AF_XDP on %s (is the interface up?): %v", s.iface, r)
		}
	}()
	if s.xsk.Transmit(d) == 0 {
		return ErrFull
	}
	return nil
}

// Close ends Receive and detaches the program.
func (s *Socket) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return nil
	}
	s.closed = true
	var errs []error
	if s.link != nil {
		errs = append(errs, s.link.Close())
	}
	if s.prog != nil {
		errs = append(errs, s.prog.Close())
	}
	if s.xsks != nil {
		errs = append(errs, s.xsks.Close())
	}
	if s.xsk != nil {
		errs = append(errs, s.xsk.Close())
	}
	if s.wake >= 0 {
		// Not closed: Receive may be polling it. It is one descriptor per
		// socket, and a socket lives as long as the process.
		_, err := unix.Write(s.wake, []byte{1, 0, 0, 0, 0, 0, 0, 0})
		errs = append(errs, err)
	}
	return errors.Join(errs...)
}
