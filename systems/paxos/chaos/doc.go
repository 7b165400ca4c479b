// Package chaos runs the cores of package paxos (proposers, replicas, coordinators) with the roles
// of Paxos on a simulated network, in simulated time. The roles are those of package soft, or
// others behind the same interface (Device). At every step, the package checks what must always
// hold.
//
// A run is determined by its options, with a seed. Messages are lost, duplicated, delayed,
// reordered and damaged. Leaders, acceptors, learners and hosts stop and start again, with or
// without their state. The controller dies between any two of its steps, and keeps only its
// journal. Requests go to two leaders at once. Hosts sleep until the switches have forgotten what
// they missed. Some hosts lose their disks.
//
// # What is checked
//
//   - agreement: a majority of a round's acceptors votes for one value of an instance, and for
//     no other in any round; learners deliver nothing else;
//   - integrity: a delivered value was submitted, with this number, and is delivered once;
//   - order: the replicas deliver one sequence, of which each has delivered a prefix, also after it
//     has started again from a checkpoint, its own or another's;
//   - a value that was reported to a proposer as delivered is in that sequence;
//   - when faults end, everything that a live host has submitted is delivered everywhere.
//
// The mutants of systems/paxos/mutants/paxos.txt break each rule, and show that the checks notice it.
package chaos
