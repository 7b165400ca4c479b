/* Constants, headers and metadata of rdma.p4.
 *
 * Values are in network byte order; lengths in bytes unless said otherwise. A
 * PSN in the "shifted domain" is a 24-bit PSN in the top three bytes of a
 * 32-bit word (psn << 8): sums wrap by themselves, and the circular order of
 * two PSNs is the sign of their difference.
 *
 * GROUPS, ENDPOINTS, PSN_BITS and WINDOW may be given to the compiler (-D), so that
 * an exhaustive search has few states: -DGROUPS=1 -DENDPOINTS=8 -DPSN_BITS=4 is
 * the same program with 16 PSNs and a window of 4.
 *
 * -DGATHER_IN_EGRESS has the state of a group in the egress of its leader's port, instead of in the
 * ingress of all its ports: registers are per pipe, and the ports of a group may then be on
 * several pipes.
 */
#ifndef P4CE_TYPES_P4
#define P4CE_TYPES_P4

#include "../lib/headers.p4"
#include "../lib/wrapping.p4"
#include "../lib/packet_io.p4"
#include "../lib/roce.p4"

/* Groups per switch, slots (replicas) of them all, and regions beside the groups' first ones. */
#ifndef GROUPS
#define GROUPS 4096
#endif
#ifndef ENDPOINTS
#define ENDPOINTS 32768
#endif
#ifndef REGIONS
#define REGIONS 4096
#endif

/* For the controller: a group's number is the index of its registers and counters.
 * Its multicast group is that and MULTICAST_BASE (0 is none); the replication id of a
 * slot's copies is the group's number times SLOTS and the slot. */
const bit<32> MAX_GROUPS = GROUPS;
const bit<16> SLOTS = 8;
const bit<16> MULTICAST_BASE = 1;

/* Replication id of the copy of a request that goes to the leader's own port, where the egress
 * gathers: it says there what is under way, and goes no further. */
const bit<16> RID_LEADER = 0x8000;

/* Port groups of several ports: numbered above the ports, each of which is otherwise a port group
 * by itself, under its own number. */
const bit<16> PORT_GROUP_BASE = 512;

/* PSNs have this many bits; one of them in the shifted domain. */
#ifndef PSN_BITS
#define PSN_BITS 24
#endif
#define PSN_SHIFT (32 - PSN_BITS)
const bit<32> PSN_ONE = 32w1 << PSN_SHIFT;

/* More PSNs than a leader can have under way, in the shifted domain: a quarter
 * of all, 2^22. At most half of them: the circular order needs it. */
#ifndef WINDOW
#define WINDOW 0x40000000
#endif
const bit<32> PSN_WINDOW = WINDOW;

/* What the QP that a packet is sent to makes of it: hit in `qp`. */
typedef bit<2> role_t;
const role_t ROLE_NONE = 0;
const role_t ROLE_SCATTER = 1; /* from a leader to a BCastQP */
const role_t ROLE_GATHER = 2;  /* from a replica to an AggrQP */
const role_t ROLE_RELAY = 3;   /* from the group's home, for several replicas behind here */

/* In place of a slot, in the leader's packets. */
const bit<8> SLOT_LEADER = 0xff;

/* What is done with a packet of a group: result of `classify`. */
typedef bit<3> class_t;
const class_t CLASS_NONE = 0;
const class_t CLASS_COPY = 1;  /* scatter, no R_key in it */
const class_t CLASS_WRITE = 2; /* scatter, with RETH: R_key and bounds are checked */
const class_t CLASS_ACK = 3;
const class_t CLASS_NAK = 4;   /* NAK of any kind, and RNR NAK */
const class_t CLASS_CNP = 5;
const class_t CLASS_RELAY_COPY = 6;  /* relay, no R_key in it */
const class_t CLASS_RELAY_WRITE = 7; /* relay, with RETH */

/* Equal-cost multipath: a set of paths, and a flow, a part of all packets: it takes one of them. */
typedef bit<6> flow_t;
const bit<16> FLOWS = 64;
typedef bit<8> path_set_t;
const path_set_t PATHS_NONE = 0; /* there is one path */
const bit<16> PATH_SETS = 32;    /* numbers from 1 to one less */

/* What the egress does with a packet: bridge.kind. */
typedef bit<8> kind_t;
const kind_t KIND_PLAIN = 0;
const kind_t KIND_SCATTER = 1;
const kind_t KIND_NAK = 2;     /* on its way to the leader, as the next two */
const kind_t KIND_ACK = 3;     /* with other credits */
const kind_t KIND_CNP = 4;

/* Why a packet goes to the controller: packet_in.reason, index into `punts`. */
const reason_t REASON_NONE = 0;
const reason_t REASON_ARP = 1;
const reason_t REASON_UNKNOWN_DESTINATION = 2; /* no L2 entry */
const reason_t REASON_LOCAL = 3;               /* addressed to the switch, not RoCE */
const reason_t REASON_CM = 4;                  /* a datagram to QP1 of the switch */
const reason_t REASON_INVALID_REQUEST = 5;     /* READ or ATOMIC on a BCastQP */
const reason_t REASON_REMOTE_ACCESS = 6;       /* wrong R_key, or outside the region */
const reason_t REASON_NO_ROUTE = 7;
const reason_t REASON_TTL = 8;

/* Index into the counter `drops`. */
typedef bit<8> drop_t;
const drop_t DROP_NONE = 0;
const drop_t DROP_MALFORMED = 1;       /* ends inside a header */
const drop_t DROP_IP_CHECKSUM = 2;
const drop_t DROP_UNKNOWN_QP = 3;      /* RoCE to the switch, no such (source, QP) */
const drop_t DROP_BAD_OPCODE = 4;      /* not an opcode for this QP */
const drop_t DROP_BAD_SYNDROME = 5;    /* AETH of a reserved kind */
const drop_t DROP_CNP_LIMITED = 6;     /* more than one CNP per group and interval */
const drop_t DROP_ICRC = 7;            /* ACK, NAK or CNP of a group, damaged */
const drop_t DROP_OWN_ADDRESS = 8;     /* from a port, with an address of the switch */
const drop_t DROP_WINDOW = 9;          /* ACK or NAK of what is not under way */
const drop_t DROP_SLOT_OUT = 10;       /* ACK or NAK of a slot that is out */
const drop_t DROP_RELAY_TTL = 11;      /* to a relay, and has come too far */
const drop_t DROP_RELAY_ACCESS = 12;   /* to a relay: wrong R_key, or outside the region */
const drop_t DROP_WRAPPED = 13;        /* in a form in which hosts would see more than the guards */
const drop_t DROP_PORT_FAMILY = 14;    /* of a kind that its port may not send */
const drop_t DROP_FOREIGN_SOURCE = 15; /* from the address of a host that is at another port */

/* digest_type of nak_digest. */
const bit<3> DIGEST_NAK = 1;

/* At most one CNP per group in this time (50 us), in units of 256 ns, until the
 * control plane says otherwise. */
#ifndef CNP_INTERVAL
#define CNP_INTERVAL 196
#endif
const bit<32> CNP_UNITS = CNP_INTERVAL;
const bit<32> CNP_UNIT_NS = 256;

/* Credit code of an AETH that is no limit. */
const bit<8> CREDIT_UNLIMITED = 0x1f;

/* From the ingress to the egress of one packet; never on a wire. */
header bridge_h {
    kind_t kind;
    bit<8> syndrome;   /* KIND_ACK: what the AETH says */
    bit<7> pad;        /* these three as in packet_in_h */
    PortId_t ingress_port;
    reason_t reason;   /* to the CPU port: why */
    bit<16> group;
    bit<32> psn;       /* to the leader: shifted domain. In the egress: what the packet will have */
    bit<32> icrc;      /* to the leader: constant part of the ICRC correction */
#ifdef GATHER_IN_EGRESS
    bit<32> edge;      /* what follows as in the metadata */
    bit<8> slot;
    bit<8> members;
    bit<4> reserved;
    bit<4> f;
#endif
}

struct headers_t {
    bridge_h bridge;
    packet_in_h packet_in;
    packet_out_h packet_out;
    ethernet_h ethernet;
    vlan_h vlan;
    vlan_h inner_vlan;
    ipv6_h ipv6;
    ipv4_h ipv4;
    udp_h udp;
    bth_h bth;
    reth_h reth;
    aeth_h aeth;
    cnp_h cnp;
    icrc_h icrc;
}

/* One element of a slot's register. */
struct slot_t {
    bit<32> psn;       /* highest PSN that the replica has acknowledged */
    bit<32> lost;      /* not 0: it has fallen behind the window */
}

/* One element of a slot's register of credits. */
struct credit_t {
    bit<32> psn;       /* highest PSN that its ACKs and NAKs have spoken of */
    bit<32> code;      /* its latest credit code */
}

/* What the controller is told of a NAK. */
struct nak_digest_t {
    bit<16> group;
    bit<8> slot;
    bit<8> syndrome;
    bit<32> acked;     /* shifted domain, the leader's numbering: PSN of the NAK - 1 */
}

/* Where the state of a group is. */
#define GATHER_NOTHING                                                        \
    DROP_NONE, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, \
    0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0
#ifdef GATHER_IN_EGRESS
#define PORT_GROUP_STAGE 1
#define STATE hdr.bridge /* where the ingress says what must be known there */
#define GATHER_GRESS "egress"
#define gather_metadata_t egress_metadata_t
#else
#define PORT_GROUP_STAGE 0
#define STATE md
#define GATHER_GRESS "ingress"
#define gather_metadata_t ingress_metadata_t
#endif

/* Results of stateful ALUs in containers of 8 bits: in one of 16 bits, next to
 * others, the public assembler does not take them. */
@pa_container_size(GATHER_GRESS, "md.news", 8)
@pa_container_size(GATHER_GRESS, "md.acked0", 8)
@pa_container_size(GATHER_GRESS, "md.again0", 8)
@pa_container_size(GATHER_GRESS, "md.acked1", 8)
@pa_container_size(GATHER_GRESS, "md.again1", 8)
@pa_container_size(GATHER_GRESS, "md.acked2", 8)
@pa_container_size(GATHER_GRESS, "md.again2", 8)
@pa_container_size(GATHER_GRESS, "md.acked3", 8)
@pa_container_size(GATHER_GRESS, "md.again3", 8)
@pa_container_size(GATHER_GRESS, "md.acked4", 8)
@pa_container_size(GATHER_GRESS, "md.again4", 8)
@pa_container_size(GATHER_GRESS, "md.acked5", 8)
@pa_container_size(GATHER_GRESS, "md.again5", 8)
@pa_container_size(GATHER_GRESS, "md.acked6", 8)
@pa_container_size(GATHER_GRESS, "md.again6", 8)
@pa_container_size(GATHER_GRESS, "md.acked7", 8)
@pa_container_size(GATHER_GRESS, "md.again7", 8)
struct ingress_metadata_t {
    bool checksum_error;
    bool routed;         /* TTL has changed: the checksum must */
    bit<1> local;        /* addressed to the switch */
    bit<1> own;          /* sent with an address of the switch */
    bit<32> sender;      /* IP address of the sender, of ARP too */
    family_t family;     /* kind of frame */
    family_t refused;    /* not 0: of a kind that its port may not send */
    bit<16> host_port;   /* 1: of a port where hosts are */
    bit<16> mac_elsewhere; /* not 0: the source is at another port */
    bit<16> ip_elsewhere;
    bit<16> port_group;  /* of the port that it came in by */
    bit<32> crc;         /* of ACK, NAK, CNP: over all that the ICRC covers, and it */
    bit<1> intact;       /* and it is right */
    role_t role;
    class_t class;
    drop_t drop;
    reason_t reason;

    bit<16> group;
    bit<16> multicast_group;

    /* scatter: what must be zero for the WRITE to be let through */
    bit<32> key_diff;
    bit<32> region_mask; /* ones above the region: -size */
    bit<32> start_over;
    bit<32> end;
    bit<32> end_left;    /* end - end of the region */

    /* gather */
    bit<32> p;           /* PSN (acknowledged), leader's numbering, shifted domain */
#ifndef GATHER_IN_EGRESS
    bit<8> slot;
    bit<8> members;      /* bit i: slot i is a replica */
    bit<4> f;
    bit<32> edge;        /* the other end of the window that p is one end of */
#include "gather_fields.p4"
#endif

    /* equal-cost multipath */
    path_set_t paths;    /* 0: by one way */
    flow_t flow;
    bit<24> flow_qp;     /* queue pair that it is for; 0: for none */
}

/* Corrections in halves: they are XORed into two fields of 16 bits each. Without
 * this the public compiler searches for an allocation for very long. */
@pa_container_size("egress", "md.fix0", 16, 16)
@pa_container_size("egress", "md.fix1", 16, 16)
@pa_container_size("egress", "md.fix2", 16, 16)
@pa_container_size("egress", "md.fix3", 16, 16)
struct egress_metadata_t {
#ifdef GATHER_IN_EGRESS
    class_t class;       /* as in the ingress, up to edge */
    bit<16> group;
    bit<8> slot;
    bit<8> members;
    bit<4> f;
    bit<32> p;
    bit<32> edge;
#include "gather_fields.p4"

#endif
    bool remade;         /* the IPv4 header has changed: the checksum must */
    bit<32> room;        /* how much longer the queue may get; 0: the port marks */
    bit<8> color;        /* 0: the port sends no more than it may */
    bit<1> unknown;      /* the replica or the leader has no entry */
    bit<1> neutral;      /* keep the ICRC valid */
    bit<32> delta;       /* PSN, shifted domain */
    bit<32> psn_diff;    /* XOR of the PSN words */
    bit<64> va_old;
    bit<64> va_diff;
    bit<8> syndrome_diff;
    bit<32> fix0;        /* corrections to identification ++ source port */
    bit<32> fix1;
    bit<32> fix2;
    bit<32> fix3;
}

#endif
