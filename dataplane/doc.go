// Package dataplane says what a switch is to the rest of p4ce: a Target that
// runs a compiled P4 pipeline between numbered ports.
//
//	  P4Runtime client (ctrl, or anybody's)
//	          | gRPC
//	  dataplane/p4rt       arbitration, validation, read-back
//	          | Target
//	  +-------+---------+
//	  v                 v
//	dataplane/xdp   dataplane/interp
//
// A Target has no policy. The server in front of it validates every request against the program,
// and keeps what has been written. So a Target may assume that entries are well formed, belong to
// the loaded program, and are not duplicates.
//
// Values travel as big-endian byte strings of exactly ceil(width/8) bytes, with
// the unused high bits zero. Packets are whole Ethernet frames without FCS.
package dataplane
