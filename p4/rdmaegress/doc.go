// Package rdmaegress holds the names and numbers of the program rdmaegress.p4, which is rdma.p4 for a chip of several pipes, as the
// program says them. names.go is generated; `make generate` writes it anew.
package rdmaegress
