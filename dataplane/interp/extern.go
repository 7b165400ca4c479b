package interp

import (
	"math/big"
	"math/bits"

	"github.com/p4ce/p4ce/p4/lang/ir"
)

// pack compiles the concatenation of expressions into the frame's scratch
// bits, most significant first.
func (c *compiler) pack(list []ir.Expr) func(*frame) {
	type part struct {
		width  int
		slot   int // of a narrow variable, if narrow and wide are nil
		narrow nexpr
		wide   wexpr
	}
	var parts []part
	for _, e := range list {
		p := part{width: e.Type().Width}
		if r, ok := e.(*ir.Ref); ok && !isWide(r.Var.Type) {
			p.slot = c.slot(r.Var).i
		} else if isWide(e.Type()) {
			p.wide = c.wide(e)
		} else {
			p.narrow = c.narrow(e)
		}
		parts = append(parts, p)
	}
	return func(f *frame) {
		f.bits.reset()
		for i := range parts {
			switch p := &parts[i]; {
			case p.wide != nil:
				v := p.wide(f) // first: it may need the scratch bits
				f.bits.wide(p.width, v)
			case p.narrow != nil:
				v := p.narrow(f)
				f.bits.narrow(p.width, v)
			default:
				f.bits.narrow(p.width, f.n[p.slot])
			}
		}
	}
}

func (c *compiler) hash(s *ir.HashGet) stmt {
	if st := c.narrowHash(s); st != nil {
		return st
	}
	sum := c.hashFunc(s)
	set := c.setterWide(s.Dst)
	base, max := wexpr(nil), wexpr(nil)
	if s.Base != nil {
		base = c.wide(s.Base)
	}
	if s.Max != nil {
		max = c.wide(s.Max)
	}
	return do(func(f *frame) {
		v := sum(f)
		if max != nil {
			if m := max(f); m.Sign() != 0 {
				v = new(big.Int).Rem(v, m)
			}
		}
		if base != nil {
			v = new(big.Int).Add(base(f), v)
		}
		set(f, v)
	})
}

func (c *compiler) hashFunc(s *ir.HashGet) wexpr {
	h := s.Hash
	pad := 0 // bits that fill the input up to whole bytes, on the left
	for _, e := range s.Inputs {
		pad -= e.Type().Width
	}
	pad = (pad%8 + 8) % 8
	inputs := s.Inputs
	if pad > 0 {
		inputs = append([]ir.Expr{&ir.Const{T: ir.BitType(pad), Value: new(big.Int)}}, inputs...)
	}
	fill := c.pack(inputs)
	switch h.Algorithm {
	case ir.HashIdentity:
		return func(f *frame) *big.Int { fill(f); return new(big.Int).SetBytes(f.bits.buf) }
	case ir.HashRandom:
		rnd, w := c.p.random, s.Dst.Type.Width
		return func(*frame) *big.Int { return rnd(w) }
	case ir.HashXOR:
		word := h.Width / 8
		return func(f *frame) *big.Int {
			fill(f)
			var x uint64
			b := f.bits.buf
			for len(b) > 0 {
				n := max(0, len(b)-word)
				x ^= getBits(b, n*8, (len(b)-n)*8)
				b = b[:n]
			}
			return new(big.Int).SetUint64(x)
		}
	case ir.HashCRC8, ir.HashCRC16, ir.HashCRC32, ir.HashCRC64, ir.HashCRCCustom:
		if h.Width < 1 || h.Width > 64 || h.Polynomial == nil {
			c.unsupported(h.Pos, "hash %s: a CRC of %d bits", h.Name, h.Width)
		}
		p := paramsOf(h)
		return func(f *frame) *big.Int { fill(f); return new(big.Int).SetUint64(p.sum(f.bits.buf)) }
	}
	c.unsupported(h.Pos, "hash %s: algorithm %d", h.Name, h.Algorithm)
	return nil
}

// narrowHash is the same for a CRC that goes to a narrow variable as it is, without big
// numbers and by bytes, and for one narrow number that is copied; nil for all others. Programs
// spend much of their time in it.
func (c *compiler) narrowHash(s *ir.HashGet) stmt {
	h := s.Hash
	switch h.Algorithm {
	case ir.HashIdentity:
		if s.Base != nil || s.Max != nil || isWide(s.Dst.Type) || len(s.Inputs) != 1 || isWide(s.Inputs[0].Type()) {
			return nil
		}
		get, set, m := c.narrow(s.Inputs[0]), c.setter(s.Dst), mask(s.Dst.Type.Width)
		return do(func(f *frame) { set(f, get(f)&m) })
	case ir.HashCRC8, ir.HashCRC16, ir.HashCRC32, ir.HashCRC64, ir.HashCRCCustom:
	default:
		return nil
	}
	bits := 0
	for _, e := range s.Inputs {
		bits += e.Type().Width
	}
	if s.Base != nil || s.Max != nil || isWide(s.Dst.Type) || bits%8 != 0 || h.Polynomial == nil || h.Width < 8 || h.Width > 64 {
		return nil
	}
	fill, set, t, m := c.pack(s.Inputs), c.setter(s.Dst), paramsOf(h).table(), mask(s.Dst.Type.Width)
	return do(func(f *frame) {
		fill(f)
		set(f, t.sum(f.bits.buf)&m)
	})
}

// paramsOf are the parameters of a hash that is a CRC.
func paramsOf(h *ir.Hash) crcParams {
	p := crcParams{width: h.Width, poly: low64(h.Polynomial), reversed: h.Reversed}
	if h.Init != nil {
		p.init = low64(h.Init)
	}
	if h.XOR != nil {
		p.xor = low64(h.XOR)
	}
	return p
}

// crcTable computes a CRC of 8 bits or more byte by byte. The register stands at the top of
// the word; in a reversed CRC it stands at the bottom, and all is mirrored.
type crcTable struct {
	crcParams
	of [256]uint64
}

func (p crcParams) table() *crcTable {
	t := &crcTable{crcParams: p}
	poly := p.poly << (64 - p.width)
	if p.reversed {
		poly = bits.Reverse64(poly)
	}
	for i := range t.of {
		var v uint64
		if p.reversed {
			v = uint64(i)
			for range 8 {
				v = v>>1 ^ poly&-(v&1)
			}
		} else {
			v = uint64(i) << 56
			for range 8 {
				v = v<<1 ^ poly&-(v>>63)
			}
		}
		t.of[i] = v
	}
	return t
}

func (t *crcTable) sum(data []byte) uint64 {
	m := mask(t.width)
	reg := (t.init & m) << (64 - t.width)
	if t.reversed {
		reg = bits.Reverse64(reg)
		for _, b := range data {
			reg = reg>>8 ^ t.of[byte(reg)^b]
		}
	} else {
		for _, b := range data {
			reg = reg<<8 ^ t.of[byte(reg>>56)^b]
		}
		reg >>= 64 - t.width
	}
	return (reg ^ t.xor) & m
}

// crcParams are those of the Rocksoft model, with equal reflection of input
// and output.
type crcParams struct {
	width           int
	poly, init, xor uint64
	reversed        bool
}

// sum computes the CRC bit by bit: this is the definition, not the fast way.
func (p crcParams) sum(data []byte) uint64 {
	m := mask(p.width)
	reg := p.init & m
	for _, b := range data {
		if p.reversed {
			b = bits.Reverse8(b)
		}
		for i := 7; i >= 0; i-- {
			top := reg>>(p.width-1)&1 ^ uint64(b>>i&1)
			reg = reg << 1 & m
			if top == 1 {
				reg ^= p.poly & m
			}
		}
	}
	if p.reversed {
		reg = bits.Reverse64(reg) >> (64 - p.width)
	}
	return (reg ^ p.xor) & m
}

// checksum units. In a parser, f.sums[i] is the running one's complement sum.
func (c *compiler) checksum(s ir.Stmt) stmt {
	switch s := s.(type) {
	case *ir.ChecksumAdd:
		i, fill := c.unit(s.Checksum), c.pack(s.Inputs)
		return do(func(f *frame) {
			fill(f)
			sum := f.onesSum()
			if s.Subtract {
				sum = ^sum & 0xffff
			}
			f.sums[i] = fold(f.sums[i] + sum)
		})
	case *ir.ChecksumGet:
		i, set := c.unit(s.Checksum), c.setter(s.Dst)
		return do(func(f *frame) { set(f, f.sums[i]) })
	case *ir.ChecksumVerify:
		i, set := c.unit(s.Checksum), c.setter(s.Dst)
		return do(func(f *frame) { set(f, b2u(f.sums[i] != 0xffff)) })
	case *ir.ChecksumUpdate:
		fill, set := c.pack(s.Inputs), c.setter(s.Dst)
		return do(func(f *frame) {
			fill(f)
			v := ^f.onesSum() & 0xffff
			if v == 0 && s.ZerosAsOnes {
				v = 0xffff
			}
			set(f, v)
		})
	}
	return nil
}

func (c *compiler) unit(u *ir.Checksum) int {
	i, ok := c.sums[u]
	if !ok {
		i = len(c.sums)
		c.sums[u] = i
	}
	return i
}

// onesSum is the one's complement sum of the scratch bits, in 16-bit words.
func (f *frame) onesSum() uint64 {
	f.bits.padTo(16)
	var sum uint64
	for b := f.bits.buf; len(b) >= 2; b = b[2:] {
		sum += uint64(b[0])<<8 | uint64(b[1])
	}
	return fold(sum)
}

func fold(sum uint64) uint64 {
	for sum > 0xffff {
		sum = sum>>16 + sum&0xffff
	}
	return sum
}
