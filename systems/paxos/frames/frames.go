// Package frames carries messages in Ethernet frames over a link: an AF_XDP socket past the
// kernel (link/afxdp), or a cable in memory to a switch in the same process (link/hub).
//
//	conn, err := afxdp.Open("eth1", afxdp.Filter{UDPPort: addr.Port(), Addr: addr.Addr()})
//	wire := frames.New(conn, frames.Config{Addr: addr, MAC: mac, Resolve: resolver})
//	log, err := paxos.Open(paxos.Config{Wire: wire, ..})
//
// The package computes and checks the checksums of IPv4 and UDP. Like a switch, it drops a message
// without one. Packets are IPv4 without options, and not fragmented. The package does no ARP: with
// AF_XDP the kernel does it, with switches the controller.
package frames

import (
	"encoding/binary"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"os"
	"sync"
	"time"

	"github.com/p4ce/p4ce/link"
	"github.com/p4ce/p4ce/roce/wire"
	"github.com/p4ce/p4ce/systems/paxos"
	"github.com/p4ce/p4ce/systems/paxos/udp"
)

const (
	ethernetLen = 14
	ipLen       = 20
	udpLen      = 8
	headers     = ethernetLen + ipLen + udpLen
	ttl         = 64
	protocolUDP = 17
	// room is how many messages wait for Read. More are dropped, as by a socket.
	room  = 4096
	batch = 64
)

// Config is a host's addresses.
type Config struct {
	Addr netip.AddrPort // IPv4
	MAC  wire.MAC
	// Resolve says to which Ethernet address frames for an IPv4 address go. It must not
	// wait. What it has no answer for is not sent.
	Resolve func(netip.Addr) (wire.MAC, bool)
}

// Counters count, since the start.
type Counters struct {
	In, Out    uint64 // messages
	Other      uint64 // frames that are for somebody else, or no messages
	Checksum   uint64 // with a wrong checksum, or without
	NoRoom     uint64 // not read in time
	Unresolved uint64 // not sent: see Config.Resolve
	Errors     uint64 // of the link
}

// Conn is a wire of a paxos.Log. One goroutine may read while another writes.
//
// From a link that can be polled, Read takes frames itself: a message passes no other goroutine. Otherwise a goroutine
// takes them off the link.
type Conn struct {
	link   link.Link
	polled link.Pollable // the same; nil if it cannot be polled
	frames [][]byte      // of Read, from polled
	config Config
	done   chan struct{}
	ready  chan struct{} // has one element if there may be something to read
	timer  *time.Timer

	mu       sync.Mutex // of the following
	slots    []slot
	head     int // of what was not read
	held     int // of those before it, which the last Read has given away
	n        int // of what was not read
	closed   bool
	counters Counters
}

type slot struct {
	from netip.AddrPort
	n    int
	data [paxos.MaxMessage]byte
}

// New takes a link over: Close closes it.
func New(l link.Link, config Config) *Conn {
	c := &Conn{link: l, config: config, done: make(chan struct{})}
	if c.polled, _ = l.(link.Pollable); c.polled != nil {
		c.frames = make([][]byte, batch)
		close(c.done)
		return c
	}
	c.slots, c.ready, c.timer = make([]slot, room), make(chan struct{}, 1), time.NewTimer(0)
	go c.receive()
	return c
}

// Addr returns the address.
func (c *Conn) Addr() netip.AddrPort { return c.config.Addr }

// Counters returns what was counted.
func (c *Conn) Counters() Counters {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.counters
}

// Close closes it and the link. Read then fails with net.ErrClosed; Close again does nothing.
func (c *Conn) Close() error {
	c.mu.Lock()
	if c.closed {
		c.mu.Unlock()
		return nil
	}
	c.closed = true
	c.mu.Unlock()
	if c.polled == nil {
		c.wake()
	}
	err := c.link.Close()
	<-c.done
	return err
}

func (c *Conn) wake() {
	select {
	case c.ready <- struct{}{}:
	default:
	}
}

// receive takes frames off the link.
func (c *Conn) receive() {
	defer close(c.done)
	frames := make([][]byte, batch)
	for {
		n, err := c.link.Receive(frames)
		if errors.Is(err, net.ErrClosed) {
			return
		}
		c.mu.Lock()
		if err != nil {
			c.counters.Errors++
		}
		for _, f := range frames[:n] {
			c.take(f)
		}
		some := c.n > 0
		c.mu.Unlock()
		if some {
			c.wake()
		}
	}
}

// parse returns the message in a frame, or counts why there is none. mu is held.
func (c *Conn) parse(f []byte) (from netip.AddrPort, message []byte, ok bool) {
	from, message, err := Parse(f, c.config.Addr)
	switch {
	case errors.Is(err, ErrChecksum):
		c.counters.Checksum++
	case err != nil:
		c.counters.Other++
	}
	return from, message, err == nil
}

// take puts a message into the queue. mu is held.
func (c *Conn) take(f []byte) {
	from, message, ok := c.parse(f)
	if !ok {
		return
	}
	if c.n+c.held == room {
		c.counters.NoRoom++
		return
	}
	s := &c.slots[(c.head+c.n)%room]
	c.n++
	c.counters.In++
	s.from = from
	s.n = copy(s.data[:], message)
}

// Errors of Parse.
var (
	ErrOther    = errors.New("frames: for somebody else, or no message")
	ErrChecksum = errors.New("frames: a wrong checksum, or none")
)

// Parse returns who sent the frame, and the message in it, which is part of f, if it is for an address.
func Parse(f []byte, to netip.AddrPort) (from netip.AddrPort, message []byte, err error) {
	from, at, message, err := Open(f)
	if at != to {
		err = ErrOther
	}
	return from, message, err
}

// Open is Parse for any address.
func Open(f []byte) (from, to netip.AddrPort, message []byte, err error) {
	fail := func(err error) (netip.AddrPort, netip.AddrPort, []byte, error) {
		return netip.AddrPort{}, to, nil, err
	}
	if len(f) < headers || binary.BigEndian.Uint16(f[12:]) != 0x0800 {
		return fail(ErrOther)
	}
	ip := f[ethernetLen:]
	total := int(binary.BigEndian.Uint16(ip[2:]))
	if ip[0] != 0x45 || total < ipLen+udpLen || total > len(ip) || binary.BigEndian.Uint16(ip[6:])&0x3fff != 0 || ip[9] != protocolUDP {
		return fail(ErrOther)
	}
	src, dst := [4]byte(ip[12:16]), [4]byte(ip[16:20])
	dgram := ip[ipLen:total]
	to = netip.AddrPortFrom(netip.AddrFrom4(dst), binary.BigEndian.Uint16(dgram[2:]))
	length := int(binary.BigEndian.Uint16(dgram[4:]))
	if length < udpLen || length > len(dgram) || length > udpLen+paxos.MaxMessage {
		return fail(ErrOther)
	}
	dgram = dgram[:length]
	if wire.Sum(0, ip[:ipLen]) != 0xffff || binary.BigEndian.Uint16(dgram[6:]) == 0 || wire.SumUDP(src, dst, dgram) != 0xffff {
		return fail(ErrChecksum)
	}
	return netip.AddrPortFrom(netip.AddrFrom4(src), binary.BigEndian.Uint16(dgram)), to, dgram[udpLen:], nil
}

// Read waits for messages until a time, or forever if that is zero, and returns the number of
// messages in ps. Their data is the Conn's, until the next Read. The error is
// os.ErrDeadlineExceeded if none came.
func (c *Conn) Read(ps []udp.Packet, until time.Time) (int, error) {
	if c.polled != nil {
		return c.poll(ps, until)
	}
	var late <-chan time.Time
	for {
		c.mu.Lock()
		c.held = 0
		if c.closed {
			c.mu.Unlock()
			return 0, net.ErrClosed
		}
		if c.n > 0 {
			n := min(c.n, len(ps))
			for i := range n {
				s := &c.slots[(c.head+i)%room]
				ps[i] = udp.Packet{Addr: s.from, Data: s.data[:s.n]}
			}
			c.head, c.n, c.held = (c.head+n)%room, c.n-n, n
			c.mu.Unlock()
			return n, nil
		}
		c.mu.Unlock()
		if late == nil && !until.IsZero() {
			c.timer.Reset(time.Until(until))
			late = c.timer.C
		}
		select {
		case <-c.ready:
		case <-late:
			return 0, os.ErrDeadlineExceeded
		}
	}
}

// poll is Read from a link that can be polled. The data is the link's.
func (c *Conn) poll(ps []udp.Packet, until time.Time) (int, error) {
	for {
		n, err := c.polled.Poll(c.frames[:min(len(ps), batch)])
		if errors.Is(err, net.ErrClosed) {
			return 0, net.ErrClosed
		}
		if k := c.messages(ps, c.frames[:n], err); k > 0 {
			return k, nil
		}
		if n > 0 {
			continue
		}
		left := time.Duration(-1)
		if !until.IsZero() {
			if left = time.Until(until); left <= 0 {
				return 0, os.ErrDeadlineExceeded
			}
		}
		if err := c.polled.Wait(left); err != nil {
			return 0, err
		}
	}
}

// messages puts the messages in frames into ps, and returns their number.
func (c *Conn) messages(ps []udp.Packet, frames [][]byte, err error) int {
	c.mu.Lock()
	defer c.mu.Unlock()
	if err != nil {
		c.counters.Errors++
	}
	k := 0
	for _, f := range frames {
		if from, message, ok := c.parse(f); ok {
			ps[k] = udp.Packet{Addr: from, Data: message}
			k++
		}
	}
	c.counters.In += uint64(k)
	return k
}

// Rest implements paxos.Restful.
func (c *Conn) Rest(d time.Duration) {
	if c.polled != nil {
		_ = c.polled.Rest(d)
	}
}

// Write sends messages. What cannot be sent is lost, and those after it are sent; the first such
// error is returned.
func (c *Conn) Write(ps []udp.Packet) (err error) {
	out, unresolved := uint64(0), uint64(0)
	for _, p := range ps {
		var mac wire.MAC
		ok := p.Addr.Addr().Is4() && len(p.Data) <= paxos.MaxMessage
		if ok {
			mac, ok = c.config.Resolve(p.Addr.Addr())
		}
		if !ok {
			unresolved++
			if err == nil {
				err = fmt.Errorf("frames: the address of %v is unknown", p.Addr)
			}
			continue
		}
		c.link.Send(Append(c.link.Buffer(), c.config.MAC, mac, c.config.Addr, p.Addr, p.Data))
		out++
	}
	if e := c.link.Flush(); e != nil && err == nil {
		err = e
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.counters.Out += out
	c.counters.Unresolved += unresolved
	if c.closed {
		return net.ErrClosed
	}
	return err
}

// Append appends a message in a frame to b, which is empty.
func Append(b []byte, srcMAC, dstMAC wire.MAC, src, dst netip.AddrPort, message []byte) []byte {
	from, to := src.Addr().As4(), dst.Addr().As4()
	length := udpLen + len(message)
	b = append(append(append(b, dstMAC[:]...), srcMAC[:]...), 0x08, 0x00)
	b = append(b, 0x45, 0)
	b = binary.BigEndian.AppendUint16(b, uint16(ipLen+length))
	b = append(b, 0, 0, 0x40, 0, ttl, protocolUDP, 0, 0) // may not be cut
	b = append(append(b, from[:]...), to[:]...)
	ip := b[ethernetLen:]
	binary.BigEndian.PutUint16(ip[10:], ^wire.Sum(0, ip))
	b = binary.BigEndian.AppendUint16(b, src.Port())
	b = binary.BigEndian.AppendUint16(b, dst.Port())
	b = binary.BigEndian.AppendUint16(b, uint16(length))
	b = append(append(b, 0, 0), message...)
	wire.SetSumUDP(from, to, b[ethernetLen+ipLen:])
	return b
}
