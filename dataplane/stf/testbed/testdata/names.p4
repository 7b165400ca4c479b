// Names that C has taken, or that the generated C uses itself.
#include "include/frame.p4"

header int_h { bit<8> char; bit<8> linux; bit<16> HIT; bit<16> P4_ALL; bit<32> length_; bit<32> length; }
struct in_h { int_h b_c; }
struct headers_t { eth_h eth; int_h a_b_c; in_h a_b; in_h a; int_h IN_hdr_eth; }
struct meta_t { bit<8> x; bit<16> double; bit<8> __bpf__; bit<8> u32; }
struct pair_t { bit<16> first; bit<16> second; }

INGRESS_PARSER(Prsr) {
    bit<8> data = 3;
    START
    state body { transition out_; }
    state out_ { pkt.extract(hdr.a_b_c); transition partial; }
    state partial { pkt.extract(hdr.a_b.b_c); md.x = data; transition no_match; }
    state no_match { pkt.extract(hdr.a.b_c); transition accept; }
}
INGRESS(Ctl) {
    bit<8> m;
    bit<8> s;
    bit<16> time = 1;
    bit<16> length = 2;
    bit<1> valid = 1;
    bit<1> valid_ = 0;
    bit<8> extracted = 0;
    bit<8> contention = 0;
    bit<9> unicast = 3;
    bit<8> md_;
    bit<8> switch_;
    Register<pair_t, bit<8>>(4) row;
    RegisterAction<pair_t, bit<8>, bit<16>>(row) now = {
        void apply(inout pair_t old, out bit<16> old_first) {
            old_first = old.first;
            old.first = old.first + length;
            old.second = old.second + time;
        }
    };
    RegisterAction<pair_t, bit<8>, bit<16>>(row) now_again = {
        void apply(inout pair_t cell, out bit<16> new) { cell.first = cell.first + 1; new = cell.first; }
    };
    Counter<bit<64>, bit<8>>(4, CounterType_t.PACKETS) count;
    Counter<bit<64>, bit<8>>(4, CounterType_t.PACKETS) c_count;
    action parse(bit<8> s, bit<8> value, PortId_t index) { m = s; md.x = value; ig_tm_md.ucast_egress_port = index; }
    action size(PortId_t size, bit<8> u8, bit<8> ctx) { ig_tm_md.ucast_egress_port = size; m = u8; hdr.eth.dst[7:0] = ctx; }
    action drop(bit<8> drop) { m = drop; }
    @name("action") action act(PortId_t port) { ig_tm_md.ucast_egress_port = port; }
    action x_apply(bit<8> s) { m = s; }
    action set_hdr_eth_dst(bit<48> to) { hdr.eth.dst = to; }
    @name("a.b") action ab() { md.u32 = 1; }
    @name("a_b") action a_b() { md.u32 = 2; }
    table rewrite {
        key = { hdr.eth.dst : exact @name("prefix"); hdr.eth.type : exact @name("a.b"); hdr.eth.src : exact @name("a_b"); }
        actions = { parse; size; drop; act; x_apply; set_hdr_eth_dst; ab; a_b; }
    }
    table prefix {
        key = { hdr.eth.dst[31:0] : lpm @name("prefix"); hdr.eth.type : exact @name("pad_"); }
        actions = { parse; size; drop; }
    }
    table x {
        key = { m : ternary @name("valid"); }
        actions = { drop; act; }
        size = 8;
    }
    apply {
        m = 0;
        s = 1;
        md_ = 2;
        switch_ = 4;
        rewrite.apply();
        prefix.apply();
        x.apply();
        count.count(s);
        c_count.count(s);
        md.double = now.execute(1);
        md.__bpf__ = 7;
        hdr.a_b_c.HIT = md.double;
        hdr.a_b_c.char = m;
        hdr.a_b.b_c.length_ = 0x11111111;
        hdr.a_b.b_c.length = 0x22222222;
        hdr.a.b_c.P4_ALL = time + length;
        hdr.a.b_c.linux = md.__bpf__ + md_ + switch_ + extracted + contention;
        hdr.a.b_c.char = md.x;
        if (valid == 1 && valid_ == 0 && hdr.eth.type == 0x88b6) { hdr.a.b_c.HIT = now_again.execute(2); }
        if (ig_tm_md.ucast_egress_port == 0) { ig_tm_md.ucast_egress_port = unicast; }
        hdr.IN_hdr_eth.setValid();
        hdr.IN_hdr_eth.char = md.u32;
    }
}
DEPARSER(Dprs) { apply { pkt.emit(hdr); } }
EGRESS_PARSER(EgPrsr) { state start { pkt.extract(eg_intr_md); transition accept; } }
EGRESS(EgCtl) { apply { } }
DEPARSER(EgDprs) { apply { } }
Pipeline(Prsr(), Ctl(), Dprs(), EgPrsr(), EgCtl(), EgDprs()) pipe;
Switch(pipe) main;
