// A checksum over a payload that the program does not see: what the parser subtracts, the deparser adds anew.
#include "include/frame.p4"

header sum_h { bit<16> sum; bit<8> ttl; bit<8> kind; bit<32> address; }
struct headers_t { eth_h eth; sum_h ip; }
struct meta_t { bit<16> rest; }

INGRESS_PARSER(Prsr) {
    Checksum() c;
    START
    state body {
        pkt.extract(hdr.ip);
        c.subtract({ hdr.ip.sum });
        c.subtract({ hdr.ip.ttl, hdr.ip.kind, hdr.ip.address });
        md.rest = c.get();
        transition accept;
    }
}
INGRESS(Ctl) {
    apply {
        hdr.ip.ttl = hdr.ip.ttl - 1;
        hdr.ip.address = 0x0a0b0c0d;
        ig_tm_md.ucast_egress_port = 2;
        ig_tm_md.bypass_egress = 1;
    }
}
control Dprs(packet_out pkt, inout headers_t hdr, in meta_t md) {
    Checksum() c;
    apply {
        hdr.ip.sum = c.update({ hdr.ip.ttl, hdr.ip.kind, hdr.ip.address, md.rest });
        pkt.emit(hdr);
    }
}
EGRESS_PARSER(EgPrsr) { state start { pkt.extract(eg_intr_md); transition accept; } }
EGRESS(EgCtl) { apply { } }
DEPARSER(EgDprs) { apply { } }
Pipeline(Prsr(), Ctl(), Dprs(), EgPrsr(), EgCtl(), EgDprs()) pipe;
Switch(pipe) main;
