// Package twophase is what transactions on 1Pipe (systems/onepipe/txn) are compared with: two-phase commit with locks.
//
//	Coordinator -- lock, each shard's part --> Participant: locks its keys, or refuses
//	    ^   |                                       |
//	    |   +-- commit, or abort ---------------->  | applies, and unlocks
//	    +------ the keys' values, or a refusal <----+
//
// Locks are shared for reads. A participant whose keys are locked refuses at once (no-wait): nothing waits for ever. The
// transaction is tried again after a random pause, which doubles from time to time. A transaction of one shard takes one
// round trip, and no lock.
//
// A transaction has ended when all participants have locked: it holds all its keys at that moment. Nobody waits until they
// have unlocked. That is as good as it gets for two-phase commit, and right only because nothing fails here.
//
// # Contract
//
// Messages are not lost, and come once. Keys are spread as in package txn. Coordinators and Participants belong to one
// goroutine.
package twophase
