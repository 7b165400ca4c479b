package testbed_test

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/p4ce/p4ce/dataplane"
	"github.com/p4ce/p4ce/internal/long"
	"github.com/p4ce/p4ce/p4/lang/ir"
)

// orderKey is a key of a table of TestOrder, and where its value lies in a packet.
type orderKey struct {
	expr  string
	kind  ir.MatchKind
	width int
	of    func(dst uint64) uint64
}

// orderSet is what an entry says of one key: value and mask, or low and high.
type orderSet struct{ value, mask uint64 }

// orderTable is a table of TestOrder. Its entries are in the order of the program text.
type orderTable struct {
	name    string
	keys    []orderKey
	how     string // "const", "initial" or "run-time": where its entries come from
	entries [][]orderSet
}

func lowBits(expr string, kind ir.MatchKind, width int) orderKey {
	return orderKey{expr, kind, width, func(dst uint64) uint64 { return dst & (1<<width - 1) }}
}

func highByte(kind ir.MatchKind) orderKey {
	return orderKey{"hdr.eth.dst[47:40]", kind, 8, func(dst uint64) uint64 { return dst >> 40 }}
}

// orderTables are tables with each match kind, alone and beside another key, in each form
// that a back end has for them: few entries, many with a narrow key, many with a wide one.
func orderTables(rnd *rand.Rand) []*orderTable {
	kinds := []ir.MatchKind{ir.LPM, ir.Ternary, ir.Range, ir.Optional}
	var out []*orderTable
	for _, how := range []string{"const", "initial", "run-time"} {
		for _, kind := range kinds {
			for _, shape := range []struct {
				n, width int
				beside   bool
			}{{4, 8, false}, {12, 8, false}, {12, 48, false}, {40, 48, true}, {4, 16, true}} {
				name := fmt.Sprintf("%s_%s_%d_%d_%t", strings.ReplaceAll(how, "-", ""), kind, shape.n, shape.width, shape.beside)
				tb := &orderTable{name: name, how: how}
				expr := fmt.Sprintf("hdr.eth.dst[%d:0]", shape.width-1)
				if shape.width == 48 {
					expr = "hdr.eth.dst"
				}
				tb.keys = append(tb.keys, lowBits(expr, kind, shape.width))
				if shape.beside {
					tb.keys = append(tb.keys, highByte(ir.Exact))
				}
				seen := map[string]bool{}
				for len(tb.entries) < shape.n {
					var e []orderSet
					for _, k := range tb.keys {
						e = append(e, drawSet(rnd, k))
					}
					if id := fmt.Sprint(e); !seen[id] {
						seen[id] = true
						tb.entries = append(tb.entries, e)
					}
				}
				out = append(out, tb)
			}
		}
	}
	return out
}

// drawSet draws few values, and masks of all lengths, so that many entries cover a packet.
func drawSet(rnd *rand.Rand, k orderKey) orderSet {
	ones := uint64(1)<<k.width - 1
	v := drawValue(rnd) & ones
	switch k.kind {
	case ir.Exact:
		return orderSet{rnd.Uint64N(2), ones}
	case ir.LPM:
		n := rnd.IntN(k.width + 1)
		m := ones &^ (1<<(k.width-n) - 1)
		return orderSet{v & m, m}
	case ir.Ternary:
		m := rnd.Uint64() & rnd.Uint64() & ones
		return orderSet{v & m, m}
	case ir.Optional:
		if rnd.IntN(3) == 0 {
			return orderSet{}
		}
		return orderSet{v, ones}
	}
	w := drawValue(rnd) & ones
	return orderSet{min(v, w), max(v, w)}
}

// drawValue is small or has few bits set: the same values come often.
func drawValue(rnd *rand.Rand) uint64 {
	if rnd.IntN(2) == 0 {
		return rnd.Uint64N(32)
	}
	v := uint64(0)
	for range rnd.IntN(3) {
		v |= 1 << (5 * rnd.IntN(9))
	}
	return v
}

func (s orderSet) covers(k orderKey, v uint64) bool {
	if k.kind == ir.Range {
		return v >= s.value && v <= s.mask
	}
	return v&s.mask == s.value
}

// text is an entry's key set in P4.
func (s orderSet) text(k orderKey) string {
	switch {
	case k.kind == ir.Range:
		return fmt.Sprintf("%d..%d", s.value, s.mask)
	case k.kind == ir.Exact, k.kind == ir.Optional && s.mask != 0:
		return fmt.Sprint(s.value)
	case k.kind == ir.Optional:
		return "_"
	}
	return fmt.Sprintf("%#x &&& %#x", s.value, s.mask)
}

// want is the entry that P4 chooses, from 1; 0: none. The longest prefix wins, and of
// tables with priorities the first entry.
func (tb *orderTable) want(dst uint64) int {
	best, length := 0, -1
	for n, e := range tb.entries {
		all := true
		for i, k := range tb.keys {
			all = all && e[i].covers(k, k.of(dst))
		}
		if !all {
			continue
		}
		if tb.keys[0].kind != ir.LPM {
			return n + 1
		}
		ones := 0
		for m := e[0].mask; m != 0; m &= m - 1 {
			ones++
		}
		if ones > length {
			best, length = n+1, ones
		}
	}
	return best
}

// runtime is an entry as a controller writes it.
func (tb *orderTable) runtime(src *ir.Table, n int) *dataplane.Entry {
	e := &dataplane.Entry{Table: src}
	bytesOf := func(v uint64, w int) []byte {
		b := binary.BigEndian.AppendUint64(nil, v)
		return b[8-(w+7)/8:]
	}
	for i, k := range tb.keys {
		s := tb.entries[n][i]
		m := dataplane.Match{Value: bytesOf(s.value, k.width)}
		switch k.kind {
		case ir.Exact:
		case ir.LPM:
			m.Mask = make([]byte, len(m.Value))
			for x := s.mask; x != 0; x &= x - 1 {
				m.PrefixLen++
			}
		default:
			m.Mask = bytesOf(s.mask, k.width)
		}
		e.Matches = append(e.Matches, m)
	}
	if tb.keys[0].kind != ir.LPM {
		e.Priority = int32(len(tb.entries) - n)
	}
	e.Action = dataplane.Action{Action: src.Actions[0].Action, Args: [][]byte{bytesOf(uint64(n+1), 16)}}
	return e
}

// program is a P4 program with the tables; the low bits of the source say which is applied.
func orderProgram(tables []*orderTable) string {
	var b strings.Builder
	p := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }
	p("#include \"frame.p4\"\nmatch_kind { optional }")
	p("struct headers_t { eth_h eth; }\nstruct meta_t { }")
	p("INGRESS_PARSER(Prsr) { START state body { transition accept; } }\nINGRESS(Ctl) {")
	p("action mark(bit<16> v) { hdr.eth.type = v; }")
	for _, tb := range tables {
		p("table %s {\nkey = {", tb.name)
		for _, k := range tb.keys {
			p("%s : %s;", k.expr, k.kind)
		}
		p("}\nactions = { mark; @defaultonly NoAction; }\nconst default_action = NoAction();\nsize = 64;")
		if tb.how != "run-time" {
			if tb.how == "const" {
				p("const")
			}
			p("entries = {")
			for n, e := range tb.entries {
				var sets []string
				for i, k := range tb.keys {
					sets = append(sets, e[i].text(k))
				}
				p("(%s) : mark(%d);", strings.Join(sets, ", "), n+1)
			}
			p("}")
		}
		p("}")
	}
	p("apply {\nig_tm_md.ucast_egress_port = 2;\nhdr.eth.type = 0;")
	for i, tb := range tables {
		p("if (hdr.eth.src[7:0] == %d) { %s.apply(); }", i, tb.name)
	}
	p("}\n}\nDEPARSER(Dprs) { apply { pkt.emit(hdr); } }")
	p("EGRESS_PARSER(EgPrsr) { state start { pkt.extract(eg_intr_md); transition accept; } }\nEGRESS(EgCtl) { apply { } }")
	p("DEPARSER(EgDprs) { apply { } }\nPipeline(Prsr(), Ctl(), Dprs(), EgPrsr(), EgCtl(), EgDprs()) pipe;\nSwitch(pipe) main;")
	return b.String()
}

// TestOrder: of several entries that match, the same one wins wherever the entries come
// from, whatever the kind of match, and on both targets. The entries are in no order that
// would make that easy.
func TestOrder(t *testing.T) {
	long.Test(t)
	const seed = 20261125
	rnd := rand.New(rand.NewPCG(seed, 1))
	tables := orderTables(rnd)
	dir := t.TempDir()
	frame, err := os.ReadFile("testdata/include/frame.p4")
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(dir, "frame.p4"), frame, 0o600))
	path := filepath.Join(dir, "order.p4")
	require.NoError(t, os.WriteFile(path, []byte(orderProgram(tables)), 0o600))
	for _, target := range targets {
		t.Run(target, func(t *testing.T) {
			pipe := small(t, path)
			sw := load(t, pipe, target)
			rnd := rand.New(rand.NewPCG(seed, 2))
			hits := 0
			for i, tb := range tables {
				src := pipe.Program.Tables[slices.IndexFunc(pipe.Program.Tables, func(x *ir.Table) bool { return strings.HasSuffix(x.Name, tb.name) })]
				if tb.how == "run-time" {
					for _, n := range rnd.Perm(len(tb.entries)) {
						require.NoError(t, sw.Insert(tb.runtime(src, n)))
					}
				}
				for range 200 {
					dst := drawValue(rnd)
					dst |= drawValue(rnd)
					if rnd.IntN(2) == 0 {
						dst |= uint64(rnd.IntN(2)) << 40
					}
					dst &= 1<<48 - 1
					want := tb.want(dst)
					in := binary.BigEndian.AppendUint64(nil, dst)[2:]
					in = append(in, 0, 0, 0, 0, 0, byte(i), 0xff, 0xff)
					out, err := sw.Inject(1, in)
					require.NoError(t, err)
					require.Len(t, out, 1)
					require.Equal(t, want, int(binary.BigEndian.Uint16(out[0].Frame[12:])), "table %s, dst %#x: seed %d", tb.name, dst, seed)
					if want > 0 {
						hits++
					}
				}
			}
			require.Greater(t, hits, 200*len(tables)/3) // else it shows little
		})
	}
}
