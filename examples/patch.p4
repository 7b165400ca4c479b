/* A patch panel: what comes in by a port goes out by the port that it is plugged into.
 *
 *   port -> [ plugs ] -> port
 *              |
 *              +-- nothing plugged in: dropped and counted
 */
#include <core.p4>
#include <tna.p4>

struct headers_t { }

struct metadata_t {
    bit<8> unused;
}

parser IngressParser(packet_in pkt,
                     out headers_t hdr,
                     out metadata_t md,
                     out ingress_intrinsic_metadata_t ig_intr_md) {
    state start {
        pkt.extract(ig_intr_md);
        pkt.advance(PORT_METADATA_SIZE);
        md = { 0 };
        transition accept;
    }
}

control Ingress(inout headers_t hdr,
                inout metadata_t md,
                in ingress_intrinsic_metadata_t ig_intr_md,
                in ingress_intrinsic_metadata_from_parser_t ig_prsr_md,
                inout ingress_intrinsic_metadata_for_deparser_t ig_dprsr_md,
                inout ingress_intrinsic_metadata_for_tm_t ig_tm_md) {
    @id(0x12000001) @brief("Frames that came in by a port with nothing plugged in, per port")
    Counter<bit<64>, PortId_t>(512, CounterType_t.PACKETS) unplugged;

    @id(0x01000001)
    action plug(PortId_t port) {
        ig_tm_md.ucast_egress_port = port;
        ig_tm_md.bypass_egress = 1;
    }

    @id(0x01000002)
    action nothing() {
        ig_dprsr_md.drop_ctl = 1;
    }

    @id(0x02000001)
    table plugs {
        key = { ig_intr_md.ingress_port : exact @name("port"); }
        actions = { plug; @defaultonly nothing; }
        const default_action = nothing();
        size = 512;
    }

    apply {
        if (plugs.apply().miss) {
            unplugged.count(ig_intr_md.ingress_port);
        }
    }
}

control IngressDeparser(packet_out pkt,
                        inout headers_t hdr,
                        in metadata_t md,
                        in ingress_intrinsic_metadata_for_deparser_t ig_dprsr_md) {
    apply { }
}

/* Nothing is left to do in the egress: the ingress has packets pass it by. */
parser EgressParser(packet_in pkt,
                    out headers_t hdr,
                    out metadata_t md,
                    out egress_intrinsic_metadata_t eg_intr_md) {
    state start {
        pkt.extract(eg_intr_md);
        md = { 0 };
        transition accept;
    }
}

control Egress(inout headers_t hdr,
               inout metadata_t md,
               in egress_intrinsic_metadata_t eg_intr_md,
               in egress_intrinsic_metadata_from_parser_t eg_prsr_md,
               inout egress_intrinsic_metadata_for_deparser_t eg_dprsr_md,
               inout egress_intrinsic_metadata_for_output_port_t eg_oport_md) {
    apply { }
}

control EgressDeparser(packet_out pkt,
                       inout headers_t hdr,
                       in metadata_t md,
                       in egress_intrinsic_metadata_for_deparser_t eg_dprsr_md) {
    apply { }
}

Pipeline(IngressParser(), Ingress(), IngressDeparser(),
         EgressParser(), Egress(), EgressDeparser()) pipe;

Switch(pipe) main;
