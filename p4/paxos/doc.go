// Package paxos holds the names and numbers of the program paxos.p4, the roles of Paxos in a
// switch (P4xos), as the program says them. names.go is generated; `make generate` writes it
// anew.
package paxos
