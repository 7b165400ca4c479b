/* onepipe.p4 for a data plane that only forwards: what the CPU does is left out. */
#define BEACONS_BY_CPU
#include "../onepipe/onepipe.p4"
