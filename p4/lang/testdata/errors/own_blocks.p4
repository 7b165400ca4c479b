// Blocks of a Pipeline that is not TNA's. P4502
#include <core.p4>
header h_t { bit<8> a; }
struct hs { h_t h; }
control C0(inout hs h) { apply { h.h.a = 1; } } // ERROR P4502 "TNA has the packet in this place"
control CT<H>(inout H h);
parser PT<H>(in H p, packet_in pp);
parser P0(in hs p, packet_in pp) { state start { transition accept; } } // ERROR P4502 "TNA has the packet in this place, not struct hs"
package Pipeline<H>(PT<H> p, CT<H> c, CT<H> d, PT<H> p2, CT<H> c2, CT<H> d2);
package Switch<H>(Pipeline<H> p);
Pipeline(P0(), C0(), C0(), P0(), C0(), C0()) pipe;
Switch(pipe) main;
