/* Who this switch is, and who the sender is, for a message of an application.
 *
 *   +----------+   +-----------+   +-------------+   +-----------+
 *   | acceptor |   | rounds    |   | voters      |   | leader    |   +---------+
 *   | app, at  |   | app, rnd, |   | app, at, rnd|   | app, at,  |-->| members |
 *   | -> index |   | src       |   | src -> bit  |   | kind->rnd |   | app,rnd |
 *   +----------+   +-----------+   +-------------+   +-----------+   +---------+
 *
 * acceptor  which of the acceptors this switch is: for messages at AT_ACCEPTOR, and if it also
 *           leads at AT_LEADER. counted: its votes are counted here, because it also learns.
 * rounds    whose round it is: who may propose and prepare in it, from which address and port.
 * voters    who the acceptors of a round are, which bit each has, and by which port its votes
 *           come. Votes of others, or in a round that nobody has, do not count. A round has
 *           one configuration.
 * proposers who may send requests, and by which port: each takes an instance.
 * leader    in which round this switch leads an application (at AT_LEADER, for MSG_REQUEST): one
 *           that the controller has given to nobody else, and a majority of the acceptors have
 *           promised. Round 0 is nobody's.
 * members   how many acceptors a round has, if this switch learns what is chosen in it.
 */
#ifndef P4CE_PAXOS_ROLES_P4
#define P4CE_PAXOS_ROLES_P4

control Roles(inout headers_t hdr, inout ingress_metadata_t md) {
    @id(0x01000030)
    action vote_as(bit<8> index, bit<8> bit_, MulticastGroupId_t group, bit<1> counted) {
        md.votes = 1;
        md.counted_here = counted;
        hdr.paxos.acceptor = index;
        md.voter = bit_;
        md.votes_group = group;
    }

    @id(0x02000030)
    table acceptor {
        key = { md.app : exact; md.at : exact; }
        actions = { vote_as; @defaultonly NoAction; }
        const default_action = NoAction();
        size = APPS * 16; /* every value of the key: an array on XDP */
    }

    @id(0x01000031)
    action owned() {
        md.owner = 1;
    }

    @id(0x02000031)
    table rounds {
        key = {
            md.app : exact;
            hdr.paxos.rnd : exact;
            hdr.ipv4.src : exact;
            md.port_group : exact @name("port_group");
        }
        actions = { owned; @defaultonly NoAction; }
        const default_action = NoAction();
        size = 1024;
    }

    @id(0x01000080)
    action voter(bit<8> bit_) {
        md.voter = bit_;
        md.known = 1;
    }

    @id(0x02000080)
    table voters {
        key = {
            md.at : exact;
            md.app : exact;
            hdr.paxos.rnd : exact;
            hdr.ipv4.src : exact;
            hdr.paxos.acceptor : exact;
            md.port_group : exact @name("port_group");
        }
        actions = { voter; @defaultonly NoAction; }
        const default_action = NoAction();
        size = 1024;
    }

    @id(0x01000081)
    action learn_for(bit<4> members, MulticastGroupId_t group) {
        md.learns = 1;
        md.members = members;
        md.learns_group = group;
    }

    @id(0x02000081)
    table members {
        key = { md.app : exact; hdr.paxos.rnd : exact; }
        actions = { learn_for; @defaultonly NoAction; }
        const default_action = NoAction();
        size = 256;
    }

    @id(0x01000021)
    action may_propose() {
        md.proposer = 1;
    }

    @id(0x02000021)
    table proposers {
        key = {
            md.app : exact;
            hdr.ipv4.src : exact;
            md.port_group : exact @name("port_group");
        }
        actions = { may_propose; @defaultonly NoAction; }
        const default_action = NoAction();
        size = 1024;
    }

    @id(0x01000020)
    action lead(bit<32> rnd, MulticastGroupId_t group) {
        md.leads = 1;
        md.leads_group = group;
        hdr.paxos.rnd = rnd;
        hdr.paxos.vrnd = 0;
        hdr.paxos.flags = 0;
    }

    @id(0x02000020)
    table leader {
        key = { md.app : exact; md.at : exact; hdr.paxos.kind : exact; }
        actions = { lead; @defaultonly NoAction; }
        const default_action = NoAction();
        size = APPS;
    }

    apply {
        WHEN(md.act == ACT_LEARN) {
            voters.apply();
        }
        WHEN(md.act != ACT_LEARN) {
            acceptor.apply();
        }
        WHEN(md.act != ACT_LEARN && md.act != ACT_REQUEST) {
            rounds.apply();
        }
        WHEN(md.act == ACT_REQUEST) {
            leader.apply();
            proposers.apply();
        }
        WHEN(md.act == ACT_LEARN || md.counted_here == 1) {
            members.apply();
        }
    }
}

#endif
