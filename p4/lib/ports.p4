/* What a port leads to.
 *
 *   +--------------+
 *   | port_group   |  the port group of a port: its own number, unless an entry says otherwise
 *   | ingress_port |  (uplinks that lead to the same place)
 *   +--------------+
 *
 * The program that includes this has md.port_group. PORT_GROUP_STAGE is the stage of a Tofino that it wants the table in.
 */
#ifndef P4CE_PORTS_P4
#define P4CE_PORTS_P4

control PortGroup(inout ingress_metadata_t md, in ingress_intrinsic_metadata_t ig_intr_md) {
    @id(0x0100001a)
    action set_port_group(bit<16> port_group) {
        md.port_group = port_group;
    }

    @id(0x0100001b)
    action own_port_group() {
        md.port_group = (bit<16>)ig_intr_md.ingress_port;
    }

#ifdef PORT_GROUP_STAGE
    @stage(PORT_GROUP_STAGE)
#endif
    @id(0x02000012)
    table port_group {
        key = { ig_intr_md.ingress_port : exact; }
        actions = { set_port_group; @defaultonly own_port_group; }
        const default_action = own_port_group();
        size = 512;
    }

    apply {
        port_group.apply();
    }
}

#endif
