// Package program tests the program p4/paxos, in the interpreter and on XDP: the roles alone and
// together, the messages that each refuses, and small networks of switches that lose, duplicate and
// reorder messages.
package program
