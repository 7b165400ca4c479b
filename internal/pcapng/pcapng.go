// Package pcapng writes packet captures that Wireshark reads, and reads them: sections, interfaces and packets of pcapng
// (draft-ietf-opsawg-pcapng), of Ethernet, with times in nanoseconds.
//
// It is here because the library for it registers every protocol that it knows when a program starts, which
// takes longer than all the rest of a short command.
package pcapng

import (
	"bufio"
	"encoding/binary"
	"io"
	"time"
)

// Types of blocks and options, and what an interface's link is.
const (
	blockSection   = 0x0a0d0d0a
	blockInterface = 1
	blockPacket    = 6

	optionName        = 2 // of an interface
	optionResolution  = 9
	optionApplication = 4 // of a section

	linkEthernet = 1
	byteOrder    = 0x1a2b3c4d
)

// Writer writes one section. Its first error is that of all calls that follow.
type Writer struct {
	w          *bufio.Writer
	interfaces int
	buf        []byte
}

// NewWriter begins a capture of an application.
func NewWriter(w io.Writer, application string) *Writer {
	c := &Writer{w: bufio.NewWriter(w)}
	b := binary.LittleEndian.AppendUint32(nil, byteOrder)
	b = append(b, 1, 0, 0, 0)                                      // version 1.0
	b = binary.LittleEndian.AppendUint64(b, 0xffff_ffff_ffff_ffff) // the section's length is not known
	_ = c.block(blockSection, endOptions(option(b, optionApplication, []byte(application))))
	return c
}

// Interface adds an interface, and returns its number. Packets of it follow.
func (c *Writer) Interface(name string) (int, error) {
	b := []byte{linkEthernet, 0, 0, 0, 0, 0, 0, 0} // packets of any length
	b = option(b, optionName, []byte(name))
	b = option(b, optionResolution, []byte{9}) // a second is 10^9 of its ticks
	if err := c.block(blockInterface, endOptions(b)); err != nil {
		return 0, err
	}
	c.interfaces++
	return c.interfaces - 1, nil
}

// Packet adds a frame, of an interface that was added.
func (c *Writer) Packet(on int, at time.Time, frame []byte) error {
	ns := uint64(at.UnixNano())
	b := binary.LittleEndian.AppendUint32(c.buf[:0], uint32(on))
	b = binary.LittleEndian.AppendUint32(b, uint32(ns>>32))
	b = binary.LittleEndian.AppendUint32(b, uint32(ns))
	b = binary.LittleEndian.AppendUint32(b, uint32(len(frame))) // that are here
	b = binary.LittleEndian.AppendUint32(b, uint32(len(frame))) // that the packet has
	c.buf = pad(append(b, frame...))
	return c.block(blockPacket, c.buf)
}

// Flush writes what is buffered.
func (c *Writer) Flush() error { return c.w.Flush() }

// block writes one. A bufio.Writer remembers its first error.
func (c *Writer) block(kind uint32, body []byte) error {
	var b [8]byte
	binary.LittleEndian.PutUint32(b[:], kind)
	binary.LittleEndian.PutUint32(b[4:], uint32(len(body)+12))
	_, _ = c.w.Write(b[:])
	_, _ = c.w.Write(body)
	_, err := c.w.Write(b[4:])
	return err
}

func option(b []byte, kind uint16, value []byte) []byte {
	b = binary.LittleEndian.AppendUint16(b, kind)
	b = binary.LittleEndian.AppendUint16(b, uint16(len(value)))
	return pad(append(b, value...))
}

func endOptions(b []byte) []byte { return append(b, 0, 0, 0, 0) }

// pad fills up to 32 bits.
func pad(b []byte) []byte {
	for len(b)%4 != 0 {
		b = append(b, 0)
	}
	return b
}
