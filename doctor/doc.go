// Package doctor is what a look at a machine says: facts about the machine that every
// role cares about, and how findings are told. Package link/nic has those about interfaces.
//
//	Machine             facts, gathered from the kernel
//	Finding, Verdict    what follows from them, for one role
//
// Roles have packages of their own, which gather more facts and judge them by pure
// functions: dataplane/check (switch) and host/check (server). Looking changes nothing
// on the machine.
package doctor
