// Package cm encodes and decodes the connection management messages of
// InfiniBand as RoCEv2 carries them: management datagrams of 256 bytes in UD
// SEND ONLY packets to QP 1.
//
//	active side            passive side
//	    | ------- REQ -------> |
//	    | <------ MRA -------- |   "I need longer"
//	    | <------ REP -------- |   or REJ
//	    | ------- RTU -------> |
//	    |         ...          |
//	    | ------- DREQ ------> |   either side
//	    | <------ DREP ------- |
//
// The package is codecs only; package cmsm holds the state machine. Decoding
// copies what it keeps, so a message outlives the frame it came in; private data
// are returned with the zero padding that the fixed-size messages have. The
// codecs are for the control path and may allocate.
//
// Sources: IB spec volume 1 chapter 12 (messages) and 13 (MAD header), annex A11
// (IP addressing).
package cm
