// Package check finds out whether a machine can be a server. Gather collects facts from the kernel
// and the RDMA devices, and Judge draws the conclusions.
package check
