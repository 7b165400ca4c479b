// Package sim runs cores of package mu on a simulated RDMA network, switch and
// cluster, in simulated time, and checks at every step what must always hold.
//
// A run is determined by its seed and its options, or by a script. What happens is
// written into a trace that a person can read. Time, order and faults are drawn from
// the seed: operations of one connection are executed in order, those of different
// connections in any; an operation that fails may have been executed, or may be
// executed later, in part or whole, until its rights are taken away; a server that
// is paused still serves RDMA; one that crashes loses its memory, and of its disk
// what was not synced.
//
// # What is checked
//
//   - agreement: no two servers apply different entries at one position, and none
//     applies out of order;
//   - what was reported to a client as decided is the client's own value, and stays;
//   - at that moment a majority of the members holds it;
//   - writes to a log that take effect in one term come from one server;
//   - a read barrier that was confirmed covers everything that was reported before it
//     was asked for;
//   - when faults end, the cluster works again, and all states are equal.
package sim
