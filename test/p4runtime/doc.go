// Package p4runtime checks the switch against the P4Runtime specification: a client with a gRPC connection to a real server, which
// runs a program with one of everything (testdata/conform.p4), on both targets.
//
//	docs/p4runtime.md:  | id | clause | what a server must do | shown by |
//	                      |                                      ^
//	                      v                                      |
//	TestConformance/TARGET/id ───────────────────────────────────┘
//
// Each subtest is one requirement of docs/p4runtime.md, and has its id. test/docs holds the page and the tests together.
package p4runtime
