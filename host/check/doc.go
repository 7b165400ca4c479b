// Package check finds out whether a machine can be a server: Gather asks the kernel
// and the RDMA devices, Judge says what follows.
package check
