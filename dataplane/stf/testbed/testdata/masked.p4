// Constant entries that look at some bits of wide numbers, and a hash that moves bits.
#include "include/frame.p4"

struct headers_t { eth_h eth; }
struct meta_t { bit<32> number; bit<16> low; bit<16> ignored; bit<8> entry; bit<32> moved; }

INGRESS_PARSER(Prsr) { START state body { transition accept; } }
INGRESS(Ctl) {
    Hash<bit<32>>(HashAlgorithm_t.IDENTITY) move;

    action says(bit<8> entry) { md.entry = entry; }

    table masked {
        key = { md.number : ternary; md.ignored : ternary; md.low : ternary; }
        actions = { says; }
        const default_action = says(99);
        const entries = {
            (0x80000000 &&& 0x80000000, _, _) : says(1);
            (0x20000000 &&& 0x60000000, _, 0x0010 &&& 0x0030) : says(2);
            (0x40000000 &&& 0x60000000, _, 0x0020 &&& 0x0020) : says(3);
            (_, _, 0x0030 &&& 0x0030) : says(4);
            (0 &&& 0x60000000, _, _) : says(5);
        }
        size = 8;
    }
    apply {
        ig_tm_md.ucast_egress_port = 2;
        md.number = hdr.eth.dst[47:16];
        md.low = hdr.eth.dst[15:0];
        md.ignored = hdr.eth.src[15:0];
        masked.apply();
        md.moved = move.get({ hdr.eth.dst[37:6] });
        hdr.eth.src[47:40] = md.entry;
        hdr.eth.src[31:0] = md.moved;
    }
}
DEPARSER(Dprs) { apply { pkt.emit(hdr); } }
EGRESS_PARSER(EgPrsr) { state start { pkt.extract(eg_intr_md); transition accept; } }
EGRESS(EgCtl) { apply { } }
DEPARSER(EgDprs) { apply { pkt.emit(hdr); } }
Pipeline(Prsr(), Ctl(), Dprs(), EgPrsr(), EgCtl(), EgDprs()) pipe;
Switch(pipe) main;
