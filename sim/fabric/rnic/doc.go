// Package rnic is the RDMA interface of a host of package sim/fabric: queue pairs (host/roce/rc)
// and connection management (roce/cmsm), the cores as they run elsewhere, on simulated time.
//
//	program ── Post ──▶ QP ──┐                     ┌──▶ frames, one QP after the other
//	        ◀─ completions ──┤ NIC: fabric.Endpoint ┤
//	program ── Dial, Listen ─┘                     └◀── frames
//
// # Contract
//
//   - A NIC and all of it are for the goroutine of its Fabric.
//   - What the host's bus and program take is fabric.HostConfig's: Post before a request reaches its
//     queue pair, Complete before a completion reaches the program.
//   - Connection management's frames go before those of queue pairs; these take turns.
package rnic
