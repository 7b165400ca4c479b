// P4502
#include "prelude.p4"
const bit<8> last = 1; // ERROR P4502 "no package instance named main"
