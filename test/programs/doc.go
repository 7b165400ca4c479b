// Package programs makes random P4 programs, and holds the compiler and its targets against the specification with them:
//
//	Generate -> program -+-> lang.Check -> p4/lang/spec          what the specification says
//	                     +-> lang.Compile -> interp              what comes of the intermediate form
//	                                      -> C, clang -> XDP     what comes of the C
//
// The same random packets go through all three. Where the specification defines a bit of the result, the interpreter's must be
// that; XDP gives what the interpreter gives, everywhere. A program that fails is made shorter, printed, and kept in
// testdata, where it stays a test.
//
//	go test ./test/programs -args -programs 2000 -seed 7 -xdp 50
package programs
