package xdp

import (
	"encoding/binary"
	"errors"
	"fmt"
	"syscall"

	"github.com/cilium/ebpf"
	"github.com/cilium/ebpf/ringbuf"

	"github.com/p4ce/p4ce/bpf/gen"
	"github.com/p4ce/p4ce/dataplane"
	"github.com/p4ce/p4ce/p4/lang/ir"
)

// isFull recognises a map that has no room: E2BIG from hash maps, ENOSPC from
// tries.
func isFull(err error) bool {
	return errors.Is(err, syscall.E2BIG) || errors.Is(err, syscall.ENOSPC)
}

// cell packs register fields, the first one most significant.
func cell(r *gen.Register, fields []uint64) []byte {
	var v uint64
	for i, f := range r.Register.Fields {
		v = v<<f.Type.Width | fields[i]
	}
	b := make([]byte, r.CellSize)
	if r.CellSize == 4 {
		binary.NativeEndian.PutUint32(b, uint32(v))
	} else {
		binary.NativeEndian.PutUint64(b, v)
	}
	return b
}

func (p *pipeline) initRegister(r *gen.Register) error {
	fields := make([]uint64, len(r.Register.Fields))
	zero := true
	for i := range fields {
		if i < len(r.Register.Initial) && r.Register.Initial[i] != nil {
			fields[i] = r.Register.Initial[i].Uint64()
			zero = zero && fields[i] == 0
		}
	}
	if zero {
		return nil
	}
	value := cell(r, fields)
	keys := make([]uint32, r.Size)
	values := make([]byte, 0, r.Size*r.CellSize)
	for i := range keys {
		keys[i] = uint32(i)
		values = append(values, value...)
	}
	if r.CellSize == 4 {
		v := make([]uint32, r.Size)
		for i := range v {
			v[i] = binary.NativeEndian.Uint32(values)
		}
		if _, err := p.coll.Maps[r.Map].BatchUpdate(keys, v, nil); err != nil {
			return fmt.Errorf("register %s: initial values: %w", r.Name, err)
		}
		return nil
	}
	v := make([]uint64, r.Size)
	for i := range v {
		v[i] = binary.NativeEndian.Uint64(values)
	}
	if _, err := p.coll.Maps[r.Map].BatchUpdate(keys, v, nil); err != nil {
		return fmt.Errorf("register %s: initial values: %w", r.Name, err)
	}
	return nil
}

// register finds the map of a register and checks the index.
func (t *Target) register(r *ir.Register, index int) (*pipeline, *gen.Register, error) {
	p, err := t.running()
	if err != nil {
		return nil, nil, err
	}
	d := p.desc.Register(r)
	if d == nil {
		return nil, nil, fmt.Errorf("register %s is not of the loaded program", r.Name)
	}
	if index < 0 || index >= d.Size {
		return nil, nil, fmt.Errorf("register %s: index %d: %w", r.Name, index, dataplane.ErrNotFound)
	}
	return p, d, nil
}

// ReadRegister implements dataplane.Target.
func (t *Target) ReadRegister(r *ir.Register, index int) ([][]byte, error) {
	p, d, err := t.register(r, index)
	if err != nil {
		return nil, err
	}
	b := make([]byte, d.CellSize)
	if err := p.coll.Maps[d.Map].Lookup(uint32(index), &b); err != nil {
		return nil, fmt.Errorf("register %s[%d]: %w", r.Name, index, err)
	}
	var v uint64
	if d.CellSize == 4 {
		v = uint64(binary.NativeEndian.Uint32(b))
	} else {
		v = binary.NativeEndian.Uint64(b)
	}
	out := make([][]byte, len(r.Fields))
	for i := len(r.Fields) - 1; i >= 0; i-- {
		w := r.Fields[i].Type.Width
		out[i] = bytesOf(v&(^uint64(0)>>(64-w)), w)
		v >>= w % 64
	}
	return out, nil
}

// WriteRegister implements dataplane.Target.
func (t *Target) WriteRegister(r *ir.Register, index int, fields [][]byte) error {
	p, d, err := t.register(r, index)
	if err != nil {
		return err
	}
	v := make([]uint64, len(fields))
	for i, f := range fields {
		v[i] = number(f)
	}
	if err := p.coll.Maps[d.Map].Put(uint32(index), cell(d, v)); err != nil {
		return fmt.Errorf("register %s[%d]: %w", r.Name, index, err)
	}
	return nil
}

// counterCell is struct p4_counter.
type counterCell struct{ Packets, Bytes uint64 }

func (t *Target) counter(c *ir.Counter, index int) (*ebpf.Map, error) {
	p, err := t.running()
	if err != nil {
		return nil, err
	}
	d := p.desc.Counter(c)
	if d == nil {
		return nil, fmt.Errorf("counter %s is not of the loaded program", c.Name)
	}
	if index < 0 || index >= d.Size {
		return nil, fmt.Errorf("counter %s: index %d: %w", c.Name, index, dataplane.ErrNotFound)
	}
	return p.coll.Maps[d.Map], nil
}

// ReadCounter implements dataplane.Target.
func (t *Target) ReadCounter(c *ir.Counter, index int) (dataplane.Counter, error) {
	var out dataplane.Counter
	m, err := t.counter(c, index)
	if err != nil {
		return out, err
	}
	var per []counterCell
	if err := m.Lookup(uint32(index), &per); err != nil {
		return out, fmt.Errorf("counter %s[%d]: %w", c.Name, index, err)
	}
	for _, x := range per {
		out.Packets += x.Packets
		out.Bytes += x.Bytes
	}
	return out, nil
}

// WriteCounter implements dataplane.Target.
func (t *Target) WriteCounter(c *ir.Counter, index int, v dataplane.Counter) error {
	m, err := t.counter(c, index)
	if err != nil {
		return err
	}
	per := make([]counterCell, ebpf.MustPossibleCPU())
	per[0] = counterCell{v.Packets, v.Bytes}
	if err := m.Put(uint32(index), per); err != nil {
		return fmt.Errorf("counter %s[%d]: %w", c.Name, index, err)
	}
	return nil
}

// ReadDirectCounter implements dataplane.Target.
func (t *Target) ReadDirectCounter(e *dataplane.Entry) (dataplane.Counter, error) {
	return dataplane.Counter{}, fmt.Errorf("table %s: direct counters: %w", e.Table.Name, dataplane.ErrUnsupported)
}

// WriteDirectCounter implements dataplane.Target.
func (t *Target) WriteDirectCounter(e *dataplane.Entry, _ dataplane.Counter) error {
	return fmt.Errorf("table %s: direct counters: %w", e.Table.Name, dataplane.ErrUnsupported)
}

// digestReader turns records of the ring buffer into digests.
type digestReader struct {
	r    *ringbuf.Reader
	done chan struct{}
}

func newDigestReader(m *ebpf.Map, desc *gen.Description, f func(dataplane.Digest)) (*digestReader, error) {
	r, err := ringbuf.NewReader(m)
	if err != nil {
		return nil, fmt.Errorf("digests: %w", err)
	}
	d := &digestReader{r: r, done: make(chan struct{})}
	go func() {
		defer close(d.done)
		var rec ringbuf.Record
		for {
			if err := r.ReadInto(&rec); err != nil {
				return // closed
			}
			if len(rec.RawSample) < 4 {
				continue
			}
			n := int(binary.NativeEndian.Uint32(rec.RawSample))
			if n >= len(desc.Digests) || len(rec.RawSample) < desc.Digests[n].Size {
				continue
			}
			g := desc.Digests[n]
			out := dataplane.Digest{Digest: g.Digest}
			for _, s := range g.Fields {
				out.Fields = append(out.Fields, bytesOf(get(rec.RawSample, s), s.Width))
			}
			f(out)
		}
	}()
	return d, nil
}

func (d *digestReader) close() {
	d.r.Close()
	<-d.done
}

// close gives the pipeline's programs and maps back.
func (p *pipeline) close() {
	if p.capture != nil {
		p.capture.close()
	}
	if p.digests != nil {
		p.digests.close()
	}
	for _, m := range p.inner {
		m.Close()
	}
	p.coll.Close()
}
