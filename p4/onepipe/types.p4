/* Constants, headers and metadata of onepipe.p4. Values are in network byte order.
 *
 * Time is in nanoseconds. A barrier is in units of 64 ns (BARRIER_SHIFT): 32 bits of the
 * sender's clock, which wrap after 274 seconds. Barriers are compared circularly.
 *
 * PIPES is how many ingress pipes the chip has. Each pipe is a switch of INPUTS inputs; what the
 * pipes promise meets in the egress of each port. XDP has one pipe.
 */
#ifndef P4CE_ONEPIPE_TYPES_P4
#define P4CE_ONEPIPE_TYPES_P4

#include "../lib/headers.p4"
#include "../lib/wrapping.p4"
#include "../lib/packet_io.p4"
#include "../lib/when.p4"

#ifndef PIPES
#ifdef __p4xc__
#define PIPES 1
#else
#define PIPES 2
#endif
#endif

/* Where tables stand alone, those of links are told here whose packet it is. */
#ifdef STAND_ALONE
#define FORWARD_ALONE
/* The tree reads the barriers where they came: a Tofino has no room for a copy that lives so long. */
#define SAID hdr.onepipe.barrier
#define COMMIT_SAID hdr.onepipe.commit
#define IF_OURS                                                               \
    if (hdr.onepipe.isValid() && !md.header_error && !md.checksum_error &&    \
        ig_prsr_md.parser_err == 0)
#else
#define SAID md.said
#define COMMIT_SAID md.commit_said
#define IF_OURS
#endif

/* Inputs of a pipe: a tree of four groups of four. Groups 0 and 1 are of links from below, or
 * of any links in a switch that has nothing above; groups 2 and 3 are of links from above. */
const bit<32> INPUTS = 16;
const bit<32> RADIX = 4;

/* A group of the chip: pipe * RADIX + group of the pipe's tree. What is said of groups is the same
 * in all pipes, so they have different numbers.
 */
typedef bit<4> group_t;
const bit<32> GROUPS = PIPES * RADIX;

/* Packets are UDP datagrams to this port, without a UDP checksum: switches rewrite barriers. */
const bit<16> PORT_ONEPIPE = 0x8860;

/* A barrier is a time of 48 bits, shifted by this, in 32 bits. */
const bit<8> BARRIER_SHIFT = 6;

/* Kinds of packets: onepipe.opcode.
 *
 *   BEACON      barriers only; one hop
 *   DATA        a fragment of a best-effort message
 *   RELIABLE    a fragment of a reliable message
 *   ACK         the receiver holds what its body says
 *   NAK         the receiver will not deliver what its body says
 *   RECALL      the message with this timestamp is taken back
 *   RECALLED    the answer to RECALL
 */
typedef bit<4> opcode_t;
const opcode_t OP_BEACON = 0;
const opcode_t OP_DATA = 1;
const opcode_t OP_RELIABLE = 2;
const opcode_t OP_ACK = 3;
const opcode_t OP_NAK = 4;
const opcode_t OP_RECALL = 5;
const opcode_t OP_RECALLED = 6;

/* onepipe.flags */
const bit<4> FLAG_END = 1;             /* the last fragment of its message */
const bit<4> FLAG_ECHO = 2;            /* ACK: the acknowledged packet was marked (ECN) */
const bit<4> FLAG_RELIABLE = 4;        /* ACK, NAK: about a reliable message */
const bit<4> FLAG_UNSTAMPED = 8;       /* a switch has not stamped it: its barriers are of no link */

/* What a link is: result of `inputs`. */
typedef bit<2> link_t;
const link_t LINK_NONE = 0;            /* not registered: nothing with our header passes */
const link_t LINK_JOINING = 1;         /* its barriers are kept, its messages do not pass yet */
const link_t LINK_HOST = 2;            /* admitted; its processes are in `senders` */
const link_t LINK_SWITCH = 3;          /* admitted; the switch beyond it has looked */

/* What a port is to the tree: result of `outputs`. */
typedef bit<2> output_t;
const output_t OUTPUT_NONE = 0;
const output_t OUTPUT_UP = 1;          /* to a switch above: waits for what is below */
const output_t OUTPUT_DOWN = 2;        /* to a host or a switch below: waits for all */

/* The sign of a difference of barriers. */
const bit<32> NEGATIVE = 0x80000000;

/* A place of a level of the tree, or none. */
typedef bit<3> place_t;
const place_t PLACE_NONE = 7;

/* Why a packet goes to the controller: packet_in.reason, index into `punts`. */
const reason_t REASON_NONE = 0;
const reason_t REASON_ARP = 1;
const reason_t REASON_UNKNOWN_DESTINATION = 2; /* no L2 entry */
const reason_t REASON_LOCAL = 3;               /* addressed to the switch */
const reason_t REASON_NO_ROUTE = 4;
const reason_t REASON_TTL = 5;
const reason_t REASON_BEACON = 6;              /* the CPU sends beacons, and hears of all */

/* Index into the counter `drops`. */
typedef bit<8> drop_t;
const drop_t DROP_NONE = 0;
const drop_t DROP_MALFORMED = 1;       /* ends inside a header */
const drop_t DROP_IP_CHECKSUM = 2;
const drop_t DROP_HEADER_CHECKSUM = 3; /* of our header */
const drop_t DROP_OWN_ADDRESS = 4;     /* from a port, with an address of the switch */
const drop_t DROP_NO_LINK = 5;         /* by a port that is not registered */
const drop_t DROP_JOINING = 6;         /* a message by a link that is not admitted yet */
const drop_t DROP_SENDER = 7;          /* from a process that is not at this port */
const drop_t DROP_COMMIT = 8;          /* the commit barrier is above the best-effort barrier */
const drop_t DROP_TIMESTAMP = 9;       /* the timestamp is below the sender's own barrier */
const drop_t DROP_OPCODE = 10;         /* of a kind that does not exist */
const drop_t DROP_UDP_CHECKSUM = 11;   /* it has one, which cannot stay right */
const drop_t DROP_TO_SWITCH = 12;      /* of ours, to an address of the switch */
const drop_t DROP_WRAPPED = 13;        /* in a form in which hosts would see more than the guards */
const drop_t DROP_PORT_FAMILY = 14;    /* of a kind that its port may not send */
const drop_t DROP_FOREIGN_SOURCE = 15; /* from the address of a host that is at another port */

/* In front of the payload of every packet: 24 bytes. */
header onepipe_h {
    bit<48> timestamp;  /* of the message, ns of the sender's clock */
    bit<32> barrier;    /* best effort: nothing below it comes over this link any more */
    bit<32> commit;     /* every reliable message below it is held by its receivers, or recalled */
    opcode_t opcode;
    bit<4> flags;
    bit<24> psn;        /* per source and destination process */
    bit<16> src;        /* process numbers at the addresses of the IPv4 header */
    bit<16> dst;
    bit<16> checksum;   /* Internet checksum of this header */
}

/* How a packet of ours goes on: bridge.path. */
typedef bit<8> path_t;
const path_t PATH_PLAIN = 0;
const path_t PATH_MESSAGE = 1;
const path_t PATH_BEACON = 2;

/* From the ingress to the egress of one packet; never on a wire. */
header bridge_h {
    path_t path;
    bit<7> pad;         /* these three as in packet_in_h */
    PortId_t ingress_port;
    reason_t reason;
    bit<32> below;      /* best-effort barrier of what is below, and of all inputs: */
    bit<32> all;        /* of what is above, until the egress has looked at order: */
    bit<32> order;      /* negative: what is below is behind */
    bit<32> commit_below;
    bit<32> commit_all;
    bit<32> commit_order;
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
    onepipe_h onepipe;
}

/* Results of stateful ALUs in containers of 8 bits: in one of 16 bits, the public assembler does not
 * take them beside words. */
@pa_container_size("ingress", "best_effort_raised0", 8)
@pa_container_size("ingress", "best_effort_raised1", 8)
@pa_container_size("ingress", "best_effort_raised2", 8)
@pa_container_size("ingress", "best_effort_raised3", 8)
@pa_container_size("ingress", "commit_raised0", 8)
@pa_container_size("ingress", "commit_raised1", 8)
@pa_container_size("ingress", "commit_raised2", 8)
@pa_container_size("ingress", "commit_raised3", 8)
struct ingress_metadata_t {
    bool checksum_error;
    bool header_error;
    bool udp_checksum;   /* there is one */
    bool routed;
    bit<1> local;
    bit<1> own;
    bit<32> sender;
    family_t family;     /* kind of frame */
    family_t refused;    /* not 0: of a kind that its port may not send */
    bit<16> host_port;   /* 1: of a port where hosts are */
    bit<16> mac_elsewhere; /* not 0: the source is at another port */
    bit<16> ip_elsewhere;
    bit<16> port_group;
    drop_t drop;
    reason_t reason;
    link_t link;
    group_t group;       /* of the link */
    place_t place;       /* of the link in its group */
    place_t branch;      /* of the group in the tree */
    bit<4> counted;      /* places of the group whose barriers count, a bit each */
    bit<4> commit_counted;
    bit<4> branches;     /* groups that count */
    bit<4> commit_branches;
    bit<1> settled;      /* it is not to be forwarded */
    bit<1> bridged;
    bit<1> process;      /* the source process is at this port */
    bit<32> time;        /* the timestamp, in units of barriers */
    bit<32> said;        /* the barriers that the packet came with */
    bit<32> commit_said;
    bit<32> early;       /* timestamp - barrier: negative below the sender's own barrier */
    bit<32> commit_early;
    bit<32> over;        /* barrier - commit */
    bit<1> raised;       /* by this packet: its link's barrier, */
    bit<1> commit_raised;
    bit<1> below_rose;   /* and what the switch promises */
    bit<1> all_rose;
    bit<1> commit_below_rose;
    bit<1> commit_all_rose;
}

struct egress_metadata_t {
    output_t output;
    bit<4> lanes;        /* pipes that count for this port */
    bit<4> commit_lanes;
    bit<32> barrier;     /* what its pipe promises */
    bit<32> commit;
    bit<48> mac;         /* the switch's, on this link */
    bit<32> ip;
    bit<1> rose;         /* what the port has promised */
    bit<1> commit_rose;
}

#endif
