// Package farewell tells the peers of a process that it has died, before any timeout. An RDMA NIC's
// kernel does so: when a process ends, in whatever way, the kernel destroys its queue pairs, and
// rdma_cm sends a DREQ for each connection that was established (rdma_destroy_id, ib_destroy_cm_id in
// drivers/infiniband/core). A software endpoint has nobody who does that, so a second process, the
// herald, does.
//
//	+---- process ----+  shared memory   +---- herald ----+
//	| Keep, Drop      |----------------->| frames         |
//	| owner's thread  |· · robust futex ·| waits          |--> packet socket
//	+-----------------+                  +----------------+
//
// The process keeps one frame per connection in memory that both map: the DREQ that ends it. A thread
// of the process, the owner, holds a robust futex in that memory and sleeps. When the process dies,
// the kernel ends all of its threads, and wakes who waits for their robust futexes: first of all,
// before it gives the process's memory back, which may take many milliseconds, and long before a
// pidfd or the end of a pipe says so. Then the herald sends all frames, several times, and ends.
//
// A frame speaks for connections of the dead process only, and names each by both comm ids, as a DREQ
// of the living process would: a false farewell costs a connection, never safety. A host that dies
// says nothing. Its peers have their timeouts.
package farewell
