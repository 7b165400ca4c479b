/* Whose message it is, and what is to be done with it.
 *
 *   +--------------+    +-----------+    +----------------+
 *   | service      |    | life      |    | classify       |
 *   | ipv4.dst,    | -> | the role  | -> | at, kind       | -> act
 *   | udp.dst_port |    | has its   |    |                |
 *   | -> app, at   |    | registers |    | miss: refused  |
 *   +--------------+    +-----------+    +----------------+
 *
 * service   addresses of the roles that this switch has, per application, and the life of
 *           the role.
 * first,    the instances that may be used, of each application: a cell of its ring for each.
 * last      The controller raises first when replicas have a checkpoint, and last when what
 *           was under way by then is through.
 * life      what the controller has written there when it gave the role. Whoever has lost
 *           its registers does not take part: it could vote twice, or hand out an instance twice.
 */
#ifndef P4CE_PAXOS_SERVICE_P4
#define P4CE_PAXOS_SERVICE_P4

control Service(inout headers_t hdr, inout ingress_metadata_t md) {
    @id(0x01000010)
    action role(at_t at, app_t app, bit<32> life) {
        md.at = at;
        md.app = app;
        md.life = life;
    }

    @id(0x02000010)
    table service {
        key = {
            hdr.ipv4.dst : exact;
            hdr.udp.dst_port : exact;
        }
        actions = { role; @defaultonly NoAction; }
        const default_action = NoAction();
        size = 64;
    }

    @id(0x16000001) @brief("Life of the roles of an application")
    Register<bit<32>, app_t>(APPS) life;
    RegisterAction<bit<32>, app_t, bit<1>>(life) life_is = {
        void apply(inout bit<32> now, out bit<1> same) {
            if (now == md.life) {
                same = 1;
            } else {
                same = 0;
            }
        }
    };

    @id(0x16000002) @brief("Highest instance that may be used")
    Register<bit<32>, app_t>(APPS) last;
    RegisterAction<bit<32>, app_t, bit<32>>(last) last_get = {
        void apply(inout bit<32> inst, out bit<32> now) {
            now = inst;
        }
    };

    @id(0x16000008) @brief("Lowest instance that may be used")
    Register<bit<32>, app_t>(APPS) first;
    RegisterAction<bit<32>, app_t, bit<32>>(first) first_sub = {
        void apply(inout bit<32> inst, out bit<32> behind) {
            behind = hdr.paxos.inst - inst;
        }
    };

    @id(0x01000011)
    action request() {
        md.act = ACT_REQUEST;
    }

    @id(0x01000012)
    action accept_message() {
        md.act = ACT_ACCEPT;
    }

    @id(0x01000013)
    action prepare() {
        md.act = ACT_PREPARE;
    }

    @id(0x01000014)
    action floor() {
        md.act = ACT_FLOOR;
    }

    @id(0x01000015)
    action query() {
        md.act = ACT_QUERY;
    }

    @id(0x01000016)
    action learn() {
        md.act = ACT_LEARN;
    }

    /* PREPARE and QUERY have the room that their answers need. What is not here is refused. */
    @id(0x02000011)
    table classify {
        key = {
            md.at : exact;
            hdr.paxos.kind : exact;
            hdr.piece3.isValid() : ternary;
            md.malformed : exact;
            md.udp_error : exact;
        }
        actions = { request; accept_message; prepare; floor; query; learn; @defaultonly NoAction; }
        const default_action = NoAction();
        const entries = {
            (AT_LEADER, MSG_REQUEST, _, false, false) : request();
            (AT_ACCEPTOR, MSG_ACCEPT, _, false, false) : accept_message();
            (AT_ACCEPTOR, MSG_PREPARE, true, false, false) : prepare();
            (AT_ACCEPTOR, MSG_FLOOR, _, false, false) : floor();
            (AT_ACCEPTOR, MSG_QUERY, true, false, false) : query();
            (AT_LEARNER, MSG_VOTE, _, false, false) : learn();
        }
        size = 8;
    }

    apply {
        service.apply();
        if (md.at != AT_NONE) {
            md.alive = life_is.execute(md.app);
            md.last = last_get.execute(md.app);
            md.behind = first_sub.execute(md.app);
            classify.apply();
        }
    }
}

#endif
