// Package udp reads and writes datagrams in batches: a system call for many of them, and no
// memory for any.
package udp

import (
	"encoding/binary"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"syscall"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// Batch is how many datagrams a system call reads or writes.
const Batch = 64

// buffers is what a socket asks the kernel to hold, in bytes each way. The kernel gives as much
// as it may (net.core.rmem_max, wmem_max).
const buffers = 4 << 20

// Packet is a datagram and its other end's address.
type Packet struct {
	Addr netip.AddrPort
	Data []byte
}

// Conn is a socket. One goroutine may read while another writes.
type Conn struct {
	conn    *net.UDPConn
	raw     syscall.RawConn
	in, out *messages
}

// messages are what recvmmsg(2) or sendmmsg(2) is given.
type messages struct {
	headers [Batch]header
	names   [Batch]unix.RawSockaddrInet4
	data    [Batch]unix.Iovec
	buffers [][]byte
	n       int // of them are used
	done    int // of them were read or written
	errno   syscall.Errno
	call    func(fd uintptr) bool
}

// header is struct mmsghdr.
type header struct {
	unix.Msghdr
	length uint32
	_      [4]byte
}

func newMessages(trap uintptr) *messages {
	m := &messages{}
	for i := range m.headers {
		h := &m.headers[i]
		h.Name, h.Namelen = (*byte)(unsafe.Pointer(&m.names[i])), unix.SizeofSockaddrInet4
		h.Iov = &m.data[i]
		h.SetIovlen(1)
	}
	m.call = func(fd uintptr) bool {
		n, _, errno := unix.Syscall6(trap, fd, uintptr(unsafe.Pointer(&m.headers[0])), uintptr(m.n), unix.MSG_DONTWAIT, 0, 0)
		m.done, m.errno = int(n), errno
		if errno != 0 {
			m.done = 0
		}
		return errno != unix.EAGAIN && errno != unix.EINTR
	}
	return m
}

// Listen opens a socket at an IPv4 address. Datagrams are read up to size bytes; longer ones
// are cut off.
func Listen(addr netip.AddrPort, size int) (*Conn, error) {
	if !addr.Addr().Is4() || size < 1 {
		return nil, fmt.Errorf("udp: %v is not an IPv4 address, or datagrams of %d bytes", addr, size)
	}
	conn, err := net.ListenUDP("udp4", net.UDPAddrFromAddrPort(addr))
	if err != nil {
		return nil, err
	}
	raw, err := conn.SyscallConn()
	if err != nil {
		return nil, errors.Join(err, conn.Close())
	}
	// Smaller buffers work, too: what does not fit is lost, as on any way.
	_ = conn.SetReadBuffer(buffers)
	_ = conn.SetWriteBuffer(buffers)
	c := &Conn{conn: conn, raw: raw, in: newMessages(unix.SYS_RECVMMSG), out: newMessages(unix.SYS_SENDMMSG)}
	for i := range c.in.data {
		b := make([]byte, size)
		c.in.buffers = append(c.in.buffers, b)
		c.in.data[i].Base = &b[0]
		c.in.data[i].SetLen(size)
	}
	return c, nil
}

// Addr returns the socket's address.
func (c *Conn) Addr() netip.AddrPort { return c.conn.LocalAddr().(*net.UDPAddr).AddrPort() }

// Close closes it. Read and Write then fail with net.ErrClosed; Close again does nothing.
func (c *Conn) Close() error {
	if err := c.conn.Close(); !errors.Is(err, net.ErrClosed) {
		return err
	}
	return nil
}

// Read waits for datagrams until a time, for ever if that is zero, and returns how many are in
// ps: at most Batch. Their data is the socket's, until the next Read. The error is
// os.ErrDeadlineExceeded if none came.
func (c *Conn) Read(ps []Packet, until time.Time) (int, error) {
	if err := c.conn.SetReadDeadline(until); err != nil {
		return 0, err
	}
	m := c.in
	m.n = min(len(ps), Batch)
	for i := range m.n {
		m.headers[i].Namelen = unix.SizeofSockaddrInet4
	}
	if err := c.raw.Read(m.call); err != nil {
		return 0, err
	}
	if m.errno != 0 {
		return 0, fmt.Errorf("udp: recvmmsg: %w", m.errno)
	}
	for i := range m.done {
		name := &m.names[i]
		port := (*[2]byte)(unsafe.Pointer(&name.Port))
		ps[i] = Packet{
			Addr: netip.AddrPortFrom(netip.AddrFrom4(name.Addr), binary.BigEndian.Uint16(port[:])),
			Data: m.buffers[i][:m.headers[i].length],
		}
	}
	return m.done, nil
}

// Write sends datagrams to IPv4 addresses. One that the kernel refuses (no route, no memory) is
// lost, and those after it are sent; the first such error is returned.
func (c *Conn) Write(ps []Packet) (err error) {
	m := c.out
	for len(ps) > 0 {
		m.n = 0
		for i, p := range ps[:min(len(ps), Batch)] {
			if !p.Addr.Addr().Is4() {
				break
			}
			m.n++
			name := &m.names[i]
			name.Family, name.Addr = unix.AF_INET, p.Addr.Addr().As4()
			binary.BigEndian.PutUint16((*[2]byte)(unsafe.Pointer(&name.Port))[:], p.Addr.Port())
			m.data[i].Base = unsafe.SliceData(p.Data)
			m.data[i].SetLen(len(p.Data))
		}
		if m.n == 0 {
			err = errors.Join(err, fmt.Errorf("udp: %v is not an IPv4 address", ps[0].Addr))
			ps = ps[1:]
			continue
		}
		if e := c.raw.Write(m.call); e != nil {
			return e // it was closed
		}
		if m.errno != 0 {
			if err == nil {
				err = fmt.Errorf("udp: sendmmsg to %v: %w", ps[0].Addr, m.errno)
			}
			m.done = 1 // the one that it is about
		}
		ps = ps[m.done:]
	}
	return err
}
