/* Requests get the next instance (paper, algorithm 1, but for the round).
 *
 *   +---------+    +-----------------+
 *   | leader  |    | next            |
 *   | app     | -> | <= last: taken, | -> an ACCEPT of this round
 *   | -> rnd  |    | and one more    |
 *   +---------+    | else: full      |
 *                  +-----------------+
 *
 * leader  in which round this switch leads an application (at AT_LEADER, for MSG_REQUEST): one
 *         that the controller has given to nobody else, and a majority of the acceptors have
 *         promised. Round 0 is nobody's.
 * next    the next free instance.
 */
#ifndef P4CE_PAXOS_LEADER_P4
#define P4CE_PAXOS_LEADER_P4

control Leader(inout headers_t hdr, inout ingress_metadata_t md) {
    @id(0x16000003) @brief("Next free instance")
    Register<bit<32>, bit<8>>(APPS) next;
    RegisterAction<bit<32>, bit<8>, bit<32>>(next) next_take = {
        void apply(inout bit<32> inst, out bit<32> mine) {
            mine = inst;
            if ((int<32>)(inst - md.last) <= 0) {
                inst = inst + 1;
            }
        }
    };

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
        leader.apply();
        if (md.act == ACT_REQUEST && md.leads == 1) {
            hdr.paxos.inst = next_take.execute(md.app);
        }
    }
}

#endif
