package xdp

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"os"
	"runtime"
	"sync"
	"sync/atomic"
	"syscall"

	"github.com/asavie/xdp"
	"github.com/cilium/ebpf"
	"github.com/cilium/ebpf/link"
	"golang.org/x/sys/unix"

	"github.com/p4ce/p4ce/host/roce"
	"github.com/p4ce/p4ce/host/roce/wire"
	"github.com/p4ce/p4ce/host/roce/wires/internal/port"
	"github.com/p4ce/p4ce/host/roce/wires/neighbour"
)

const (
	// frameSize is that of the shared memory; the kernel keeps 256 bytes of
	// headroom in each frame that it fills.
	frameSize = 4096
	headroom  = 256
	// half is the number of frames for each direction, and of ring entries.
	half = 512
	// flushAt bounds what waits for Flush.
	flushAt = 64
	sockBuf = 4 << 20
)

// Wire is a roce.Wire over an AF_XDP socket.
type Wire struct {
	info     roce.WireInfo
	resolver *neighbour.Resolver
	port     *net.UDPConn
	prog     *ebpf.Program
	xsks     *ebpf.Map
	link     link.Link
	file     *os.File // a duplicate of the socket, for Go's poller
	raw      syscall.RawConn

	table  sync.Mutex // guards the socket's table of free frames
	sock   *xdp.Socket
	closed atomic.Bool

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

var _ roce.Wire = (*Wire)(nil)

// Open opens a wire on an interface of the current network namespace. addr is
// one of its IPv4 addresses; the zero Addr means its first.
func Open(iface string, addr netip.Addr) (_ *Wire, err error) {
	ifi, info, err := port.Interface(iface, addr)
	if err != nil {
		return nil, fmt.Errorf("xdp wire: %w", err)
	}
	info.MTU = min(info.MTU, frameSize-headroom-wire.EthernetLen)
	w := &Wire{
		info: info, taken: make([]xdp.Desc, 0, half), free: make([]uint64, 0, half),
		out: make([]xdp.Desc, 0, flushAt), scratch: make([]byte, 0, frameSize),
	}
	defer func() {
		if err != nil {
			_ = w.Close()
			err = fmt.Errorf("xdp wire on %s: %w", iface, err)
		}
	}()
	w.sock, err = xdp.NewSocket(ifi.Index, 0, &xdp.SocketOptions{
		NumFrames: 2 * half, FrameSize: frameSize,
		FillRingNumDescs: half, CompletionRingNumDescs: half, RxRingNumDescs: half, TxRingNumDescs: half,
	})
	if err != nil {
		return nil, fmt.Errorf("AF_XDP socket: %w (needs root and CONFIG_XDP_SOCKETS; a queue can be bound once per process)", err)
	}
	// Privileged, so that a burst of large frames fits; without, the default
	// does, more slowly.
	_ = unix.SetsockoptInt(w.sock.FD(), unix.SOL_SOCKET, unix.SO_SNDBUFFORCE, sockBuf)
	if err := w.poller(iface); err != nil {
		return nil, err
	}
	for i := range half {
		w.taken = append(w.taken, xdp.Desc{Addr: uint64(i) * frameSize, Len: frameSize})
		w.free = append(w.free, uint64(half+i)*frameSize)
	}
	w.refill()
	if err := w.steer(ifi); err != nil {
		return nil, err
	}
	if w.port, err = port.Hold(info.Addr); err != nil {
		return nil, err
	}
	w.resolver, err = neighbour.New(ifi, w.port)
	return w, err
}

// poller lets Go's poller wait for the socket: a wait then costs a goroutine
// switch, not a thread.
func (w *Wire) poller(iface string) error {
	fd, err := unix.FcntlInt(uintptr(w.sock.FD()), unix.F_DUPFD_CLOEXEC, 0)
	if err != nil {
		return fmt.Errorf("duplicate socket: %w", err)
	}
	if err := unix.SetNonblock(fd, true); err != nil {
		_ = unix.Close(fd)
		return fmt.Errorf("non-blocking socket: %w", err)
	}
	w.file = os.NewFile(uintptr(fd), "af_xdp:"+iface)
	w.ready = func(uintptr) bool { return w.sock.NumReceived() > 0 }
	if w.raw, err = w.file.SyscallConn(); err != nil {
		return fmt.Errorf("socket: %w", err)
	}
	return nil
}

// steer loads and attaches the program.
func (w *Wire) steer(ifi *net.Interface) error {
	var err error
	w.xsks, err = ebpf.NewMap(&ebpf.MapSpec{Name: "roce_xsk", Type: ebpf.XSKMap, KeySize: 4, ValueSize: 4, MaxEntries: 1})
	if err != nil {
		return fmt.Errorf("xskmap: %w", err)
	}
	if err := w.xsks.Put(uint32(0), uint32(w.sock.FD())); err != nil {
		return fmt.Errorf("xskmap: %w", err)
	}
	w.prog, err = ebpf.NewProgram(&ebpf.ProgramSpec{
		Name: "roce_steer", Type: ebpf.XDP, License: "Dual BSD/GPL", Instructions: program(w.xsks, w.info.Addr.As4()),
	})
	if err != nil {
		return fmt.Errorf("program: %w", err)
	}
	w.link, err = link.AttachXDP(link.XDPOptions{Program: w.prog, Interface: ifi.Index, Flags: link.XDPDriverMode})
	if err != nil {
		return fmt.Errorf("attach in native mode: %w (does the driver have XDP, and is no other program attached?)", err)
	}
	return nil
}

// Info implements roce.Wire.
func (w *Wire) Info() roce.WireInfo { return w.info }

// refill gives the kernel the frames of the last Receive back.
func (w *Wire) refill() {
	if len(w.taken) == 0 {
		return
	}
	w.table.Lock()
	n := w.sock.Fill(w.taken)
	w.table.Unlock()
	w.taken = w.taken[:copy(w.taken, w.taken[n:])]
}

// Receive implements roce.Wire.
func (w *Wire) Receive(frames [][]byte) (int, error) {
	w.refill()
	for {
		if w.closed.Load() {
			return 0, net.ErrClosed
		}
		if n := min(w.sock.NumReceived(), len(frames)); n > 0 {
			w.table.Lock()
			descs := w.sock.Receive(n)
			w.table.Unlock()
			for i, d := range descs {
				frames[i] = w.sock.GetFrame(d)
				// The kernel fills from the start of a frame, whatever the
				// offset at which it was received.
				w.taken = append(w.taken, xdp.Desc{Addr: d.Addr &^ (frameSize - 1), Len: frameSize})
			}
			return len(descs), nil
		}
		if w.raw.Read(w.ready) != nil {
			// The poller knows no other reason than that the file is closed.
			return 0, net.ErrClosed
		}
	}
}

// Buffer implements roce.Wire.
func (w *Wire) Buffer() []byte {
	if w.current.Len == 0 {
		if len(w.free) == 0 {
			w.reclaim()
		}
		n := len(w.free)
		if n == 0 {
			return w.scratch
		}
		w.current = xdp.Desc{Addr: w.free[n-1], Len: frameSize}
		w.free = w.free[:n-1]
	}
	return w.sock.GetFrame(w.current)[:0:frameSize]
}

// attempts bounds the wait for the kernel to let go of sent frames. Each gives
// the processor away, so that the peer's side of the link can run.
const attempts = 1000

// reclaim collects the frames that have been sent. It is called when all are out,
// so the frames of the sending half that the socket's table shows as free are
// exactly those.
func (w *Wire) reclaim() {
	_ = w.Flush()
	for range attempts {
		if n := w.sock.NumCompleted(); n > 0 {
			w.table.Lock()
			w.sock.Complete(n)
			for _, d := range w.sock.GetDescs(2 * half) {
				if d.Addr >= half*frameSize {
					w.free = append(w.free, d.Addr)
				}
			}
			w.table.Unlock()
			return
		}
		runtime.Gosched()
	}
}

// Send implements roce.Wire.
func (w *Wire) Send(frame []byte) {
	if w.current.Len == 0 {
		w.noRoom.Add(1)
		return
	}
	w.current.Len = uint32(len(frame))
	w.out = append(w.out, w.current)
	w.current = xdp.Desc{}
	if len(w.out) == flushAt {
		_ = w.Flush()
	}
}

// Flush implements roce.Wire.
func (w *Wire) Flush() (err error) {
	if len(w.out) == 0 {
		return nil
	}
	defer func() {
		w.out = w.out[:0]
		// The library panics when the interface is down.
		if r := recover(); r != nil {
			w.failed.Add(1)
			err = fmt.Errorf("xdp wire: send: %v (is the interface up?)", r)
		}
	}()
	for out := w.out; len(out) > 0; {
		n := w.sock.Transmit(out)
		if n == 0 {
			// The ring has as many slots as there are frames: it is never full
			// while a frame is in hand.
			w.noRoom.Add(uint64(len(out)))
			break
		}
		out = out[n:]
	}
	// One system call sends a budget of 32 frames at most, and fewer when the
	// socket's memory is out: kick until the ring is empty. What is left after
	// all attempts goes with the next Flush.
	for i := 0; i < attempts && w.sock.NumFreeTxSlots() < half; i++ {
		if i > half/32 {
			runtime.Gosched()
		}
		w.sock.Transmit(nil)
	}
	return nil
}

// Dropped returns how many frames were not sent: because the link did not take
// them in time, and because sending failed.
func (w *Wire) Dropped() (noRoom, failed uint64) { return w.noRoom.Load(), w.failed.Load() }

// Resolve implements roce.Wire.
func (w *Wire) Resolve(ctx context.Context, ip netip.Addr) (wire.MAC, error) {
	return w.resolver.Resolve(ctx, ip)
}

// Close implements roce.Wire. The frames' memory stays mapped, because the last
// ones received may still be in use.
func (w *Wire) Close() error {
	if w.closed.Swap(true) {
		return net.ErrClosed
	}
	var errs []error
	if w.link != nil {
		errs = append(errs, w.link.Close())
	}
	if w.prog != nil {
		errs = append(errs, w.prog.Close())
	}
	if w.xsks != nil {
		errs = append(errs, w.xsks.Close())
	}
	if w.file != nil {
		errs = append(errs, w.file.Close())
	}
	if w.resolver != nil {
		w.resolver.Close()
	}
	if w.port != nil {
		errs = append(errs, w.port.Close())
	}
	return errors.Join(errs...)
}
