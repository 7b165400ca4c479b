package fabric

import (
	"encoding/binary"
	"fmt"
	"io"
	"net"
	"time"

	"github.com/cespare/xxhash/v2"

	"github.com/p4ce/p4ce/internal/pcapng"
	"github.com/p4ce/p4ce/roce/wire"
)

// Tap sees every frame that a link delivers, when its last bit arrives. It keeps nothing of the
// bytes.
type Tap interface {
	Frame(at Time, h *Half, b []byte)
}

// TapFunc is a Tap.
type TapFunc func(at Time, h *Half, b []byte)

// Frame implements Tap.
func (fn TapFunc) Frame(at Time, h *Half, b []byte) { fn(at, h, b) }

// Tap adds one.
func (f *Fabric) Tap(t Tap) { f.taps = append(f.taps, t) }

// Hash is a number for everything that was delivered: when, where, and each bit. Two runs with
// the same are the same.
type Hash struct {
	d *xxhash.Digest
	b [16]byte
}

// NewHash makes one.
func NewHash() *Hash { return &Hash{d: xxhash.New()} }

// Frame implements Tap.
func (x *Hash) Frame(at Time, h *Half, b []byte) {
	binary.LittleEndian.PutUint64(x.b[:8], uint64(at))
	binary.LittleEndian.PutUint32(x.b[8:12], uint32(len(b)))
	_, _ = x.d.Write(x.b[:12]) // of a hash: no error
	_, _ = x.d.WriteString(h.Name)
	_, _ = x.d.Write(b)
}

// Sum is the number so far.
func (x *Hash) Sum() uint64 { return x.d.Sum64() }

// Trace writes a line for each frame: when, the link's direction, and what the network's system says of it.
type Trace struct {
	Err error

	w        io.Writer
	describe func([]byte) string
}

// NewTrace makes one.
func (f *Fabric) NewTrace(w io.Writer) *Trace {
	t := &Trace{w: w, describe: f.system.Describe}
	if t.describe == nil {
		t.describe = ethernet
	}
	return t
}

// ethernet is a line about any frame.
func ethernet(b []byte) string {
	if len(b) < wire.EthernetLen {
		return fmt.Sprintf("%d bytes", len(b))
	}
	e := wire.Ethernet(b)
	src, dst := e.Src(), e.Dst()
	return fmt.Sprintf("%v > %v, type %#04x, %d bytes", net.HardwareAddr(src[:]), net.HardwareAddr(dst[:]), e.EtherType(), len(b))
}

// Frame implements Tap.
func (t *Trace) Frame(at Time, h *Half, b []byte) {
	if _, err := fmt.Fprintf(t.w, "%s  %-20s %s\n", at, h.Name, t.describe(b)); err != nil && t.Err == nil {
		t.Err = err
	}
}

// Capture writes what a link delivers, in both directions, as pcapng.
type Capture struct {
	w    *pcapng.Writer
	link *Link
	Err  error
}

// NewCapture makes one of a link; nil is all links, each as an interface.
func NewCapture(w io.Writer, f *Fabric, link *Link) (*Capture, error) {
	list := f.Links
	if link != nil {
		list = []*Link{link}
	}
	c := &Capture{w: pcapng.NewWriter(w, "p4ce"), link: link}
	for _, l := range list {
		if _, err := c.w.Interface(l.Name); err != nil {
			return nil, err
		}
	}
	return c, nil
}

// Frame implements Tap.
func (c *Capture) Frame(at Time, h *Half, b []byte) {
	if c.link != nil && h.Link != c.link || c.Err != nil {
		return
	}
	n := 0
	if c.link == nil {
		n = h.Link.index
	}
	c.Err = c.w.Packet(n, time.Unix(0, int64(at/Nanosecond)).UTC(), b)
}

// Flush ends the file.
func (c *Capture) Flush() error {
	if c.Err != nil {
		return c.Err
	}
	return c.w.Flush()
}
