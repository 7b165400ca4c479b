// Package mmsg sends and receives many datagrams per system call: recvmmsg(2)
// and sendmmsg(2) on non-blocking sockets, without allocating.
package mmsg

import (
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

// message is the kernel's struct mmsghdr.
type message struct {
	hdr unix.Msghdr
	n   uint32
	_   [4]byte
}

// controlLen is room for one control message with a byte or an int.
const controlLen = 64

// Batch is a fixed number of datagrams with their buffers. It is not
// synchronised.
type Batch struct {
	msgs    []message
	iovs    []unix.Iovec
	names   []unix.RawSockaddrAny
	control [][controlLen]byte
	bufs    [][]byte
}

// NewBatch makes a batch of n datagrams of at most size bytes. (Those that are sent may
// be longer: see Set.)
func NewBatch(n, size int) *Batch {
	b := &Batch{
		msgs: make([]message, n), iovs: make([]unix.Iovec, n), names: make([]unix.RawSockaddrAny, n),
		control: make([][controlLen]byte, n), bufs: make([][]byte, n),
	}
	for i := range n {
		b.bufs[i] = make([]byte, size)
		b.msgs[i].hdr.Iov = &b.iovs[i]
		b.msgs[i].hdr.Iovlen = 1
	}
	return b
}

// Len returns the number of datagrams.
func (b *Batch) Len() int { return len(b.msgs) }

// Buf returns the whole buffer of datagram i.
func (b *Batch) Buf(i int) []byte { return b.bufs[i] }

// Inet4 returns the socket address of datagram i as an IPv4 one.
func (b *Batch) Inet4(i int) *unix.RawSockaddrInet4 {
	return (*unix.RawSockaddrInet4)(unsafe.Pointer(&b.names[i]))
}

// Name returns the socket address that datagram i came from, as struct sockaddr has it.
// It is valid until the next Receive.
func (b *Batch) Name(i int) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(&b.names[i])), min(int(b.msgs[i].hdr.Namelen), unix.SizeofSockaddrAny))
}

// Received returns the length of datagram i as received.
func (b *Batch) Received(i int) int { return int(b.msgs[i].n) }

// Truncated reports whether datagram i was longer than its buffer.
func (b *Batch) Truncated(i int) bool { return b.msgs[i].hdr.Flags&unix.MSG_TRUNC != 0 }

// TOS returns the type of service that came with datagram i, if the socket asks
// for it (IP_RECVTOS).
func (b *Batch) TOS(i int) uint8 {
	p := b.controlMessage(i, unix.IPPROTO_IP, unix.IP_TOS, 1)
	if p == nil {
		return 0
	}
	return *(*uint8)(p)
}

// Auxdata returns what the kernel says about frame i of a packet socket, if the socket
// asks for it (PACKET_AUXDATA).
func (b *Batch) Auxdata(i int) (unix.TpacketAuxdata, bool) {
	p := b.controlMessage(i, unix.SOL_PACKET, unix.PACKET_AUXDATA, int(unsafe.Sizeof(unix.TpacketAuxdata{})))
	if p == nil {
		return unix.TpacketAuxdata{}, false
	}
	return *(*unix.TpacketAuxdata)(p), true
}

// controlMessage returns the control message of datagram i, if it is of this kind and
// has at least size bytes.
func (b *Batch) controlMessage(i int, level, kind int32, size int) unsafe.Pointer {
	if int(b.msgs[i].hdr.Controllen) < unix.SizeofCmsghdr+size {
		return nil
	}
	c := (*unix.Cmsghdr)(unsafe.Pointer(&b.control[i]))
	if c.Level != level || c.Type != kind {
		return nil
	}
	return unsafe.Pointer(&b.control[i][unix.SizeofCmsghdr])
}

// Receive fills datagrams, each from offset on, and returns their number. named
// asks for addresses and control messages too.
func (b *Batch) Receive(fd uintptr, offset, limit int, named bool) (int, syscall.Errno) {
	limit = min(limit, len(b.msgs))
	for i := range limit {
		b.iovs[i].Base = &b.bufs[i][offset]
		b.iovs[i].SetLen(len(b.bufs[i]) - offset)
		h := &b.msgs[i].hdr
		h.Flags = 0
		if named {
			h.Name = (*byte)(unsafe.Pointer(&b.names[i]))
			h.Namelen = unix.SizeofSockaddrAny
			h.Control = &b.control[i][0]
			h.SetControllen(controlLen)
		}
	}
	n, _, errno := unix.Syscall6(unix.SYS_RECVMMSG, fd, uintptr(unsafe.Pointer(&b.msgs[0])), uintptr(limit), unix.MSG_DONTWAIT, 0, 0)
	if errno != 0 {
		return 0, errno
	}
	return int(n), 0
}

// Set makes datagram i the bytes p, which lie in its buffer, for Inet4(i) if named. If
// they have outgrown the buffer and lie elsewhere, that is the buffer from now on.
func (b *Batch) Set(i int, p []byte, named bool) {
	if cap(p) > len(b.bufs[i]) {
		b.bufs[i] = p[:cap(p)]
	}
	b.iovs[i].Base = &p[0]
	b.iovs[i].SetLen(len(p))
	if named {
		b.msgs[i].hdr.Name = (*byte)(unsafe.Pointer(&b.names[i]))
		b.msgs[i].hdr.Namelen = unix.SizeofSockaddrInet4
	}
}

// Bytes returns the length of the datagrams first <= i < last together, as they were set.
func (b *Batch) Bytes(first, last int) (n uint64) {
	for i := first; i < last; i++ {
		n += uint64(b.iovs[i].Len)
	}
	return n
}

// To makes every datagram that is set without a name one for the socket address
// name, as struct sockaddr has it. The batch keeps name.
func (b *Batch) To(name []byte) {
	for i := range b.msgs {
		b.msgs[i].hdr.Name = &name[0]
		b.msgs[i].hdr.Namelen = uint32(len(name))
	}
}

// Send sends the datagrams first <= i < last and returns how many it sent before
// one failed.
func (b *Batch) Send(fd uintptr, first, last int) (int, syscall.Errno) {
	n, _, errno := unix.Syscall6(unix.SYS_SENDMMSG, fd, uintptr(unsafe.Pointer(&b.msgs[first])), uintptr(last-first), unix.MSG_DONTWAIT, 0, 0)
	if errno != 0 {
		return 0, errno
	}
	return int(n), 0
}
