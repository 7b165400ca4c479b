// Package twocpus runs p4/rdma on XDP on two CPUs at once: answers that arrive at the same moment must
// not be lost. It has a weakened program for each rule, in which they are. Its tests are races, and
// need two CPUs.
package twocpus
