// P4308 P4102
#include "prelude.p4"
control A(in packet_in p) { apply { } } // ERROR P4308 "cannot have a direction"
control B(inout meta_t m)(in bit<8> n) { apply { } } // ERROR P4308 "constructor parameter has no direction"
control G<T>(inout T m) { apply { } }
