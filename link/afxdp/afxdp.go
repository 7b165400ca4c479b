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
	"github.com/p4ce/p4ce/link/tune"
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

// Socket is an open AF_XDP socket with its program. When its interface has been deleted, Reopen continues it on another one,
// with the same program.
type Socket struct {
	iface  string
	prog   *ebpf.Program
	xsks   *ebpf.Map
	closed atomic.Bool
	bell   *bell.Bell
	now    atomic.Pointer[rings]

	table    sync.Mutex // guards the rings' table of free frames, received, the making of file, and changing now
	received uint64     // frames that Receive has returned

	// Receiving goroutine.
	rx *rings

	// Sending goroutine.
	tx      *rings
	scratch []byte // stands in when there is no frame
	noRoom  atomic.Uint64
	failed  atomic.Uint64
}

// rings are the memory that a socket shares with one interface. They stay as long as the process: frames that were
// received by them may be in use, and what the library has mapped it does not unmap.
type rings struct {
	sock *xdp.Socket
	link link.Link
	file *os.File // a duplicate of the socket, for Go's poller; nil before the first Receive
	raw  syscall.RawConn

	// Receiving goroutine.
	taken []xdp.Desc // handed out by the last Receive
	ready func(uintptr) bool

	// Sending goroutine.
	free    []uint64 // addresses of frames to send with
	current xdp.Desc // of the last Buffer
	out     []xdp.Desc
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
	s := &Socket{iface: iface, scratch: make([]byte, 0, frameSize)}
	defer func() {
		if err != nil {
			_ = s.Close()
			err = fmt.Errorf("AF_XDP on %s: %w", iface, err)
		}
	}()
	about, err := s.fit()
	if err != nil {
		return nil, err
	}
	if s.bell, err = bell.New(); err != nil {
		return nil, err
	}
	s.xsks, err = ebpf.NewMap(&ebpf.MapSpec{Name: "xsks", Type: ebpf.XSKMap, KeySize: 4, ValueSize: 4, MaxEntries: 1})
	if err != nil {
		return nil, fmt.Errorf("xskmap: %w", err)
	}
	if s.prog, err = load(s.xsks); err != nil {
		return nil, fmt.Errorf("program: %w", err)
	}
	if err := s.attach(about); err != nil {
		return nil, err
	}
	s.rx, s.tx = s.now.Load(), s.now.Load()
	return s, nil
}

// Reopen has the socket use the interface that has its name now, because the one that it used was deleted: the calls that
// send and receive go on, and what they have not done is lost. It may be called at any time.
func (s *Socket) Reopen() error {
	about, err := s.fit()
	if err == nil {
		err = s.attach(about)
	}
	if err != nil {
		return fmt.Errorf("AF_XDP on %s: %w", s.iface, err)
	}
	return nil
}

// fit refuses an interface that a socket cannot use.
func (s *Socket) fit() (about nic.Interface, err error) {
	if about, err = nic.Read(s.iface); err != nil {
		return about, err
	}
	return about, tune.Refuse(s.iface, tune.Lacks(about, tune.Socket, runtime.NumCPU()))
}

// attach makes rings with an interface, attaches the program, and has both used.
func (s *Socket) attach(about nic.Interface) (err error) {
	r := &rings{taken: make([]xdp.Desc, 0, rxFrames), free: make([]uint64, 0, txFrames), out: make([]xdp.Desc, 0, flushAt)}
	r.sock, err = xdp.NewSocket(about.Index, 0, &xdp.SocketOptions{
		NumFrames: rxFrames + txFrames, FrameSize: frameSize,
		FillRingNumDescs: rxFrames, CompletionRingNumDescs: txFrames, RxRingNumDescs: rxFrames, TxRingNumDescs: txFrames,
	})
	if err != nil {
		return fmt.Errorf("socket: %w (needs CAP_NET_RAW and CONFIG_XDP_SOCKETS; a queue can be bound once per process)", err)
	}
	unix.CloseOnExec(r.sock.FD())
	// Privileged; without it a burst goes out more slowly.
	_ = unix.SetsockoptInt(r.sock.FD(), unix.SOL_SOCKET, unix.SO_SNDBUFFORCE, sockBuf)
	// As many frames as there are go with one system call, on kernels that can (6.17).
	_ = unix.SetsockoptInt(r.sock.FD(), unix.SOL_XDP, unix.XDP_MAX_TX_SKB_BUDGET, txFrames)
	for i := range rxFrames {
		r.taken = append(r.taken, xdp.Desc{Addr: uint64(i) * frameSize, Len: frameSize})
	}
	for i := range txFrames {
		r.free = append(r.free, uint64(rxFrames+i)*frameSize)
	}
	r.taken = r.taken[:copy(r.taken, r.taken[r.sock.Fill(r.taken):])]
	if err := s.xsks.Put(uint32(0), uint32(r.sock.FD())); err != nil {
		return fmt.Errorf("xskmap: %w", err)
	}
	if r.link, err = link.AttachXDP(link.XDPOptions{Program: s.prog, Interface: about.Index, Flags: link.XDPDriverMode}); err != nil {
		return tune.Refused(about, err)
	}
	return s.use(r)
}

// use has the goroutines use rings from now on. One that waits is woken.
func (s *Socket) use(r *rings) error {
	s.table.Lock()
	defer s.table.Unlock()
	if s.closed.Load() {
		return errors.Join(net.ErrClosed, r.link.Close())
	}
	old := s.now.Swap(r)
	if old == nil {
		return nil
	}
	_ = old.link.Close() // of an interface that has gone
	if old.file != nil {
		_ = old.file.Close()
	}
	s.bell.Ring()
	return nil
}

// poller lets Go's poller wait for the rings that were polled last, for who calls Receive: a wait then costs a goroutine
// switch, not a thread. Who calls Poll must not pay for what wakes the poller. Of rings that were replaced meanwhile it
// makes nothing to wait for.
func (s *Socket) poller() error {
	s.table.Lock()
	defer s.table.Unlock()
	r := s.rx
	switch {
	case s.closed.Load():
		return net.ErrClosed
	case r.raw != nil || r != s.now.Load():
		return nil
	}
	fd, err := unix.FcntlInt(uintptr(r.sock.FD()), unix.F_DUPFD_CLOEXEC, 0)
	if err != nil {
		return fmt.Errorf("AF_XDP on %s: duplicate socket: %w", s.iface, err)
	}
	if err := unix.SetNonblock(fd, true); err != nil {
		_ = unix.Close(fd)
		return fmt.Errorf("AF_XDP on %s: non-blocking socket: %w", s.iface, err)
	}
	r.file = os.NewFile(uintptr(fd), "af_xdp:"+s.iface)
	r.ready = func(uintptr) bool { return r.sock.NumReceived() > 0 || s.now.Load() != r }
	if r.raw, err = r.file.SyscallConn(); err != nil {
		return fmt.Errorf("AF_XDP on %s: socket: %w", s.iface, err)
	}
	return nil
}

// refill gives the kernel the frames of the last Receive back.
func (s *Socket) refill() {
	r := s.rx
	if len(r.taken) == 0 {
		return
	}
	s.table.Lock()
	n := r.sock.Fill(r.taken)
	s.table.Unlock()
	r.taken = r.taken[:copy(r.taken, r.taken[n:])]
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
		if raw := s.rx.raw; raw != nil {
			// The poller knows no other error than that the file is closed: the next Poll says why.
			_ = raw.Read(s.rx.ready)
		}
	}
}

// Poll implements link.Pollable.
func (s *Socket) Poll(frames [][]byte) (int, error) {
	s.refill()
	if s.closed.Load() {
		return 0, net.ErrClosed
	}
	r := s.now.Load()
	s.rx = r
	n := min(r.sock.NumReceived(), len(frames))
	if n == 0 {
		return 0, nil
	}
	s.table.Lock()
	descs := r.sock.Receive(n)
	s.received += uint64(len(descs))
	s.table.Unlock()
	for i, d := range descs {
		frames[i] = r.sock.GetFrame(d)
		// The kernel fills from the start of a frame, whatever the
		// offset at which it was received.
		r.taken = append(r.taken, xdp.Desc{Addr: d.Addr &^ (frameSize - 1), Len: frameSize})
	}
	return len(descs), nil
}

// Wait implements link.Pollable.
func (s *Socket) Wait(d time.Duration) error { return s.bell.Wait(s.now.Load().sock.FD(), d) }

// Rest implements link.Pollable.
func (s *Socket) Rest(d time.Duration) error { return s.bell.Wait(-1, d) }

// Wake implements link.Pollable.
func (s *Socket) Wake() { s.bell.Ring() }

// Arrived implements link.Arrivals.
func (s *Socket) Arrived() uint64 {
	s.table.Lock()
	defer s.table.Unlock()
	return s.received + uint64(s.now.Load().sock.NumReceived())
}

// Buffer returns an empty slice with room for a frame, to be filled and given to
// Send. It waits a little for the link to take earlier frames.
func (s *Socket) Buffer() []byte {
	s.tx = s.now.Load()
	r := s.tx
	if r.current.Len == 0 {
		if len(r.free) == 0 {
			s.reclaim()
		}
		n := len(r.free)
		if n == 0 {
			return s.scratch
		}
		r.current = xdp.Desc{Addr: r.free[n-1], Len: frameSize}
		r.free = r.free[:n-1]
	}
	return r.sock.GetFrame(r.current)[:0:frameSize]
}

// reclaim collects the frames that have been sent. It is called when all are out,
// so the frames for sending that the socket's table shows as free are
// exactly those.
func (s *Socket) reclaim() {
	_ = s.Flush()
	r := s.tx
	for range attempts {
		if n := r.sock.NumCompleted(); n > 0 {
			s.table.Lock()
			r.sock.Complete(n)
			for _, d := range r.sock.GetDescs(rxFrames + txFrames) {
				if d.Addr >= rxFrames*frameSize {
					r.free = append(r.free, d.Addr)
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
	r := s.tx
	if r.current.Len == 0 || len(frame) > MaxFrame {
		s.noRoom.Add(1)
		return
	}
	r.current.Len = uint32(len(frame))
	r.out = append(r.out, r.current)
	r.current = xdp.Desc{}
	if len(r.out) == flushAt {
		_ = s.Flush()
	}
}

// Flush hands what was queued to the kernel.
func (s *Socket) Flush() (err error) {
	r := s.tx
	if len(r.out) == 0 {
		return nil
	}
	defer func() {
		r.out = r.out[:0]
		// The library panics when the interface is down.
		if why := recover(); why != nil {
			s.failed.Add(1)
			err = fmt.Errorf("AF_XDP on %s: send: %v (is the interface up?)", s.iface, why)
		}
	}()
	for out := r.out; len(out) > 0; {
		n := r.sock.Transmit(out)
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
	for i := 0; i < attempts && r.sock.NumFreeTxSlots() < txFrames; i++ {
		if i > txFrames/32 {
			runtime.Gosched()
		}
		r.sock.Transmit(nil)
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
	s.table.Lock()
	if r := s.now.Load(); r != nil {
		errs = append(errs, r.link.Close())
		if r.file != nil {
			errs = append(errs, r.file.Close())
		}
	}
	s.table.Unlock()
	if s.prog != nil {
		errs = append(errs, s.prog.Close())
	}
	if s.xsks != nil {
		errs = append(errs, s.xsks.Close())
	}
	return errors.Join(errs...)
}
