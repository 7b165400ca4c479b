/* Requests get the next instance (paper, algorithm 1, but for the round).
 *
 *   +-----------------+
 *   | next            |
 *   | <= last: taken, | -> an ACCEPT of the leader's round
 *   | and one more    |
 *   | else: full      |
 *   +-----------------+
 *
 * next    the next free instance.
 */
#ifndef P4CE_PAXOS_LEADER_P4
#define P4CE_PAXOS_LEADER_P4

control Leader(inout headers_t hdr, inout ingress_metadata_t md) {
    @id(0x16000003) @brief("Next free instance")
    Register<bit<32>, app_t>(APPS) next;
    RegisterAction<bit<32>, app_t, bit<32>>(next) next_take = {
        void apply(inout bit<32> inst, out bit<32> mine) {
            mine = inst;
            if ((int<32>)(inst - md.last) <= 0) {
                inst = inst + 1;
            }
        }
    };

    apply {
        if (md.act == ACT_REQUEST && md.leads == 1 && md.alive == 1 && md.proposer == 1) {
            hdr.paxos.inst = next_take.execute(md.app);
        }
    }
}

#endif
