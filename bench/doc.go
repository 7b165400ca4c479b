// Package bench is the command line of benchmarks: p4ce bench.
//
// A system provides its benchmarks as values of type Benchmark, in the variable Benchmarks of its
// package systems/NAME/bench. A program passes the lists to Command, which makes a command of each
// benchmark, and the command "all", which runs them one after the other and writes a report.
package bench
