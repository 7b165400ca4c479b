// Package onepipecpu holds the names and numbers of the program onepipecpu.p4, the part of 1Pipe of a data plane that
// leaves barriers and beacons to the CPU, as the program says them. names.go is generated; `make generate` writes it anew.
package onepipecpu
