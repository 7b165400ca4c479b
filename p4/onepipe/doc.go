// Package onepipe holds the names and numbers of the program onepipe.p4, the barriers of 1Pipe in
// a switch, as the program says them. names.go is generated; `make generate` writes it anew.
package onepipe
