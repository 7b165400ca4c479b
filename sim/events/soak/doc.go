// Package soak runs a simulation with many seeds in a test, as many at a time as there are CPUs.
package soak
