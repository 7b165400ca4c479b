package wire

import (
	"errors"
	"fmt"
	"net"
	"net/netip"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
)

// udpBuffer is the socket buffer asked for: a burst of a window of full
// frames must fit. The kernel may give less.
const udpBuffer = 4 << 20

// udpWire carries a frame per UDP datagram.
type udpWire struct {
	conn  *net.UDPConn
	peer  atomic.Pointer[netip.AddrPort]
	learn bool
}

func openUDP(spec, addrs string) (Wire, error) {
	local, peer, _ := strings.Cut(addrs, ",")
	la, err := netip.ParseAddrPort(local)
	if err != nil {
		return nil, fmt.Errorf("port %q: local address: %w [want udp:ADDRESS:PORT or udp:ADDRESS:PORT,PEER:PORT]", spec, err)
	}
	w := &udpWire{learn: peer == ""}
	if peer != "" {
		pa, err := netip.ParseAddrPort(peer)
		if err != nil {
			return nil, fmt.Errorf("port %q: peer address: %w", spec, err)
		}
		w.peer.Store(&pa)
	}
	if w.conn, err = net.ListenUDP("udp", net.UDPAddrFromAddrPort(la)); err != nil {
		return nil, fmt.Errorf("port %q: %w", spec, err)
	}
	// Best effort: a smaller buffer only loses frames, as a real link would.
	_ = w.conn.SetReadBuffer(udpBuffer)
	_ = w.conn.SetWriteBuffer(udpBuffer)
	return w, nil
}

func (w *udpWire) ReadFrame(buf []byte) (int, error) {
	n, from, err := w.conn.ReadFromUDPAddrPort(buf)
	if err == nil && w.learn {
		w.peer.Store(&from)
	}
	return n, err
}

func (w *udpWire) WriteFrame(frame []byte) error {
	peer := w.peer.Load()
	if peer == nil {
		return ErrNoPeer
	}
	_, err := w.conn.WriteToUDPAddrPort(frame, *peer)
	return err
}

func (w *udpWire) Up() bool     { return w.peer.Load() != nil }
func (w *udpWire) Close() error { return w.conn.Close() }

// relink is how often a Unix socket is connected to its peer again.
const relink = 200 * time.Millisecond

// unixWire carries a frame per Unix datagram.
type unixWire struct {
	conn  *net.UnixConn
	path  string
	peer  atomic.Pointer[net.UnixAddr]
	learn bool
	quit  chan struct{}
	wg    sync.WaitGroup
}

func openUnix(spec, paths string) (Wire, error) {
	local, peer, _ := strings.Cut(paths, ",")
	if local == "" {
		return nil, fmt.Errorf("port %q: no path [want unix:PATH or unix:PATH,PEER]", spec)
	}
	for _, p := range []string{local, peer} {
		// The kernel says "invalid argument".
		if most := len(syscall.RawSockaddrUnix{}.Path) - 1; len(p) > most {
			return nil, fmt.Errorf("port %q: %d bytes are too long for the path of a socket [at most %d; choose a shorter folder]", spec, len(p), most)
		}
	}
	if err := removeStaleSocket(local); err != nil {
		return nil, fmt.Errorf("port %q: %w", spec, err)
	}
	conn, err := net.ListenUnixgram("unixgram", &net.UnixAddr{Name: local, Net: "unixgram"})
	if err != nil {
		return nil, fmt.Errorf("port %q: %w", spec, err)
	}
	w := &unixWire{conn: conn, path: local, learn: peer == "", quit: make(chan struct{})}
	_ = conn.SetWriteBuffer(udpBuffer)
	if peer == "" {
		return w, nil
	}
	w.peer.Store(&net.UnixAddr{Name: peer, Net: "unixgram"})
	raw, err := conn.SyscallConn()
	if err != nil {
		_ = conn.Close()
		return nil, fmt.Errorf("port %q: %w", spec, err)
	}
	w.wg.Go(func() { w.keepLinked(raw, peer) })
	return w, nil
}

// keepLinked connects the socket to its peer, again and again, because the peer
// may come, go and come back. Frames are sent to the peer's path anyway; but a
// sender to a socket that is connected to it is not held to the socket's queue
// of 10 datagrams (net.unix.max_dgram_qlen), only to its own send buffer. The
// price is that a peer that has come back cannot send to the socket until it is
// connected again.
func (w *unixWire) keepLinked(raw syscall.RawConn, peer string) {
	t := time.NewTicker(relink)
	defer t.Stop()
	for {
		// It fails as long as nobody is there.
		_ = raw.Control(func(fd uintptr) { _ = syscall.Connect(int(fd), &syscall.SockaddrUnix{Name: peer}) })
		select {
		case <-w.quit:
			return
		case <-t.C:
		}
	}
}

// removeStaleSocket deletes a socket that nobody reads any more, the rest of a
// process that was killed. One that is in use is left alone.
func removeStaleSocket(path string) error {
	st, err := os.Lstat(path)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	if st.Mode()&os.ModeSocket == 0 {
		return fmt.Errorf("%s exists and is not a socket", path)
	}
	c, err := net.DialUnix("unixgram", nil, &net.UnixAddr{Name: path, Net: "unixgram"})
	if err == nil {
		c.Close()
		return fmt.Errorf("%s: %w", path, syscall.EADDRINUSE)
	}
	return os.Remove(path)
}

func (w *unixWire) ReadFrame(buf []byte) (int, error) {
	if !w.learn {
		return w.conn.Read(buf)
	}
	n, from, err := w.conn.ReadFromUnix(buf)
	if err == nil && from != nil && from.Name != "" {
		w.peer.Store(from)
	}
	return n, err
}

func (w *unixWire) WriteFrame(frame []byte) error {
	peer := w.peer.Load()
	if peer == nil {
		return ErrNoPeer
	}
	_, err := w.conn.WriteToUnix(frame, peer)
	return err
}

func (w *unixWire) Up() bool { return w.peer.Load() != nil }

func (w *unixWire) Close() error {
	err := w.conn.Close()
	if err == nil {
		close(w.quit)
		w.wg.Wait()
	}
	if rmErr := os.Remove(w.path); rmErr != nil && !errors.Is(rmErr, os.ErrNotExist) && err == nil {
		err = rmErr
	}
	return err
}
