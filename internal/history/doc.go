// Package history judges what clients of a transactional store have seen, from outside: whether there is an order of all
// transactions that explains it, which keeps the order of real time.
//
//	transactions --Check--> dependencies: ww, wr, rw, real time --> a cycle, or none
//
// Every write puts a value that nobody else writes, and returns the value that it replaces. So the versions of each key, and
// what depends on what, follow from what clients have seen (Adya's direct serialization graph; Elle: Kingsbury and Alvaro,
// VLDB 2020). There is an order if and only if no dependencies form a cycle. With the edges of real time, it is strict
// serializability.
//
// # Contract
//
// A transaction whose fate is unknown is part of the history if anybody has seen a value of it. Of what it replaced nothing
// is known: Check then demands less, and never too much. Times are of one clock, which all clients share.
package history
