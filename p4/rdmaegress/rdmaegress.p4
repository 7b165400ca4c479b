/* rdma.p4 for a chip of several pipes: the egress of the leader's port gathers. */
#define GATHER_IN_EGRESS
#include "../rdma/rdma.p4"
