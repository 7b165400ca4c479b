// Package baseline has what 1Pipe is compared with: other ways to a total order of broadcasts, as hosts of a network in
// simulated time (package sim/fabric) whose switches are plain.
//
//	host sequencer    process --> sequencer, a host: number --> a copy to each process
//	switch sequencer  process --> sequencer, in a switch: number --> a copy to each process
//	token             the process that has the token numbers its messages, sends them to all, and passes it on
//	Lamport           messages have logical times; a process delivers what all others' clocks have passed
//	unordered         no order: what comes is delivered
//
// # Contract
//
// A broadcast goes to all processes, the sender among them, and each of its copies is a packet, as long as one of 1Pipe
// with the same payload. Each process delivers all messages in one order (unordered excepted). Networks must not lose
// packets: nothing is sent again, and what is lost stops everything.
//
// Each process acknowledges each message to the process that it is of, as 1Pipe's do, although nothing depends on that: all
// have the costs of the same transport, and differ in how they order.
//
// A sequencer in a switch is an endpoint at a port of that switch: its rate is that of the port.
package baseline
