// The port metadata: a table gives them, wherever the parser reads them; a port without an entry has zeros. The way of resubmitted
// packets reads something else there.
#include "include/frame.p4"

header tag_h { bit<16> tag; }
struct port_md_t { bit<9> vrf; bit<23> label; bit<8> kind; }
struct nothing_t { }
struct headers_t { eth_h eth; tag_h tag; nothing_t nothing; }
struct meta_t { port_md_t port; bit<9> again; bit<16> before; }

INGRESS_PARSER(Prsr) {
    state start {
        pkt.extract(ig_intr_md);
        md.before = 0x11;
        transition select(ig_intr_md.resubmit_flag) { 1 : resubmitted; _ : fresh; }
    }
    state resubmitted { pkt.extract(hdr.tag); transition reject; }
    state fresh {
        port_md_t ahead = pkt.lookahead<port_md_t>();
        md.again = ahead.vrf;
        transition select(ahead.kind) { 7 : skip; default : unpack; }
    }
    state skip { pkt.advance(48); pkt.advance(16); transition frame; }
    state unpack { md.port = port_metadata_unpack<port_md_t>(pkt); transition frame; }
    state frame { pkt.extract(hdr.eth); transition accept; }
}
INGRESS(Ctl) {
    apply {
        hdr.eth.src = 7w0 ++ md.port.vrf ++ 9w0 ++ md.port.label;
        hdr.eth.type = 7w0 ++ md.again;
        ig_tm_md.ucast_egress_port = 2;
        // No target looks at these; the program reads what it wrote.
        ig_tm_md.qid = 3;
        ig_tm_md.rid = 0x1234;
        ig_tm_md.level1_exclusion_id = ig_tm_md.rid;
        hdr.tag.setValid();
        hdr.tag.tag = ig_tm_md.level1_exclusion_id + (bit<16>)ig_tm_md.qid + (bit<16>)ig_intr_md.packet_version + md.before;
    }
}
DEPARSER(Dprs) { apply { pkt.emit(hdr); pkt.emit(hdr.nothing); } }
EGRESS_PARSER(EgPrsr) { state start { pkt.extract(eg_intr_md); pkt.extract(hdr.eth); pkt.extract(hdr.tag); transition accept; } }
EGRESS(EgCtl) { apply { hdr.eth.dst = hdr.eth.dst + (bit<48>)eg_intr_md.deq_qdepth + (bit<48>)eg_intr_md.enq_tstamp; } }
DEPARSER(EgDprs) { apply { pkt.emit(hdr); } }
Pipeline(Prsr(), Ctl(), Dprs(), EgPrsr(), EgCtl(), EgDprs()) pipe;
Switch(pipe) main;
