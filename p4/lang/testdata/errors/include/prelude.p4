#include <core.p4>
#include <tna.p4>

header eth_h { bit<48> dst; bit<48> src; bit<16> type; }
header small_h { bit<8> a; bit<8> b; }
struct headers_t { eth_h eth; small_h one; small_h two; }
struct meta_t { bit<8> x; bit<16> y; bit<1> flag; bool ok; int<8> s; }

#define INGRESS_PARAMS inout headers_t hdr, inout meta_t md, \
    in ingress_intrinsic_metadata_t ig_intr_md, \
    in ingress_intrinsic_metadata_from_parser_t ig_prsr_md, \
    inout ingress_intrinsic_metadata_for_deparser_t ig_dprsr_md, \
    inout ingress_intrinsic_metadata_for_tm_t ig_tm_md
