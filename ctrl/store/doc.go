// Package store is where several controllers of the same switches keep what they know, and where
// they agree on which of them acts: etcd, a cluster of the operator's or one that is part of the process.
//
//	controller 1 --+   PREFIX/offices/UNIT/LEASE   who stands for the office of a unit, in the order of
//	               |                               their revisions: the first holds it
//	controller 2 --+-- etcd
//	               |   PREFIX/records/...          what only the holder of an office writes
//	controller 3 --+   PREFIX/version              of all this
//
// A unit is what one controller at a time acts on: a switch, or several that belong together.
//
// # Contract
//
//   - At most one Candidate of an office holds it at a time, by etcd's order of events, and those who come
//     later have higher numbers (Candidate.Number): the number is the P4Runtime election id, so that
//     a switch refuses whoever held the office before the one that it has heard of.
//   - Put and Delete change a record only if the candidate holds the office at that moment: both are one
//     transaction. A late request of one who was paused or cut off changes nothing.
//   - May says, by the candidate's own clock, that the lease cannot have expired: it stops saying so a
//     quarter of the lease's time before etcd may give the office to another. Whoever acts on anything else
//     than records asks it right before.
//   - A candidate that has lost its place does not get it back: Done is closed, and there must be a new one.
//   - Nothing falls back: when etcd cannot be reached nobody holds an office for long.
package store
