package testbed_test

import (
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/p4ce/p4ce/bpf/gen"
	"github.com/p4ce/p4ce/dataplane"
	"github.com/p4ce/p4ce/internal/long"
	"github.com/p4ce/p4ce/p4/lang"
	"github.com/p4ce/p4ce/p4/lang/ir"
)

// manyTables is a program with n tables of all kinds, which the source address chooses from. Each writes a number
// that its entries have, or its default action; the parameters of their actions have different sizes.
func manyTables(n int) string {
	var b strings.Builder
	p := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }
	p("#include \"frame.p4\"\nmatch_kind { optional }")
	p("struct headers_t { eth_h eth; }\nstruct meta_t { }")
	p("INGRESS_PARSER(Prsr) { START state body { transition accept; } }\nINGRESS(Ctl) {")
	p("action mark(bit<16> v) { hdr.eth.type = v; }")
	p("action wide(bit<48> dst, bit<16> v) { hdr.eth.dst = dst; hdr.eth.type = v; }")
	for i := range n {
		key := []string{"hdr.eth.dst : exact", "hdr.eth.dst[15:0] : exact", "hdr.eth.dst[31:0] : lpm", "hdr.eth.dst[15:0] : ternary", "hdr.eth.dst[8:0] : exact", "hdr.eth.dst[31:0] : range; hdr.eth.src[47:40] : exact"}[i%6]
		action := []string{"mark", "mark; wide"}[i%2]
		p("table t%d { key = { %s; } actions = { %s; } default_action = mark(%d); size = %d; }", i, key, action, 0x8000+i, []int{512, 64, 256, 16, 512, 8}[i%6])
	}
	p("apply {\nig_tm_md.ucast_egress_port = 2;")
	for i := range n {
		p("if (hdr.eth.src[15:0] == %d) { t%d.apply(); }", i, i)
	}
	p("}\n}\nDEPARSER(Dprs) { apply { pkt.emit(hdr); } }")
	p("EGRESS_PARSER(EgPrsr) { state start { pkt.extract(eg_intr_md); transition accept; } }\nEGRESS(EgCtl) { apply { } }")
	p("DEPARSER(EgDprs) { apply { } }\nPipeline(Prsr(), Ctl(), Dprs(), EgPrsr(), EgCtl(), EgDprs()) pipe;\nSwitch(pipe) main;")
	return b.String()
}

func compileText(t *testing.T, name, text string) *dataplane.Pipeline {
	t.Helper()
	dir := t.TempDir()
	frame, err := os.ReadFile("testdata/include/frame.p4")
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(dir, "frame.p4"), frame, 0o600))
	path := filepath.Join(dir, name)
	require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
	return small(t, path)
}

// TestManyTables: a program with more tables than a program of the kernel may refer to maps loads, and each table has entries
// and a default action of its own: they change, and go, without another one's.
func TestManyTables(t *testing.T) {
	long.Test(t)
	const n = 200
	text := manyTables(n)
	for _, target := range targets {
		t.Run(target, func(t *testing.T) {
			pipe := compileText(t, "many.p4", text)
			sw := load(t, pipe, target)
			tables := pipe.Program.Tables
			require.Len(t, tables, n)
			mark := func(tb *ir.Table, v int) dataplane.Action {
				a := tb.Actions[0].Action
				return dataplane.Action{Action: a, Args: [][]byte{binary.BigEndian.AppendUint16(nil, uint16(v))}}
			}
			entry := func(i, v int) *dataplane.Entry {
				tb := tables[i]
				e := &dataplane.Entry{Table: tb, Action: mark(tb, v)}
				for _, k := range tb.Keys {
					value := make([]byte, (k.Width+7)/8)
					value[len(value)-1] = 5
					m := dataplane.Match{Value: value}
					switch k.Match {
					case ir.LPM:
						m.Mask, m.PrefixLen = make([]byte, len(value)), k.Width
						for j := range m.Mask {
							m.Mask[j] = 0xff
						}
					case ir.Ternary:
						m.Mask = []byte{0xff, 0xff}
						e.Priority = 1
					case ir.Range:
						m.Mask = value
						e.Priority = 1
					}
					e.Matches = append(e.Matches, m)
				}
				return e
			}
			get := func(i int) int {
				in := []byte{0, 0, 0, 0, 0, 5, 5, 0, 0, 0, byte(i >> 8), byte(i), 0, 0}
				out, err := sw.Inject(1, in)
				require.NoError(t, err)
				require.Len(t, out, 1)
				return int(binary.BigEndian.Uint16(out[0].Frame[12:]))
			}
			for i := range n {
				require.Equal(t, 0x8000+i, get(i), "default action of table %d", i)
			}
			for i := range n {
				require.NoError(t, sw.Insert(entry(i, i+1)))
			}
			for i := range n {
				require.Equal(t, i+1, get(i), "table %d", i)
			}
			for i := 0; i < n; i += 3 {
				require.NoError(t, sw.Delete(entry(i, 0)))
				a := mark(tables[i], 0x4000+i)
				require.NoError(t, sw.SetDefault(tables[i], &a))
			}
			for i := range n {
				if i%3 == 0 {
					require.Equal(t, 0x4000+i, get(i), "changed default action of table %d", i)
				} else {
					require.Equal(t, i+1, get(i), "table %d", i)
				}
			}
			// Each has room for as many entries as it says, however full another one is.
			for _, i := range []int{0, 6, 3, 9} {
				var err error
				for k := 0; err == nil && k < 2*tables[i].Size; k++ {
					e := entry(i, 9)
					if e.Priority > 0 {
						e.Priority = int32(2 + k)
					}
					binary.BigEndian.PutUint16(e.Matches[0].Value[len(e.Matches[0].Value)-2:], uint16(0x100+k))
					if err = sw.Insert(e); k < tables[i].Size-1 {
						require.NoError(t, err, "table %d, entry %d of %d", i, k, tables[i].Size)
					}
				}
				require.ErrorIs(t, err, dataplane.ErrFull)
			}
		})
	}
}

// TestTooManyMaps: what does not fit even so is said, with the place.
func TestTooManyMaps(t *testing.T) {
	var b strings.Builder
	for i := range 70 {
		fmt.Fprintf(&b, "Meter<bit<8>>(16, MeterType_t.BYTES) m%d;\n", i)
	}
	text := strings.Replace(manyTables(3), "action mark", b.String()+"action mark", 1)
	prog, l := lang.Compile(lang.Options{Path: "testdata/meters.p4", Source: []byte(text), IncludeDirs: []string{"testdata/include"}})
	require.False(t, l.HasErrors(), l.String())
	_, err := gen.Describe(prog)
	var cannot ir.Errors
	require.ErrorAs(t, err, &cannot)
	require.Len(t, cannot, 1)
	require.Regexp(t, `of the ingress need \d+ maps \(at most 64 in a program on XDP\)`, cannot[0].Text)
	require.NotZero(t, cannot[0].Pos.Line)
}
