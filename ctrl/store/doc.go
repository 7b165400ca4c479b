// Package store keeps the state of several controllers of the same switches in etcd, and elects the
// controller that acts. The etcd is a cluster of the operator, or part of the process.
//
//	controller 1 --+   PREFIX/offices/UNIT/LEASE   candidates of a unit; the one whose key has the
//	               |                               lowest creation revision is the primary
//	controller 2 --+-- etcd
//	               |   PREFIX/records/...          written only by the primary of the unit
//	controller 3 --+   PREFIX/version              of all this
//
// A unit is a set of switches that one controller serves at a time: a single switch, or several
// that belong together.
//
// # Contract
//
//   - At most one Candidate of a unit is the primary at a time, by etcd's order of events. Later
//     candidates have higher numbers (Candidate.Number). The number is the P4Runtime election id,
//     so a switch that has seen a primary refuses all earlier ones.
//   - Put and Delete change a record only if the candidate is the primary at that moment, checked
//     in the same transaction. A late request of a candidate that was paused or cut off changes
//     nothing.
//   - May reports, by the candidate's own clock, that the lease cannot have expired. It stops doing
//     so a quarter of the lease's time before etcd may elect another candidate. Call it right
//     before every action that is not a Put or a Delete.
//   - A candidate that has lost its key never gets it back. Done is closed, and the controller
//     needs a new Candidate.
//   - There is no fall-back: while etcd cannot be reached, no unit has a primary for long.
package store
