package gen_test

import (
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/p4ce/p4ce/bpf/gen"
	"github.com/p4ce/p4ce/p4"
	"github.com/p4ce/p4ce/p4/lang"
)

// TestGeneratedCIsFresh compiles the programs again: the committed C must be
// what the generator makes now.
func TestGeneratedCIsFresh(t *testing.T) {
	for _, program := range p4.Programs() {
		prog, _ := describe(t, program)
		want, err := gen.Generate(prog)
		require.NoError(t, err)
		for file, text := range want {
			got, err := os.ReadFile("../obj/" + file)
			require.NoError(t, err)
			require.Equal(t, string(text), string(got), "%s: run: go generate ./bpf", file)
		}
	}
}

// TestGeneratedCReads: what makes the C readable, of the committed programs and of one
// that uses every kind of table.
func TestGeneratedCReads(t *testing.T) {
	programs := map[string]lang.Options{"kinds": {Path: "../../dataplane/stf/testbed/testdata/names.p4"}}
	for _, program := range p4.Programs() {
		programs[program] = lang.Options{Path: p4.Source(program), FS: p4.FS}
	}
	for name, o := range programs {
		t.Run(name, func(t *testing.T) {
			prog, diags := lang.Compile(o)
			require.NoError(t, diags.Err())
			d, err := gen.Describe(prog)
			require.NoError(t, err)
			source, err := gen.Generate(prog)
			require.NoError(t, err)
			require.Len(t, source, 2)
			code, tables := string(source[gen.CFile(prog.Name)]), string(source[gen.TablesFile(prog.Name)])
			require.Contains(t, code, "#include \""+gen.TablesFile(prog.Name)+"\"\n")
			for _, text := range []string{code, tables} {
				require.NotContains(t, text, "\n\n\n", "blank lines in a row")
				require.NotRegexp(t, `\n\n\t*}`, text, "a blank line before a brace")
				require.NotRegexp(t, `{\n\n`, text, "a blank line behind a brace")
				require.NotRegexp(t, `\n\n$`, text, "a blank line at the end")
			}

			// Tables are in their header; the code asks it.
			for _, tb := range d.Tables {
				for _, m := range []string{tb.Map, tb.Default} {
					if m != "" {
						require.Regexp(t, `\b`+m+` SEC\("\.maps"\)`, tables)
						require.NotRegexp(t, `\b`+m+`\b`, code, "map %s of %s: looked up in the header only", m, tb.Name)
					}
				}
				for _, a := range tb.Actions {
					require.Regexp(t, `\b`+a.Const+`,`, tables)
				}
			}
			for _, c := range d.Counters {
				require.Contains(t, tables, c.Map+` SEC(".maps")`)
			}
			require.NotRegexp(t, `SEC\("\.maps"\); /\* (table|counter)`, code)

			// Actions and entries have names.
			require.NotRegexp(t, `return (HIT \| )?\d+;`, actionResults(code))
			for _, body := range regexp.MustCompile(`(?s)switch \((value->action|action|ran & ~HIT|lookup_\w+\(.*?\))\) {(.*?)\n\t*}`).FindAllStringSubmatch(code, -1) {
				require.NotRegexp(t, `case \d`, body[2], "%s", body[1])
			}
			require.Regexp(t, `case a_`, code)
		})
	}
}

// actionResults are the bodies of the functions that apply tables, without the return of
// a table that has no default action.
func actionResults(code string) string {
	var out strings.Builder
	for _, f := range regexp.MustCompile(`(?s)INLINE u32 \w+_apply\(.*?\n}`).FindAllString(code, -1) {
		out.WriteString(regexp.MustCompile(`if \(!value\)\s+return 0;`).ReplaceAllString(f, ""))
	}
	return out.String()
}

// TestMacroLines: what comes from a macro has the line where the macro is used, also when
// that is in a macro.
func TestMacroLines(t *testing.T) {
	const source = `#include "include/frame.p4"
struct headers_t { eth_h eth; }
struct meta_t { }
#define ROW(n)                                  \
    action set##n() { hdr.eth.dst = n; }        \
    table row##n {                              \
        key = { hdr.eth.type : exact; }         \
        actions = { set##n; NoAction; }         \
        default_action = NoAction();            \
        size = 8;                               \
    }
#define TWO(a, b) \
    ROW(a) \
    ROW(b)
INGRESS_PARSER(Prsr) { START state body { pkt.extract(hdr.eth); transition accept; } }
INGRESS(Ctl) {
    ROW(1)
    TWO(2, 3)
    apply {
        row1.apply();
        row2.apply();
        row3.apply();
        ig_tm_md.ucast_egress_port = 1;
    }
}
DEPARSER(Dprs) { apply { pkt.emit(hdr); } }
EGRESS_PARSER(EgPrsr) { state start { pkt.extract(eg_intr_md); transition accept; } }
EGRESS(EgCtl) { apply { } }
DEPARSER(EgDprs) { apply { } }
Pipeline(Prsr(), Ctl(), Dprs(), EgPrsr(), EgCtl(), EgDprs()) pipe;
Switch(pipe) main;
`
	lines := strings.Split(strings.ReplaceAll(source, `\\`, `\`), "\n")
	prog, diags := lang.Compile(lang.Options{Path: "../../dataplane/stf/testbed/testdata/macros.p4", Source: []byte(source)})
	require.NoError(t, diags.Err())
	c, err := gen.Generate(prog)
	require.NoError(t, err)
	one, two := slices.Index(lines, "    ROW(1)")+1, slices.Index(lines, "    TWO(2, 3)")+1
	for n, line := range map[int]int{1: one, 2: two, 3: two} {
		for _, want := range []string{"table pipe.Ctl.row%d", "action pipe.Ctl.set%d"} {
			require.Contains(t, string(c[gen.CFile(prog.Name)]), fmt.Sprintf("/* "+want+", macros.p4:%d */", n, line))
		}
		require.Contains(t, string(c[gen.TablesFile(prog.Name)]), fmt.Sprintf("/* table pipe.Ctl.row%d, macros.p4:%d */", n, line))
	}
}

// TestConstantsByName: where the source has a constant of the program, the C has its name, and defines it. Names that
// the C or its header use themselves stay numbers.
func TestConstantsByName(t *testing.T) {
	text, err := p4.FS.ReadFile(p4.Source("l2"))
	require.NoError(t, err)
	build := func(change func(string) string) string {
		prog, diags := lang.Compile(lang.Options{Path: p4.Source("l2"), Source: []byte(change(string(text))), FS: p4.FS})
		require.NoError(t, diags.Err())
		source, err := gen.Generate(prog)
		require.NoError(t, err)
		return string(source[gen.CFile(prog.Name)])
	}
	code := build(func(s string) string { return s })
	require.Contains(t, code, "#define PORT_CPU 0x40\n")
	require.Contains(t, code, "if (key0 == PORT_CPU)")
	require.Contains(t, code, "ucast_egress_port = PORT_CPU;")
	require.NotContains(t, code, "= 0x40;")
	for _, name := range []string{"XDP_DROP", "INLINE", "lower_case", "_UNDERSCORE"} {
		code := build(func(s string) string { return strings.ReplaceAll(s, "REASON_RESERVED", name) })
		require.NotContains(t, code, "#define "+name+" ", name)
	}
}

// TestEarlyWrites: the bridged header is in metadata that somebody has used before. A program that writes to it before it
// makes it valid finds zeros there; one that does not pays nothing for it.
func TestEarlyWrites(t *testing.T) {
	const dir = "../../dataplane/stf/testbed/testdata/"
	begin := func(program string) string {
		prog, diags := lang.Compile(lang.Options{Path: dir + program})
		require.False(t, diags.HasErrors(), diags.String())
		source, err := gen.Generate(prog)
		require.NoError(t, err)
		_, code, _ := strings.Cut(string(source[gen.CFile(prog.Name)]), "INLINE int run_ingress(")
		code, _, found := strings.Cut(code, "in_parse(")
		require.True(t, found)
		return code
	}
	early := begin("early_writes.p4")
	for _, field := range []string{"tag", "kind", "odd", "last"} {
		require.Contains(t, early, "in_set_hdr_bridge_"+field+"(s, 0);")
	}
	require.NotContains(t, begin("bypass.p4"), "in_set_")
}
