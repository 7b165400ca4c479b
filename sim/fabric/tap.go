package fabric

import (
	"encoding/binary"
	"fmt"
	"io"
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

// Trace writes a line for each frame: when, the link's direction, and the packet.
type Trace struct {
	w   io.Writer
	p   wire.Packet
	Err error
}

// NewTrace makes one.
func NewTrace(w io.Writer) *Trace { return &Trace{w: w} }

// Frame implements Tap.
func (t *Trace) Frame(at Time, h *Half, b []byte) {
	text := ""
	if err := wire.Parse(b, &t.p); err != nil {
		text = fmt.Sprintf("%d bytes (%v)", len(b), err)
	} else {
		text = t.p.String()
		if t.p.IP.ECN() == wire.CE {
			text += " CE"
		}
		if !t.p.ICRCOK() {
			text += " (wrong ICRC)"
		}
	}
	if _, err := fmt.Fprintf(t.w, "%s  %-20s %s\n", at, h.Name, text); err != nil && t.Err == nil {
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
