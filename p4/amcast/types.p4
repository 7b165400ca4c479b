/* Constants, headers and metadata of amcast.p4. Values are in network byte order.
 *
 * ROLE_BITS, CLIENT_BITS and WINDOW_BITS may be given to the compiler (-D), so that an exhaustive
 * search has few states. Without, a switch has 8 roles (4 on Tofino) with 4,096 cells each: 256
 * clients with a window of 16 messages.
 */
#ifndef P4CE_AMCAST_TYPES_P4
#define P4CE_AMCAST_TYPES_P4

#include "../lib/headers.p4"
#include "../lib/wrapping.p4"
#include "../lib/packet_io.p4"
#include "../lib/when.p4"

/* Roles of a switch, clients, and messages of a client that may be under way: powers of two. */
#ifndef ROLE_BITS
#ifdef __p4xc__
#define ROLE_BITS 3
#else
#define ROLE_BITS 2
#endif
#endif
#ifndef CLIENT_BITS
#define CLIENT_BITS 8
#endif
#ifndef WINDOW_BITS
#define WINDOW_BITS 4
#endif
#define CELL_BITS (CLIENT_BITS + WINDOW_BITS)
#define CELLS (1 << (ROLE_BITS + CELL_BITS))
typedef bit<ROLE_BITS> role_t;                   /* a role of this switch: of one group */
typedef bit<(ROLE_BITS + CELL_BITS)> slot_t;     /* a cell of a role; a place of its ring */
typedef bit<(ROLE_BITS + CELL_BITS + 2)> row_t;  /* a proposal of a cell of a role */
const bit<32> MAX_ROLES = 1 << ROLE_BITS;
const bit<32> MAX_CLIENTS = 1 << CLIENT_BITS;
const bit<32> WINDOW = 1 << WINDOW_BITS;
const bit<32> RING = 1 << CELL_BITS;
const bit<32> MAX_GROUPS = 4;                    /* destination groups of a message */
const bit<32> MAX_MEMBERS = 5;                   /* of a group */
const bit<32> MAX_PAYLOAD = 1400;                /* bytes */

/* Messages are UDP datagrams to these ports, PORT_FIRST to PORT_FIRST + 15, without a UDP
 * checksum: switches rewrite the header, which has its own. */
#define PORT_MASK 0xfff0
const bit<16> PORT_FIRST = 0x88a0;

/* Bytes of the headers of UDP and ours. */
const bit<16> OVERHEAD = 56;

/* Kinds of messages: amcast.kind. A message of a client is bare (without its payload), or full.
 * Who sends what to whom, and which fields matter:
 *
 *   START    client -> leader         groups, client, number, digest; low: the client's lowest
 *                                     number that is not finished. Bare, for the members; and
 *                                     full, for the replicas of the leader's group
 *   PROP     leader -> members,       from, epoch, lts, seq; bare to members, full to replicas;
 *            replicas                 clock, mark of the leader
 *   ACK      member -> deliverers     the proposal, and by, by_epoch, member; of a leader clock
 *                                     and mark: its watermark
 *   DELIVER  deliverer -> replicas    from: the replicas' group; lts: the final timestamp; epoch: of
 *                                     the group, in which it was decided. With FLAG_MARK also as MARK
 *   MARK     deliverer -> replicas    from: the replicas' group; by_epoch, clock, mark: the leader proposes nothing more at
 *                                     or below clock, and has proposed seq up to mark
 *   ASK      replica -> member        seq: which message is it?
 *   TOLD     member -> replica        digest: RING_HERE + cell, RING_EMPTY, or 0 (not known)
 *   LOOK     replica -> member        client, number (modulo the window): the cell
 *   KNOWN    member -> replica        as PROP, from the cell
 *   REFUSED  -> who has sent it       as it came; lts: why (DROP_*)
 */
typedef bit<8> message_t;
const message_t MSG_START = 1;
const message_t MSG_PROP = 2;
const message_t MSG_ACK = 3;
const message_t MSG_DELIVER = 4;
const message_t MSG_MARK = 5;
const message_t MSG_ASK = 6;
const message_t MSG_TOLD = 7;
const message_t MSG_LOOK = 8;
const message_t MSG_KNOWN = 9;
const message_t MSG_REFUSED = 10;

/* amcast.flags */
const bit<8> FLAG_AGAIN = 1;           /* START, PROP, ACK: deliver also what has been delivered */
const bit<8> FLAG_MARK = 2;            /* DELIVER: clock and mark are a watermark */

/* What a place of a ring says. */
const bit<32> RING_HERE = 0x80000000;  /* plus the cell */
const bit<32> RING_EMPTY = 0x40000000; /* there is no such message, and there will be none */

/* Whose address a message was sent to: result of `service`. */
typedef bit<4> at_t;
const at_t AT_NONE = 0;
const at_t AT_MEMBER = 1;              /* of a group; it may lead the group */
const at_t AT_DELIVERER = 2;           /* in front of replicas of a group */

/* What is done with a message: result of `admission`. */
typedef bit<4> act_t;
const act_t ACT_NONE = 0;
const act_t ACT_START = 1;             /* gets a timestamp, or the one that it has */
const act_t ACT_OWN = 2;               /* a proposal of the member's own group */
const act_t ACT_OTHER = 3;             /* of another group */
const act_t ACT_ACK = 4;
const act_t ACT_ASK = 5;
const act_t ACT_LOOK = 6;

/* What a message has become in the ingress: bridge.became. A copy goes out if it is for one of
 * these. */
typedef bit<8> became_t;
const became_t BECAME_PROP = 1;        /* for members */
const became_t BECAME_ACK = 2;         /* for deliverers */
const became_t BECAME_REPLICA = 4;     /* for replicas; its kind is right already */
const became_t BECAME_ANSWER = 8;      /* goes back to its sender; no copies */
const became_t BECAME_PLAIN = 128;     /* it is no message for a role */

/* Why a packet goes to the controller: packet_in.reason, index into `punts`. */
const reason_t REASON_NONE = 0;
const reason_t REASON_ARP = 1;
const reason_t REASON_UNKNOWN_DESTINATION = 2; /* no L2 entry */
const reason_t REASON_LOCAL = 3;               /* addressed to the switch, no message */
const reason_t REASON_NO_ROUTE = 4;
const reason_t REASON_TTL = 5;

/* Index into the counter `drops`. Who asks for something (START, ASK, LOOK) is told: REFUSED. */
typedef bit<8> drop_t;
const drop_t DROP_NONE = 0;
const drop_t DROP_MALFORMED = 1;       /* ends inside a header, or its lengths do not fit */
const drop_t DROP_IP_CHECKSUM = 2;
const drop_t DROP_HEADER_CHECKSUM = 3; /* of our header */
const drop_t DROP_UDP_CHECKSUM = 4;    /* it has one, which cannot stay right */
const drop_t DROP_OWN_ADDRESS = 5;     /* from a port, with an address of the switch */
const drop_t DROP_MESSAGE = 6;         /* not for this role */
const drop_t DROP_NO_ROLE = 7;         /* the switch does not have the role (any more) */
const drop_t DROP_AMNESIA = 8;         /* it has lost its registers since it was given the role */
const drop_t DROP_GROUPS = 9;          /* unknown, empty or too many groups, or not the role's */
const drop_t DROP_CLIENT = 10;         /* START of who is no client, or by another port */
const drop_t DROP_WINDOW = 11;         /* START too far ahead of what is finished */
const drop_t DROP_LAP = 12;            /* the cell has a newer message of the client */
const drop_t DROP_WRAPPED = 13;        /* in a form in which hosts would see more than the guards */
const drop_t DROP_PORT_FAMILY = 14;    /* of a kind that its port may not send */
const drop_t DROP_FOREIGN_SOURCE = 15; /* from the address of a host that is at another port */
const drop_t DROP_REUSED = 16;         /* START: the number has been used for another message */
const drop_t DROP_PROPOSER = 17;       /* a proposal of who does not lead, or of another epoch */
const drop_t DROP_ACKER = 18;          /* an acknowledgement of who is no member, or of another epoch */
const drop_t DROP_EPOCH = 19;          /* an acknowledgement across a change of an epoch */
const drop_t DROP_REPLICA = 20;        /* ASK, LOOK of who is no replica */

/* In front of the payload of every message: 48 bytes. */
header amcast_h {
    message_t kind;
    bit<8> flags;
    bit<8> from;        /* group of the proposal */
    bit<8> by;          /* group of the member that acknowledges */
    bit<32> groups;     /* destinations: up to four numbers of groups, ascending, then zeros */
    bit<16> client;
    bit<8> member;      /* who acknowledges: index in the group in by_epoch */
    bit<4> from_slot;   /* which of the destinations `from` is, */
    bit<4> by_slot;     /* and `by` */
    bit<32> number;     /* of the message, per client */
    bit<32> epoch;      /* of the group `from` */
    bit<32> lts;        /* local timestamp */
    bit<32> seq;        /* number of the proposal in its group; of START: low */
    bit<32> by_epoch;   /* of the group `by` */
    bit<32> clock;      /* of the group `by`, or of who proposes */
    bit<32> mark;       /* highest seq of that group, when the clock was this */
    bit<32> digest;     /* of the payload */
    bit<16> length;     /* bytes of the payload behind this header; 0: bare */
    bit<16> checksum;   /* Internet checksum of this header */
}

/* From the ingress to the egress of one packet; never on a wire. */
header bridge_h {
    became_t became;
    bit<7> pad;         /* these three as in packet_in_h */
    PortId_t ingress_port;
    reason_t reason;    /* to the CPU port: why */
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
    amcast_h amcast;
}

/* What a cell is about. A cell has room for many messages of a client one after the other, and
 * an index alone would confuse them. */
struct tag_t {
    bit<32> number;
    bit<32> epoch;      /* of a deliverer: the sum of the epochs of all destinations */
}

/* Results of stateful ALUs in containers of 8 bits: in one of 16 bits, the public assembler does not
 * take them beside words. */
@pa_container_size("ingress", "md.same", 8)
@pa_container_size("ingress", "md.other", 8)
@pa_container_size("ingress", "md.other_digest", 8)
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
    bit<16> port_group;  /* of the port that it came in by */
    drop_t drop;
    reason_t reason;
    at_t at;
    act_t act;
    role_t role;
    bit<32> life;        /* of the role: what the register of that name must say */
    bit<8> group;        /* the role's */
    bit<8> member;
    bit<32> epoch;
    bit<1> leads;
    bit<1> alive;
    bit<1> in_set;       /* the destinations are known, and the role's group is one */
    bit<4> set_slot;     /* which */
    bit<4> count;        /* of the destinations */
    bit<32> set_epoch;   /* of the role's group, when the others are: */
    bit<32> epoch0;      /* of the destinations */
    bit<32> epoch1;
    bit<32> epoch2;
    bit<32> epoch3;
    bit<32> from_late;   /* not 0: the epoch of the proposal is not that, */
    bit<32> by_late;     /* nor the one of the acknowledgement: */
    bit<1> late;         /* it does not count */
    bit<1> client;       /* START of a client, */
    bit<1> replica;      /* or of a replica, for a client that has failed */
    bit<1> proposer;     /* PROP of the leader of its group in the epoch */
    bit<1> proposer_own;
    bit<1> acker;        /* ACK of a member of its group in the epoch */
    bit<1> watermark;    /* and of the leader of this deliverer's group */
    bit<4> members;      /* of the group of the acknowledgement: so many */
    bit<16> rest;        /* lengths that do not fit */
    bit<32> ahead;       /* number - low */
    slot_t slot;
    row_t row;
    slot_t ring;
    bit<32> here;        /* RING_HERE + cell */
    bit<1> placed;       /* the place of the ring is this message's */
    bit<32> tag;         /* epoch, or sum of epochs, that a cell must say */
    bit<1> stale;        /* the cell has a newer message */
    bit<1> same;         /* the cell has this message, in this epoch */
    bit<1> row_same;
    bit<1> other;        /* its destinations or its payload are others */
    bit<1> other_digest;
    bit<32> mine;        /* bit of the acknowledgement in its row */
    bit<16> spot;        /* bit of the pair (from, by) */
    bit<1> proposed;     /* from and by are the same group */
    bit<16> reach;       /* the same, if a quorum of `by` has acknowledged */
    bit<32> acked;       /* who has acknowledged this proposal, with this one */
    bit<8> column;       /* and of them those of its destination */
    bit<16> before;      /* pairs of which a quorum had acknowledged before */
    bit<1> had;          /* decided, without this acknowledgement */
    bit<1> decided;      /* and with it */
    MulticastGroupId_t replicas;
    MulticastGroupId_t props;
    MulticastGroupId_t acks;
}

struct egress_metadata_t {
    became_t want;
    bit<48> mac;
    bit<32> ip;
    bit<16> port;
}

#endif
