/* RoCEv2 (IBTA volume 1, annex 17): what is behind UDP port 4791. */
#ifndef P4CE_ROCE_P4
#define P4CE_ROCE_P4

/* What the CRC-32 over a RoCE packet and its ICRC is when both are right. */
#define ICRC_RESIDUE 0x2144df1c

const bit<16> UDP_PORT_ROCE = 4791;
const bit<24> QPN_CM = 1;

/* BTH opcodes of the reliable connection service (IBTA 9.2.1). */
const bit<8> RC_SEND_LAST_IMM = 0x03;
const bit<8> RC_SEND_ONLY = 0x04;
const bit<8> RC_SEND_ONLY_IMM = 0x05;
const bit<8> RC_WRITE_FIRST = 0x06;
const bit<8> RC_WRITE_MIDDLE = 0x07;
const bit<8> RC_WRITE_LAST = 0x08;
const bit<8> RC_WRITE_LAST_IMM = 0x09;
const bit<8> RC_WRITE_ONLY = 0x0a;
const bit<8> RC_WRITE_ONLY_IMM = 0x0b;
const bit<8> RC_READ_REQUEST = 0x0c;
const bit<8> RC_ACK = 0x11;
const bit<8> RC_COMPARE_SWAP = 0x13;
const bit<8> RC_FETCH_ADD = 0x14;
const bit<8> UD_SEND_ONLY = 0x64;
const bit<8> CNP = 0x81;

/* Base transport header. psn_word is AckReq(1) reserved(7) PSN(24). */
header bth_h {
    bit<8> opcode;
    bit<8> flags;
    bit<16> pkey;
    bit<8> ecn;
    bit<24> dst_qp;
    bit<32> psn_word;
}

/* RDMA extended transport header. */
header reth_h {
    bit<64> va;
    bit<32> rkey;
    bit<32> length;
}

/* ACK extended transport header. */
header aeth_h {
    bit<8> syndrome;
    bit<24> msn;
}

/* What a CNP has behind the BTH. */
header cnp_h {
    bit<64> reserved0;
    bit<64> reserved1;
}

/* Invariant CRC, of packets that end behind their headers: ACK, NAK, CNP. */
header icrc_h {
    bit<32> crc;
}

#endif
