// Package conformance holds random tests of the programs in p4/, on both targets,
// against each other and against what the protocol promises.
//
//	random state --> entries, groups, registers --> interpreter, XDP
//	random packets -------------------------------> both
//	                    same bytes, same ports, same registers, same counters
package conformance
