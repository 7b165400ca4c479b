// Package chaos runs the cores of package paxos (proposers, replicas, coordinators) with the roles
// of Paxos, which are those of package soft or others behind the same interface (Device), on a
// simulated network, in simulated time, and checks at every step what must always hold.
//
// A run is determined by its options, with a seed. Messages are lost, doubled, delayed,
// reordered and damaged. Leaders, acceptors, learners and hosts stop and start again, with or
// without what they knew; the controller dies between any two of its steps and keeps its journal
// only; requests go to two leaders at once; hosts sleep until the switches have forgotten what
// they missed; some hosts lose their disks.
//
// # What is checked
//
//   - agreement: a majority of a round's acceptors votes for one value of an instance, and for
//     no other in any round; learners deliver nothing else;
//   - integrity: what is delivered was submitted, with this number, and is delivered once;
//   - order: what the replicas deliver is one sequence, of which each has a beginning, also after
//     it has begun again from a checkpoint, its own or another's;
//   - what a proposer was told to be delivered is in that sequence;
//   - when faults end, everything that was submitted by a host that lives is delivered
//     everywhere.
//
// The mutants of test/mutants/paxos.txt break each rule, and show that the checks see it.
package chaos
