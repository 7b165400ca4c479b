// Package chaos runs cores of package mu on a simulated RDMA network, switch and cluster, in
// simulated time. At every step, it checks what must always hold.
//
// The options, with a seed, and the script determine a run. A trace that people can read records
// what happens. The seed determines time, order and faults. Operations of one connection are
// executed in order, those of different connections in any order. An operation that fails may have
// been executed, or may be executed later, in part or whole, until its rights are revoked. A paused
// server still serves RDMA. A server that crashes loses its memory, and what it had not synced to
// disk. Every server may have a clock of its own.
//
// # What is checked
//
//   - agreement: no two servers apply different entries at one position, and none
//     applies out of order, twice, or goes back;
//   - a value that was reported to a client as decided is the client's own, and stays;
//   - at that moment a majority of the members holds it, or held it when it
//     acknowledged it;
//   - writes to a log that take effect in one term come from one server;
//   - no write destroys an entry that a server has not applied yet, if the entry is decided or of
//     the writer's own term;
//   - a confirmed read barrier covers everything that was reported before the barrier was
//     requested;
//   - while a server answers reads by a lease, no other server reports anything that it has not
//     applied, and it has applied everything that was reported before. The rates of clocks differ
//     by as much as is allowed;
//   - in a durable world, a reported value is on the disks of a majority, and nothing is lost when
//     all servers lose power;
//   - when a random majority is healed for good, and the faults of all others are permanent, the
//     majority decides something new, and all its servers learn of that;
//   - when faults end, the cluster works again, and all states are equal.
//
// # Scripts
//
// A script is lines of text; the first makes the cluster. Servers are named by their ids, or
// "leader". A record a+100 is padded with 100 bytes.
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
//	                               any server has, can join, is or is no member
//	propose 0 a b c                a client asks a server to replicate records
//	barrier 0                      a client asks a server for a read barrier
//	crash 0 [disk]                 the process ends; its disk may be lost, too
//	restart 0                      it starts again
//	copy 1, restore 1              somebody copies its disk, and puts it back when it is down
//	stop 0                         it ends for good
//	power                          all crash at once
//	set lease=20ms                 servers use it from their next start on
//	set durable=true|false         the same, while no server runs: those that start without
//	                               carry over what they have on disk
//	pause 0, resume 0              its processor stops; its device continues serving
//	slow 0 5ms                     applying takes up to this long
//	cut 0 [1] [route=0] [oneway]   no packets pass, to one server or to all others
//	heal [0 [1]] [route=0] [oneway]
//	loss P, miss-rate P            probabilities of the cluster command
//	switch down|up|restart         it forgets its groups
//	controller down|up             no groups are formed; existing ones work
//	miss 1                         the server misses the next WRITE of a group
//	stray 1                        requests of other clusters' servers are written there
//	corrupt 1                      garbage is written into its election region
//	learner 3, join 3, remove 3    the leader changes the membership
//	decided x                      some server has applied x
//	confirmed                      all requested read barriers are confirmed
//	settle x                       faults end; x is decided everywhere
//	settle x core=0,2              faults of and between these servers end; x is decided, and
//	                               they all learn of it
//	status, log 0                  states of the servers, entries of a log
//
// TestChaos generates scripts from seeds, and shrinks a script that finds a fault. The scenarios in
// testdata are scripts with their traces.
package chaos
