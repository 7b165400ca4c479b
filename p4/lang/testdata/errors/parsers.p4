// Parsers. P4405 P4406 P4408 P4102
#include "prelude.p4"
parser A(packet_in pkt, out headers_t hdr, out meta_t md) { // ERROR P4406 "parser A has no state start"
    state begin { // there is no start
        transition accept;
    }
    state accept { } // ERROR P4406 "is predefined"
    state begin { } // ERROR P4203 "state .begin. is declared twice"
    state x {
        if (md.ok) { }
        return; // ERROR P4408 "cannot return"
        transition begun; // ERROR P4406 "did you mean begin"
    }
    state y {
        transition select(md.x, md.y) {
            (1, 2): accept;
            (1, 2, 3): accept; // ERROR P4405 "3 values for 2 keys"
            (256w1, 2): accept; // ERROR P4301 "where bit<8>"
            (_, _): accept;
            (1, 3): accept; // WARN P4405 "never reached"
        }
    }
    state z {
        transition select(hdr.eth) { default: accept; } // ERROR P4405 "cannot be over"
    }
    state w {
        hdr.eth.type = hdr.eth.type + md.y;
        exit; // ERROR P4408 "exit is only allowed"
        transition select(md.x) { } // ERROR P4405 "has no cases"
    }
}
parser B(packet_in pkt, out headers_t hdr) { // ERROR P4406 "parser B has no state start"
    state s { transition accept; }
}
