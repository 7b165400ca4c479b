// Package amcast holds the names and numbers of the program amcast.p4, the roles of atomic
// multicast in a switch (P4mCast), as the program says them. names.go is generated; `make
// generate` writes it anew.
package amcast
