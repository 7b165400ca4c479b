// Package fabric is a network in simulated time that runs the real programs of any system: a
// deterministic discrete-event simulator of links, switches, hosts and controllers. One seed, one
// result.
//
//	Load ── Client ── Endpoint                         P4Switch: the program in dataplane/interp
//	          │  Host: one interface, a clock             │   Controller: the App, on a session
//	          ▼                                           ▼
//	        Half ═══ queue, ECN, rate ═══ wire: delay, loss ... ═══▶ Switch, Plain (ECMP)
//	          ▲                                           │
//	          └──────────────── PFC: stop, go ────────────┘
//
// A System says what Client, Endpoint, program and App are; it may be nil, for plain switches. Package
// rnic is an Endpoint with RDMA's queue pairs.
//
//	Fabric: events by time, then by the order in which they were made
//
// Nothing that decides is modelled: the switch's program, the controller's application with its
// tables, and what hosts run are those that run elsewhere. What is
// modelled is what lies between them: wires, queues, and how long a NIC, a switch and a
// controller take, which are parameters (Scenario) printed with each result.
//
// # Contract
//
//   - A Fabric, and all in it, is for one goroutine. It reads no clock and no randomness but the
//     seed's; parts draw from generators of their own, so that one does not change what another
//     draws.
//   - Frames keep their order on a link. What a Half was offered, and what the wire duplicated,
//     is delivered, dropped or lost, waits, or is on the wire: HalfCounters.
//   - A frame has one owner; nothing is allocated per packet once the pools have grown.
//   - All traffic is one class of service. PFC stops a whole link.
//   - Check says at any time which property is broken: the engine's (frames are conserved), or one of
//     the system's.
//
// A run is made of a Scenario, a file that people write (docs/sim.md), or by hand: New, Build or
// NewHost, NewP4Switch, NewPlain, Connect, after Use; then Start, NewLoad, Run.
package fabric
