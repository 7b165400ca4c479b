package pcapng

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
)

// ErrFormat is wrapped by errors about files that are no captures of Ethernet.
var ErrFormat = errors.New("neither pcapng nor pcap of Ethernet")

// maxBlock is the largest block that a Reader takes, in bytes.
const maxBlock = 1 << 24

// Reader reads the packets of a capture: pcapng, or pcap with the times in microseconds or nanoseconds.
type Reader struct {
	r     *bufio.Reader
	order binary.ByteOrder
	next  func() ([]byte, error)
	links []uint16 // of the interfaces of the section
	buf   []byte
}

// NewReader begins with a file's first bytes.
func NewReader(from io.Reader) (*Reader, error) {
	r := &Reader{r: bufio.NewReader(from), order: binary.LittleEndian}
	head, err := r.r.Peek(4)
	if err != nil {
		return nil, fmt.Errorf("%w: it has %d bytes", ErrFormat, len(head))
	}
	if binary.LittleEndian.Uint32(head) == blockSection {
		r.next = r.block
		return r, nil
	}
	const micro, nano, head24 = 0xa1b2c3d4, 0xa1b23c4d, 24
	for _, order := range []binary.ByteOrder{binary.LittleEndian, binary.BigEndian} {
		if m := order.Uint32(head); m == micro || m == nano {
			h, err := r.take(head24)
			if err != nil {
				return nil, fmt.Errorf("%w: its header is cut", ErrFormat)
			}
			if link := order.Uint32(h[20:]) & 0xffff; link != linkEthernet {
				return nil, fmt.Errorf("%w: packets of link type %d", ErrFormat, link)
			}
			r.order, r.next = order, r.record
			return r, nil
		}
	}
	return nil, ErrFormat
}

// Packet returns the next packet, until the next call; io.EOF after the last.
func (r *Reader) Packet() ([]byte, error) { return r.next() }

// take reads n bytes. io.EOF says that there are none, io.ErrUnexpectedEOF that there are fewer.
func (r *Reader) take(n int) ([]byte, error) {
	if n > maxBlock {
		return nil, fmt.Errorf("%w: a block of %d bytes", ErrFormat, n)
	}
	if cap(r.buf) < n {
		r.buf = make([]byte, n)
	}
	b := r.buf[:n]
	_, err := io.ReadFull(r.r, b)
	return b, err
}

// record is the next packet of pcap.
func (r *Reader) record() ([]byte, error) {
	h, err := r.take(16)
	if err != nil {
		return nil, err
	}
	return whole(r.take(int(r.order.Uint32(h[8:]))))
}

// whole is for what must follow.
func whole(b []byte, err error) ([]byte, error) {
	if err == io.EOF {
		err = io.ErrUnexpectedEOF
	}
	return b, err
}

// block looks for the next packet of pcapng.
func (r *Reader) block() ([]byte, error) {
	for {
		head, err := r.r.Peek(12)
		switch {
		case len(head) == 0 && err == io.EOF:
			return nil, io.EOF
		case err != nil:
			return nil, io.ErrUnexpectedEOF
		}
		if binary.LittleEndian.Uint32(head) == blockSection { // the same in both orders
			switch uint32(byteOrder) {
			case binary.LittleEndian.Uint32(head[8:]):
				r.order = binary.LittleEndian
			case binary.BigEndian.Uint32(head[8:]):
				r.order = binary.BigEndian
			default:
				return nil, fmt.Errorf("%w: a section of no byte order", ErrFormat)
			}
			r.links = nil
		}
		kind, size := r.order.Uint32(head), r.order.Uint32(head[4:])
		if size < 12 || size%4 != 0 || size > maxBlock {
			return nil, fmt.Errorf("%w: a block of %d bytes", ErrFormat, size)
		}
		b, err := whole(r.take(int(size)))
		if err != nil {
			return nil, err
		}
		body := b[8 : size-4]
		switch kind {
		case blockInterface:
			if len(body) < 8 {
				return nil, fmt.Errorf("%w: an interface of %d bytes", ErrFormat, len(body))
			}
			r.links = append(r.links, r.order.Uint16(body))
		case blockPacket:
			if len(body) < 20 {
				return nil, fmt.Errorf("%w: a packet block of %d bytes", ErrFormat, len(body))
			}
			on, n := r.order.Uint32(body), r.order.Uint32(body[12:])
			if uint64(on) >= uint64(len(r.links)) || r.links[on] != linkEthernet {
				return nil, fmt.Errorf("%w: a packet of an interface that is no Ethernet", ErrFormat)
			}
			if uint64(n) > uint64(len(body)-20) {
				return nil, fmt.Errorf("%w: a packet of %d bytes in a block of %d", ErrFormat, n, len(body))
			}
			return body[20 : 20+n], nil
		}
	}
}
