// Package udp reads and writes datagrams in batches: a system call for many of them.
package udp

import (
	"errors"
	"fmt"
	"net"
	"net/netip"
	"time"

	"golang.org/x/net/ipv4"
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
	conn  *net.UDPConn
	batch *ipv4.PacketConn
	in    []ipv4.Message
	out   []ipv4.Message
	addrs map[netip.AddrPort]*net.UDPAddr // of those written to
}

// Listen opens a socket at an IPv4 address. Datagrams are read up to size bytes; longer ones
// are cut off.
func Listen(addr netip.AddrPort, size int) (*Conn, error) {
	if !addr.Addr().Is4() {
		return nil, fmt.Errorf("udp: %v is no IPv4 address", addr)
	}
	conn, err := net.ListenUDP("udp4", net.UDPAddrFromAddrPort(addr))
	if err != nil {
		return nil, err
	}
	// Smaller buffers work, too: what does not fit is lost, as on any way.
	_ = conn.SetReadBuffer(buffers)
	_ = conn.SetWriteBuffer(buffers)
	c := &Conn{
		conn: conn, batch: ipv4.NewPacketConn(conn), in: make([]ipv4.Message, Batch), out: make([]ipv4.Message, Batch),
		addrs: map[netip.AddrPort]*net.UDPAddr{},
	}
	for i := range c.in {
		c.in[i].Buffers = [][]byte{make([]byte, size)}
		c.out[i].Buffers = make([][]byte, 1)
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

// Read waits for datagrams until a time, and returns how many are in ps: at most Batch. Their
// data is the socket's, until the next Read. The error is os.ErrDeadlineExceeded if none came.
func (c *Conn) Read(ps []Packet, until time.Time) (int, error) {
	if err := c.conn.SetReadDeadline(until); err != nil {
		return 0, err
	}
	n, err := c.batch.ReadBatch(c.in[:min(len(ps), Batch)], 0)
	if err != nil {
		return 0, err
	}
	for i, m := range c.in[:n] {
		a := m.Addr.(*net.UDPAddr).AddrPort()
		ps[i] = Packet{netip.AddrPortFrom(a.Addr().Unmap(), a.Port()), m.Buffers[0][:m.N]}
	}
	return n, nil
}

// Write sends datagrams. One that the kernel refuses (nobody listens there, no route) is lost,
// and those after it are sent; the first such error is returned.
func (c *Conn) Write(ps []Packet) (err error) {
	for len(ps) > 0 {
		n := min(len(ps), Batch)
		for i, p := range ps[:n] {
			a := c.addrs[p.Addr]
			if a == nil {
				a = net.UDPAddrFromAddrPort(p.Addr)
				c.addrs[p.Addr] = a
			}
			c.out[i].Addr, c.out[i].Buffers[0] = a, p.Data
		}
		sent, e := c.batch.WriteBatch(c.out[:n], 0)
		if e != nil {
			if err == nil {
				err = e
			}
			sent = max(sent, 0) + 1 // the one after those is what it is about
		}
		ps = ps[min(max(sent, 1), n):]
	}
	return err
}
