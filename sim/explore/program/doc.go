// Package program is a switch program for worlds of the explorer (sim/explore): in the interpreter,
// with states that are cheap to take and to come back to. Worlds that share a Program are for one
// goroutine at a time (interp.State), so their explore.Kind is Shared.
package program
