// Package explore is worlds of the explorer (sim/explore) for atomic multicast: the program p4/amcast
// in the interpreter, with small registers; senders and replicas of systems/amcast; and a controller
// that begins new epochs of a group by the steps of systems/amcast/control, one switch at a time.
//
// Two groups: the first has one or three members, the second has one. Each has a deliverer, and the
// first has two replicas. What is under way arrives in any order, twice, or never.
//
// Always: a replica delivers what was sent to its group, once, in the order of final timestamps, which
// are the same everywhere; replicas of one group deliver the same messages in the same order; nothing
// reaches a switch or a host that is not for its group. At the end of a run, when nothing fails any
// more, everything that a living sender has sent is delivered everywhere.
package explore
