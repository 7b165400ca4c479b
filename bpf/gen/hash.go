package gen

import (
	"fmt"
	"hash/crc32"
	"math/big"
	"math/bits"
	"slices"
	"strings"

	"github.com/p4ce/p4ce/p4/lang/ir"
)

// A hash over whole bytes with a reflected CRC of 32 bits is computed eight bytes
// at a time, by table (slicing by 8). Constants that the input begins with are
// part of the state that the computation starts from. Words of the input that lie
// in the packet as they are wanted are read from there in one piece, though
// some of their bytes be replaced by constants: no field is taken out of the packet
// and put in line with others.

// byteSource is where one byte of a hash's input comes from: bits of an
// expression, a byte of the packet, or a constant.
type byteSource struct {
	expr     string         // C: the byte as a number; "" for a constant
	value    uint8          // of a constant
	constant bool           //
	header   *ir.HeaderInst // when the byte is a byte of a header in the packet
	at       int            // its offset there
}

func (g *gress) hash(s *ir.HashGet) {
	h := s.Hash
	if h.Algorithm == ir.HashIdentity && len(s.Inputs) == 1 && s.Base == nil && s.Max == nil && !isWide(s.Inputs[0].Type().Width) {
		g.set(s.Dst, narrow(g.expr(s.Inputs[0]), s.Dst.Type.Width), s.Pos)
		return
	}
	if !sliced(s) {
		g.slowHash(s)
		return
	}
	in, ok := g.hashInput(s)
	if !ok {
		return
	}
	table := reflectedTable(h)
	state := uint32(0)
	if h.Init != nil {
		state = bits.Reverse32(uint32(h.Init.Uint64()))
	}
	for len(in) > 0 && in[0].constant {
		state = state>>8 ^ table[byte(state)^in[0].value]
		in = in[1:]
	}
	o := g.out
	name := g.d.crcTable(h)
	rounds := func(there bool) {
		in := in
		for len(in) >= 8 {
			o.line("crc = crc32_8(%s, crc ^ %s, %s);", name, g.hashWord(in[:4], there), g.hashWord(in[4:8], there))
			in = in[8:]
		}
		if len(in) >= 4 {
			o.line("crc = crc32_4(%s, crc ^ %s);", name, g.hashWord(in[:4], there))
			in = in[4:]
		}
		for _, b := range in {
			o.line("crc = crc32_1(%s, crc ^ %s);", name, g.hashByte(b))
		}
	}
	o.open("{%s", at(s.Pos))
	o.line("u32 crc = %#x;", state)
	if all := g.headersOf(in); len(all) > 0 {
		mask := strings.Join(all, " | ")
		o.open("if (likely((s->valid & (%s)) == (%s))) {", mask, mask)
		rounds(true)
		o.depth--
		o.open("} else {")
		rounds(false)
		o.close("}")
	} else {
		rounds(false)
	}
	x := "crc"
	if h.XOR != nil && h.XOR.Sign() != 0 {
		x = fmt.Sprintf("(crc ^ %s)", literal(h.XOR, 32))
	}
	g.set(s.Dst, narrow(x, s.Dst.Type.Width), ir.Pos{})
	o.close("}")
}

// hashInput splits the input into bytes; false when it is not of whole bytes.
func (g *gress) hashInput(s *ir.HashGet) (out []byteSource, ok bool) {
	for _, e := range s.Inputs {
		w := e.Type().Width
		if w%8 != 0 {
			g.fail(exprPos(e), "hash %s: input of %d bits: not supported on XDP (only whole bytes)", s.Hash.Name, w)
			return nil, false
		}
		if c, isConst := e.(*ir.Const); isConst {
			for _, b := range c.Value.FillBytes(make([]byte, w/8)) {
				out = append(out, byteSource{constant: true, value: b})
			}
			continue
		}
		x := ""
		if !isWide(w) {
			x = g.expr(e)
		}
		ref, isRef := e.(*ir.Ref)
		inPacket := isRef && ref.Var.Kind == ir.Field && g.inPacket(ref.Var.Header) && ref.Var.Offset%8 == 0
		for i := range w / 8 {
			b := byteSource{expr: x}
			if isWide(w) {
				b.expr = g.expr(&ir.Slice{X: e, Hi: w - 8*i - 1, Lo: w - 8*i - 8})
			} else if shift := w - 8 - 8*i; shift > 0 {
				b.expr = fmt.Sprintf("(%s >> %d)", x, shift)
			}
			if inPacket {
				b.header, b.at = ref.Var.Header, ref.Var.Offset/8+i
			}
			out = append(out, b)
		}
	}
	return out, true
}

func (g *gress) hashByte(b byteSource) string {
	if b.constant {
		return literal(big.NewInt(int64(b.value)), 8)
	}
	return "(u8)" + b.expr
}

// headersOf are the bits of the headers in the packet that an input has bytes of.
func (g *gress) headersOf(in []byteSource) (bits []string) {
	for _, b := range in {
		if b.header != nil && !slices.Contains(bits, g.bit(b.header)) {
			bits = append(bits, g.bit(b.header))
		}
	}
	return bits
}

// hashWord is C for four bytes of input, the first in the low bits; there says that
// the headers are known to be valid.
func (g *gress) hashWord(in []byteSource, there bool) string {
	if x, ok := g.packetWord(in, there); ok {
		return x
	}
	x := ""
	for i, b := range in {
		if x += fmt.Sprintf("(u32)%s << %d", g.hashByte(b), 8*i); i < len(in)-1 {
			x += " | "
		}
	}
	return "(" + x + ")"
}

// packetWord is hashWord of bytes that lie side by side in a header, with
// constants in place of some.
func (g *gress) packetWord(in []byteSource, there bool) (string, bool) {
	var h *ir.HeaderInst
	at, keep, put := 0, uint32(0), uint32(0)
	for i, b := range in {
		switch {
		case b.constant:
			put |= uint32(b.value) << (8 * i)
		case b.header == nil || h != nil && (b.header != h || b.at-i != at):
			return "", false
		default:
			h, at = b.header, b.at-i
			keep |= 0xff << (8 * i)
		}
	}
	if h == nil {
		return fmt.Sprintf("%#x", put), true
	}
	if at < 0 || at+4 > h.Type.Bytes() {
		return "", false
	}
	x := fmt.Sprintf("raw32(%s + %d)", g.where(h), at)
	switch {
	case keep == ^uint32(0):
	case put == ^keep:
		x = fmt.Sprintf("(%s | %#x)", x, put)
	default:
		x = fmt.Sprintf("(%s & %#x | %#x)", x, keep, put)
	}
	if there {
		return "(u32)" + x, true
	}
	return fmt.Sprintf("(%s ? (u32)%s : %#x)", g.valid(h), x, put), true
}

// crcTable names the table of a hash.
func (d *Description) crcTable(h *ir.Hash) string {
	polynomial := uint32(h.Polynomial.Uint64())
	if d.crcs[polynomial] == "" {
		d.crcs[polynomial] = d.top.name("", fmt.Sprintf("crc32_%08x", polynomial))
	}
	return d.crcs[polynomial]
}

// reflectedTable is the CRC of every byte.
func reflectedTable(h *ir.Hash) *crc32.Table {
	return crc32.MakeTable(bits.Reverse32(uint32(h.Polynomial.Uint64())))
}

// crcTables writes the tables that hashes need: row i is the CRC of a byte with i zero
// bytes behind it.
func (d *Description) crcTables(o *writer, hashes []*ir.HashGet) {
	written := map[string]bool{}
	for _, s := range hashes {
		if !slicing(s.Hash) || written[d.crcTable(s.Hash)] {
			continue
		}
		name := d.crcTable(s.Hash)
		written[name] = true
		var row [8][256]uint32
		row[0] = *reflectedTable(s.Hash)
		for i := 1; i < 8; i++ {
			for b, p := range row[i-1] {
				row[i][b] = p>>8 ^ row[0][byte(p)]
			}
		}
		o.line("")
		o.line("/* CRC of polynomial %s, reflected: see crc32_8. */", literal(s.Hash.Polynomial, 32))
		o.open("static const u32 %s[8][256] = {", name)
		for i := range row {
			o.open("{")
			for b := 0; b < 256; b += 8 {
				line := ""
				for _, v := range row[i][b : b+8] {
					line += fmt.Sprintf("%#010x, ", v)
				}
				o.line("%s", line[:len(line)-1])
			}
			o.close("},")
		}
		o.close("};")
	}
}

// slicing reports whether a hash is one that is computed by such a table.
func slicing(h *ir.Hash) bool { return h.Width == 32 && h.Reversed && h.Polynomial != nil }
