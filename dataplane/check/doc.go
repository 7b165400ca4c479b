// Package check finds out whether a machine can be a switch. Gather collects facts from the kernel,
// and Judge draws the conclusions.
package check
