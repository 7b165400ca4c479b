// Package fault tests the replicated store when something breaks: each test makes one
// fault while several clients read and write, checks that the history that they saw is
// linearizable (porcupine), that the fault happened, that the store went on, and that
// all servers end with the same bytes. Everything is real: processes in network
// namespaces, the switch in XDP, packets.
//
// TestTransactions tests servers of shards in the same way. Their clients' transactions are serializable, in
// the order of real time, or history.Check finds a cycle. TestAmcast tests the store of partitions over atomic multicast:
// it also judges what each replica has executed.
//
// TestDayInTheLife makes many faults, one after the other, and looks for writes that
// were lost or happened twice.
//
// TestWatchdog stops what each program rests on (a process, a disk, who reads its log), and sees who still
// does its work.
//
// The tests run when P4CE_FAULTS is set, as root, with Linux 6.6 or newer (make faults).
package fault
