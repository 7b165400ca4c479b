// Expressions: constants, widths, signs, casts, slices.
#include "prelude.p4"
#define OWN_INGRESS
enum bit<8> op_t { ADD = 1, SUB = 0x10 }
enum color_t { RED, GREEN }
type bit<9> port_t;
const bit<16> MASK = (1 << 12) - 1;

struct pair_t { bit<8> lo; bit<8> hi; }
control Ig(INGRESS_PARAMS) {
    color_t c = color_t.GREEN;
    op_t op;
    port_t port;
    apply {
        md.y = MASK & hdr.eth.type;
        md.y = hdr.eth.type << 3 | 0xF;
        md.x = (bit<8>)md.y + 1;
        md.y = (bit<16>)md.x - 1;
        md.s = (int<8>)md.x >> 2;
        md.s = -md.s + 1;
        md.ok = md.s < 0;
        md.ok = (int<8>)(md.x - 3) < 0 || md.y[15:8] == 5;
        md.flag = md.y[3:3];
        md.ok = (bool)md.flag;
        md.flag = (bit<1>)md.ok;
        md.y = md.x ++ 8w0xab;
        md.y = md.ok ? 16w1 : md.y;
        md.x = md.ok ? 1 : 2;
        md.y[7:0] = md.x;
        md.y[15:8][3:0] = md.x[7:4];
        md.x = ~md.x & 0x7f ^ 1;
        md.x = md.x |-| 200;
        md.y = 16w0xffff >> md.x;
        md.x = max(md.x, md.x + 1);
        md.y = (bit<16>)(sizeInBits(hdr.eth) + 1);
        op = op_t.ADD;
        md.ok = op == op_t.SUB;
        md.x = op;
        op = (op_t)md.x;
        md.ok = c == color_t.RED;
        port = (port_t)9w4;
        md.y = (bit<16>)(bit<9>)port;
        md.x = 5 * 3 % 4;
        md.x = 3 - 5;
        md.s = -128;
        md.y = (bit<16>)hdr.eth.dst[47:40];
        if (true) { md.x = 1; } else { md.x = 2; }
    }
}
#include "finish.p4"
