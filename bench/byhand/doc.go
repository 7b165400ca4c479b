// Package byhand compares what a packet costs the switch's generated program on XDP with the same in C that somebody has written by
// hand: CPU time of test runs in the kernel, without drivers and the copying of frames.
//
//	setup (of a system)                          Measure
//	  the generated program (dataplane/testrun)    the programs in turns, and a verdict
//	  NewHand: the object, with its maps           for each case: P4 / C by hand
//	  the same tables and packets, for both
//
// A system sees to it that both programs do the same with its packets.
package byhand
