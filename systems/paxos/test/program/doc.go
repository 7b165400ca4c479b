// Package program tests the program p4/paxos, in the interpreter and on XDP: the roles alone and
// together, what each refuses, and small networks of switches in which messages are lost,
// doubled and reordered.
package program
