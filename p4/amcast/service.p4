/* Which role a message is for, and whether it may do anything.
 *
 *   +--------------+   +----------------------+   +-----------+
 *   | service      |   | sets                 |   | admission |
 *   | ipv4.dst,    |-->| role, groups         |-->| kind, who | -> act
 *   | udp.dst_port |   | -> slot, count,      |   | sends it  |
 *   | -> role, at, |   |    epochs, copies    |   |           | refused: why
 *   |    epoch, .. |   +----------------------+   +-----------+
 *   |              |   | clients, replicas    |   +-----------+
 *   |              |-->| proposers, ackers    |   | late      | epochs of an
 *   +--------------+   | who, by which port   |-->|           | acknowledgement
 *                      +----------------------+   +-----------+
 *
 * service    the roles of this switch: all that a role is, so that it changes at once.
 * sets       the destinations that may be used, of which the role's group is one: their number,
 *            their epochs, and the copies that go to all of them. What is not here is refused:
 *            no switch takes part in what is not for its group.
 * clients    who may start messages under a client's number, and by which port.
 * replicas   who may ask, and start messages of clients that have failed.
 * proposers  who leads a group in an epoch, and by which port its proposals come.
 * ackers     who the members of a group in an epoch are. A group's acknowledgements of another
 *            epoch are of no use: a quorum of two epochs is none.
 */
#ifndef P4CE_AMCAST_SERVICE_P4
#define P4CE_AMCAST_SERVICE_P4

control Service(inout headers_t hdr, inout ingress_metadata_t md) {
    @id(0x01000010)
    action take(at_t at, role_t role, bit<32> life, bit<8> group, bit<32> epoch, bit<1> leads, bit<8> member,
                MulticastGroupId_t replicas) {
        md.at = at;
        md.role = role;
        md.life = life;
        md.group = group;
        md.epoch = epoch;
        md.leads = leads;
        md.member = member;
        md.replicas = replicas;
    }

    @id(0x02000010)
    table service {
        key = {
            hdr.ipv4.dst : exact;
            hdr.udp.dst_port : exact;
        }
        actions = { take; @defaultonly NoAction; }
        const default_action = NoAction();
        size = 64;
    }

    apply {
        service.apply();
    }
}

control Peers(inout headers_t hdr, inout ingress_metadata_t md) {
    @id(0x01000020)
    action destinations(bit<4> slot, bit<4> count, bit<32> epoch, bit<32> epoch0, bit<32> epoch1, bit<32> epoch2,
                        bit<32> epoch3, bit<32> sum, MulticastGroupId_t props, MulticastGroupId_t acks) {
        md.in_set = 1;
        md.set_slot = slot;
        md.count = count;
        md.set_epoch = epoch;
        md.epoch0 = epoch0;
        md.epoch1 = epoch1;
        md.epoch2 = epoch2;
        md.epoch3 = epoch3;
        md.tag = sum;
        md.props = props;
        md.acks = acks;
    }

    @id(0x02000020)
    table sets {
        key = { md.role : exact; hdr.amcast.groups : exact; }
        actions = { destinations; @defaultonly NoAction; }
        const default_action = NoAction();
        size = 4096;
    }

    @id(0x01000021)
    action may_start() {
        md.client = 1;
    }

    @id(0x02000021)
    table clients {
        key = {
            hdr.amcast.client : exact;
            hdr.ipv4.src : exact;
            md.port_group : exact @name("port_group");
        }
        actions = { may_start; @defaultonly NoAction; }
        const default_action = NoAction();
        size = 1024;
    }

    @id(0x01000022)
    action may_ask() {
        md.replica = 1;
    }

    @id(0x02000022)
    table replicas {
        key = {
            md.role : exact;
            hdr.ipv4.src : exact;
            md.port_group : exact @name("port_group");
        }
        actions = { may_ask; @defaultonly NoAction; }
        const default_action = NoAction();
        size = 1024;
    }

    @id(0x01000023)
    action proposes(bit<1> own) {
        md.proposer = 1;
        md.proposer_own = own;
    }

    @id(0x02000023)
    table proposers {
        key = {
            md.role : exact;
            hdr.amcast.from : exact;
            hdr.amcast.epoch : exact;
            hdr.ipv4.src : exact;
            md.port_group : exact @name("port_group");
        }
        actions = { proposes; @defaultonly NoAction; }
        const default_action = NoAction();
        size = 1024;
    }

    @id(0x01000024)
    action acknowledges(bit<4> members, bit<1> watermark) {
        md.acker = 1;
        md.members = members;
        md.watermark = watermark;
    }

    /* The leader of an epoch is member 0. */
    @id(0x02000024)
    table ackers {
        key = {
            md.role : exact;
            hdr.amcast.by : exact;
            hdr.amcast.by_epoch : exact;
            hdr.amcast.member : exact;
            hdr.ipv4.src : exact;
            md.port_group : exact @name("port_group");
        }
        actions = { acknowledges; @defaultonly NoAction; }
        const default_action = NoAction();
        size = 1024;
    }

    @id(0x01000025)
    action from0() {
        md.from_late = hdr.amcast.epoch ^ md.epoch0;
    }
    @id(0x01000026)
    action from1() {
        md.from_late = hdr.amcast.epoch ^ md.epoch1;
    }
    @id(0x01000027)
    action from2() {
        md.from_late = hdr.amcast.epoch ^ md.epoch2;
    }
    @id(0x01000028)
    action from3() {
        md.from_late = hdr.amcast.epoch ^ md.epoch3;
    }

    @id(0x0100002f)
    action from_none() {
        md.from_late = 1;
    }

    @id(0x02000025)
    table from_late {
        key = { hdr.amcast.from_slot : exact; }
        actions = { from0; from1; from2; from3; @defaultonly from_none; }
        const default_action = from_none();
        const entries = {
            0 : from0();
            1 : from1();
            2 : from2();
            3 : from3();
        }
        size = 4;
    }

    @id(0x01000029)
    action by0() {
        md.by_late = hdr.amcast.by_epoch ^ md.epoch0;
    }
    @id(0x0100002a)
    action by1() {
        md.by_late = hdr.amcast.by_epoch ^ md.epoch1;
    }
    @id(0x0100002b)
    action by2() {
        md.by_late = hdr.amcast.by_epoch ^ md.epoch2;
    }
    @id(0x0100002c)
    action by3() {
        md.by_late = hdr.amcast.by_epoch ^ md.epoch3;
    }

    @id(0x01000035)
    action by_none() {
        md.by_late = 1;
    }

    @id(0x02000026)
    table by_late {
        key = { hdr.amcast.by_slot : exact; }
        actions = { by0; by1; by2; by3; @defaultonly by_none; }
        const default_action = by_none();
        const entries = {
            0 : by0();
            1 : by1();
            2 : by2();
            3 : by3();
        }
        size = 4;
    }

    @id(0x0100002d)
    action in_time() {
        md.late = 0;
    }

    @id(0x0100002e)
    action too_late() {
        md.late = 1;
    }

    @id(0x02000027)
    table late {
        key = { md.from_late : ternary; md.by_late : ternary; }
        actions = { in_time; too_late; }
        const default_action = too_late();
        const entries = {
            (0, 0) : in_time();
        }
        size = 1;
    }

    /* A message becomes the role's proposal, with its acknowledgement. */
    @id(0x01000030)
    action start() {
        md.act = ACT_START;
        md.tag = md.epoch;
        hdr.amcast.from = md.group;
        hdr.amcast.from_slot = md.set_slot;
        hdr.amcast.epoch = md.epoch;
        hdr.amcast.by = md.group;
        hdr.amcast.by_slot = md.set_slot;
        hdr.amcast.by_epoch = md.epoch;
        hdr.amcast.member = md.member;
    }

    /* A proposal becomes the role's acknowledgement. */
    @id(0x01000031)
    action proposal(act_t act) {
        md.act = act;
        md.tag = md.epoch;
        hdr.amcast.by = md.group;
        hdr.amcast.by_slot = md.set_slot;
        hdr.amcast.by_epoch = md.epoch;
        hdr.amcast.member = md.member;
    }

    @id(0x01000032)
    action acknowledgement() {
        md.act = ACT_ACK;
    }

    @id(0x01000033)
    action question(act_t act) {
        md.act = act;
        hdr.amcast.from = md.group;
        hdr.amcast.by = md.group;
        hdr.amcast.by_epoch = md.epoch;
        hdr.amcast.member = md.member;
    }

    @id(0x01000034)
    action refuse(drop_t why) {
        md.drop = why;
    }

    /* In the order in which reasons are looked for. */
    @id(0x02000030)
    table admission {
        key = {
            md.rest : ternary;
            md.at : ternary;
            hdr.amcast.kind : ternary;
            md.leads : ternary;
            md.in_set : ternary;
            md.client : ternary;
            md.replica : ternary;
            hdr.amcast.client[15:CLIENT_BITS] : ternary @name("beyond");
            md.ahead[31:WINDOW_BITS] : ternary @name("ahead");
            md.proposer : ternary;
            md.proposer_own : ternary;
            md.acker : ternary;
        }
        actions = { start; proposal; acknowledgement; question; refuse; }
        const default_action = refuse(DROP_MALFORMED);
        const entries = {
            (OVERHEAD, AT_MEMBER, MSG_START, 0, _, _, _, _, _, _, _, _) : refuse(DROP_NO_ROLE);
            (OVERHEAD, AT_MEMBER, MSG_START, _, 0, _, _, _, _, _, _, _) : refuse(DROP_GROUPS);
            (OVERHEAD, AT_MEMBER, MSG_START, _, _, 0, 0, _, _, _, _, _) : refuse(DROP_CLIENT);
            (OVERHEAD, AT_MEMBER, MSG_START, _, _, _, _, 0, 0, _, _, _) : start();
            (OVERHEAD, AT_MEMBER, MSG_START, _, _, _, _, 0, _, _, _, _) : refuse(DROP_WINDOW);
            (OVERHEAD, AT_MEMBER, MSG_START, _, _, _, _, _, _, _, _, _) : refuse(DROP_CLIENT);
            (OVERHEAD, AT_MEMBER, MSG_PROP, _, _, _, _, _, _, 0, _, _) : refuse(DROP_PROPOSER);
            (OVERHEAD, AT_MEMBER, MSG_PROP, _, 0, _, _, _, _, _, _, _) : refuse(DROP_GROUPS);
            (OVERHEAD, AT_MEMBER, MSG_PROP, _, _, _, _, _, _, _, 1, _) : proposal(ACT_OWN);
            (OVERHEAD, AT_MEMBER, MSG_PROP, _, _, _, _, _, _, _, _, _) : proposal(ACT_OTHER);
            (OVERHEAD, AT_DELIVERER, MSG_ACK, _, _, _, _, _, _, _, _, 0) : refuse(DROP_ACKER);
            (OVERHEAD, AT_DELIVERER, MSG_ACK, _, 0, _, _, _, _, _, _, _) : refuse(DROP_GROUPS);
            (OVERHEAD, AT_DELIVERER, MSG_ACK, _, _, _, _, _, _, _, _, _) : acknowledgement();
            (OVERHEAD, AT_MEMBER, MSG_ASK, _, _, _, 0, _, _, _, _, _) : refuse(DROP_REPLICA);
            (OVERHEAD, AT_MEMBER, MSG_LOOK, _, _, _, 0, _, _, _, _, _) : refuse(DROP_REPLICA);
            (OVERHEAD, AT_MEMBER, MSG_ASK, _, _, _, _, _, _, _, _, _) : question(ACT_ASK);
            (OVERHEAD, AT_MEMBER, MSG_LOOK, _, _, _, _, _, _, _, _, _) : question(ACT_LOOK);
            (OVERHEAD, _, _, _, _, _, _, _, _, _, _, _) : refuse(DROP_MESSAGE);
        }
        size = 32;
    }

    apply {
        md.ahead = hdr.amcast.number - hdr.amcast.seq;
        md.rest = hdr.udp.length - hdr.amcast.length;
        sets.apply();
        WHEN(hdr.amcast.kind == MSG_START) {
            clients.apply();
        }
        WHEN(hdr.amcast.kind != MSG_PROP && hdr.amcast.kind != MSG_ACK) {
            replicas.apply();
        }
        WHEN(hdr.amcast.kind == MSG_PROP) {
            proposers.apply();
        }
        WHEN(hdr.amcast.kind == MSG_ACK) {
            ackers.apply();
        }
        admission.apply();
        WHEN(md.at == AT_DELIVERER) {
            from_late.apply();
            by_late.apply();
            late.apply();
        }
    }
}

#endif
