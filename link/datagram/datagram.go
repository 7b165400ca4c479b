package datagram

import (
	"context"
	"fmt"
	"net"
	"net/netip"
	"os"
	"sync"
	"syscall"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/p4ce/p4ce/link"
	"github.com/p4ce/p4ce/link/internal/mmsg"
	"github.com/p4ce/p4ce/roce/wire"
)

const (
	batch   = 64
	sockBuf = 4 << 20
	// queue is how many frames may wait for the peer: the NIC's transmit ring.
	queue = 512
	// relink is how often a Unix socket is connected to its peer again.
	relink = 200 * time.Millisecond

	defaultMTU = 1500
	// maxMTU leaves room for the largest UDP datagram over IPv4.
	maxMTU = 65507 - wire.EthernetLen
)

// Options describe the link.
type Options struct {
	Addr    netip.Addr       // own IPv4 address
	MAC     net.HardwareAddr // own Ethernet address
	Gateway net.HardwareAddr // Ethernet address of the switch
	MTU     int              // in bytes of IP packet; 0 means 1500
}

// conn is what *net.UDPConn and *net.UnixConn have in common.
type conn interface {
	syscall.Conn
	SetReadBuffer(int) error
	SetWriteBuffer(int) error
	SetWriteDeadline(time.Time) error
	Close() error
}

// Wire is a link.Wire over a datagram socket.
type Wire struct {
	info    link.Info
	gateway wire.MAC
	conn    conn
	rx      *mmsg.Receiver
	tx      *mmsg.Sender
	path    string // of the socket, "" if it has none in the file system
	quit    chan struct{}
	wg      sync.WaitGroup
}

// Check finds mistakes in a specification without opening anything.
func Check(spec string) error {
	if _, err := parse(spec); err != nil {
		return fmt.Errorf("datagram wire %q: %w", spec, err)
	}
	return nil
}

// Open opens the wire that spec names: see the package comment.
func Open(spec string, o Options) (*Wire, error) {
	w := &Wire{quit: make(chan struct{})}
	if err := w.describe(o); err != nil {
		return nil, fmt.Errorf("datagram wire: %w", err)
	}
	a, err := parse(spec)
	if err != nil {
		return nil, fmt.Errorf("datagram wire %q: %w", spec, err)
	}
	if w.conn, w.path, err = a.listen(); err != nil {
		return nil, fmt.Errorf("datagram wire %q: %w", spec, err)
	}
	// Best effort: a smaller buffer only loses frames, as a real link would.
	_ = w.conn.SetReadBuffer(sockBuf)
	_ = w.conn.SetWriteBuffer(sockBuf)
	raw, err := w.conn.SyscallConn()
	if err != nil {
		_ = w.Close()
		return nil, fmt.Errorf("datagram wire %q: %w", spec, err)
	}
	size := max(wire.MaxFrame, w.info.MTU+wire.EthernetLen) + 64
	w.rx = mmsg.NewReceiver(raw, batch, size, 0, false)
	w.tx = mmsg.NewSender(raw, w.conn.SetWriteDeadline, queue, size, a.peer)
	if a.network == "unix" {
		w.wg.Go(func() { w.keepLinked(raw, a.peer) })
	}
	return w, nil
}

func (w *Wire) describe(o Options) error {
	if _, ok := wire.AddrFrom(o.Addr); !ok {
		return fmt.Errorf("address %v is not IPv4", o.Addr)
	}
	for _, m := range []struct {
		what string
		from net.HardwareAddr
		to   *wire.MAC
	}{{"own", o.MAC, &w.info.MAC}, {"gateway's", o.Gateway, &w.gateway}} {
		if len(m.from) != len(m.to) {
			return fmt.Errorf("%s ethernet address %q: want 6 bytes, as in 02:00:00:00:00:01", m.what, m.from)
		}
		if m.from[0]&1 != 0 {
			return fmt.Errorf("%s ethernet address %v is a multicast address", m.what, m.from)
		}
		copy(m.to[:], m.from)
	}
	if o.MTU == 0 {
		o.MTU = defaultMTU
	}
	if wire.PathMTU(o.MTU) == 0 || o.MTU > maxMTU {
		return fmt.Errorf("mtu %d: too small for path mtu 256, or larger than %d", o.MTU, maxMTU)
	}
	w.info.Addr, w.info.MTU = o.Addr.Unmap(), o.MTU
	return nil
}

// keepLinked connects a Unix socket to its peer, again and again, because the peer
// may come, go and come back. Frames are sent to the peer's path anyway; but a
// sender to a socket that is connected to it is not held to the socket's queue of 10
// datagrams, only to its own send buffer. The price is that a peer that has come back
// cannot send to the socket until it is connected again.
func (w *Wire) keepLinked(raw syscall.RawConn, peer []byte) {
	t := time.NewTicker(relink)
	defer t.Stop()
	for {
		// It fails as long as nobody is there.
		_ = raw.Control(func(fd uintptr) {
			_, _, _ = unix.Syscall(unix.SYS_CONNECT, fd, uintptr(unsafe.Pointer(&peer[0])), uintptr(len(peer)))
		})
		select {
		case <-w.quit:
			return
		case <-t.C:
		}
	}
}

// Info implements link.Wire.
func (w *Wire) Info() link.Info { return w.info }

// Receive implements link.Wire. Frames of any sender are taken.
func (w *Wire) Receive(frames [][]byte) (int, error) {
	n, err := w.rx.Receive(len(frames))
	if err != nil {
		return 0, err
	}
	rx := w.rx.RX()
	for i := range n {
		frames[i] = rx.Buf(i)[:rx.Received(i)]
	}
	return n, nil
}

// Buffer implements link.Wire. It never waits.
func (w *Wire) Buffer() []byte { return w.tx.Buffer() }

// Send implements link.Wire.
func (w *Wire) Send(frame []byte) { w.tx.Queue(frame) }

// Flush implements link.Wire. It never waits.
func (w *Wire) Flush() error { return w.tx.Flush() }

// Dropped returns how many frames were not sent: because the peer did not make room,
// and because it was not there (or the kernel refused them otherwise).
func (w *Wire) Dropped() (noRoom, refused uint64) { return w.tx.Dropped() }

// Resolve implements link.Wire: everybody is behind the gateway.
func (w *Wire) Resolve(context.Context, netip.Addr) (wire.MAC, error) { return w.gateway, nil }

// Close implements link.Wire. It removes the socket from the file system.
func (w *Wire) Close() error {
	err := w.conn.Close()
	if err == nil && w.tx != nil {
		close(w.quit)
		w.tx.Close()
		w.wg.Wait()
	}
	if w.path != "" {
		if e := os.Remove(w.path); err == nil && e != nil && !os.IsNotExist(e) {
			err = e
		}
	}
	return err
}
