// What is written to a header before it is made valid stays, in the metadata between ingress and egress, too. Without a
// write its fields are zero, and so they are when it has been made invalid. Nothing makes eth valid: what is written to it
// while it is invalid is lost. The low bits of the source say which.
#include "include/frame.p4"

header bridge_h { bit<16> tag; bit<8> kind; bit<7> odd; bit<1> last; }
header four_h { bit<8> a; bit<8> b; bit<8> c; bit<8> d; }
struct headers_t { bridge_h bridge; eth_h eth; four_h w; four_h copy; }
struct meta_t { bit<8> x; }

INGRESS_PARSER(Prsr) { START state body { transition accept; } }
INGRESS(Ctl) {
    action mark(bit<8> v) { hdr.w.a = v; hdr.w.c = hdr.w.c + 1; }
    table marks { key = { hdr.eth.src[7:0] : exact; } actions = { mark; @defaultonly NoAction; } const entries = { 2 : mark(0x22); 3 : mark(0x33); } size = 4; }
    apply {
        ig_tm_md.ucast_egress_port = 2;
        hdr.bridge.tag = hdr.eth.src[23:8];
        hdr.bridge.last = 1;
        marks.apply();
        hdr.w.b = hdr.w.a + 1;
        hdr.w.d[3:0] = 5;
        if (hdr.eth.src[7:0] == 3) {
            hdr.w.setValid();
            hdr.w.setInvalid();
            hdr.w.d = 7;
        }
        if (hdr.eth.src[7:0] == 4) {
            hdr.copy = hdr.w;
            hdr.copy.setValid();
        }
        if (hdr.eth.src[7:0] == 5) {
            hdr.eth.setInvalid();
            hdr.eth.type = 0x1234;
            hdr.bridge.tag = hdr.eth.type;
            hdr.bridge.setValid();
            hdr.bridge.setInvalid();
            hdr.bridge.kind = 9;
        }
        if (hdr.eth.src[7:0] != 1) {
            hdr.w.setValid();
        }
        hdr.bridge.setValid();
    }
}
DEPARSER(Dprs) { apply { pkt.emit(hdr); } }
EGRESS_PARSER(EgPrsr) {
    state start { pkt.extract(eg_intr_md); pkt.extract(hdr.bridge); transition accept; }
}
EGRESS(EgCtl) {
    apply {
        hdr.copy.a = hdr.bridge.tag[15:8];
        hdr.copy.b = hdr.bridge.tag[7:0];
        hdr.copy.c = hdr.bridge.kind;
        hdr.copy.d = 7w0 ++ hdr.bridge.last;
        hdr.copy.setValid();
    }
}
DEPARSER(EgDprs) { apply { pkt.emit(hdr.copy); } }
Pipeline(Prsr(), Ctl(), Dprs(), EgPrsr(), EgCtl(), EgDprs()) pipe;
Switch(pipe) main;
