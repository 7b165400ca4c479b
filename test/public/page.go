package main

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/p4ce/p4ce/dataplane/p4xc"
	"github.com/p4ce/p4ce/p4/lang"
	"github.com/p4ce/p4ce/p4/lang/diag"
	"github.com/p4ce/p4ce/p4/lang/ir"
)

// A construct is a row of docs/p4.md: a small program that uses it.
type construct struct {
	name string
	// What stands where in the program; the rest is the same for all.
	types, parser, states, locals, apply, deparser string
	key                                            string // of a table whose only action is send
	size                                           int
}

// constructs are the rows, by topic.
var constructs = []struct {
	topic string
	rows  []construct
}{
	{"Parsers", []construct{
		{name: "`select`, look-ahead, sub-parsers", states: "state more { bit<8> b = pkt.lookahead<bit<8>>(); transition select(b) { 1 : take; default : accept; } } state take { pkt.extract(hdr.tag); transition accept; }"},
		{name: "`if` that does not read the packet", states: "state more { if (hdr.eth.type == 1) { md.x = 1; } transition accept; }"},
		{name: "`if` that reads the packet", states: "state more { if (hdr.eth.type == 1) { pkt.extract(hdr.tag); } transition accept; }"},
		{name: "port metadata (`port_metadata_unpack`, or a header)", parser: "port_md_t p = port_metadata_unpack<port_md_t>(pkt); md.x = p.a;"},
		{name: "`advance` over bytes of the frame", states: "state more { pkt.advance(16); transition accept; }"},
		{name: "loops of states", states: "state more { pkt.extract(hdr.tag); transition select(hdr.tag.a) { 1 : more; default : accept; } }"},
		{name: "`value_set`", states: "state more { transition select(hdr.eth.type) { known : accept; default : accept; } }", types: "#define VALUE_SET value_set<bit<16>>(4) known;"},
		{name: "`Checksum`: add, subtract, verify, get", types: "#define VALUE_SET Checksum() c;", states: "state more { c.subtract({ hdr.eth.dst }); c.add({ hdr.eth.type }); md.y = c.get(); if (c.verify()) { md.x = 1; } transition accept; }"},
		{name: "`ParserCounter`", types: "#define VALUE_SET ParserCounter() c;", states: "state more { c.set(8w3); transition accept; }"},
		{name: "header stacks, by constant index", apply: "hdr.stack[1] = hdr.stack[0];"},
		{name: "header stacks: `next`", states: "state more { pkt.extract(hdr.stack.next); transition accept; }"},
		{name: "`varbit`", types: "header var_h { varbit<32> v; } struct more_t { var_h v; }\n#define MORE more_t more;", states: "state more { pkt.extract(hdr.more.v, 8); transition accept; }"},
	}},
	{"Types and statements", []construct{
		{name: "`header_union`", types: "header_union either_h { tag_h a; small_h b; }\n#define MORE either_h either;", apply: "hdr.either.a.setValid();"},
		{name: "arithmetic on fields of up to 64 bits", apply: "hdr.eth.dst = hdr.eth.dst |+| hdr.eth.src;"},
		{name: "assignment of fields of more than 64 bits", apply: "hdr.wide.a = hdr.wide.b;"},
		{name: "headers that are no whole bytes", types: "header odd_h { bit<7> a; }\n#define MORE odd_h odd;", apply: "hdr.odd.setValid();"},
		{name: "`for` over a range with known bounds", apply: "for (bit<8> i in 1..3) { md.x += i; }"},
		{name: "other `for` loops", apply: "for (bit<8> i = 0; i < md.x; i += 1) { md.y += 1; }"},
		{name: "functions with type parameters and a body", types: "T same<T>(in T a) { return a; }", apply: "md.x = same(md.x);"},
		{name: "`exit` in an action that a control calls", locals: "action leave() { exit; }", apply: "leave();"},
		{name: "`exit` in an action of a table", locals: "action leave() { exit; } table t { key = { hdr.eth.dst : exact; } actions = { leave; } }", apply: "t.apply();"},
		{name: "`x[low +: width]`, low known", apply: "md.x = md.y[4 +: 8];"},
		{name: "`x[low +: width]`, low in a variable", apply: "md.x = md.y[md.x +: 8];"},
	}},
	{"Tables", []construct{
		{name: "exact keys", key: "hdr.eth.dst : exact;"},
		{name: "lpm keys of any width up to 64", key: "hdr.eth.dst[42:0] : lpm;"},
		{name: "ternary, range and optional keys, 256 entries", key: "hdr.eth.dst : ternary; hdr.eth.type : range;", size: 256},
		{name: "the same, 16384 entries", key: "hdr.eth.dst : ternary; hdr.eth.type : range;", size: 16384},
		{name: "the same, 32768 entries", key: "hdr.eth.dst : ternary; hdr.eth.type : range;", size: 32768},
		{name: "exact keys of more than 64 bits", key: "hdr.wide.a : exact;"},
		{name: "lpm keys of more than 64 bits", key: "hdr.wide.a : lpm;"},
		{name: "ternary keys of more than 64 bits", key: "hdr.wide.a : ternary;"},
		{name: "ATCAM", key: "hdr.eth.dst : ternary; md.x : atcam_partition_index;", types: "#define IMPLEMENTATION implementation = Atcam(3);"},
		{name: "ALPM", key: "hdr.eth.dst : lpm;", types: "#define IMPLEMENTATION alpm = 1;"},
		{name: "`ActionProfile`", key: "hdr.eth.dst : exact;", locals: "ActionProfile(16) profile;", types: "#define IMPLEMENTATION implementation = profile;"},
		{name: "`ActionSelector`, FAIR or RESILIENT", key: "hdr.eth.dst : exact; md.x : selector;", locals: "Hash<bit<16>>(HashAlgorithm_t.CRC16) h; ActionProfile(16) p; ActionSelector(p, h, SelectorMode_t.RESILIENT, 4, 4) sel;", types: "#define IMPLEMENTATION implementation = sel;"},
		{name: "`ActionSelector` with a size of its own, or a register", key: "hdr.eth.dst : exact; md.x : selector;", locals: "Hash<bit<16>>(HashAlgorithm_t.CRC16) h; Register<bit<1>, bit<8>>(16) r; ActionSelector(16, h, SelectorMode_t.FAIR, r) sel;", types: "#define IMPLEMENTATION implementation = sel;"},
		{name: "`SelectorAction`", key: "hdr.eth.dst : exact; md.x : selector;", locals: "Hash<bit<16>>(HashAlgorithm_t.CRC16) h; ActionProfile(16) p; ActionSelector(p, h, SelectorMode_t.FAIR, 4, 4) sel; SelectorAction(sel) up = { void apply(inout bit<1> v) { v = 1; } };", types: "#define IMPLEMENTATION implementation = sel;"},
		{name: "`DirectCounter` of a table with a profile, of which all actions count", locals: "ActionProfile(16) p; DirectCounter<bit<64>>(CounterType_t.PACKETS) c; action hit() { c.count(); } table t { key = { hdr.eth.dst : exact; } actions = { hit; @defaultonly NoAction; } const default_action = NoAction; counters = c; implementation = p; }", apply: "t.apply();"},
		{name: "the same, of which some do", locals: "ActionProfile(16) p; DirectCounter<bit<64>>(CounterType_t.PACKETS) c; action hit() { c.count(); } table t { key = { hdr.eth.dst : exact; } actions = { hit; NoAction; } const default_action = NoAction; counters = c; implementation = p; }", apply: "t.apply();"},
	}},
	{"Externs", []construct{
		{name: "`Counter`", locals: "Counter<bit<64>, bit<8>>(256, CounterType_t.PACKETS_AND_BYTES) c;", apply: "c.count(md.x);"},
		{name: "`DirectCounter`", locals: "DirectCounter<bit<64>>(CounterType_t.PACKETS) c; action hit() { c.count(); } table t { key = { hdr.eth.dst : exact; } actions = { hit; } counters = c; }", apply: "t.apply();"},
		{name: "`Meter`", locals: "Meter<bit<8>>(256, MeterType_t.BYTES) m;", apply: "md.x = m.execute(md.x);"},
		{name: "`Meter` with a colour or a correction of the length", locals: "Meter<bit<8>>(256, MeterType_t.BYTES) m;", apply: "md.x = m.execute(md.x, MeterColor_t.GREEN);"},
		{name: "`DirectMeter`", locals: "DirectMeter(MeterType_t.BYTES) m; action hit() { md.x = m.execute(); } table t { key = { hdr.eth.dst : exact; } actions = { hit; } meters = m; }", apply: "t.apply();"},
		{name: "`Lpf`", locals: "Lpf<bit<32>, bit<8>>(16) l;", apply: "md.z = l.execute(md.z, md.x);"},
		{name: "`DirectLpf`, `DirectWred`", locals: "DirectLpf<bit<32>>() l; DirectWred<bit<32>>(1, 0) w; action low() { md.z = l.execute(md.z); } action early() { md.x = w.execute(md.z); } table t { key = { hdr.eth.dst : exact; } actions = { low; } filters = l; } table u { key = { hdr.eth.src : exact; } actions = { early; } filters = w; }", apply: "t.apply(); u.apply();"},
		{name: "`Wred`", locals: "Wred<bit<32>, bit<8>>(16, 1, 0) w;", apply: "md.x = w.execute(md.z, md.x);"},
		{name: "`Register`, `RegisterAction`, elements of up to 64 bits", locals: "Register<bit<32>, bit<8>>(256) r; RegisterAction<bit<32>, bit<8>, bit<32>>(r) a = { void apply(inout bit<32> v, out bit<32> o) { o = v; v = v + 1; } };", apply: "md.z = a.execute(md.x);"},
		{name: "`DirectRegister`, `DirectRegisterAction`", locals: "DirectRegister<bit<32>>() r; DirectRegisterAction<bit<32>, bit<32>>(r) a = { void apply(inout bit<32> v, out bit<32> o) { o = v; v = v + 1; } }; action hit() { md.z = a.execute(); } table t { key = { hdr.eth.dst : exact; } actions = { hit; } registers = r; }", apply: "t.apply();"},
		{name: "`RegisterParam`", locals: "RegisterParam<bit<32>>(7) r;", apply: "md.z = r.read();"},
		{name: "`MathUnit`", locals: "MathUnit<bit<32>>(MathOp_t.SQR, 1) m;", apply: "md.z = m.execute(md.z);"},
		{name: "`Hash`: IDENTITY, XOR8, XOR16, XOR32, CRC8, CRC16, CRC64", locals: "Hash<bit<8>>(HashAlgorithm_t.XOR8) a; Hash<bit<16>>(HashAlgorithm_t.CRC16) b; Hash<bit<32>>(HashAlgorithm_t.IDENTITY) d;", apply: "md.x = a.get({ hdr.eth.dst }); md.y = b.get({ hdr.eth.dst[2:0], hdr.eth.type }); md.z = d.get({ md.x, md.y });"},
		{name: "`Hash`: CRC32, polynomials of one's own, `@symmetric`", locals: "CRCPolynomial<bit<16>>(0x1021, false, false, false, 0, 0) p; Hash<bit<16>>(HashAlgorithm_t.CUSTOM, p) a; @symmetric(\"hdr.eth.dst\", \"hdr.eth.src\") Hash<bit<32>>(HashAlgorithm_t.CRC32) b;", apply: "md.y = a.get({ hdr.eth.dst }); md.z = b.get({ hdr.eth.dst, hdr.eth.src });"},
		{name: "`Hash` of fields of more than 64 bits", locals: "Hash<bit<16>>(HashAlgorithm_t.CRC16) a;", apply: "md.y = a.get({ hdr.wide.a });"},
		{name: "`Random`", locals: "Random<bit<16>>() r;", apply: "md.y = r.get();"},
		{name: "`Digest`", types: "struct dig_t { bit<48> a; }\n#define DEPARSER_LOCALS Digest<dig_t>(1) d;", apply: "ig_dprsr_md.digest_type = 1;", deparser: "d.pack({ hdr.eth.src });"},
		{name: "`Mirror`", types: "#define DEPARSER_LOCALS Mirror(1) m;", deparser: "m.emit(10w1);"},
		{name: "`Resubmit`", types: "#define DEPARSER_LOCALS Resubmit(1) r;", deparser: "r.emit();"},
	}},
	{"Forwarding", []construct{
		{name: "unicast and `mcast_grp_a`", apply: "ig_tm_md.mcast_grp_a = md.y;"},
		{name: "`bypass_egress`", apply: "ig_tm_md.bypass_egress = 1;"},
		{name: "`mcast_grp_b`", apply: "ig_tm_md.mcast_grp_b = md.y;"},
		{name: "`copy_to_cpu`", apply: "ig_tm_md.copy_to_cpu = 1;"},
	}},
}

// program is the text of a construct's program.
func (c *construct) program() string {
	orElse := func(s, or string) string { return cmp.Or(s, or) }
	table, apply := "", c.apply
	if c.key != "" {
		table = fmt.Sprintf("table keyed { key = { %s } actions = { send; } size = %d; IMPLEMENTATION }", c.key, orInt(c.size, 1024))
		apply += "keyed.apply();"
	}
	var b strings.Builder
	fmt.Fprintf(&b, "#include <core.p4>\n#include <tna.p4>\n")
	fmt.Fprintf(&b, "header eth_h { bit<48> dst; bit<48> src; bit<16> type; }\nheader tag_h { bit<8> a; }\nheader small_h { bit<16> a; }\nheader wide_h { bit<128> a; bit<128> b; }\nstruct port_md_t { bit<8> a; }\n")
	fmt.Fprintln(&b, c.types)
	for _, m := range []string{"MORE", "VALUE_SET", "IMPLEMENTATION", "DEPARSER_LOCALS"} {
		fmt.Fprintf(&b, "#ifndef %s\n#define %s\n#endif\n", m, m)
	}
	fmt.Fprintf(&b, `struct headers_t { eth_h eth; tag_h tag; tag_h[2] stack; wide_h wide; MORE }
struct meta_t { bit<8> x; bit<16> y; bit<32> z; }
parser IgPrsr(packet_in pkt, out headers_t hdr, out meta_t md, out ingress_intrinsic_metadata_t ig_intr_md) {
    VALUE_SET
    state start { pkt.extract(ig_intr_md); %s pkt.extract(hdr.eth); transition select(hdr.eth.type) { 7 : wide; default : more; } }
    state wide { pkt.extract(hdr.wide); transition accept; }
    %s
}
control Ig(inout headers_t hdr, inout meta_t md, in ingress_intrinsic_metadata_t ig_intr_md, in ingress_intrinsic_metadata_from_parser_t ig_prsr_md,
           inout ingress_intrinsic_metadata_for_deparser_t ig_dprsr_md, inout ingress_intrinsic_metadata_for_tm_t ig_tm_md) {
    action send(PortId_t port) { ig_tm_md.ucast_egress_port = port; }
    %s
    %s
    apply { ig_tm_md.ucast_egress_port = 2; %s hdr.eth.type = md.y + (bit<16>)md.x + md.z[15:0]; }
}
control IgDprs(packet_out pkt, inout headers_t hdr, in meta_t md) { DEPARSER_LOCALS apply { %s pkt.emit(hdr); } }
parser EgPrsr(packet_in pkt, out headers_t hdr, out meta_t md, out egress_intrinsic_metadata_t eg_intr_md) { state start { pkt.extract(eg_intr_md); transition accept; } }
control Eg(inout headers_t hdr, inout meta_t md, in egress_intrinsic_metadata_t eg_intr_md, in egress_intrinsic_metadata_from_parser_t eg_prsr_md,
           inout egress_intrinsic_metadata_for_deparser_t eg_dprsr_md, inout egress_intrinsic_metadata_for_output_port_t eg_oport_md) { apply { } }
control EgDprs(packet_out pkt, inout headers_t hdr, in meta_t md) { apply { } }
Pipeline(IgPrsr(), Ig(), IgDprs(), EgPrsr(), Eg(), EgDprs()) pipe;
Switch(pipe) main;
`, c.start(), orElse(c.states, "state more { transition accept; }"), c.locals, table, apply, c.deparser)
	return b.String()
}

// start is how the parser passes the port metadata.
func (c *construct) start() string { return cmp.Or(c.parser, "pkt.advance(PORT_METADATA_SIZE);") }

func orInt(n, or int) int { return cmp.Or(n, or) }

// answers says, for each target, why it does not take a program; "" if it does.
func (c *construct) answers() (map[string]string, error) {
	prog, l := lang.Compile(lang.Options{Path: "row.p4", Source: []byte(c.program())})
	out := map[string]string{}
	if prog == nil {
		for _, d := range l.Items {
			if d.Severity != diag.Error {
				continue
			}
			// Errors of the lowering are about constructs; any other says that the row itself is wrong.
			if d.Code < diag.Unsupported && d.Code != diag.Width {
				return nil, fmt.Errorf("%s: %s", c.name, d.Format())
			}
			for _, t := range []string{"interp", "xdp"} {
				out[t] = d.Message
			}
			return out, nil
		}
	}
	for _, x := range p4xc.Checks() {
		if x.Target == "tofino" {
			continue
		}
		var cannot ir.Errors
		switch err := x.Check(prog); {
		case err == nil:
		case errors.As(err, &cannot):
			out[x.Target] = cannot[0].Text
		default:
			return nil, fmt.Errorf("%s: %w", c.name, err)
		}
	}
	return out, nil
}

// render writes docs/p4.md.
func render() ([]byte, error) {
	var b bytes.Buffer
	b.WriteString("# What the compiler takes\n\n" +
		"`p4xc` compiles P4_16 programs for the Tofino Native Architecture (TNA) of Tofino 1. This page says what the interpreter and XDP\n" +
		"do of it, and why not. `go test ./test/public -update` writes the page: each row is a small program that is checked as `p4xc check` does.\n" +
		"`make p4-public CHECKOUT=DIR` checks public programs: a checkout of p4lang/p4c or of p4lang/open-p4studio.\n")
	for _, topic := range constructs {
		fmt.Fprintf(&b, "\n## %s\n\n| construct | interpreter | XDP |\n|---|---|---|\n", topic.topic)
		for _, c := range topic.rows {
			a, err := c.answers()
			if err != nil {
				return nil, err
			}
			cell := func(why string) string {
				if why == "" {
					return "yes"
				}
				return "no: " + strings.ReplaceAll(why, "|", "\\|")
			}
			fmt.Fprintf(&b, "| %s | %s | %s |\n", c.name, cell(a["interp"]), cell(a["xdp"]))
		}
	}
	for _, list := range []struct {
		title, what string
		fields      map[string]string
	}{
		{"Intrinsic fields that are always zero", "A program reads zero from these on every target.", ir.IntrZero},
		{"Intrinsic fields without an effect", "A program may write these, and reads back what it wrote. No target looks at them.", ir.IntrIgnored},
	} {
		fmt.Fprintf(&b, "\n## %s\n\n%s\n\n| field | why |\n|---|---|\n", list.title, list.what)
		for _, f := range slices.Sorted(maps.Keys(list.fields)) {
			fmt.Fprintf(&b, "| `%s` | %s |\n", f, list.fields[f])
		}
	}
	return b.Bytes(), nil
}
