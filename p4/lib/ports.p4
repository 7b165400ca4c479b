/* What a port leads to.
 *
 *   +--------------+
 *   | port_class   |  the class of a port: its own number, unless an entry says otherwise
 *   | ingress_port |  (uplinks that lead to the same place)
 *   +--------------+
 *
 * The program that includes this has md.port_class.
 */
#ifndef P4CE_PORTS_P4
#define P4CE_PORTS_P4

control PortClass(inout ingress_metadata_t md, in ingress_intrinsic_metadata_t ig_intr_md) {
    @id(0x0100001a)
    action set_class(bit<16> class) {
        md.port_class = class;
    }

    @id(0x0100001b)
    action own_class() {
        md.port_class = (bit<16>)ig_intr_md.ingress_port;
    }

    @id(0x02000012)
    table port_class {
        key = { ig_intr_md.ingress_port : exact; }
        actions = { set_class; @defaultonly own_class; }
        const default_action = own_class();
        size = 512;
    }

    apply {
        port_class.apply();
    }
}

#endif
