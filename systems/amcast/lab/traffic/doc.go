// Package traffic runs the store of partitions (systems/amcast/store) on the hosts of a lab's network, with clients, and judges
// what comes out, from outside.
//
//	client -- Partitions.Do --> hosts -- store.Serve: replicas of partitions
//	   | what it has seen                    | what they have delivered, and executed
//	   v                                     v
//	history.CheckParts: serializable      lab.Judge: nothing lost, doubled or reordered
//
// A transaction has a key or two of each of its partitions, and reads or writes each of them, by lot. There are few keys, so that
// transactions meet.
package traffic
