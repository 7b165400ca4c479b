// Package cast copies a file to many hosts by RDMA: by multicast WRITEs through a switch that
// forms groups, by a connection for each (fan-out), or from host to host (chain).
//
//	sender                                   receivers (each)
//	  | -- control connection: offer --------> |  name, size, SHA-256
//	  | <------------------------- state ----- |  chunks that are there already
//	  | == data: WRITE chunk i to slot i mod N => all, through the switch: one copy leaves
//	  | -- chunk i, its CRC -----------------> |  checks, writes to a partial file
//	  | <-------------------------- done i --- |  the slot may be used again
//	  |            ...                         |
//	  | -- finish ---------------------------> |  fsync, SHA-256 of all of it, rename
//	  | <------------------------ finished --- |
//
// # Contract
//
//   - A file has its final name only when all of it is on disk and has the sender's SHA-256. Until
//     then it is in the folder ".p4ce-cast" beside it.
//   - A transfer that was cut off, whoever died, goes on where it was when the same file is
//     sent again under the same name. A host that has all of it gets nothing.
//   - A receiver that dies, refuses or is full does not keep the others from finishing. Send
//     returns a Result for each.
//   - A slot is not written before all receivers of the data connection have done with what was in
//     it, and not over an older data connection.
//   - A name is one of a file in the receiver's folder, and of no other.
//   - Connections are those of one cluster (p4ce.Secret).
package cast
