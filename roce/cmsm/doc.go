// Package cmsm is the connection management state machine, for both sides of a
// connection and any number of connections at once, as a pure core: messages,
// calls and the time go in; messages and events come out. The endpoint runs one
// Agent per device, the controller one per switch: passive towards leaders, active
// towards replicas.
//
//	Connect                      REQ arrives
//	   |                              |
//	reqSent --MRA--> reqSent     requested --Delay--> MRA
//	   | REP                          | Accept
//	repReceived                    repSent --MRA--> repSent
//	   | Confirm (RTU)                | RTU, or data
//	   +-------> established <--------+
//	                 | Disconnect (DREQ)      DREQ arrives (DREP)
//	            dreqSent ---DREP, timeout---> timeWait --> gone
//
// REJ and timeouts lead to timeWait from every state before established. In
// timeWait an Agent still answers what the peer repeats (REJ to a repeated REQ,
// DREP to a repeated DREQ), and it remembers enough to tell a repeated REQ from a
// new one.
//
// The owner of an Agent calls Receive for each message, Tick when Deadline has
// come, and after each call drains PollMessage and PollEvent. Time is a duration
// since any fixed moment. An Agent and its Conns are not synchronised.
//
// Source: IB spec volume 1 section 12.9; the timings and the answers to
// duplicates follow the kernel (drivers/infiniband/core/cm.c of Linux 6.1).
package cmsm
