// Command tofino compiles every program of p4/ with a compiler for Tofino that the user has, and writes what each needs of a chip
// to docs/tofino.md: stages, tables, memories, ALUs, hash bits and header containers (Table III of the P4xos paper, for all programs).
//
//	make tofino BF_P4C=/path/to/bf-p4c     # the driver of Intel's SDE, or p4c of p4lang/p4c with its Tofino back end and assembler
//	make tofino                            # without a compiler: notes in docs/tofino.md which programs have changed since
//
// It fails where a program does not compile, has no binary, or needs more than the 12 stages of a Tofino 1.
//
// What was measured is in p4/tofino.csv, with the digest of the source that it was measured of.
package main
