package interp

import (
	"errors"
	"fmt"
	"math/big"

	"github.com/p4ce/p4ce/dataplane"
	"github.com/p4ce/p4ce/p4/lang/ir"
)

// pipeline is a compiled program with its tables, registers and counters.
type pipeline struct {
	prog            *ir.Program
	ingress, egress *gress
	tables          map[*ir.Table]*table
	registers       map[*ir.Register]*register
	counters        map[*ir.Counter]*counter
	meters          map[*ir.Meter]*meter
	filters         map[*ir.Filter]*filter
	pipes           int
	random          func(width int) *big.Int
	pipeOf          func(port dataplane.Port) int
	depth           func(port dataplane.Port) uint32
	unsupported     ir.Errors // found while compiling
	trace           Tracer    // nil: nobody looks

	// All elements of all registers, which hold parts of these.
	narrow []uint64
	wide   []*big.Int
}

// Check says what the interpreter cannot run in a program: an error that wraps an ir.Errors.
func Check(prog *ir.Program) error {
	_, err := compile(prog, 1, func(int) *big.Int { return new(big.Int) }, nil, nil)
	return err
}

// compile makes a runnable pipeline. What the interpreter cannot run is an
// error that names it.
func compile(prog *ir.Program, pipes int, random func(int) *big.Int, shared *Shared, trace Tracer) (p *pipeline, err error) {
	if prog == nil || prog.Ingress == nil || prog.Egress == nil {
		return nil, errors.New("pipeline: a program with an ingress and an egress is needed")
	}
	p = &pipeline{
		prog: prog, pipes: pipes, random: random, trace: trace,
		tables:    map[*ir.Table]*table{},
		registers: map[*ir.Register]*register{},
		counters:  map[*ir.Counter]*counter{},
		meters:    map[*ir.Meter]*meter{},
		filters:   map[*ir.Filter]*filter{},
	}
	for _, t := range prog.Tables {
		p.table(t)
	}
	p.makeRegisters()
	for _, c := range prog.Counters {
		p.counter(c)
	}
	for _, m := range prog.Meters {
		p.meter(m)
	}
	for _, f := range prog.Filters {
		p.filters[f] = newFilter(f)
	}
	for _, t := range prog.Tables {
		if t.HasCells() {
			p.tables[t].clear = p.clearCell(t)
		}
	}
	func() {
		defer p.caught()
		p.ingress = compileGress(p, prog.Ingress, ir.IntrParserErr)
	}()
	func() {
		defer p.caught()
		p.egress = compileGress(p, prog.Egress, ir.IntrEgrErr)
	}()
	if err := p.unsupported.Err(); err != nil {
		return nil, fmt.Errorf("program %s: %w: %w", prog.Name, err, dataplane.ErrUnsupported)
	}
	for _, t := range prog.Tables {
		pt := p.tables[t]
		if len(t.Keys) > 0 && pt.key == nil {
			continue // never applied: nothing can run it
		}
		if err := pt.fill(shared); err != nil {
			return nil, fmt.Errorf("program %q: %w", prog.Name, err)
		}
	}
	return p, nil
}

// table, counter and meter return the storage of an object of the program.
func (p *pipeline) table(t *ir.Table) *table {
	if p.tables[t] == nil {
		p.tables[t] = newTable(t)
	}
	return p.tables[t]
}

func (p *pipeline) counter(c *ir.Counter) *counter {
	if p.counters[c] == nil {
		p.counters[c] = &counter{src: c, cells: make([]cell, c.Size)}
	}
	return p.counters[c]
}

func (p *pipeline) meter(m *ir.Meter) *meter {
	if p.meters[m] == nil {
		p.meters[m] = newMeter(m)
	}
	return p.meters[m]
}

// clearCell is what makes a cell of a table as a new entry has it.
func (p *pipeline) clearCell(t *ir.Table) func(uint32) {
	return func(n uint32) {
		if t.Meter != nil {
			p.meters[t.Meter].configure(int(n), nil)
		}
		if t.Filter != nil {
			p.filters[t.Filter].configure(int(n), nil)
		}
		if r := p.registers[t.Register]; r != nil {
			r.reset(int(n))
		}
	}
}

// pipe is where a port is.
func (p *pipeline) pipe(port dataplane.Port) int {
	if p.pipeOf != nil {
		return p.pipeOf(port)
	}
	return int(port>>7) % p.pipes
}

// verdict is what the ingress decided about a packet.
type verdict struct {
	drop    string // a dataplane.Drop* reason, "" when the packet goes on
	unicast bool
	port    dataplane.Port
	groups  [2]uint16 // 0: none
	toCPU   bool
	bypass  bool
	frame   []byte // what the ingress deparser made; valid until the next packet
}

// runIngress runs the ingress over a frame.
func (p *pipeline) runIngress(port dataplane.Port, frame []byte, now uint64, digest func(dataplane.Digest)) verdict {
	g := p.ingress
	is := &g.is
	f := g.reset(frame, len(frame), now)
	f.pipe, f.digest = p.pipe(port), digest
	f.put(is.ingressPort, uint64(port))
	f.put(is.macTstamp, now)
	f.put(is.prsrTstamp, now)
	code := g.parse(f)
	if code != ir.ParserOK && !g.seesErrors {
		return verdict{drop: dataplane.DropIngressParser}
	}
	f.put(is.parserErr, uint64(code))
	g.control(f)
	g.deparse(f)
	f.out = append(f.out, f.payload()...)
	v := verdict{
		unicast: f.toPort && f.get(is.ucastPort) != ir.NoPort,
		port:    dataplane.Port(f.get(is.ucastPort)),
		groups:  [2]uint16{uint16(f.get(is.mcast)), uint16(f.get(is.mcastB))},
		toCPU:   f.get(is.toCPU) != 0 && f.get(is.dropIn)&2 == 0,
		bypass:  f.get(is.bypass) != 0,
		frame:   f.out,
	}
	switch {
	case f.get(is.dropIn)&1 != 0:
		v.drop = dataplane.DropIngress
	case !v.unicast && v.groups == [2]uint16{} && !v.toCPU:
		v.drop = dataplane.DropNoDestination
	}
	return v
}

// runEgress runs the egress over one copy and returns the frame to send, valid
// until the next copy, or the reason for dropping it. size is the length of
// the frame that came in.
func (p *pipeline) runEgress(r dataplane.Replica, frame []byte, size int, now uint64) (out []byte, drop string) {
	g := p.egress
	is := &g.is
	f := g.reset(frame, size, now)
	f.pipe = p.pipe(r.Port)
	f.put(is.egressPort, uint64(r.Port))
	f.put(is.egressRid, uint64(r.Instance))
	if p.depth != nil {
		f.put(is.qdepth, uint64(min(p.depth(r.Port), 1<<19-1)))
	}
	f.put(is.pktLength, uint64(size))
	f.put(is.egrTstamp, now)
	code := g.parse(f)
	if code != ir.ParserOK && !g.seesErrors {
		return nil, dataplane.DropEgressParser
	}
	f.put(is.egrErr, uint64(code))
	g.control(f)
	g.deparse(f)
	if f.get(is.dropEg)&1 != 0 {
		return nil, dataplane.DropEgress
	}
	f.out = append(f.out, f.payload()...)
	return f.out, ""
}
