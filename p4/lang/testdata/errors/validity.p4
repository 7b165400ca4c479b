// Writes to headers that are not valid. P4507
#include "prelude.p4"
#define OWN_INGRESS
control Ig(INGRESS_PARAMS) {
    action mark(bit<8> v) { hdr.two.b = v; } // valid for the second table
    action here() { hdr.one.setValid(); }
    table first { actions = { mark; here; } default_action = mark(1); }
    table second { actions = { mark; } const default_action = mark(2); }
    apply {
        hdr.one.a = 1; // WARN P4507 "hdr.one is not valid here: P4 does not say"
        first.apply();
        hdr.one.b = 2; // it may be valid
        hdr.eth.type = 3;
        if (!hdr.eth.isValid()) {
            hdr.eth.type = 4; // nothing comes here
        }
        hdr.two.setValid();
        hdr.two.a = 5;
        second.apply();
        if (md.x == 1 && !hdr.one.isValid()) {
            hdr.one.a = 6; // WARN P4507 "hdr.one is not valid here"
        }
        hdr.eth.setInvalid();
        hdr.eth.type = 7; // WARN P4507 "hdr.eth is not valid here, and nothing makes it valid: this value is lost"
    }
}
#include "finish.p4"
