// Package mu is the decision protocol of one server, as a pure state machine: Mu's
// protocol as P4CE uses it (section III of its paper; docs/consensus.md).
//
//	             ┌────────────── Core ──────────────┐
//	Tick, Poll ─▶│ detector   who is alive          │─▶ Post     READs and WRITEs
//	Up, Down   ─▶│ campaign   permission, adoption  │─▶ Permit   who may write my log
//	Done       ─▶│ replicate  write, decide         │─▶ Apply    decided entries
//	Propose    ─▶│ group      through the switch    │─▶ FormGroup, Fetch, …
//	Applied    ─▶│ follower   apply                 │
//	             └──────────────────────────────────┘
//
// Nothing in here sleeps, sends, reads a clock or draws a random number: time is a
// parameter, and what the core wants done it asks of its Env.
//
// # Memory
//
// Every server has two regions that its peers reach by RDMA.
//
// The log region: the commit position, which the leader writes, and a ring of
// entries. Peers may always read it. Only the connection that has permission may
// write it.
//
// The election region: a status block, which the owner writes (heartbeat, promised
// term, who has permission, how far it has applied), and for each peer two slots
// which that peer writes: the incarnation it announces and its permission request.
// Peers may always read and write it; each writes its own slots only.
//
// # Terms
//
// A term is round<<8 | id. It is Mu's proposal number, the number of a permission,
// and what an entry is accepted under, all in one. No two servers share a term, and
// a server never uses one twice: it takes one higher than any it has seen, and a
// peer grants only what is higher than everything it has promised.
//
// # Becoming leader
//
// The candidate promises a new term to itself, which takes everybody's permission
// to write its log away, and writes a request into every peer's slot. A peer grants
// a higher term than it has promised: it revokes first, then grants, then says so
// in its status block. When a majority has granted, nobody else can write their
// logs: the candidate reads them, and for each undecided slot takes the complete
// entry of the highest term. It writes these again under its own term, first to its
// own log, then, in order, to every peer that has granted, from that peer's head on.
// An entry is decided when the leader and f = N/2 peers hold it in the leader's term.
//
// # Amnesia
//
// Memory ends with the process. A server that starts is recovering: what it grants
// does not count towards a majority, since it has forgotten what it promised and
// what it held. It first announces a new incarnation to a majority of the others,
// then reads their promises and promises the highest; a candidate whose majority
// rests on an earlier incarnation of a server finds the announcement at one of the
// others and does not count it (Michael et al., "Recovering Shared Objects Without
// Stable Storage", DISC 2017). The leader brings it up to date, makes sure that a
// majority of the others still follows it, and makes it a full member.
//
// When every single server grants, states do not matter: nothing that still exists
// can be missed. This is how a new cluster starts, and one that has lost power.
//
// # Leases
//
// A follower that reads its leader's heartbeat can promise to let nobody else lead for a
// while; the leader that has a majority's promises answers reads by itself. That is the only
// thing that depends on clocks: lease.go says on what of them.
//
// # Modes
//
// Direct: one WRITE per peer. Accelerated: one WRITE to the switch, whose
// acknowledgement says that f peers hold it. The change to accelerated mode happens
// at a quiet point: nothing undecided, and all members of the group hold everything.
// The change back happens at the first error, at once: every peer is written to
// again, from its head on; the bytes are the same. Before ring space is used
// again, every peer has confirmed that it takes nothing from the old group any
// more, so that a delayed packet cannot damage what is new.
package mu
