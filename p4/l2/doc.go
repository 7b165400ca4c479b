// Package l2 holds the names and numbers of the program l2.p4, a switch that learns MAC
// addresses, as the program says them. names.go is generated; `make generate` writes it
// anew.
package l2
