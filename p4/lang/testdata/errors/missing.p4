// A file that is missing is all that is said, not what was to be in it. P4010
#include <core.p4>
#include "nowhere.p4" // ERROR P4010 "nowhere.p4.: no such file .looked for"
#include <neither.p4> // ERROR P4010 "neither.p4.: no such file .looked for"
INGRESS_OF(nowhere) {
    apply { hdr.from_nowhere.x = NOWHERE; }
}
