// Command explore looks at every order of events in small worlds of real programs, or
// at random ones in larger worlds.
//
//	go run ./test/explore [-run regexp] [-quick]                all worlds that are kept here
//	go run ./test/explore -world "mu entries=2 batch"           a world of your own
//	go run ./test/explore -world "mu servers=5 entries=4 cuts=3 crashes=2 late split" -walks 10000 -steps 400
//	go run ./test/explore -replay file                          a violation again, as a chart
//
// It ends with an error if a property is violated, a search that should be complete is
// not, or a complete one has never reached a goal. The shortest way to a violation is
// printed as a chart and kept as a file. docs/verification.md says how to read it.
package main
