// Meters: the colour of a packet is its destination's first byte when it leaves. The low byte of the
// source says which cell of which meter.
#include "include/frame.p4"

struct headers_t { eth_h eth; }
struct meta_t { }

INGRESS_PARSER(Prsr) { START state body { transition accept; } }
INGRESS(Ctl) {
    Meter<bit<8>>(4, MeterType_t.PACKETS) packets;
    Meter<bit<3>>(4, MeterType_t.BYTES) bytes;
    bit<8> color;
    apply {
        if (hdr.eth.src[7:7] == 0) {
            color = packets.execute(hdr.eth.src[7:0]);
        } else {
            color = bytes.execute(hdr.eth.src[2:0]);
        }
        hdr.eth.dst[47:40] = color;
        ig_tm_md.ucast_egress_port = 2;
    }
}
DEPARSER(Dprs) { apply { pkt.emit(hdr); } }
EGRESS_PARSER(EgPrsr) { state start { pkt.extract(eg_intr_md); transition accept; } }
EGRESS(EgCtl) { apply { } }
DEPARSER(EgDprs) { apply { } }
Pipeline(Prsr(), Ctl(), Dprs(), EgPrsr(), EgCtl(), EgDprs()) pipe;
Switch(pipe) main;
