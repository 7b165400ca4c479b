package interp

import (
	"fmt"
	"math/big"
	"slices"

	"github.com/p4ce/p4ce/dataplane"
	"github.com/p4ce/p4ce/p4/lang/ir"
)

// slot is where a variable lives in a frame: in frame.w when it is wider than
// 64 bits, else in frame.n.
type slot struct {
	i    int
	wide bool
}

// frame is the state of one packet in one gress. A gress has one, which is
// reset for every packet.
type frame struct {
	n     []uint64
	w     []*big.Int
	valid []bool // by HeaderInst.Index

	pkt    []byte // the bytes that the parser reads
	cursor int    // in bits
	out    []byte // what the deparser has emitted

	pipe   int       // where the packet is
	now    uint64    // ns
	size   int       // bytes that byte counters count
	hit    *cell     // direct counter of the entry whose action runs
	cell   uint64    // and the number of its cell: see ir.Cell
	toPort bool      // the program wrote ucast_egress_port
	sums   []uint64  // checksum units of the parser
	bits   bitString // scratch of hashes, checksums and lookups
	digest func(dataplane.Digest)
}

// gress is a compiled ir.Gress.
type gress struct {
	src     *ir.Gress
	f       frame
	headers []*header
	parser  []*state
	control stmt
	deparse stmt
	// seesErrors: the control reads parser_err, so rejected packets reach it.
	seesErrors bool
	intr       map[string]intrinsic // in use
	is         intrinsics
}

// intrinsic is where an intrinsic variable is in frame.n. The zero one is for those that the program does not use: slot 0 is nobody's.
type intrinsic struct {
	i int
	m uint64 // its bits
}

// intrinsics are those that every packet sets or is asked for.
type intrinsics struct {
	ingressPort, macTstamp, prsrTstamp, parserErr, ucastPort, mcast, mcastB, toCPU, bypass, dropIn intrinsic
	egressPort, egressRid, qdepth, pktLength, egrTstamp, egrErr, dropEg                            intrinsic
}

// resolve finds them, once all that is used is known.
func (g *gress) resolve() {
	v := &g.is
	for name, at := range map[string]*intrinsic{
		ir.IntrIngressPort: &v.ingressPort, ir.IntrMacTstamp: &v.macTstamp, ir.IntrPrsrTstamp: &v.prsrTstamp, ir.IntrParserErr: &v.parserErr,
		ir.IntrUcastPort: &v.ucastPort, ir.IntrMcastA: &v.mcast, ir.IntrMcastB: &v.mcastB, ir.IntrCopyToCPU: &v.toCPU, ir.IntrBypassEgr: &v.bypass, ir.IntrDropIn: &v.dropIn,
		ir.IntrEgressPort: &v.egressPort, ir.IntrEgressRid: &v.egressRid, ir.IntrEnqQdepth: &v.qdepth, ir.IntrPktLength: &v.pktLength,
		ir.IntrEgrTstamp: &v.egrTstamp, ir.IntrEgrErr: &v.egrErr, ir.IntrDropEg: &v.dropEg,
	} {
		*at = g.intr[name]
	}
}

// header is a header instance with the slots of its fields.
type header struct {
	name   string
	bytes  int
	fields []field
}

type field struct {
	slot
	off, width int
}

// compiler turns a gress of a program into closures over a frame.
type compiler struct {
	p      *pipeline
	g      *gress
	errVar string // name of parser_err in this gress
	slots  map[*ir.Var]slot
	acts   map[*ir.Action]*action
	sums   map[*ir.Checksum]int
	states map[*ir.State]*state
	inCtl  bool
	at     ir.Pos // of what is being compiled
}

// Code is the code of every message of this back end: legal P4 that the interpreter
// cannot run.
const Code = "P4602"

// unsupportedError leaves a statement by panic and Load as one of an ir.Errors.
type unsupportedError struct{ err ir.Error }

// caught, deferred, keeps what the interpreter cannot run.
func (p *pipeline) caught() {
	switch r := recover().(type) {
	case nil:
	case unsupportedError:
		p.unsupported.Add(r.err)
	default:
		panic(r)
	}
}

// unsupported says what cannot be run; where it has no place of its own, it is that of the
// statement around it.
func (c *compiler) unsupported(pos ir.Pos, format string, args ...any) {
	if pos.Line == 0 {
		pos = c.at
	}
	text := fmt.Sprintf(format, args...) + ": not supported in the interpreter's " + c.g.src.Name
	panic(unsupportedError{ir.Error{Pos: pos, Code: Code, Text: text}})
}

// knownIntrinsics are the intrinsic variables that this target knows, by
// gress.
var knownIntrinsics = map[string]map[string]bool{
	"ingress": {
		ir.IntrIngressPort: true, ir.IntrMacTstamp: true, ir.IntrResubmit: true, ir.IntrPrsrTstamp: true,
		ir.IntrParserErr: true, ir.IntrUcastPort: true, ir.IntrMcastA: true, ir.IntrMcastB: true, ir.IntrCopyToCPU: true, ir.IntrBypassEgr: true,
		ir.IntrDropIn: true, ir.IntrDigestType: true,
	},
	"egress": {
		ir.IntrEgressPort: true, ir.IntrEgressRid: true, ir.IntrEnqQdepth: true, ir.IntrPktLength: true, ir.IntrEgrTstamp: true,
		ir.IntrEgrErr: true, ir.IntrDropEg: true,
	},
}

func compileGress(p *pipeline, src *ir.Gress, errVar string) *gress {
	g := &gress{src: src, intr: map[string]intrinsic{}}
	g.f.n = make([]uint64, 1) // slot 0 is nobody's: see intrinsic
	c := &compiler{
		p: p, g: g, errVar: errVar,
		slots: map[*ir.Var]slot{}, acts: map[*ir.Action]*action{},
		sums: map[*ir.Checksum]int{}, states: map[*ir.State]*state{},
	}
	for _, h := range src.Headers {
		c.addHeader(h)
	}
	for _, v := range src.Vars {
		if c.known(v) { // what is not is said where it is used
			c.slot(v)
		}
	}
	c.compileParser(src.Parser)
	c.inCtl = true
	g.control = c.body(src.Control)
	c.inCtl = false
	g.deparse = c.body(src.Deparser)
	for _, v := range src.Vars {
		c.slot(v)
	}
	g.resolve()
	g.f.valid = make([]bool, len(g.headers))
	g.f.sums = make([]uint64, len(c.sums))
	return g
}

func (c *compiler) addHeader(h *ir.HeaderInst) {
	if h.Index != len(c.g.headers) {
		c.unsupported(ir.Pos{}, "header %s has index %d, want %d", h.Name, h.Index, len(c.g.headers))
	}
	hd := &header{name: h.Name, bytes: h.Type.Bytes()}
	for _, v := range h.Fields {
		hd.fields = append(hd.fields, field{slot: c.slot(v), off: v.Offset, width: v.Type.Width})
	}
	c.g.headers = append(c.g.headers, hd)
}

func (c *compiler) header(h *ir.HeaderInst) int {
	if h.Index >= len(c.g.headers) || c.g.headers[h.Index].name != h.Name {
		c.unsupported(ir.Pos{}, "header %s is not among the headers of the gress", h.Name)
	}
	return h.Index
}

// slot returns the place of v, making it on first sight.
func (c *compiler) slot(v *ir.Var) slot {
	if c.inCtl && v.Kind == ir.Intrinsic && v.Name == c.errVar {
		c.g.seesErrors = true
	}
	if s, ok := c.slots[v]; ok {
		return s
	}
	f := &c.g.f
	s := slot{wide: isWide(v.Type)}
	if s.wide {
		s.i = len(f.w)
		f.w = append(f.w, new(big.Int))
	} else {
		s.i = len(f.n)
		f.n = append(f.n, 0)
	}
	c.slots[v] = s
	if v.Kind == ir.Intrinsic {
		if !c.known(v) {
			c.unsupported(ir.Pos{}, "intrinsic metadata %s", v.Name)
		}
		c.g.intr[v.Name] = intrinsic{s.i, mask(v.Type.Width)}
	}
	return s
}

// known reports whether a variable is none that this target has nothing to do with.
func (c *compiler) known(v *ir.Var) bool {
	return v.Kind != ir.Intrinsic || knownIntrinsics[c.g.src.Name][v.Name]
}

// reset prepares the frame for a packet.
func (g *gress) reset(pkt []byte, size int, now uint64) *frame {
	f := &g.f
	clear(f.n)
	for i := range f.w {
		f.w[i] = zero
	}
	clear(f.valid)
	clear(f.sums)
	f.pkt, f.cursor, f.out = pkt, 0, f.out[:0]
	f.size, f.hit, f.toPort, f.now = size, nil, false, now
	return f
}

var zero = new(big.Int) // shared; wide values are never modified in place

// put gives an intrinsic variable a value, and get reads it; one that the program does not use is zero.
func (f *frame) put(v intrinsic, x uint64) { f.n[v.i] = x & v.m }
func (f *frame) get(v intrinsic) uint64    { return f.n[v.i] }

// invalidate makes a header invalid, which makes its fields zero.
func (f *frame) invalidate(h *header, index int) {
	f.valid[index] = false
	for _, fd := range h.fields {
		f.clear(fd.slot)
	}
}

func (f *frame) clear(s slot) {
	if s.wide {
		f.w[s.i] = zero
	} else {
		f.n[s.i] = 0
	}
}

// extract fills a header from the packet at the cursor, or reports that the
// packet is too short.
func (f *frame) extract(h *header, index int) bool {
	if f.cursor+h.bytes*8 > len(f.pkt)*8 {
		return false
	}
	for i := range h.fields {
		switch fd := &h.fields[i]; {
		case fd.wide:
			f.w[fd.i] = getWide(f.pkt, f.cursor+fd.off, fd.width)
		case (f.cursor|fd.off|fd.width)&7 == 0:
			f.n[fd.i] = getBytes(f.pkt[(f.cursor+fd.off)>>3:], fd.width>>3)
		default:
			f.n[fd.i] = getBits(f.pkt, f.cursor+fd.off, fd.width)
		}
	}
	f.cursor += h.bytes * 8
	f.valid[index] = true
	return true
}

// emit appends a header to the output.
func (f *frame) emit(h *header) {
	at := len(f.out)
	f.out = slices.Grow(f.out, h.bytes)[:at+h.bytes]
	clear(f.out[at:])
	b := f.out[at:]
	for i := range h.fields {
		switch fd := &h.fields[i]; {
		case fd.wide:
			putWide(b, fd.off, fd.width, f.w[fd.i])
		case (fd.off|fd.width)&7 == 0:
			putBytes(b[fd.off>>3:], fd.width>>3, f.n[fd.i])
		default:
			putBits(b, fd.off, fd.width, f.n[fd.i])
		}
	}
}

// payload is what lies behind the parser's cursor.
func (f *frame) payload() []byte {
	return f.pkt[min((f.cursor+7)/8, len(f.pkt)):]
}
