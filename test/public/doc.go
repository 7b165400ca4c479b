// Command public runs the compiler over public P4 programs: a checkout of p4lang/p4c, or of
// p4lang/open-p4studio. None of their text is part of this repository.
//
//	make p4-public CHECKOUT=/path/to/p4c
//	make p4-public CHECKOUT=/path/to/open-p4studio
//
// It prints a row for each program: whether the front end takes it, whether the interpreter and XDP
// do (programs for the Tofino Native Architecture only), and the first reason why not. Totals follow.
// With -load it also builds the object of each program that XDP takes, and loads it into the kernel
// (root, clang).
//
// In p4c, testdata/p4_16_samples are programs to take, and testdata/p4_16_errors programs to refuse.
// The files of other architectures come from p4include in the checkout.
package main
