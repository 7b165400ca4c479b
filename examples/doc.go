// Package examples holds short programs that use p4ce from Go, one in each folder:
//
//	replicate   a log that three servers replicate through the switch
//	rdma        WRITE, READ and SEND between two RDMA endpoints in software
//	compile     a P4 program in the interpreter, and in the kernel as XDP
//	p4runtime   a switch, driven by P4Runtime
//	controller  a controller application for a program of one's own
//	packets     RoCEv2 packets and connection management messages
//	paxos       a Paxos log that goes on without one of its acceptors
//	onepipe     messages in one order at all processes, without a sequencer (make build first)
//
// `go run ./examples/NAME` runs one. NAME/want.txt is what it prints; a test runs all of them
// and compares. The package itself has what several of them use: a P4 program, and Must.
package examples

import (
	_ "embed"
	"log"
)

// Patch is the source of a P4 program: a patch panel, whose ports are plugged into one another.
//
//go:embed patch.p4
var Patch string

// Must returns v, or ends the program with an error: an example has nothing to do about it.
func Must[T any](v T, err error) T {
	Check(err)
	return v
}

// Check ends the program with an error, if there is one.
func Check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
