// Package rnic is the RDMA interface of a host of package sim/fabric: queue pairs (host/roce/rc),
// connection management (roce/cmsm), and what ties them together (host/roce/pair). The cores are the
// real ones; the time is simulated.
//
//	program ── Post ──▶ QP ──┐                     ┌──▶ frames, one QP after the other
//	        ◀─ completions ──┤ NIC: fabric.Endpoint ┤
//	program ── Dial, Listen ─┘                     └◀── frames
//
// # Contract
//
//   - A NIC, and everything in it, is for the goroutine of its Fabric.
//   - fabric.HostConfig has the delays of the host's bus and program: Post before a request reaches
//     its queue pair, Complete before a completion reaches the program.
//   - Frames of connection management go before those of queue pairs. Queue pairs take turns.
package rnic
