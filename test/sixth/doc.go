// Package sixth adds a system to a copy of the tree from two folders, p4/tally and
// systems/tally, and runs it: nothing else is changed by hand. The folders are in testdata,
// to be read and copied: a switch that counts requests by their keys.
//
//	testdata/p4/tally          the program, its packet test, and what that must notice
//	testdata/systems/tally     control    the controller's application
//	                           cli        its flags, and the command p4ce tally
//	                           fabric     hosts and a scenario of the simulated network
//	                           explore    a world of the explorer
//	                           bench      a benchmark
//
// What is generated lies in the copy. The programs are built from the tree itself with the copy's
// files laid over it (go build -overlay), so that the build cache has all that is as it was. The
// switches are the interpreter: no object for XDP is made.
package sixth
