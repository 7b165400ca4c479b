// Inlining: controls, functions, actions, with every direction.
#include "prelude.p4"
#define OWN_INGRESS

bit<8> clamp(in bit<8> v, in bit<8> limit) {
    if (v > limit) {
        return limit;
    }
    return v;
}

void swap(inout bit<8> a, inout bit<8> b) {
    bit<8> t = a;
    a = b;
    b = t;
}

struct pair_t { bit<8> lo; bit<8> hi; }

control Adder(inout bit<8> x, in bit<8> by, out bool wrapped)(bit<8> bias, bool check) {
    bit<8> before = x;
    action bump() { x = x + by + bias; }
    table t {
        key = { x : exact; by : ternary @name("by"); }
        actions = { bump; }
        const default_action = bump();
    }
    apply {
        t.apply();
        wrapped = false;
        if (check) {
            wrapped = x < before;
            if (wrapped) {
                return;
            }
        }
        x = x |+| 1;
    }
}

control Direct(in headers_t hdr, inout meta_t md) {
    apply {
        if (hdr.one.isValid() && hdr.one == hdr.two) {
            md.x = hdr.one.a;
        }
    }
}

control Ig(INGRESS_PARAMS) {
    Adder(3, true) first;
    Adder(bias = 0, check = false) second;
    pair_t p = { 1, 2 };
    action set(inout bit<8> v, bit<8> n) { v = v ^ n; md.flag = 0; }
    action own(inout bit<8> v, bit<8> n) { v = v ^ n; md.x = 0; }
    action plain() { set(hdr.one.b, 5); own(md.x, 6); }
    action done() { md.flag = 1; return; }
    table t {
        key = { hdr.one.a : exact; }
        actions = { set(md.x); plain; done; @defaultonly NoAction; }
        default_action = set(md.x, 9);
        const entries = {
            1 : plain();
            2 : set(md.x, 7);
        }
    }
    table u { actions = { done; } }
    apply {
        bool w;
        first.apply(md.x, hdr.one.a, w);
        second.apply(hdr.two.a, 1, md.ok);
        Direct.apply(hdr, md);
        swap(p.lo, p.hi);
        swap(md.y[7:0], md.x);
        md.x = clamp(md.x, 100) + clamp(p.lo, 1);
        p = { p.hi, p.lo };
        hdr.two = hdr.one;
        hdr.one = { 7, 8 };
        hdr.one = { b = 1, a = 2 };
        hdr.eth = {#};
        switch (t.apply().action_run) {
            set:
            plain: { md.y = 1; }
            done: { exit; }
            default: { md.y = 2; }
        }
        if (md.flag == 1 && !u.apply().hit || t.apply().miss) {
            md.y = 3;
        }
        if (w) { done(); }
        switch (md.x) {
            1:
            2: { md.y = 4; }
            3: { md.y = 5; }
            default: { md.y = 6; }
        }
    }
}
#include "finish.p4"
