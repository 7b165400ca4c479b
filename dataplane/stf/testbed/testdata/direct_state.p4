// What belongs to the entries of tables: the type says which table, the destination is its key. What the entry's register has is in
// the source's first two bytes when the packet leaves, the colour of its meter in the third. The last byte of the source is the colour
// that the packet has, the one before it is subtracted from its length, less 100.
#include "include/frame.p4"

struct headers_t { eth_h eth; }
struct meta_t { }
struct pair_t { bit<16> count; bit<16> seen; }

INGRESS_PARSER(Prsr) { START state body { transition accept; } }
INGRESS(Ctl) {
    RegisterParam<bit<16>>(3) step;
    Meter<bit<2>>(4, MeterType_t.BYTES) plain;
    bit<8> has = hdr.eth.src[7:0];
    bit<32> less = (bit<32>)hdr.eth.src[15:8] - 100;
#define KIND(n, k, p)                                                                     \
    DirectRegister<pair_t>({ 7, p }) r##n;                                               \
    DirectRegisterAction<pair_t, bit<16>>(r##n) a##n = {                                 \
        void apply(inout pair_t value, out bit<16> rv) {                                \
            value.count = value.count + step.read();                                     \
            rv = value.count + value.seen;                                               \
        }                                                                                \
    };                                                                                   \
    DirectMeter(MeterType_t.BYTES) m##n;                                                 \
    action mark##n(bit<16> v) {                                                          \
        hdr.eth.type = v;                                                                \
        hdr.eth.src[47:32] = a##n.execute();                                             \
        hdr.eth.src[31:24] = m##n.execute((MeterColor_t)has, less);                      \
    }                                                                                    \
    action pass##n() { hdr.eth.src[31:24] = m##n.execute(); }                            \
    table t##n { key = { k } actions = { mark##n; pass##n; } default_action = mark##n(0); registers = r##n; meters = m##n; size = 5; }
    KIND(1, hdr.eth.dst : exact;, 1)
    KIND(2, hdr.eth.dst[7:0] : exact;, 2)
    KIND(3, hdr.eth.dst : ternary; hdr.eth.src[7:7] : ternary;, 3)
    KIND(4, hdr.eth.dst : lpm;, 4)
    DirectRegister<bit<32>>() rc;
    action read_it() { hdr.eth.src[47:16] = rc.read(); rc.write(hdr.eth.src[47:16] + 1); }
    action other() { hdr.eth.src[47:16] = 5; }
    table fixed {
        key = { hdr.eth.dst : exact; }
        actions = { read_it; other; }
        const default_action = other();
        const entries = { 1 : read_it(); 2 : read_it(); }
        registers = rc;
    }
    apply {
        ig_tm_md.ucast_egress_port = 2;
        if (hdr.eth.type == 1) { t1.apply(); }
        else if (hdr.eth.type == 2) { t2.apply(); }
        else if (hdr.eth.type == 3) { t3.apply(); }
        else if (hdr.eth.type == 4) { t4.apply(); }
        else if (hdr.eth.type == 5) { fixed.apply(); }
        else if (hdr.eth.type == 6) { hdr.eth.src[31:24] = plain.execute(hdr.eth.dst[1:0], (MeterColor_t)has); hdr.eth.src[47:32] = step.read(); }
        else { hdr.eth.src[31:24] = plain.execute(hdr.eth.dst[1:0], less); }
    }
}
DEPARSER(Dprs) { apply { pkt.emit(hdr); } }
EGRESS_PARSER(EgPrsr) { state start { pkt.extract(eg_intr_md); transition accept; } }
EGRESS(EgCtl) { apply { } }
DEPARSER(EgDprs) { apply { } }
Pipeline(Prsr(), Ctl(), Dprs(), EgPrsr(), EgCtl(), EgDprs()) pipe;
Switch(pipe) main;
