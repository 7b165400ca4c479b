// Package txn is one-shot transactions on keys that are spread over shards, in one network round (1Pipe, section 6.4 of Li
// et al., SIGCOMM 2021): no locks, no votes.
//
//	Client -- one scattering: each shard's part --> Shard: executes parts in the order of both services
//	   ^                                              |
//	   +------ answer: what the keys were <-----------+
//
// A transaction reads and writes keys that are known in advance. A write puts a value, and returns the one that it replaces.
// A scattering with writes is reliable, one that only reads is best effort. All its parts have one timestamp, so all shards
// execute transactions in the same order, which is that of timestamps.
//
// # Contract
//
//   - Order: who runs a Shard gives it messages in the order of LocalProcess.ReceiveOrdered. A read waits there until the
//     commit barrier has passed it. Without that, each service is in order by itself only, and transactions are not
//     serializable.
//   - Serializable, in the order of real time: a transaction that begins after another has ended comes after it. Its sender's
//     clock is above the barrier that had to pass for the other one to be executed.
//   - A transaction that writes is executed by all its shards, or by none: then it ends with ErrNotDone.
//   - A lost transaction that only reads is sent again, as another one: its values are all of one moment.
//   - A shard sends a lost answer again. What it has executed it does not execute twice.
//   - Shards are not replicated. When one fails, its keys are gone. A transaction that it may have executed ends with
//     ErrUnknown, or with ErrPartly when another shard has executed it.
//   - A shard that comes back is another process, without keys (Outcome.By), also when it was only cut off and still has its
//     memory: others have gone on with transactions that it has not executed.
//   - Time is the callers'; nothing waits. A Client and a Shard each belong to one goroutine.
//
// A Node is the edge: a server that has a shard and executes transactions for clients, on a real host, in real time. All
// servers have the same list of servers, and each has the shard of its place in it, whoever is there.
package txn
