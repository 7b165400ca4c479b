// Numbers of more than 64 bits: in keys of every kind, in data of actions, in hashes, checksums and digests, in headers that come,
// go and move.
#include "include/frame.p4"

header ip_h { bit<128> src; bit<128> dst; bit<4> odd; bit<72> mid; bit<4> rest; bit<16> sum; }
header own_h { bit<128> a; bit<72> b; }
struct headers_t { eth_h eth; own_h own; ip_h ip; }
struct meta_t { bit<128> saved; bit<128> front; bit<16> h; }
struct seen_t { bit<128> who; bit<16> h; bit<72> mid; }

parser Prsr(packet_in pkt, out headers_t hdr, out meta_t md, out ingress_intrinsic_metadata_t ig_intr_md) {
    state start {
        pkt.extract(ig_intr_md);
        pkt.advance(PORT_METADATA_SIZE);
        pkt.extract(hdr.eth);
        md.front = pkt.lookahead<bit<128>>();
        transition select(md.front) { 0..0xff: accept; 0x01000000000000000000000000000000 &&& 0xff000000000000000000000000000000: accept; default: ip; }
    }
    state ip { pkt.extract(hdr.ip); transition accept; }
}
INGRESS(Ctl) {
    Hash<bit<16>>(HashAlgorithm_t.CRC16) crc16;
    Hash<bit<32>>(HashAlgorithm_t.CRC32) crc32;
    Hash<bit<32>>(HashAlgorithm_t.IDENTITY) same;
    action addresses(bit<128> src, bit<72> mid, bit<8> n) { hdr.ip.src = src; hdr.ip.mid = mid; hdr.eth.dst[7:0] = n; }
    action number(bit<16> n) { hdr.eth.type = n; }
    table exact_t { key = { hdr.ip.dst : exact; hdr.eth.type : exact; } actions = { addresses; number; } default_action = addresses(0x123456789abcdef00112233445566778, 0xabcdef, 7); size = 8; }
    table lpm_t { key = { hdr.eth.src[7:0] : exact; hdr.ip.dst : lpm; } actions = { number; } default_action = number(0); size = 16; }
    table odd_t { key = { hdr.ip.mid[70:0] : lpm; } actions = { number; } default_action = number(0); size = 16; }
    table tcam_t { key = { hdr.ip.dst : ternary; hdr.ip.mid : ternary; hdr.eth.type : range; } actions = { number; } default_action = number(0); size = 16; }
    table few_t {
        key = { hdr.ip.src : ternary; }
        actions = { number; }
        const default_action = number(0xf0);
        const entries = {
            0x7 : number(0xf1);
            0x80000000000000000000000000000000 &&& 0x80000000000000000000000000000000 : number(0xf2);
            0x1 &&& 0x1 : number(0xf3);
            _ : number(0xf5);
        }
    }
    apply {
        ig_tm_md.ucast_egress_port = 2;
        ig_tm_md.bypass_egress = 1;
        if (hdr.ip.isValid()) {
            md.saved = hdr.ip.dst;
            if (hdr.eth.dst[47:40] == 1) { exact_t.apply(); }
            else if (hdr.eth.dst[47:40] == 2) { lpm_t.apply(); }
            else if (hdr.eth.dst[47:40] == 3) { odd_t.apply(); }
            else if (hdr.eth.dst[47:40] == 4) { tcam_t.apply(); }
            else if (hdr.eth.dst[47:40] == 5) { few_t.apply(); }
            else if (hdr.eth.dst[47:40] == 6) {
                hdr.eth.dst = crc16.get({ hdr.ip.src, hdr.ip.mid }) ++ crc32.get({ hdr.ip.dst, hdr.ip.mid });
                hdr.eth.src[31:0] = same.get({ hdr.ip.src });
            }
            else if (hdr.eth.dst[47:40] == 7) {
                hdr.own.setValid();
                hdr.own.a = md.saved ^ ~hdr.ip.src;
                hdr.own.b = hdr.ip.mid[7:0] ++ hdr.ip.src[127:64];
                hdr.own.a[99:30] = hdr.ip.mid[69:0];
            }
            else if (hdr.eth.dst[47:40] == 8) { hdr.ip.dst = hdr.ip.src; hdr.ip.src = md.saved; }
            else if (hdr.eth.dst[47:40] == 9) { ig_dprsr_md.digest_type = 1; }
            else if (hdr.eth.dst[47:40] == 10) { hdr.eth.type = hdr.ip.src < hdr.ip.dst ? 16w1 : hdr.ip.src == hdr.ip.dst ? 16w2 : 16w3; if (~hdr.ip.mid == 72w0xffffffffffffffffff) { hdr.eth.dst[39:32] = 77; } hdr.ip.setInvalid(); }
            else if (hdr.eth.dst[47:40] == 11) { hdr.ip.mid[68:3] = hdr.ip.src[65:0]; hdr.ip.src[64:63] = 2; hdr.ip.dst = hdr.ip.dst[63:0] ++ hdr.ip.dst[127:64]; }
        } else {
            hdr.eth.dst = md.front[127:80];
        }
    }
}
control Dprs(packet_out pkt, inout headers_t hdr, in meta_t md, in ingress_intrinsic_metadata_for_deparser_t ig_dprsr_md) {
    Digest<seen_t>(1) seen;
    Checksum() sum;
    apply {
        if (ig_dprsr_md.digest_type == 1) { seen.pack({ hdr.ip.src, hdr.eth.type, hdr.ip.mid }); }
        if (hdr.ip.isValid()) { hdr.ip.sum = sum.update({ hdr.ip.src, hdr.ip.dst, hdr.ip.odd, hdr.ip.mid, hdr.ip.rest }); }
        pkt.emit(hdr);
    }
}
EGRESS_PARSER(EgPrsr) { state start { pkt.extract(eg_intr_md); transition accept; } }
EGRESS(EgCtl) { apply { } }
DEPARSER(EgDprs) { apply { } }
Pipeline(Prsr(), Ctl(), Dprs(), EgPrsr(), EgCtl(), EgDprs()) pipe;
Switch(pipe) main;
