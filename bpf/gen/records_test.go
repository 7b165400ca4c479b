package gen_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/p4ce/p4ce/bpf"
	"github.com/p4ce/p4ce/bpf/build"
	"github.com/p4ce/p4ce/bpf/gen"
	"github.com/p4ce/p4ce/doctor/needs"
	"github.com/p4ce/p4ce/p4"
	"github.com/p4ce/p4ce/p4/lang"
	"github.com/p4ce/p4ce/p4/lang/ir"
)

// byIndex is a program with registers and counters that are indexed in every way.
const byIndex = `#include "include/frame.p4"
struct headers_t { eth_h eth; }
struct meta_t { bit<16> group; bit<16> other; bit<16> number; }
control Second(inout headers_t hdr, inout meta_t md) {
    Register<bit<32>, bit<16>>(64, 0) late;
    RegisterAction<bit<32>, bit<16>, bit<32>>(late) late_add = { void apply(inout bit<32> v) { v = v + 1; } };
    Register<bit<32>, bit<16>>(32, 0) fewer;
    RegisterAction<bit<32>, bit<16>, bit<32>>(fewer) fewer_add = { void apply(inout bit<32> v) { v = v + 1; } };
    Counter<bit<64>, bit<16>>(64, CounterType_t.PACKETS) seconds;
    apply {
        late_add.execute(md.group);
        fewer_add.execute(md.group);
        seconds.count(md.group);
    }
}
INGRESS_PARSER(Prsr) { START state body { pkt.extract(hdr.eth); transition accept; } }
INGRESS(Ctl) {
    Register<bit<64>, bit<16>>(64, 0) wide;
    RegisterAction<bit<64>, bit<16>, bit<64>>(wide) wide_add = { void apply(inout bit<64> v) { v = v + 1; } };
    Register<bit<32>, bit<16>>(64, 0) elsewhere;
    RegisterAction<bit<32>, bit<16>, bit<32>>(elsewhere) elsewhere_add = { void apply(inout bit<32> v) { v = v + 1; } };
    Counter<bit<64>, bit<16>>(64, CounterType_t.PACKETS) firsts;
    Counter<bit<64>, bit<16>>(64, CounterType_t.PACKETS) both;
    Counter<bit<64>, bit<16>>(64, CounterType_t.PACKETS) given;
    Second() second;
    action give(bit<16> n) { given.count(n); ig_tm_md.ucast_egress_port = 1; }
    table numbers {
        key = { md.number : exact; }
        actions = { give; NoAction; }
        default_action = NoAction();
        size = 4096;
    }
    apply {
        md.group = hdr.eth.type;
        md.other = hdr.eth.dst[15:0];
        wide_add.execute(md.group);
        firsts.count(md.group);
        both.count(md.group);
        both.count(md.other);
        second.apply(hdr, md);
        elsewhere_add.execute(md.other);
        numbers.apply();
    }
}
DEPARSER(Dprs) { apply { pkt.emit(hdr); } }
EGRESS_PARSER(EgPrsr) { state start { pkt.extract(eg_intr_md); transition accept; } }
EGRESS(EgCtl) { apply { } }
DEPARSER(EgDprs) { apply { } }
Pipeline(Prsr(), Ctl(), Dprs(), EgPrsr(), EgCtl(), EgDprs()) pipe;
Switch(pipe) main;
`

func compileText(t *testing.T, text string) *ir.Program {
	t.Helper()
	prog, diags := lang.Compile(lang.Options{Path: "../../dataplane/stf/testbed/testdata/records.p4", Source: []byte(text)})
	require.NoError(t, diags.Err())
	return prog
}

// printed is the layout of a program, a line per object.
func printed(t *testing.T, l gen.Layout, prog *ir.Program) string {
	t.Helper()
	d, err := l.Describe(prog)
	require.NoError(t, err)
	var b strings.Builder
	require.NoError(t, d.Print(&b))
	var out []string
	for _, line := range strings.Split(strings.TrimSpace(b.String()), "\n") {
		out = append(out, strings.Join(strings.Fields(line), " "))
	}
	return strings.Join(out, "\n")
}

// TestLayout: what one variable indexes, and is as long, is one record, the small cells first; what an action's parameter or several
// variables index is by itself.
func TestLayout(t *testing.T) {
	prog := compileText(t, byIndex)
	require.Equal(t, `OBJECT INDEX RECORD BYTES OFFSET LINE
register pipe.Ctl.second.late md.group r_group[64], 16 B 4 0 0
register pipe.Ctl.wide md.group r_group[64], 16 B 8 8 0
register pipe.Ctl.elsewhere md.other r_Ctl[64], 4 B 4 0 0
register pipe.Ctl.second.fewer md.group r_second_of_32[32], 4 B 4 0 0
counter pipe.Ctl.firsts md.group c_by_group, per CPU[64], 32 B 16 0 0
counter pipe.Ctl.second.seconds md.group c_by_group, per CPU[64], 32 B 16 16 0
counter pipe.Ctl.both - c_both, per CPU[64], 16 B 16 0 0
counter pipe.Ctl.given - c_given, per CPU[64], 16 B 16 0 0
table pipe.Ctl.numbers md.number t_numbers[4096], 8 B, others x_numbers 8 0 0`, printed(t, gen.Records, prog))
	require.Equal(t, `OBJECT INDEX RECORD BYTES OFFSET LINE
register pipe.Ctl.elsewhere - r_Ctl[64], 16 B 4 0 0
register pipe.Ctl.wide - r_Ctl[64], 16 B 8 8 0
register pipe.Ctl.second.late - r_second[64], 4 B 4 0 0
register pipe.Ctl.second.fewer - r_second_of_32[32], 4 B 4 0 0
counter pipe.Ctl.firsts - c_firsts[64], per CPU 16 - -
counter pipe.Ctl.both - c_both[64], per CPU 16 - -
counter pipe.Ctl.given - c_given[64], per CPU 16 - -
counter pipe.Ctl.second.seconds - c_seconds[64], per CPU 16 - -
table pipe.Ctl.numbers md.number t_numbers, hash of 4096 8 - -`, printed(t, gen.Separate, prog))
}

// span is where a member of a record lies.
type span struct{ from, to int }

// TestRecords: in every program and layout, no two members of a record overlap, all of them lie in it and have its index and size, and
// every register and counter is in one place.
func TestRecords(t *testing.T) {
	programs := map[string]*ir.Program{"by index": compileText(t, byIndex)}
	for _, program := range p4.Programs() {
		programs[program], _ = describe(t, program)
	}
	for name, prog := range programs {
		for _, layout := range gen.Layouts {
			t.Run(fmt.Sprintf("%s/%d", name, layout), func(t *testing.T) { records(t, prog, layout) })
		}
	}
}

func records(t *testing.T, prog *ir.Program, layout gen.Layout) {
	d, err := layout.Describe(prog)
	require.NoError(t, err)
	registers, counters, vars := map[*ir.Register]int{}, map[*ir.Counter]int{}, map[string]bool{}
	for _, rows := range d.Rows {
		require.False(t, vars[rows.Var], "two records %s", rows.Var)
		vars[rows.Var] = true
		var spans []span
		for _, r := range rows.Registers {
			registers[r.Register]++
			require.Same(t, rows, r.Rows)
			require.Equal(t, rows.Size, r.Size, r.Name)
			require.Zero(t, r.Offset%r.CellSize, r.Name)
			spans = append(spans, span{r.Offset, r.Offset + r.CellSize})
		}
		for _, c := range rows.Counters {
			counters[c.Counter]++
			require.True(t, rows.PerCPU, c.Name)
			require.Equal(t, rows.Size, c.Size, c.Name)
			spans = append(spans, span{c.Offset, c.Offset + 16})
		}
		require.NotEmpty(t, spans)
		slices.SortFunc(spans, func(a, b span) int { return a.from - b.from })
		for i, s := range spans {
			require.LessOrEqual(t, s.to, rows.RowSize, rows.Var)
			require.False(t, i > 0 && spans[i-1].to > s.from, "members of %s overlap", rows.Var)
		}
		if rows.PerCPU {
			require.GreaterOrEqual(t, rows.Stride, rows.Size)
			require.Zero(t, rows.Stride*rows.RowSize%64, "CPUs share a cache line of %s", rows.Var)
		}
		if rows.Index != "" {
			oneIndex(t, prog, rows)
		}
	}
	for _, r := range prog.Registers {
		require.Equal(t, 1, registers[r], r.Name)
	}
	for _, c := range prog.Counters {
		if layout == gen.Records {
			require.Equal(t, 1, counters[c], c.Name)
		} else {
			require.Nil(t, d.Counter(c).Rows, c.Name)
		}
	}
}

// oneIndex checks that everything in a record is indexed by its variable wherever the program uses it.
func oneIndex(t *testing.T, prog *ir.Program, rows *gen.Rows) {
	t.Helper()
	check := func(name string, e ir.Expr) {
		ref, ok := e.(*ir.Ref)
		require.True(t, ok && ref.Var.Name == rows.Index, "%s in a record by %s: indexed by %s", name, rows.Index, ir.ExprString(e))
	}
	each := func(s ir.Stmt) bool {
		switch s := s.(type) {
		case *ir.RegisterExec:
			if slices.ContainsFunc(rows.Registers, func(r *gen.Register) bool { return r.Register == s.Action.Register }) {
				check(s.Action.Register.Name, s.Index)
			}
		case *ir.Count:
			if slices.ContainsFunc(rows.Counters, func(c *gen.Counter) bool { return c.Counter == s.Counter }) {
				check(s.Counter.Name, s.Index)
			}
		}
		return true
	}
	for _, g := range []*ir.Gress{prog.Ingress, prog.Egress} {
		ir.Walk(g.Control, each)
	}
	for _, a := range prog.Actions {
		ir.Walk(a.Body, each)
	}
}

// TestBothLayoutsAgree compares what Go thinks of a program in both layouts with what clang makes of its C.
func TestBothLayoutsAgree(t *testing.T) {
	needs.Time(t, "compiles C")
	for _, layout := range gen.Layouts {
		for name, text := range map[string]string{"by index": byIndex, "rdma": ""} {
			t.Run(fmt.Sprintf("%s/%d", name, layout), func(t *testing.T) {
				prog := compileText(t, byIndex)
				if text == "" {
					prog, _ = describe(t, name)
				}
				source, err := layout.Generate(prog)
				require.NoError(t, err)
				object, err := build.Object(gen.CFile(prog.Name), source, bpf.Headers)
				if errors.Is(err, build.ErrNoClang) {
					needs.Tools(t, err)
				}
				require.NoError(t, err)
				d, err := layout.Describe(prog)
				require.NoError(t, err)
				layoutsAgree(t, d, object)
			})
		}
	}
}
