// Package diag holds what the phases of the compiler say to a person: source
// files, positions in them, and lists of diagnostics with stable codes.
//
// A diagnostic names its place the way editors understand it and shows it:
//
//	rdma.p4:41:9: error P4202: "hdr.bth.psn": no field "psn" in header bth_h
//	        hdr.bth.psn = 1;
//	                ^
//
// Contract:
//   - A Pos is a value; the zero Pos means "no place" (for instance a command
//     line macro) and prints as "-".
//   - A File is immutable once registered with its text; it is shared by all
//     positions in it.
//   - Columns count bytes from 1, lines count from 1. A tab is one column; the
//     caret line repeats the tabs of the source line so that it lines up.
//   - List.Add never grows without bound: after MaxErrors errors further ones
//     are counted, not stored.
//   - Codes are stable: a code is never reused for another kind of error.
package diag
