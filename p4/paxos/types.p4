/* Constants, headers and metadata of paxos.p4. Values are in network byte order.
 *
 * RING_BITS and APP_BITS may be given to the compiler (-D), so that an exhaustive search has few
 * states: -DRING_BITS=1 is the same program with room for two instances. Without, all rings
 * together have 65,536 cells, and 32,768 on Tofino: what remains of its memory behind the stage
 * in which a vote is decided (six stages of 48 blocks that a register may use) has room for no
 * more values of 64 bytes.
 */
#ifndef P4CE_PAXOS_TYPES_P4
#define P4CE_PAXOS_TYPES_P4

#include "../lib/headers.p4"
#include "../lib/wrapping.p4"
#include "../lib/packet_io.p4"
#include "../lib/when.p4"

/* Applications, and instances of each that can be under way: powers of two. */
#ifndef APP_BITS
#define APP_BITS 2
#endif
#ifndef RING_BITS
#ifdef __p4xc__
#define RING_BITS 14
#else
#define RING_BITS 13
#endif
#endif
#define APPS (1 << APP_BITS)
#define CELLS (1 << (APP_BITS + RING_BITS))
typedef bit<APP_BITS> app_t;               /* an application */
typedef bit<(APP_BITS + RING_BITS)> slot_t; /* a cell of the rings of all of them */
const bit<32> MAX_APPS = APPS;
const bit<32> RING = 1 << RING_BITS;

/* Messages are UDP datagrams to these ports, PORT_FIRST to PORT_FIRST + 15. */
#define PORT_MASK 0xfff0
const bit<16> PORT_FIRST = 0x8880;

/* A message is its header and a value of 0 to 4 pieces of 16 bytes. These are the lengths of
 * UDP (its header, ours, the pieces). */
#define LENGTH_0 36
#define LENGTH_1 52
#define LENGTH_2 68
#define LENGTH_3 84
#define LENGTH_4 100

/* Kinds of messages: paxos.kind. Who sends what to whom, and which fields matter:
 *
 *   REQUEST  proposer -> leader       client, seq, value
 *   PREPARE  coordinator -> acceptor  inst, rnd; four pieces, for the answer (phase 1A)
 *   PROMISE  acceptor -> coordinator  inst, rnd, vrnd, and if that is not 0 client, seq, value
 *                                     of the vote (phase 1B)
 *   ACCEPT   leader -> acceptor       inst, rnd, client, seq, value (phase 2A)
 *   VOTE     acceptor -> learner      the same (phase 2B)
 *   FLOOR    coordinator -> acceptor  rnd; inst: any that may be used (phase 1A of all instances)
 *   FLOORED  acceptor -> coordinator  rnd; inst: the highest that it has voted in, or 0
 *   QUERY    anybody -> acceptor      inst; four pieces: what have you voted for? The answer is
 *                                     a VOTE to the learners
 *   DELIVER  learner -> replica       as VOTE: it is chosen
 *   REFUSED  -> who has sent it       as it came (a FLOOR with the highest instance voted in);
 *                                     vrnd: why (DROP_*)
 */
typedef bit<8> message_t;
const message_t MSG_REQUEST = 1;
const message_t MSG_PREPARE = 2;
const message_t MSG_PROMISE = 3;
const message_t MSG_ACCEPT = 4;
const message_t MSG_VOTE = 5;
const message_t MSG_FLOOR = 6;
const message_t MSG_FLOORED = 7;
const message_t MSG_QUERY = 8;
const message_t MSG_DELIVER = 9;
const message_t MSG_REFUSED = 10;

/* paxos.flags */
const bit<8> FLAG_AGAIN = 1;           /* VOTE: also if the instance has been delivered */

/* Whose address a message was sent to: result of `service`. */
typedef bit<4> at_t;
const at_t AT_NONE = 0;
const at_t AT_LEADER = 1;
const at_t AT_ACCEPTOR = 2;
const at_t AT_LEARNER = 3;

/* What is done with a message: result of `classify`. */
typedef bit<4> act_t;
const act_t ACT_NONE = 0;
const act_t ACT_REQUEST = 1;           /* gets an instance; then as ACT_ACCEPT */
const act_t ACT_ACCEPT = 2;
const act_t ACT_PREPARE = 3;
const act_t ACT_FLOOR = 4;
const act_t ACT_QUERY = 5;
const act_t ACT_LEARN = 6;

/* What a message has become in the ingress, by the roles it met: bridge.became. A copy goes
 * out if it is for one of these. */
typedef bit<8> became_t;
const became_t BECAME_ACCEPT = 1;      /* it has an instance */
const became_t BECAME_VOTE = 2;        /* this switch has voted for it */
const became_t BECAME_DELIVER = 4;     /* it is chosen */
const became_t BECAME_ANSWER = 8;      /* goes back to its sender; no copies */
const became_t BECAME_PLAIN = 128;     /* it is no message of an application */

/* Why a packet goes to the controller: packet_in.reason, index into `punts`. */
const reason_t REASON_NONE = 0;
const reason_t REASON_ARP = 1;
const reason_t REASON_UNKNOWN_DESTINATION = 2; /* no L2 entry */
const reason_t REASON_LOCAL = 3;               /* addressed to the switch, no message */
const reason_t REASON_NO_ROUTE = 4;
const reason_t REASON_TTL = 5;

/* Index into the counter `drops`. From DROP_MESSAGE on, senders of requests are told: REFUSED. */
typedef bit<8> drop_t;
const drop_t DROP_NONE = 0;
const drop_t DROP_MALFORMED = 1;       /* ends inside a header, or its lengths do not fit */
const drop_t DROP_IP_CHECKSUM = 2;
const drop_t DROP_UDP_CHECKSUM = 3;    /* wrong, or not there */
const drop_t DROP_OWN_ADDRESS = 4;     /* from a port, with an address of the switch */
const drop_t DROP_MESSAGE = 5;         /* not for this role */
const drop_t DROP_NO_ROLE = 6;         /* the switch does not have the role (any more) */
const drop_t DROP_AMNESIA = 7;         /* it has lost its registers since it was given the role */
const drop_t DROP_FULL = 8;            /* the ring is full: nothing was trimmed for so long */
const drop_t DROP_WINDOW = 9;          /* of an instance that was trimmed, or is too far ahead */
const drop_t DROP_ROUND = 10;          /* the round is somebody else's, or nobody's */
const drop_t DROP_STALE = 11;          /* a higher round has been promised, or counted */
const drop_t DROP_NOT_VOTED = 12;      /* QUERY: no vote in this instance */
const drop_t DROP_WRAPPED = 13;        /* in a form in which hosts would see more than the guards */
const drop_t DROP_PORT_FAMILY = 14;    /* of a kind that its port may not send */
const drop_t DROP_FOREIGN_SOURCE = 15; /* from the address of a host that is at another port */
const drop_t DROP_PROPOSER = 16;       /* REQUEST of who may not propose, or by another port */
const drop_t DROP_VOTED = 17;          /* ACCEPT once more in a round, without room for what was voted for */

/* A message. */
header paxos_h {
    message_t kind;
    bit<8> acceptor;   /* who has voted, or promised: index in the round's configuration */
    bit<8> flags;
    bit<8> value_len;  /* bytes of the value, 0 to 64; higher: how several share it, for hosts only */
    bit<32> inst;      /* instance */
    bit<32> rnd;       /* round: of the proposal, the promise or the vote */
    bit<32> vrnd;      /* PROMISE: round of the vote; 0: none */
    bit<32> client;    /* who the value is from, and its number there */
    bit<32> seq;
    bit<16> reserved;  /* 0 */
    /* One's complement of the length that UDP says: the checksum of UDP has the length twice
     * and this once, so that it can be checked where each byte is added once. */
    bit<16> not_length;
}

/* A piece of a value. */
header piece_h {
    bit<32> w0;
    bit<32> w1;
    bit<32> w2;
    bit<32> w3;
}

/* From the ingress to the egress of one packet; never on a wire. */
header bridge_h {
    became_t became;
    bit<7> pad;        /* these three as in packet_in_h */
    PortId_t ingress_port;
    reason_t reason;   /* to the CPU port: why */
    bit<16> sum;       /* checksum of what the egress does not change, without addresses */
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
    paxos_h paxos;
    piece_h piece0;
    piece_h piece1;
    piece_h piece2;
    piece_h piece3;
}

/* What a cell of a ring is about. A cell's instance is part of what is in it: the ring has
 * room for many instances one after the other, and an index alone would confuse them. */
struct cell_t {
    bit<32> inst;
    bit<32> rnd;
}

struct ingress_metadata_t {
    bool checksum_error;
    bool udp_error;
    bool malformed;
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
    app_t app;
    bit<32> life;      /* of the role: what the register of that name must say */
    slot_t cell;
    bit<32> last;      /* instances first to last may be used */
    bit<32> ahead;     /* last - inst */
    bit<32> behind;    /* inst - first */
    bit<1> alive;
    bit<1> leads;      /* in this application, for a request */
    bit<1> proposer;   /* the request is from one that may propose */
    bit<1> votes;
    bit<1> learns;
    bit<1> counted_here; /* votes that this switch gives */
    bit<1> owner;      /* the round is the sender's */
    bit<1> above;      /* not below the floor */
    bit<1> again;      /* it has voted in this round already: what for is what counts */
    bit<1> promised;   /* not below what was promised for the instance */
    bit<4> members;    /* of the round: so many acceptors */
    bit<8> voter;      /* bit of the acceptor */
    bit<1> known;      /* the vote is of an acceptor of its round */
    bit<1> counts;     /* a vote to be counted here */
    bit<32> counted;   /* round of the votes counted so far in this instance */
    bit<32> newer;     /* the round of this one, minus that */
    bit<1> stale;
    bit<1> had;        /* a majority has voted, without this one */
    bit<1> reached;    /* and with it */
    bit<8> before;     /* who has voted before this one */
    MulticastGroupId_t leads_group;  /* copies of what a leader has given an instance, */
    MulticastGroupId_t votes_group;  /* of a vote, */
    MulticastGroupId_t learns_group; /* of what is chosen */
}

struct egress_metadata_t {
    became_t want;
    bit<16> sum;
    bit<48> mac;
    bit<32> ip;
    bit<16> port;
}

#endif
