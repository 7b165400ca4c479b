// Package chaos runs cores of package mu on a simulated RDMA network, switch and
// cluster, in simulated time, and checks at every step what must always hold.
//
// A run is determined by its options, with a seed, and its script. What happens is
// written into a trace that a person can read. Time, order and faults are drawn from
// the seed: operations of one connection are executed in order, those of different
// connections in any; an operation that fails may have been executed, or may be
// executed later, in part or whole, until its rights are taken away; a server that
// is paused still serves RDMA; one that crashes loses its memory, and of its disk
// what was not synced. Every server may have a clock of its own.
//
// # What is checked
//
//   - agreement: no two servers apply different entries at one position, and none
//     applies out of order, twice, or goes back;
//   - what was reported to a client as decided is the client's own value, and stays;
//   - at that moment a majority of the members holds it, or held it when it
//     acknowledged it;
//   - writes to a log that take effect in one term come from one server;
//   - no write destroys an entry that a server has not read yet, and that is decided or
//     of the writer's own term;
//   - a read barrier that was confirmed covers everything that was reported before it
//     was asked for;
//   - while a server answers reads by a lease, nobody else reports anything that it has
//     not applied, and it has applied what was reported before; with clocks whose rates
//     differ by as much as is allowed;
//   - in a durable world what was reported is on the disks of a majority, and nothing is
//     lost when all lose power;
//   - when a random majority is healed for good, and the faults of all others are
//     permanent, it decides something new, and all of it learns of that;
//   - when faults end, the cluster works again, and all states are equal.
//
// # Scripts
//
// A script is lines of text; the first makes the cluster. Servers are named by their
// ids, or "leader". A record a+100 is filled up with 100 bytes.
//
//	cluster servers=3 seed=1 [log=8192] [routes=2] [switch] [loss=P] [miss=P] [skew=P] [batch=P] [eager] [durable]
//	        [delay=1ms] [request=20ms] [lease=50ms] [gens=N]
//	        [clusters=N] [groups=N]
//	@2 propose 0 a                 a command for cluster 2 of those behind the switch
//	run 20ms                       time passes
//	until leader [1]               … until a server leads, or this one
//	until mode accelerated|direct  … until the leader is in a mode
//	until full|applied|ready|member|removed 1
//	                               … until a server is a full member, has applied what
//	                               anybody has, can join, is or is no member
//	propose 0 a b c                a client asks a server to replicate records
//	barrier 0                      a client asks a server for a read barrier
//	crash 0 [disk]                 the process ends; its disk may be lost, too
//	restart 0                      it starts again
//	copy 1, restore 1              somebody copies its disk, and puts it back when it is down
//	stop 0                         it is ended for good
//	power                          all crash at once
//	set lease=20ms                 servers have it from their next start on
//	set durable=true|false         the same, when none runs: those that start without
//	                               carry over what they have on disk
//	pause 0, resume 0              its processor stops; its device goes on serving
//	slow 0 5ms                     it takes up to so long to apply something
//	cut 0 [1] [route=0] [oneway]   packets do not pass, to one server or all others
//	heal [0 [1]] [route=0] [oneway]
//	loss P, miss-rate P            probabilities of the cluster command
//	switch down|up|restart         it forgets its groups
//	controller down|up             groups cannot be formed, those that are work
//	miss 1                         the server misses the next WRITE of a group
//	stray 1                        requests of other clusters' servers are written there
//	corrupt 1                      garbage is written into its election region
//	learner 3, join 3, remove 3    the leader changes the membership
//	decided x                      x has been applied by somebody
//	confirmed                      all read barriers that were asked for have been
//	settle x                       faults end; x is decided everywhere
//	settle x core=0,2              faults of and between these servers end; x is decided, and
//	                               they all learn of it
//	status, log 0                  what the servers are, what a log has
//
// TestChaos draws scripts from seeds, and shrinks one that finds something. The
// scenarios in testdata are scripts with the traces that they make.
package chaos
