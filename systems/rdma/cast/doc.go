// Package cast copies a file to many hosts by RDMA: by multicast WRITEs through a switch that
// forms groups, by a connection for each (fan-out), or from host to host (chain).
//
//	sender                                   receivers (each)
//	  | -- control connection: offer --------> |  name, size, SHA-256
//	  | <------------------------- state ----- |  chunks that it has already
//	  | == data: WRITE chunk i to slot i mod N => all, through the switch: one copy leaves
//	  | -- chunk i, its CRC -----------------> |  checks, writes to a partial file
//	  | <-------------------------- done i --- |  the slot may be reused
//	  |            ...                         |
//	  | -- finish ---------------------------> |  fsync, SHA-256 of all of it, rename
//	  | <------------------------ finished --- |
//
// # Contract
//
//   - A file has its final name only when all of it is on disk and has the sender's SHA-256. Until
//     then it is in the folder ".p4ce-cast" beside it.
//   - An interrupted transfer continues when the same file is sent again under the same name,
//     whichever side died. A host that has the whole file gets nothing.
//   - A receiver that dies, refuses or is full does not keep the other receivers from finishing.
//     Send returns a Result for each receiver.
//   - A slot is reused once every receiver of the data connection has copied its data out, and is
//     not written over an older data connection.
//   - A name is that of a file in the receiver's folder. Both sides refuse any other name.
//   - Both sides of a connection belong to one cluster (private.Secret).
package cast
