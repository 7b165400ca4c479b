// Package events is what every simulation in simulated time is made of: what will happen, in order.
//
//	At ──▶ Queue: by time, then by the order of At ──Run──▶ what happens now, which calls At again
//
// A Queue reads no clock and draws nothing, so a run is what its caller puts in. It allocates only
// to grow. It is for one goroutine.
package events
