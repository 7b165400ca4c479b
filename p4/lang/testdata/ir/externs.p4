// State: registers, counters, hashes, digests, random numbers.
#include "prelude.p4"
#define OWN_INGRESS
#define OWN_DEPARSER
struct pair_t { bit<32> lo; bit<32> hi; }
struct note_t { bit<16> who; bool ok; int<8> s; }
control Ig(INGRESS_PARAMS) {
    Register<bit<16>, _>(1024, 7) last;
    Register<pair_t, bit<8>>(256, { 1, 2 }) pairs;
    RegisterAction<bit<16>, _, bit<16>>(last) exchange = {
        void apply(inout bit<16> v, out bit<16> old) {
            old = v;
            if (md.ok && (int<16>)(v - md.y) < 0) {
                v = md.y;
            } else if (v == 0) {
                v = 1;
            }
        }
    };
    RegisterAction<pair_t, bit<8>, bool>(pairs) count = {
        void apply(inout pair_t v) {
            v.lo = v.lo + 1;
            v.hi = v.hi |+| v.lo;
        }
    };
    CRCPolynomial<bit<16>>(0x1021, false, false, false, 0xffff, 0) ccitt;
    Hash<bit<16>>(HashAlgorithm_t.CRC32) h32;
    Hash<bit<8>>(HashAlgorithm_t.CUSTOM, ccitt) h16;
    Random<bit<8>>() dice;
    Meter<bit<8>>(256, MeterType_t.PACKETS) limit;
    @id(0x14000007) Meter<bit<8>>(16, MeterType_t.BYTES) octets;
    Counter<bit<64>, PortId_t>(512, CounterType_t.PACKETS_AND_BYTES) rx;
    DirectCounter<bit<64>>(CounterType_t.BYTES) hits;
    action hit(bit<16> v) { hits.count(); md.y = v; }
    action miss() { hits.count(); count.execute(3); }
    @pragma stage 3
    @pa_container_size("ingress", "hdr.eth.type", 16)
    table t {
        key = { hdr.eth.src : ternary; hdr.eth.type : range; }
        actions = { hit; miss; }
        default_action = miss;
        counters = hits;
        entries = {
            priority = 3 : (0x010000000000 &&& 0x010000000000, _) : hit(1);
            priority = 9 : (_, 5..6) : hit(2);
            (_, _) : miss();
        }
        size = 16;
    }
    apply {
        rx.count(ig_intr_md.ingress_port);
        md.y = exchange.execute(md.y[9:0]);
        md.x = (bit<8>)exchange.execute(0);
        md.y = last.read(4);
        last.write(5, md.y + 1);
        pairs.write(1, { 3, 4 });
        pair_t p = pairs.read(2);
        pairs.write(2, p);
        md.y = h32.get({ hdr.eth.src, hdr.eth.dst, 8w1 });
        md.x = h16.get(hdr.one);
        md.x = dice.get();
        @atomic { md.y = last.read(6); last.write(6, md.y); }
        t.apply();
        md.x = limit.execute(md.x);
        octets.execute(md.x);
        ig_dprsr_md.digest_type = 1;
        ig_tm_md.mcast_grp_a = 7;
    }
}
control IgDprs(packet_out pkt, inout headers_t hdr, in meta_t md,
               in ingress_intrinsic_metadata_for_deparser_t ig_dprsr_md) {
    Digest<note_t>(1) note;
    apply {
        if (ig_dprsr_md.digest_type == 1) {
            note.pack({ hdr.eth.type, md.ok, md.s });
        }
        pkt.emit(hdr.eth);
    }
}
#include "finish.p4"
