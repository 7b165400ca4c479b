// A package called Pipeline that is not TNA's. P4502
#include <core.p4>
header h_t { bit<8> a; }
struct hs { h_t h; }
parser P0(packet_in p, out hs h) { state start { p.extract(h.h); transition accept; } }
control C0(inout hs h) { apply { } }
control D0(packet_out p, in hs h) { apply { p.emit(h); } }
parser PT<H>(packet_in p, out H h);
control CT<H>(inout H h);
control DT<H>(packet_out p, in H h);
package Pipeline<H>(PT<H> p, CT<H> c, DT<H> d);
package Switch<H>(Pipeline<H> p);
Pipeline(P0(), C0(), D0()) pipe; // ERROR P4502 "own Pipeline has 3 blocks; TNA's, which is in tna.p4, has 6"
Switch(pipe) main;
