// Every algorithm of Hash, polynomials of one's own, symmetric inputs, and inputs that are no whole bytes.
#include "include/frame.p4"

header result_h { bit<64> a; bit<64> b; }
struct headers_t { eth_h eth; result_h result; }
struct meta_t { }

INGRESS_PARSER(Prsr) { START state body { transition accept; } }
INGRESS(Ctl) {
    Hash<bit<8>>(HashAlgorithm_t.XOR8) xor8;
    Hash<bit<16>>(HashAlgorithm_t.XOR16) xor16;
    Hash<bit<32>>(HashAlgorithm_t.XOR32) xor32;
    Hash<bit<8>>(HashAlgorithm_t.CRC8) crc8;
    Hash<bit<16>>(HashAlgorithm_t.CRC16) crc16;
    Hash<bit<32>>(HashAlgorithm_t.CRC32) crc32;
    Hash<bit<64>>(HashAlgorithm_t.CRC64) crc64;
    Hash<bit<64>>(HashAlgorithm_t.IDENTITY) identity;
    CRCPolynomial<bit<16>>(0x1021, false, false, false, 0xffff, 0) ccitt;
    Hash<bit<16>>(HashAlgorithm_t.CUSTOM, ccitt) custom;
    CRCPolynomial<bit<11>>(0x385, false, false, false, 0x1a, 0x7f) eleven;
    Hash<bit<11>>(HashAlgorithm_t.CUSTOM, eleven) flexray;
    CRCPolynomial<bit<12>>(0x80f, true, false, false, 0, 0) mirrored;
    Hash<bit<12>>(HashAlgorithm_t.CUSTOM, mirrored) umts;
    @symmetric("hdr.eth.dst", "hdr.eth.src")
    Hash<bit<32>>(HashAlgorithm_t.CRC32) symmetric;
    apply {
        ig_tm_md.ucast_egress_port = 2;
        ig_tm_md.bypass_egress = 1;
        hdr.result.setValid();
        if (hdr.eth.type == 1) {
            hdr.result.a = crc8.get({ hdr.eth.dst }) ++ crc16.get({ hdr.eth.dst }) ++ custom.get({ hdr.eth.dst }) ++ xor8.get({ hdr.eth.dst }) ++ xor16.get({ hdr.eth.dst });
            hdr.result.b = crc64.get({ hdr.eth.dst, hdr.eth.src });
        } else if (hdr.eth.type == 2) {
            hdr.result.a = identity.get({ hdr.eth.dst[11:0], hdr.eth.src[14:0], 3w5 });
            hdr.result.b = xor32.get({ hdr.eth.dst, hdr.eth.src }) ++ crc32.get({ hdr.eth.dst[3:0], hdr.eth.src });
        } else {
            hdr.result.a = 32w0 ++ symmetric.get({ hdr.eth.dst, hdr.eth.src, hdr.eth.type });
            hdr.result.b = 41w0 ++ flexray.get({ hdr.eth.dst }) ++ umts.get({ hdr.eth.dst });
        }
    }
}
DEPARSER(Dprs) { apply { pkt.emit(hdr.result); } }
EGRESS_PARSER(EgPrsr) { state start { pkt.extract(eg_intr_md); transition accept; } }
EGRESS(EgCtl) { apply { } }
DEPARSER(EgDprs) { apply { } }
Pipeline(Prsr(), Ctl(), Dprs(), EgPrsr(), EgCtl(), EgDprs()) pipe;
Switch(pipe) main;
