// Package pair is a queue pair (host/roce/rc) and its connection (roce/cmsm): what each must learn from
// the other. It is a state machine without threads, clocks or sockets. Package host/roce runs it in real
// time, sim/fabric/rnic in simulated time.
//
//	cmsm ── events ──▶ Handle ──▶ Pair ──▶ Connect, Start, Close ──▶ rc
//	     ◀─ Heard, Confirm, Accept, Reject ─┘ ◀────────── Observe ──
package pair
