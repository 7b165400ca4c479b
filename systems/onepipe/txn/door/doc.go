// Package door is how clients reach transactions (package txn): the Redis protocol.
//
//	client -- MULTI, GET a, SET b 1, EXEC --> session -- one batch: read a, write b --> txn.Node
//	       <------------ replies ------------         <---------- what they were ------
//
// A command on keys is one transaction, and so is what is between MULTI and EXEC: its keys are known before it begins. A
// transaction has each key once. Commands on a key that others of the same transaction have written see what those wrote:
// the batch finds it out, from what the key was.
//
// # Contract
//
// What a connection sends is executed one after the other. Errors begin with a word that says what is known:
//
//   - NOTDONE: no shard has executed the transaction, and none will.
//   - PARTLY: all shards have executed it. One of them has failed since, and with it what its keys were.
//   - UNKNOWN: all its shards have executed it, or none, or they will.
//   - ERR, EXECABORT: it was none.
package door
