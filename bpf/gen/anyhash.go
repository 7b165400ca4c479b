package gen

import (
	"fmt"
	"math/bits"
	"strings"

	"github.com/p4ce/p4ce/p4/lang/ir"
)

// sliced reports whether a hash is computed eight bytes at a time: see hash.
func sliced(s *ir.HashGet) bool {
	if !slicing(s.Hash) || s.Base != nil || s.Max != nil || s.Dst.Type.Width > 32 {
		return false
	}
	for _, e := range s.Inputs {
		if e.Type().Width%8 != 0 {
			return false
		}
	}
	return true
}

// slowHash writes any other hash, byte by byte.
func (g *gress) slowHash(s *ir.HashGet) {
	h := s.Hash
	in := g.inputBytes(s)
	if s.Dst.Type.Width > 64 {
		g.fail(s.Pos, "hash %s: a result of %d bits (at most 64 on XDP)", h.Name, s.Dst.Type.Width)
		return
	}
	o := g.out
	o.open("{%s", at(s.Pos))
	switch h.Algorithm {
	case ir.HashIdentity:
		o.line("u64 hash = 0;")
		for _, b := range in[max(0, len(in)-8):] {
			o.line("hash = hash << 8 | %s;", b)
		}
	case ir.HashRandom:
		o.line("u64 hash = (u64)bpf_get_prandom_u32() << 32 | bpf_get_prandom_u32();")
	case ir.HashXOR:
		o.line("u64 hash = 0;")
		word := h.Width / 8
		for i, b := range in {
			o.line("hash ^= (u64)%s << %d;", b, (len(in)-1-i)%word*8)
		}
	default:
		if h.Width < 1 || h.Width > 64 || h.Polynomial == nil {
			g.fail(s.Pos, "hash %s: a CRC of %d bits", h.Name, h.Width)
			return
		}
		g.crc(h, in)
	}
	x := "hash"
	if s.Max != nil {
		o.line("u64 range = %s;", g.expr(s.Max))
		x = "(range ? hash % range : hash)"
	}
	if s.Base != nil {
		x = fmt.Sprintf("(%s + %s)", g.expr(s.Base), x)
	}
	g.set(s.Dst, narrow(x, s.Dst.Type.Width), ir.Pos{})
	o.close("}")
}

// crc writes a CRC of any width. The register stands at the top of the word; in a reflected CRC it stands at the bottom, and all is
// mirrored.
func (g *gress) crc(h *ir.Hash, in []string) {
	o, low := g.out, func(v interface{ Uint64() uint64 }) uint64 { return v.Uint64() }
	ones := ^uint64(0) >> (64 - h.Width)
	poly, init, xor := low(h.Polynomial)&ones, uint64(0), uint64(0)
	if h.Init != nil {
		init = low(h.Init) & ones
	}
	if h.XOR != nil {
		xor = low(h.XOR) & ones
	}
	step, up := "crc_up", 64-h.Width
	poly, init = poly<<up, init<<up
	if h.Reversed {
		step = "crc_down"
		poly, init = bits.Reverse64(poly), bits.Reverse64(init)
	}
	o.line("u64 hash = %#xULL;", init)
	for _, b := range in {
		o.line("hash = %s(hash, %#xULL, %s);", step, poly, b)
	}
	if !h.Reversed && up > 0 {
		o.line("hash >>= %d;", up)
	}
	if xor != 0 {
		o.line("hash ^= %#xULL;", xor)
	}
}

// inputBytes are C for the bytes of a hash's input: one string of bits, which zeros in front fill up to whole bytes.
func (g *gress) inputBytes(s *ir.HashGet) (out []string) {
	total := 0
	for _, e := range s.Inputs {
		total += e.Type().Width
	}
	parts := make([][]string, (total+7)/8)
	at := 8*len(parts) - total
	for _, e := range narrowed(s.Inputs, 64) {
		w, x := e.Type().Width, g.expr(e)
		for done := 0; done < w; {
			n := min(8-at%8, w-done) // bits that go to this byte
			p := fmt.Sprintf("((u64)%s >> %d & %#x)", x, w-done-n, 1<<n-1)
			if shift := 8 - at%8 - n; shift > 0 {
				p = fmt.Sprintf("(%s << %d)", p, shift)
			}
			parts[at/8] = append(parts[at/8], p)
			at, done = at+n, done+n
		}
	}
	for _, p := range parts {
		out = append(out, "("+strings.Join(p, " | ")+")")
	}
	return out
}
