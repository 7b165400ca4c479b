/* What becomes of a message, from what the role has found out.
 *
 *   +------+   +-------------------------------------+
 *   | life |   | act, and what holds: alive, stale,  |   become(..)   copies go out
 *   | role |-->| decided, watermark, ..              |-> answer(..)   it goes back
 *   +------+   +-------------------------------------+   refuse(why)  it goes back, as REFUSED
 *                                                        discard(why), absorb
 *
 * life      what the controller has written there when it gave the role. It is looked at when
 *           all registers are: a message that got through before the controller fenced the role
 *           is in the registers that the controller reads then. Whoever has lost its registers
 *           does not take part.
 */
#ifndef P4CE_AMCAST_VERDICT_P4
#define P4CE_AMCAST_VERDICT_P4

control Verdict(inout headers_t hdr,
                inout ingress_metadata_t md,
                in ingress_intrinsic_metadata_t ig_intr_md,
                inout ingress_intrinsic_metadata_for_deparser_t ig_dprsr_md,
                inout ingress_intrinsic_metadata_for_tm_t ig_tm_md) {
    @id(0x12000021) @brief("Messages for roles that their registers refuse, by reason")
    Counter<bit<64>, drop_t>(32, CounterType_t.PACKETS) refusals;

    @id(0x16000020) @brief("Life of a role")
    Register<bit<32>, role_t>(1 << ROLE_BITS) life;
    RegisterAction<bit<32>, role_t, bit<1>>(life) life_is = {
        void apply(inout bit<32> now, out bit<1> same) {
            if (now == md.life) {
                same = 1;
            } else {
                same = 0;
            }
        }
    };

    @id(0x01000080)
    action propose() {
        hdr.bridge.became = BECAME_PROP | BECAME_ACK;
        ig_tm_md.mcast_grp_a = md.props;
    }

    @id(0x01000081)
    action propose_payload() {
        hdr.bridge.became = BECAME_REPLICA;
        hdr.amcast.kind = MSG_PROP;
        ig_tm_md.mcast_grp_a = md.replicas;
    }

    @id(0x01000082)
    action acknowledge() {
        hdr.bridge.became = BECAME_ACK;
        ig_tm_md.mcast_grp_a = md.acks;
    }

    @id(0x01000083)
    action tell_replicas(message_t kind, bit<8> flags) {
        hdr.bridge.became = BECAME_REPLICA;
        hdr.amcast.kind = kind;
        hdr.amcast.flags = flags;
        hdr.amcast.from = md.group;
        hdr.amcast.epoch = md.set_epoch;
        ig_tm_md.mcast_grp_a = md.replicas;
    }

    @id(0x01000084)
    action answer(message_t kind) {
        hdr.bridge.became = BECAME_ANSWER;
        hdr.amcast.kind = kind;
        ig_tm_md.ucast_egress_port = ig_intr_md.ingress_port;
    }

    @id(0x01000085)
    action refuse(drop_t why) {
        hdr.bridge.became = BECAME_ANSWER;
        hdr.amcast.kind = MSG_REFUSED;
        hdr.amcast.lts = (bit<32>)why;
        refusals.count(why);
        ig_tm_md.ucast_egress_port = ig_intr_md.ingress_port;
    }

    @id(0x01000086)
    action discard(drop_t why) {
        refusals.count(why);
        ig_dprsr_md.drop_ctl = 1;
    }

    @id(0x01000087)
    action absorb() {
        ig_dprsr_md.drop_ctl = 1;
    }

    @id(0x02000080)
    table verdict {
        key = {
            md.act : ternary;
            md.alive : ternary;
            md.stale : ternary;
            md.late : ternary;
            md.other : ternary;
            md.other_digest : ternary;
            hdr.amcast.length : ternary;
            md.decided : ternary;
            md.had : ternary;
            hdr.amcast.flags[0:0] : ternary @name("again");
            md.watermark : ternary;
            md.proposed : ternary;
        }
        actions = { propose; propose_payload; acknowledge; tell_replicas; answer; refuse; discard; absorb; }
        const default_action = absorb();
        const entries = {
            (ACT_START, 0, _, _, _, _, _, _, _, _, _, _) : refuse(DROP_AMNESIA);
            (ACT_START, _, 1, _, _, _, _, _, _, _, _, _) : refuse(DROP_LAP);
            (ACT_START, _, _, _, 1, _, _, _, _, _, _, _) : refuse(DROP_REUSED);
            (ACT_START, _, _, _, _, 1, _, _, _, _, _, _) : refuse(DROP_REUSED);
            (ACT_START, _, _, _, _, _, 0, _, _, _, _, _) : propose();
            (ACT_START, _, _, _, _, _, _, _, _, _, _, _) : propose_payload();
            (ACT_ASK, 0, _, _, _, _, _, _, _, _, _, _) : refuse(DROP_AMNESIA);
            (ACT_ASK, _, _, _, _, _, _, _, _, _, _, _) : answer(MSG_TOLD);
            (ACT_LOOK, 0, _, _, _, _, _, _, _, _, _, _) : refuse(DROP_AMNESIA);
            (ACT_LOOK, _, _, _, _, _, _, _, _, _, _, _) : answer(MSG_KNOWN);
            (_, 0, _, _, _, _, _, _, _, _, _, _) : discard(DROP_AMNESIA);
            (ACT_ACK, _, _, 1, _, _, _, _, _, _, _, _) : discard(DROP_EPOCH);
            (_, _, 1, _, _, _, _, _, _, _, _, _) : discard(DROP_LAP);
            (ACT_OWN, _, _, _, _, _, _, _, _, _, _, _) : acknowledge();
            (ACT_OTHER, _, _, _, _, _, _, _, _, _, _, _) : acknowledge();
            (ACT_ACK, _, _, _, _, _, _, 1, _, _, 1, _) : tell_replicas(MSG_DELIVER, FLAG_MARK);
            (ACT_ACK, _, _, _, _, _, _, 1, _, _, _, _) : tell_replicas(MSG_DELIVER, 0);
            (ACT_ACK, _, _, _, _, _, _, _, 1, 1, 1, _) : tell_replicas(MSG_DELIVER, FLAG_MARK);
            (ACT_ACK, _, _, _, _, _, _, _, 1, 1, _, _) : tell_replicas(MSG_DELIVER, 0);
            /* The leader's proposal has told the replicas what its acknowledgement would. */
            (ACT_ACK, _, _, _, _, _, _, _, _, _, 1, 0) : tell_replicas(MSG_MARK, FLAG_MARK);
        }
        size = 32;
    }

    @id(0x01000088)
    action refuse_admission() {
        hdr.bridge.became = BECAME_ANSWER;
        hdr.amcast.kind = MSG_REFUSED;
        hdr.amcast.lts = (bit<32>)md.drop;
        ig_tm_md.ucast_egress_port = ig_intr_md.ingress_port;
    }

    /* Not admitted: who asks for something is told why. */
    @id(0x02000081)
    table nothing {
        key = { hdr.amcast.kind : exact; md.rest : exact; }
        actions = { refuse_admission; absorb; }
        const default_action = absorb();
        const entries = {
            (MSG_START, OVERHEAD) : refuse_admission();
            (MSG_ASK, OVERHEAD) : refuse_admission();
            (MSG_LOOK, OVERHEAD) : refuse_admission();
        }
        size = 4;
    }

    apply {
        md.alive = life_is.execute(md.role);
        if (md.act == ACT_NONE) {
            nothing.apply();
        } else {
            verdict.apply();
        }
    }
}

#endif
