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
// The package does not sleep, send, read a clock or draw random numbers. Time is a parameter, and
// the core acts through its Env.
//
// # Memory
//
// Every server has two regions that its peers reach by RDMA.
//
// The log region holds the commit position, which the leader writes, and a ring of entries. Peers
// may always read it. Only the connection that has permission may write it.
//
// The election region holds a status block, which the owner writes (heartbeat, promised term,
// holder of the permission, applied position), and two slots for each peer, which that peer writes:
// the incarnation that it announces, and its permission request. Peers may always read and write
// the region. Each writes only its own slots.
//
// # Terms
//
// A term is round<<8 | id. It is Mu's proposal number, the number of a permission, and the term
// under which an entry is accepted. No two servers share a term, and a server never uses one twice.
// It takes a term higher than any that it has seen, and a peer grants only a term higher than all
// that it has promised.
//
// # Becoming leader
//
// The candidate promises a new term to itself, which revokes every server's permission to write its
// log. It writes a request into its slot at every peer. A peer grants a term higher than the one
// that it has promised: it revokes first, then grants, then says so in its status block. When a
// majority has granted, no other server can write their logs. The candidate reads these logs, and
// for each undecided slot takes the complete entry of the highest term. It writes these entries
// again under its own term: first to its own log, then, in order, to every peer that has granted,
// from that peer's applied position on. An entry is decided when the leader and f = N/2 peers hold
// it in the leader's term.
//
// # Amnesia
//
// Memory ends with the process. A server that starts is recovering: its grants do not count towards
// a majority, because it has forgotten its promises and its log. It first announces a new
// incarnation to a majority of the others, then reads their promises, and promises the highest. A
// candidate whose majority includes an earlier incarnation of a server finds the announcement at
// one of the others, and does not count that grant (Michael et al., "Recovering Shared Objects
// Without Stable Storage", DISC 2017). The leader brings it up to date, makes sure that a majority
// of the others still follows it, and makes it a full member.
//
// When every single server grants, states do not matter: the candidate then reads everything that
// still exists. This is how a new cluster starts, and a cluster that has lost power.
//
// # Leases
//
// A follower that reads its leader's heartbeat can promise that no other server leads for a while.
// A leader that has the promises of a majority answers reads by itself. Only leases depend on
// clocks: lease.go has the exact requirement.
//
// # Modes
//
// In direct mode, the leader sends one WRITE per peer. In accelerated mode, it sends one WRITE to
// the switch, whose acknowledgement says that f peers hold it. The leader changes to accelerated
// mode at a quiet point: nothing is undecided, and all members of the group hold everything. It
// changes back at once at the first error, and writes to every peer again, from its applied
// position on, with the same bytes. Before ring space is reused, every peer has confirmed that it
// takes nothing more from the old group, so a delayed packet cannot damage new entries.
package mu
