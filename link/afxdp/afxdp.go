package afxdp

import (
	"errors"
	"fmt"
	"net"
	"os"
	"runtime"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/asavie/xdp"
	"github.com/cilium/ebpf"
	"github.com/cilium/ebpf/link"
	"golang.org/x/sys/unix"

	"github.com/p4ce/p4ce/link/bell"
	"github.com/p4ce/p4ce/link/nic"
)

const (
	// frameSize is that of the shared memory; the kernel keeps headroom bytes of
	// each frame that it fills.
	frameSize = 4096
	headroom  = 256
	// rxFrames and txFrames are the numbers of frames for each direction, and of
	// entries of its rings. Those that receive are many: who sends through a
	// switch that waits only for a quorum is not held back by a slow receiver.
	rxFrames, txFrames = 4096, 512
	// flushAt bounds what waits for Flush.
	flushAt = 64
	// sockBuf holds a burst of large frames.
	sockBuf = 4 << 20
	// attempts bounds the wait for the kernel to let go of frames that are sent.
	// Each gives the processor away, so that the link's other end can run.
	attempts = 1000
)

// MaxFrame is the largest frame that can be received or sent, in bytes.
const MaxFrame = frameSize - headroom

// Socket is an open AF_XDP socket with its program.
type Socket struct {
	iface  string
	prog   *ebpf.Program
	xsks   *ebpf.Map
	link   link.Link
	file   *os.File // a duplicate of the socket, for Go's poller; nil before the first Receive
	raw    syscall.RawConn
	closed atomic.Bool
	bell   *bell.Bell

	table    sync.Mutex // guards the socket's table of free frames, received, and the making of file
	sock     *xdp.Socket
	received uint64 // frames that Receive has returned

	// Receiving goroutine.
	taken []xdp.Desc // handed out by the last Receive
	ready func(uintptr) bool

	// Sending goroutine.
	free    []uint64 // addresses of frames to send with
	current xdp.Desc // of the last Buffer
	out     []xdp.Desc
	scratch []byte // stands in when there is no frame
	noRoom  atomic.Uint64
	failed  atomic.Uint64
}

// oneQueue refuses an interface with several queues for receiving: what comes in by another one than
// the socket's would be lost.
func oneQueue(iface string) error {
	about, err := nic.Read(iface)
	if err != nil {
		return err
	}
	if n := about.Queues; n > 1 {
		which := "combined"
		if about.Kind == "veth" {
			which = "rx"
		}
		return fmt.Errorf("it has %d receive queues, and the socket reads from the first only (ethtool -L %s %s 1)", n, iface, which)
	}
	return nil
}

// Open binds to queue 0 of an interface of the current network namespace and
// attaches a native XDP program that steers frames to the socket. The caller
// closes it.
func Open(iface string, f Filter) (*Socket, error) {
	if err := f.check(); err != nil {
		return nil, fmt.Errorf("AF_XDP on %s: %w", iface, err)
	}
	return OpenWith(iface, f.load)
}

// Loader loads the program that steers frames to a socket, which is element 0 of xsks. The
// program is the socket's from then on.
type Loader func(xsks *ebpf.Map) (*ebpf.Program, error)

// OpenWith is Open with another program.
func OpenWith(iface string, load Loader) (_ *Socket, err error) {
	s := &Socket{
		iface: iface, taken: make([]xdp.Desc, 0, rxFrames), free: make([]uint64, 0, txFrames),
		out: make([]xdp.Desc, 0, flushAt), scratch: make([]byte, 0, frameSize),
	}
	defer func() {
		if err != nil {
			_ = s.Close()
			err = fmt.Errorf("AF_XDP on %s: %w", iface, err)
		}
	}()
	ifi, err := net.InterfaceByName(iface)
	if err != nil {
		return nil, err
	}
	if err := oneQueue(iface); err != nil {
		return nil, err
	}
	s.sock, err = xdp.NewSocket(ifi.Index, 0, &xdp.SocketOptions{
		NumFrames: rxFrames + txFrames, FrameSize: frameSize,
		FillRingNumDescs: rxFrames, CompletionRingNumDescs: txFrames, RxRingNumDescs: rxFrames, TxRingNumDescs: txFrames,
	})
	if err != nil {
		return nil, fmt.Errorf("socket: %w (needs CAP_NET_RAW and CONFIG_XDP_SOCKETS; a queue can be bound once per process)", err)
	}
	unix.CloseOnExec(s.sock.FD())
	if s.bell, err = bell.New(); err != nil {
		return nil, err
	}
	// Privileged; without it a burst goes out more slowly.
	_ = unix.SetsockoptInt(s.sock.FD(), unix.SOL_SOCKET, unix.SO_SNDBUFFORCE, sockBuf)
	// As many frames as there are go with one system call, on kernels that can (6.17).
	_ = unix.SetsockoptInt(s.sock.FD(), unix.SOL_XDP, unix.XDP_MAX_TX_SKB_BUDGET, txFrames)
	for i := range rxFrames {
		s.taken = append(s.taken, xdp.Desc{Addr: uint64(i) * frameSize, Len: frameSize})
	}
	for i := range txFrames {
		s.free = append(s.free, uint64(rxFrames+i)*frameSize)
	}
	s.refill()
	if err := s.steer(ifi, load); err != nil {
		return nil, err
	}
	return s, nil
}

// poller lets Go's poller wait for the socket, for who calls Receive: a wait then costs a goroutine
// switch, not a thread. Who calls Poll must not pay for what wakes the poller.
func (s *Socket) poller() error {
	s.table.Lock()
	defer s.table.Unlock()
	if s.raw != nil {
		return nil
	}
	if s.closed.Load() {
		return net.ErrClosed
	}
	fd, err := unix.FcntlInt(uintptr(s.sock.FD()), unix.F_DUPFD_CLOEXEC, 0)
	if err != nil {
		return fmt.Errorf("AF_XDP on %s: duplicate socket: %w", s.iface, err)
	}
	if err := unix.SetNonblock(fd, true); err != nil {
		_ = unix.Close(fd)
		return fmt.Errorf("AF_XDP on %s: non-blocking socket: %w", s.iface, err)
	}
	s.file = os.NewFile(uintptr(fd), "af_xdp:"+s.iface)
	s.ready = func(uintptr) bool { return s.sock.NumReceived() > 0 }
	if s.raw, err = s.file.SyscallConn(); err != nil {
		return fmt.Errorf("AF_XDP on %s: socket: %w", s.iface, err)
	}
	return nil
}

// steer loads and attaches the program.
func (s *Socket) steer(ifi *net.Interface, load Loader) error {
	var err error
	s.xsks, err = ebpf.NewMap(&ebpf.MapSpec{Name: "xsks", Type: ebpf.XSKMap, KeySize: 4, ValueSize: 4, MaxEntries: 1})
	if err != nil {
		return fmt.Errorf("xskmap: %w", err)
	}
	if err := s.xsks.Put(uint32(0), uint32(s.sock.FD())); err != nil {
		return fmt.Errorf("xskmap: %w", err)
	}
	if s.prog, err = load(s.xsks); err != nil {
		return fmt.Errorf("program: %w", err)
	}
	s.link, err = link.AttachXDP(link.XDPOptions{Program: s.prog, Interface: ifi.Index, Flags: link.XDPDriverMode})
	if err != nil {
		return fmt.Errorf("attach in native mode: %w (does the driver have XDP, and is the interface free of another program?)", err)
	}
	return nil
}

// refill gives the kernel the frames of the last Receive back.
func (s *Socket) refill() {
	if len(s.taken) == 0 {
		return
	}
	s.table.Lock()
	n := s.sock.Fill(s.taken)
	s.table.Unlock()
	s.taken = s.taken[:copy(s.taken, s.taken[n:])]
}

// Receive waits for frames and puts up to len(frames) into it. They are valid
// until the next call. After Close it returns net.ErrClosed.
func (s *Socket) Receive(frames [][]byte) (int, error) {
	for {
		if n, err := s.Poll(frames); n > 0 || err != nil {
			return n, err
		}
		if err := s.poller(); err != nil {
			return 0, err
		}
		if s.raw.Read(s.ready) != nil {
			// The poller knows no other reason than that the file is closed.
			return 0, net.ErrClosed
		}
	}
}

// Poll implements link.Pollable.
func (s *Socket) Poll(frames [][]byte) (int, error) {
	s.refill()
	if s.closed.Load() {
		return 0, net.ErrClosed
	}
	n := min(s.sock.NumReceived(), len(frames))
	if n == 0 {
		return 0, nil
	}
	s.table.Lock()
	descs := s.sock.Receive(n)
	s.received += uint64(len(descs))
	s.table.Unlock()
	for i, d := range descs {
		frames[i] = s.sock.GetFrame(d)
		// The kernel fills from the start of a frame, whatever the
		// offset at which it was received.
		s.taken = append(s.taken, xdp.Desc{Addr: d.Addr &^ (frameSize - 1), Len: frameSize})
	}
	return len(descs), nil
}

// Wait implements link.Pollable.
func (s *Socket) Wait(d time.Duration) error { return s.bell.Wait(s.sock.FD(), d) }

// Rest implements link.Pollable.
func (s *Socket) Rest(d time.Duration) error { return s.bell.Wait(-1, d) }

// Wake implements link.Pollable.
func (s *Socket) Wake() { s.bell.Ring() }

// Arrived implements link.Arrivals.
func (s *Socket) Arrived() uint64 {
	s.table.Lock()
	defer s.table.Unlock()
	return s.received + uint64(s.sock.NumReceived())
}

// Buffer returns an empty slice with room for a frame, to be filled and given to
// Send. It waits a little for the link to take earlier frames.
func (s *Socket) Buffer() []byte {
	if s.current.Len == 0 {
		if len(s.free) == 0 {
			s.reclaim()
		}
		n := len(s.free)
		if n == 0 {
			return s.scratch
		}
		s.current = xdp.Desc{Addr: s.free[n-1], Len: frameSize}
		s.free = s.free[:n-1]
	}
	return s.sock.GetFrame(s.current)[:0:frameSize]
}

// reclaim collects the frames that have been sent. It is called when all are out,
// so the frames for sending that the socket's table shows as free are
// exactly those.
func (s *Socket) reclaim() {
	_ = s.Flush()
	for range attempts {
		if n := s.sock.NumCompleted(); n > 0 {
			s.table.Lock()
			s.sock.Complete(n)
			for _, d := range s.sock.GetDescs(rxFrames + txFrames) {
				if d.Addr >= rxFrames*frameSize {
					s.free = append(s.free, d.Addr)
				}
			}
			s.table.Unlock()
			return
		}
		runtime.Gosched()
	}
}

// Send queues the frame built in the last Buffer. When there was no room for it,
// or it is longer than MaxFrame, it is dropped and counted.
func (s *Socket) Send(frame []byte) {
	if s.current.Len == 0 || len(frame) > MaxFrame {
		s.noRoom.Add(1)
		return
	}
	s.current.Len = uint32(len(frame))
	s.out = append(s.out, s.current)
	s.current = xdp.Desc{}
	if len(s.out) == flushAt {
		_ = s.Flush()
	}
}

// Flush hands what was queued to the kernel.
func (s *Socket) Flush() (err error) {
	if len(s.out) == 0 {
		return nil
	}
	defer func() {
		s.out = s.out[:0]
		// The library panics when the interface is down.
		if r := recover(); r != nil {
			s.failed.Add(1)
			err = fmt.Errorf("AF_XDP on %s: send: %v (is the interface up?)", s.iface, r)
		}
	}()
	for out := s.out; len(out) > 0; {
		n := s.sock.Transmit(out)
		if n == 0 {
			// The ring has as many slots as there are frames: it is never full
			// while a frame is in hand.
			s.noRoom.Add(uint64(len(out)))
			break
		}
		out = out[n:]
	}
	// One system call sends a budget of frames at most (32 before Linux 6.17), and fewer when the
	// socket's memory is out: kick until the ring is empty. What is left after
	// all attempts goes with the next Flush.
	for i := 0; i < attempts && s.sock.NumFreeTxSlots() < txFrames; i++ {
		if i > txFrames/32 {
			runtime.Gosched()
		}
		s.sock.Transmit(nil)
	}
	return nil
}

// Dropped returns how many frames were not sent because the link did not take them
// in time, and how many Flushes failed.
func (s *Socket) Dropped() (noRoom, failed uint64) { return s.noRoom.Load(), s.failed.Load() }

// Close ends Receive and detaches the program. The frames' memory stays mapped,
// because the last ones received may still be in use.
func (s *Socket) Close() error {
	if s.closed.Swap(true) {
		return net.ErrClosed
	}
	if s.bell != nil {
		s.bell.Ring()
	}
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
	s.table.Lock()
	if s.file != nil {
		errs = append(errs, s.file.Close())
	}
	s.table.Unlock()
	return errors.Join(errs...)
}
