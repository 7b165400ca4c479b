// Package check finds out whether a machine can be a switch: Gather asks the kernel,
// Judge says what follows.
package check
