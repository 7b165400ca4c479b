// Package store is a partitioned, replicated key-value store over atomic multicast. A partition is a group: its replicas execute
// what is delivered to them, in the group's order. A transaction is one message, to the groups of its keys.
//
//	Do(operations) -- one message --> groups of the keys
//	                                   | each replica: Partition.Execute, what is its group's
//	results <------ answers -----------+ one of each group is enough
//
// # Contract
//
// A transaction reads keys, and writes values. A write returns the value that it replaces. All operations of a transaction take
// effect, or none; none of them depends on what another one reads. Transactions are serializable: the order of atomic multicast
// has no cycles over all groups. Of two transactions that share a partition, the one that had ended when the other one began
// comes first. (Transactions without a common partition may be ordered otherwise, if others have to do with both.)
//
// A transaction fits into one message, keys, values and all, and has keys of up to four partitions. What a partition answers fits
// into one, too: otherwise Do returns ErrAnswer, and the transaction has been executed.
//
// Partitions are in memory, as replicas are: a host that has failed comes back without them.
package store
