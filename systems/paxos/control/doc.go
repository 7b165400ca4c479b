// Package control is the controller application for p4/paxos/paxos.p4. It gives switches the roles
// of Paxos: leaders, acceptors and learners of up to four replicated logs ("applications").
//
//	session.Session per switch --> App --+
//	session.Session per switch --> App --+--> Deployment (one goroutine) --> Core (pure)
//	session.Session per switch --> App --+            |                        |
//	                                                  |                      gate --> one goroutine --> Journal
//	         Write, Send, Reread, ReadNext <----------+-- held until stored ---+
//
// A Deployment, a fleet.Loop, is all switches of a configuration (Config, ParseConfig). Its Core makes the
// decisions, and has no clock, no switch and no file. Synced, Lost, PacketIn, Written and Tick are
// its inputs, Poll returns its outputs, and Journal keeps what is durable. Only tables.go knows the
// entries of the program.
//
// # How the controller takes part
//
// The controller is a host at the CPU port of every switch: it has an IPv4 and a MAC address, and
// the l2 table of each switch has an entry that leads from this address to the CPU port. Hosts send
// it reports (systems/paxos: Report), and acceptors answer it. To ask an acceptor, the controller
// sends a packet-out at a neighbour of the acceptor's switch. The answer is a packet-in there. So
// an acceptor needs a neighbour that the controller reaches. The controller answers ARP for every
// address in the configuration, and floods nothing. All switches form one L2 domain with shortest paths over
// the links that work (ctrl/links, ctrl/topology).
//
// The Coordinator of systems/paxos implements the phases of Paxos. This package says when to run it
// and with which acceptors, and what its result allows.
//
// # Rules
//
//   - A round is used once. It is in the journal before any switch or acceptor hears of it, and a
//     controller that restarts begins with the next round. The journal's folder is locked. If the
//     controller cannot store a record, it does nothing more. While it stores one, only answers to ARP
//     leave it (ctrl/fleet). The status remains available, and only actions that depend on the record
//     wait for the disk.
//   - A leader gets its entry when a majority of the acceptors has promised its round (floor). Its
//     first instance is after all that may have been chosen. No instance is given twice in a round:
//     the next instance is written before the entry, and registers of a leader that may be lost are
//     never written again in its round.
//   - The registers of a switch belong to one life, which is a random number in the register life.
//     The controller records the number, and writes it after everything else of the role. A switch
//     with another life has forgotten. The controller does not use a switch whose life it did not
//     give.
//   - An acceptor is a switch in one life. A switch that has forgotten is no acceptor any more. It
//     may become a new acceptor, and so may a spare. The new acceptor votes in no round below the
//     one in which it joins (its floor is written first). The controller asks majorities of all
//     configurations until a majority of the new configuration has everything from the lowest
//     instance on, and while an attempt is unfinished. It replaces one acceptor at a time.
//   - The window of instances moves its beginning first, on all switches, and then its end. It
//     moves when more than half of the replicas have the instances below in a checkpoint.
//   - No more instances are under way than any switch has cells for: their number is recorded before
//     the first round, and a switch whose program has fewer cells gets no role.
//   - The controller reads back a switch that returns, removes wrong entries, and writes missing
//     ones. A leader that has its entry continues to lead, so a controller that restarts disturbs
//     nothing.
//
// Each rule has a test that fails without it: sim_test.go runs the Core against switches in the
// interpreter, in random worlds with losses, crashes of the controller at any step, and switches
// that die, forget, and come back.
//
// # When a leader is replaced
//
// The controller replaces a leader at once when the connection to its switch is lost, when its
// registers are lost, or when most of the proposers report that they hear no answers (Silent). It
// also does so when one proposer reports this for Timing.Silent. The next available switch of
// Application.Leaders takes over, with one round trip to the acceptors (FLOOR), one write to the
// new leader, and one write to every switch for the route to the leader's address. Instances that
// the old leader had not finished are finished while the new one leads, in the same round. An
// operator may choose a leader (Core.Lead).
//
// # When links fail
//
// A link is down when a switch says that its port does not work, or when an end has heard no probe for Timing.Hold. Then
// all switches forward, and copy messages, by the shortest paths that are left. A message counts by whatever link it comes in: all
// ports to other switches are one port group, apart from the ports of hosts, where no other host's or switch's address is believed.
//
// Switches to which no working link leads from most of the acceptors are cut off. The controller, which may well reach them, treats
// them like lost ones: another one leads at once, another one votes after Timing.Replace. It does not heed that hosts there hear
// no answers. It asks an acceptor at a neighbour with a link to it that works. A controller that restarts takes all links
// for good ones until it has heard otherwise.
//
// # When acceptors change
//
// The new configuration serves at once. Values that were chosen before are copied to it afterwards
// (as in Vertical Paxos I; Lamport, Malkhi, Zhou, 2009):
//
//	recorded: round r, new members -> FLOOR r to all, old and new
//	-> a majority of each has promised, the highest instance voted in is h
//	-> recorded: serve r from h+1 on -> the leader leads in r: service is back
//	-> h and below: first instances that no replica has delivered are finished, then all that are not trimmed copied,
//	   in a round of its own: PREPARE to a majority of each, ACCEPT to the new
//	-> recorded: lead r: the new members have everything, the old ones are no longer asked
//
// Why nothing is lost, or chosen twice:
//
//   - Above h, no lower round has chosen anything, nor can it. To choose, a majority of the
//     configuration of that round must vote. One member of each such majority has promised r, and
//     had not voted above h when it did. So the choices of the new configuration there do not
//     depend on the old one, and a new member needs only its floor to vote.
//   - At h and below, only the controller proposes from r on, in rounds about which it asks a
//     majority of each configuration. It proposes the vote of the highest round among them, which
//     is the value that the old members chose, or the new ones meanwhile.
//   - The old members are no longer asked when a majority of the new ones has voted in each
//     instance from the lowest to h. The controller records this before it acts on it. A controller
//     that restarts before that has no record of the copied instances, and copies again.
//
// Copying is not urgent, and yields: at most four instances at a time, fewer when answers are late,
// and none while an instance is missing or a take-over is under way. Instances that are trimmed
// meanwhile need not be copied. The controller replaces no other acceptor until the copy is
// complete.
//
// Until then, a take-over needs a majority of the old members, and so does copying. If too many of
// them are lost, the new members continue to serve under their leader, and close gaps above h,
// until the lost members are back or h is trimmed.
//
// The controller replaces an acceptor that has forgotten, or has been gone for Timing.Replace.
// Replicas report an instance that they miss (Gap). It is chosen in a round of its own, without the
// leader. When nothing has been delivered for a while, the leader's register says whether instances
// were given that no replica has heard of.
//
// # The journal
//
// The journal is lines of a checksum and a record in JSON, which are flushed to disk before the
// controller acts on them. There is about a record per take-over, per gap and per trim, and none
// per value. Keep the journal as long as the switches run: with another journal the switches are
// foreign, until they are restarted.
//
// # Several acceptors on a switch
//
// A place is one more acceptor on a switch, with an address of its own, and with registers of its own: those of an application number
// that is not in use (Switch.Number). It has a life, and the same rules hold for it as for a switch. A switch that forgets has lost the
// lives of all of its acceptors, so a majority that it had among them is not there any more, and nothing is concluded from what is
// left.
//
// A message meets one acceptor in a switch. What another one on the same switch is to vote for, and its vote for the learner there, go
// around: to a neighbour, which sends them back. So the address of a leader counts at a place only by a link.
//
// # Limits
//
// Four applications, places of a switch included, five acceptors of each, 64 learners and 176 replicas. Rounds are 31 bits. A
// switch that may be both an acceptor and a learner needs an address for each role. An application that is added may not
// take the number of a place.
package control
