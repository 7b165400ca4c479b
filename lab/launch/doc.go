// Package launch is the one way in which processes of p4ce are started and watched on
// this machine: by the demo, by tests and by benchmarks.
//
// What it starts prints events on its standard output, one JSON object a line, takes
// commands on its standard input, one a line, and logs on its standard error. Two events
// have a meaning for everybody: "ready", and "end", the last of a process that was ready,
// unless it is killed, with the time ("at", in nanoseconds of the machine's monotonic
// clock) at which it gave up. A Watch holds processes that are not to end, and says which
// of them was the first to do so: the others' errors are only what follows from it.
package launch
