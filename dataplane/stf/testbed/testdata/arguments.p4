// Arguments are evaluated from left to right, each is a value from then on, and out arguments are stored in their order
// when the call ends. The type of a packet says which call it sees.
#include "include/frame.p4"

header four_h { bit<8> a; bit<8> b; bit<8> c; bit<8> d; }
header tag_h { bit<8> v; }
struct headers_t { eth_h eth; four_h w; tag_h tag; }
struct meta_t { bit<8> x; bit<8> y; }
struct pair_t { bit<8> lo; bit<8> hi; }

bit<8> three(out bit<8> v) { v = 3; return 8; }
bit<8> both(in bit<8> x, in bit<8> y) { return x | y; }
void add(inout bit<8> x, in bit<8> y) { x = x + y; }
void two(inout bit<8> x, inout bit<8> y) { x = x + 1; y = y + 2; }
bit<8> twice(inout bit<8> x) { return x + three(x); }
bool none(inout tag_h t) { t.setInvalid(); return false; }
bit<8> valid(in bool was, in bool is) { return was ? 8w1 : 8w2; }
bit<8> first(in tag_h t, in bool is) { return t.isValid() ? t.v : 8w0; }

control Sub(inout bit<8> x, in bit<8> by) {
    action bump() { x = x + by; }
    table bumps { key = { x : exact; } actions = { bump; } const default_action = bump(); size = 4; }
    apply { bumps.apply(); }
}

INGRESS_PARSER(Prsr) {
    START
    state body { pkt.extract(hdr.w); pkt.extract(hdr.tag); transition accept; }
}
INGRESS(Ctl) {
    Register<bit<8>, bit<8>>(16) cells;
    Sub() sub;
    action act(in bit<8> x, in bit<8> y) { hdr.w.c = x; hdr.w.d = y; }
    action nine() { hdr.w.a = 9; }
    action calls(in bit<8> x) { nine(); hdr.w.b = x; }
    action leaves(inout bit<8> x) { x = 7; hdr.w.b = hdr.w.a; exit; }
    action sum(inout bit<8> x, in bit<8> y) { x = x + 1; hdr.w.c = y; hdr.w.d = hdr.w.a; }
    action one(inout bit<8> x) { x = x + 1; hdr.w.d = hdr.w.a; }
    action plus(in bit<8> x) { hdr.w.a = 0; hdr.w.b = x; }
    action fresh(bit<8> n) {
        tag_h t;
        hdr.w.c = t.isValid() ? 8w1 : 8w2;
        t.setValid();
        hdr.w.d = n;
    }
    action matched() { hdr.w.d = 1; }
    action other() { hdr.w.d = 2; }
    table sums { key = { hdr.w.a : exact; } actions = { sum(hdr.w.a, hdr.w.a); } const default_action = sum(hdr.w.a, hdr.w.a); size = 4; }
    table ones { key = { hdr.w.a : exact; } actions = { one(hdr.w.a); } const default_action = one(hdr.w.a); size = 4; }
    table pluses { key = { hdr.w.a : exact; } actions = { plus(hdr.w.a + 1); } const default_action = plus(hdr.w.a + 1); size = 4; }
    table freshes1 { key = { hdr.w.a : exact; } actions = { fresh; } const default_action = fresh(1); size = 4; }
    table freshes2 { key = { hdr.w.a : exact; } actions = { fresh; } const default_action = fresh(2); size = 4; }
    table keys {
        key = { hdr.w.a : exact @name("a"); three(hdr.w.a) : exact @name("g"); }
        actions = { matched; other; }
        const default_action = other();
        const entries = { (0x10, 8) : matched(); }
    }
    apply {
        pair_t p = { 0, 0 };
        ig_tm_md.ucast_egress_port = 2;
        if (hdr.eth.type == 1) { hdr.w.b = both(hdr.w.a, three(hdr.w.a)); }
        else if (hdr.eth.type == 2) { act(hdr.w.a, three(hdr.w.a)); }
        else if (hdr.eth.type == 3) { add(hdr.w.a, three(hdr.w.a)); }
        else if (hdr.eth.type == 4) { p = { hdr.w.a, three(hdr.w.a) }; hdr.w.c = p.lo; hdr.w.d = p.hi; }
        else if (hdr.eth.type == 5) { hdr.w.b = valid(hdr.tag.isValid(), none(hdr.tag)); }
        else if (hdr.eth.type == 6) { calls(hdr.w.a); }
        else if (hdr.eth.type == 7) { sums.apply(); }
        else if (hdr.eth.type == 8) { two(hdr.w.a, hdr.w.a); }
        else if (hdr.eth.type == 9) { leaves(hdr.w.a); hdr.w.c = 0xff; }
        else if (hdr.eth.type == 10) { sub.apply(hdr.w.a, hdr.w.b); sub.apply(hdr.w.c, hdr.w.d + 1); }
        else if (hdr.eth.type == 11) { hdr.w.b = twice(hdr.w.a[7:0]); }
        else if (hdr.eth.type == 12) { cells.write(hdr.w.b, three(hdr.w.b)); hdr.w.c = cells.read(5); hdr.w.d = cells.read(3); }
        else if (hdr.eth.type == 13) { keys.apply(); }
        else if (hdr.eth.type == 14) { hdr.w.b = min(hdr.w.a, three(hdr.w.a)); }
        else if (hdr.eth.type == 15) { pluses.apply(); }
        else if (hdr.eth.type == 16) { freshes1.apply(); hdr.w.b = hdr.w.c; freshes2.apply(); }
        else if (hdr.eth.type == 17) { hdr.w.b = first(hdr.tag, none(hdr.tag)); }
        else if (hdr.eth.type == 18) { if ({ hdr.w.a, hdr.w.b } == { hdr.w.a, three(hdr.w.a) }) { hdr.w.c = 1; } }
        else if (hdr.eth.type == 19) { ones.apply(); }
    }
}
DEPARSER(Dprs) { apply { pkt.emit(hdr); } }
EGRESS_PARSER(EgPrsr) { state start { pkt.extract(eg_intr_md); transition accept; } }
EGRESS(EgCtl) { apply { } }
DEPARSER(EgDprs) { apply { pkt.emit(hdr); } }
Pipeline(Prsr(), Ctl(), Dprs(), EgPrsr(), EgCtl(), EgDprs()) pipe;
Switch(pipe) main;
