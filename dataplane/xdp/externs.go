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

// counterCell is struct p4_counter.
type counterCell struct{ Packets, Bytes uint64 }

func (t *Target) counter(c *ir.Counter, index int) (*pipeline, *gen.Counter, error) {
	p, err := t.running()
	if err != nil {
		return nil, nil, err
	}
	d := p.desc.Counter(c)
	if d == nil {
		return nil, nil, fmt.Errorf("counter %s does not belong to the loaded program", c.Name)
	}
	if index < 0 || index >= d.Size {
		return nil, nil, fmt.Errorf("counter %s: index %d: %w", c.Name, index, dataplane.ErrNotFound)
	}
	return p, d, nil
}

// ReadCounter implements dataplane.Target.
func (t *Target) ReadCounter(c *ir.Counter, index int) (dataplane.Counter, error) {
	var out dataplane.Counter
	p, d, err := t.counter(c, index)
	if err != nil {
		return out, err
	}
	if d.Rows != nil {
		if out, err = p.registers.count(d, index); err != nil {
			return out, fmt.Errorf("counter %s[%d]: %w", c.Name, index, err)
		}
		return out, nil
	}
	var per []counterCell
	if err := p.coll.Maps[d.Map].Lookup(uint32(index), &per); err != nil {
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
	p, d, err := t.counter(c, index)
	if err != nil {
		return err
	}
	if d.Rows != nil {
		if err := p.registers.setCount(d, index, v); err != nil {
			return fmt.Errorf("counter %s[%d]: %w", c.Name, index, err)
		}
		return nil
	}
	per := make([]counterCell, ebpf.MustPossibleCPU())
	per[0] = counterCell{v.Packets, v.Bytes}
	if err := p.coll.Maps[d.Map].Put(uint32(index), per); err != nil {
		return fmt.Errorf("counter %s[%d]: %w", c.Name, index, err)
	}
	return nil
}

// meterCell is struct p4_meter.
type meterCell struct {
	Lock       uint32
	Configured uint32
	Last       uint64
	Committed  meterBucket
	Peak       meterBucket
}

// meterBucket is struct p4_bucket.
type meterBucket struct{ Rate, Full, Fill, Tokens uint64 }

func (t *Target) meter(m *ir.Meter, index int) (*pipeline, *gen.Meter, error) {
	p, err := t.running()
	if err != nil {
		return nil, nil, err
	}
	d := p.desc.Meter(m)
	if d == nil {
		return nil, nil, fmt.Errorf("meter %s does not belong to the loaded program", m.Name)
	}
	if index < 0 || index >= d.Size {
		return nil, nil, fmt.Errorf("meter %s: index %d: %w", m.Name, index, dataplane.ErrNotFound)
	}
	return p, d, nil
}

// ReadMeter implements dataplane.Target.
func (t *Target) ReadMeter(src *ir.Meter, index int) (*dataplane.Meter, error) {
	p, d, err := t.meter(src, index)
	if err != nil {
		return nil, err
	}
	return p.configuration(d, uint32(index))
}

// configuration is that of a cell of a meter; nil: none.
func (p *pipeline) configuration(d *gen.Meter, index uint32) (*dataplane.Meter, error) {
	var c meterCell
	if err := p.coll.Maps[d.Map].Lookup(index, &c); err != nil {
		return nil, fmt.Errorf("meter %s[%d]: %w", d.Name, index, err)
	}
	if c.Configured == 0 {
		return nil, nil
	}
	return &dataplane.Meter{
		CIR: c.Committed.Rate, CBurst: c.Committed.Full / dataplane.MeterUnit, PIR: c.Peak.Rate, PBurst: c.Peak.Full / dataplane.MeterUnit,
	}, nil
}

// WriteMeter implements dataplane.Target.
func (t *Target) WriteMeter(src *ir.Meter, index int, config *dataplane.Meter) error {
	p, d, err := t.meter(src, index)
	if err != nil {
		return err
	}
	return p.configure(d, uint32(index), config)
}

// configure configures a cell of a meter; nil: it has no limits.
func (p *pipeline) configure(d *gen.Meter, index uint32, config *dataplane.Meter) error {
	var c meterCell
	if config != nil {
		if err := config.Check(); err != nil {
			return err
		}
		bucket := func(b dataplane.Bucket) meterBucket { return meterBucket{b.Rate, b.Full, b.Fill, b.Full} }
		committed, peak := config.Buckets()
		c.Configured, c.Committed, c.Peak = 1, bucket(committed), bucket(peak)
	}
	if err := p.coll.Maps[d.Map].Update(index, &c, ebpf.UpdateLock); err != nil {
		return fmt.Errorf("meter %s[%d]: %w", d.Name, index, err)
	}
	return nil
}

// digestReader turns records of the ring buffer into digests.
type digestReader struct {
	r       *ringbuf.Reader
	desc    *gen.Description
	f       func(dataplane.Digest)
	running bool
	done    chan struct{} // closed when run has ended
}

func newDigestReader(m *ebpf.Map, desc *gen.Description, f func(dataplane.Digest)) (*digestReader, error) {
	r, err := ringbuf.NewReader(m)
	if err != nil {
		return nil, fmt.Errorf("digests: %w", err)
	}
	return &digestReader{r: r, desc: desc, f: f, done: make(chan struct{})}, nil
}

// run reports digests until the reader is closed.
func (d *digestReader) run() {
	d.running = true
	go func() {
		defer close(d.done)
		d.read()
	}()
}

// drain reports the digests that are there now. It is for readers that do not run.
func (d *digestReader) drain() error {
	if err := d.r.Flush(); err != nil {
		return fmt.Errorf("digests: %w", err)
	}
	if err := d.read(); !errors.Is(err, ringbuf.ErrFlushed) {
		return fmt.Errorf("digests: %w", err)
	}
	return nil
}

func (d *digestReader) read() error {
	var rec ringbuf.Record
	for {
		if err := d.r.ReadInto(&rec); err != nil {
			return err
		}
		if len(rec.RawSample) < 4 {
			continue
		}
		n := int(binary.NativeEndian.Uint32(rec.RawSample))
		if n >= len(d.desc.Digests) || len(rec.RawSample) < d.desc.Digests[n].Size {
			continue
		}
		g := d.desc.Digests[n]
		out := dataplane.Digest{Digest: g.Digest}
		for _, s := range g.Fields {
			out.Fields = append(out.Fields, getBytes(rec.RawSample, s))
		}
		d.f(out)
	}
}

func (d *digestReader) close() {
	d.r.Close()
	if d.running {
		<-d.done
	}
}

// close gives the pipeline's programs and maps back.
func (p *pipeline) close() {
	if p.capture != nil {
		p.capture.close()
	}
	if p.digests != nil {
		p.digests.close()
	}
	closeAll(p.free)
	for _, d := range p.shared {
		d.m.Close()
	}
	p.coll.Close()
}
