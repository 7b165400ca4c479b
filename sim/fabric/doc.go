// Package fabric is a network in simulated time that runs the real programs of any system: a
// deterministic discrete-event simulator of links, switches, hosts and controllers. One seed gives
// one result.
//
//	Load ── Client ── Endpoint                         P4Switch: the program in dataplane/interp
//	          │  Host: one interface, a clock             │   Controller: the App, on a session
//	          ▼                                           ▼
//	        Half ═══ queue, ECN, rate ═══ wire: delay, loss ... ═══▶ Switch, Plain (ECMP)
//	          ▲                                           │
//	          └──────────────── PFC: stop, go ────────────┘
//
// A System provides Client, Endpoint, program and App. It may be nil, for plain switches. Package
// rnic is an Endpoint with RDMA queue pairs.
//
//	Fabric: events by time, then by the order of their creation
//
// The simulator models nothing that makes decisions: the switch's program, the controller's
// application with its tables, and the programs of hosts are the real ones. It models what lies
// between them: wires, queues, the delays of NICs, switches and controllers, and the time of hosts' threads and
// interfaces (Thread, Costs). These are parameters (Scenario), and are printed with each result.
//
// # Contract
//
//   - A Fabric, and everything in it, is for one goroutine. It reads no clock, and its only
//     randomness is the seed's. Each part draws from a generator of its own, so no part changes
//     what another draws.
//   - Frames of a class keep their order on a link. Every frame that a Half was offered, or that the wire
//     duplicated, is delivered, dropped or lost, waits, or is on the wire: HalfCounters.
//   - A frame has one owner. After the pools have grown, a packet causes no allocation.
//   - Frames are of a class of service (Classes). Each has a queue; PFC stops one, and loses nothing of it.
//   - Check reports at any time which property is broken: the engine's (frames are conserved), or
//     one of the system's.
//
// Make a run from a Scenario, a file that people write (docs/sim.md), or by hand: Use; New, Build
// or NewHost, NewP4Switch, NewPlain, Connect; then Start, NewLoad, Run.
package fabric
