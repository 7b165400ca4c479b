/* Fields of a gress's metadata: what the gress in which a group's answers are gathered knows
 * of them, beside what the qp table has said. */
    drop_t answer_drop;  /* why what a replica has said is dropped */
    bit<1> fresh;        /* ACK, NAK: p is in the window. Request: it has moved it */
    bit<1> acked0;       /* slot i holds p, and is not out */
    bit<1> acked1;
    bit<1> acked2;
    bit<1> acked3;
    bit<1> acked4;
    bit<1> acked5;
    bit<1> acked6;
    bit<1> acked7;
    /* From here to again7: in the order of a table's key. */
    bit<1> heard;        /* the slot is not out */
    bit<1> quorum;
    bit<1> news;         /* the leader has not been told of p */
    bit<1> again0;       /* slot i has spoken, of nothing that it had not yet */
    bit<1> again1;
    bit<1> again2;
    bit<1> again3;
    bit<1> again4;
    bit<1> again5;
    bit<1> again6;
    bit<1> again7;
    bit<32> committed;
    bit<32> code;        /* credit code of this ACK */
    bit<8> credit0;      /* of each slot; CREDIT_UNLIMITED where there is none */
    bit<8> credit1;
    bit<8> credit2;
    bit<8> credit3;
    bit<8> credit4;
    bit<8> credit5;
    bit<8> credit6;
    bit<8> credit7;

    /* CNP limit, units of 256 ns */
    bit<32> now;
    bit<32> interval;
    bit<32> before;      /* now - interval */
    bit<1> cnp_pass;
