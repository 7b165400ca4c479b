// Blocks that do not fit their places. P4301 P4307 P4309
#include "prelude.p4"
#define OWN_MAIN
#include "finish.p4"
Pipeline(IgPrsr(), IgDprs(), IgDprs(), EgPrsr(), Eg(), EgDprs()) p1; // ERROR P4301 "argument of type control IgDprs"
Pipeline(IgPrsr(), Ig(), IgDprs()) p2; // ERROR P4307 "parameter .egress_parser. is missing"
Ig() instance_outside; // ERROR P4408 "cannot be instantiated here"
extern main { } // ERROR P4204 "main is the name"
