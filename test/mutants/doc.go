// Command mutants breaks the programs of this repository, one line at a time, and
// sees whether the tests notice: a rule is what a test can see broken.
//
//	go run ./test/mutants [-list mu,rdma] [-run regexp] [-j 2] [-shard 1/4]
//	go run ./test/mutants -quick
//	go run ./test/mutants -generated [-list cm,mu] [-run regexp] [-quick [-sample n] [-seed n]]
//
// The mutants are in lists: those that break a system in systems/NAME/mutants, the
// others beside this file. Each is a change of one place, and the test that must fail
// with it. Each is applied alone, by an overlay of the go
// command (-overlay), so that no file of the tree is touched; that works for embedded
// files, too, such as P4 programs, which are compiled here first.
//
// Only one thing counts as a kill: a test that is named in the list, passes without
// the mutant, and fails with it, by saying so. Whatever else may happen is an error,
// like a mutant that survives: an anchor that is not in the file or there twice, a
// mutant that does not build, a time-out, a panic, a failure of something else.
//
// With -generated, mutants are made from the source, any test of the package may kill
// them, and what counts is the rate of those that are killed.
//
// README.md has the format of the lists.
package main
