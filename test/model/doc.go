// Command model checks decision.pml, the decision protocol of systems/rdma/mu in
// Promela, with the model checker Spin: that the properties hold in every state that
// can be reached within bounds, that breaking any one rule violates a property, and
// that what the protocol is for can happen in the model at all.
//
//	go run ./test/model [-quick] [-j 2] [-run regexp]
//	go run ./test/model -trace case
//
// It needs spin and gcc. Without them it says so and succeeds: nothing was checked,
// nothing failed. README.md beside this file says what the model leaves out.
package main
