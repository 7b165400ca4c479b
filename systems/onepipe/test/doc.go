// Package test runs 1Pipe as processes: switches on XDP or on the interpreter, a controller, hosts.
package test
