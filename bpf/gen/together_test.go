package gen_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/p4ce/p4ce/bpf/gen"
	"github.com/p4ce/p4ce/p4/lang"
)

// TestTogether: tables with the same keys and entries are one question; those that
// differ, or whose question an earlier one changes, are not.
func TestTogether(t *testing.T) {
	const table = `
    action NAME_a() { DOES }
    action NAME_b() { md.NAME = 2; }
    table NAME {
        key = { md.k : exact; md.one : exact; }
        actions = { NAME_a; NAME_b; @defaultonly NoAction; }
        const default_action = NoAction();
        const entries = { (1, 1) : NAME_a(); (SECOND, 1) : NAME_b(); }
    }`
	make := func(name, second, does string) string {
		return strings.NewReplacer("NAME", name, "SECOND", second, "DOES", does).Replace(table)
	}
	source := `
#include <core.p4>
#include <tna.p4>
header eth_h { bit<48> dst; bit<48> src; bit<16> type; }
struct headers_t { eth_h eth; }
struct meta_t { bit<8> k; bit<1> one; bit<8> p; bit<8> q; bit<8> r; bit<8> s; bit<8> t; }
parser Prsr(packet_in pkt, out headers_t hdr, out meta_t md, out ingress_intrinsic_metadata_t ig_intr_md) {
    state start {
        pkt.extract(ig_intr_md);
        pkt.advance(PORT_METADATA_SIZE);
        md = { 0, 1, 0, 0, 0, 0, 0 };
        pkt.extract(hdr.eth);
        transition accept;
    }
}
control Ctl(inout headers_t hdr, inout meta_t md, in ingress_intrinsic_metadata_t ig_intr_md,
            in ingress_intrinsic_metadata_from_parser_t ig_prsr_md,
            inout ingress_intrinsic_metadata_for_deparser_t ig_dprsr_md,
            inout ingress_intrinsic_metadata_for_tm_t ig_tm_md) {` +
		make("p", "2", "md.p = 1;") + make("q", "2", "md.q = 1;") + make("r", "2", "md.r = 1; md.k = 2;") + make("s", "2", "md.s = 1;") + make("t", "3", "md.t = 1;") + `
    apply {
        md.k = hdr.eth.dst[7:0];
        ig_tm_md.ucast_egress_port = 1;
        p.apply();
        q.apply();
        r.apply();
        s.apply();
        t.apply();
        hdr.eth.type = md.p ++ md.q;
        hdr.eth.src = md.r ++ md.s ++ md.t ++ 24w0;
    }
}
control Dprs(packet_out pkt, inout headers_t hdr, in meta_t md,
             in ingress_intrinsic_metadata_for_deparser_t ig_dprsr_md) { apply { pkt.emit(hdr); } }
parser EgPrsr(packet_in pkt, out headers_t hdr, out meta_t md, out egress_intrinsic_metadata_t eg_intr_md) {
    state start { pkt.extract(eg_intr_md); transition accept; }
}
control EgCtl(inout headers_t hdr, inout meta_t md, in egress_intrinsic_metadata_t eg_intr_md,
              in egress_intrinsic_metadata_from_parser_t eg_prsr_md,
              inout egress_intrinsic_metadata_for_deparser_t eg_dprsr_md,
              inout egress_intrinsic_metadata_for_output_port_t eg_oport_md) { apply { } }
control EgDprs(packet_out pkt, inout headers_t hdr, in meta_t md,
               in egress_intrinsic_metadata_for_deparser_t eg_dprsr_md) { apply { } }
Pipeline(Prsr(), Ctl(), Dprs(), EgPrsr(), EgCtl(), EgDprs()) pipe;
Switch(pipe) main;
`
	prog, diags := lang.Compile(lang.Options{Path: "together.p4", Source: []byte(source)})
	require.NoError(t, diags.Err())
	files, err := gen.Generate(prog)
	require.NoError(t, err)
	code := string(files[gen.CFile(prog.Name)])
	// r changes what it asks for: what follows it asks anew.
	require.Contains(t, code, "/* tables p, q, r */")
	require.Equal(t, 1, strings.Count(code, "/* tables "))
	require.Contains(t, code, "in_s_apply(s);")
	require.Contains(t, code, "in_t_apply(s);")
	require.NotContains(t, code, "in_q_apply")
}
