// Package control is the application that makes switches which run p4/paxos/paxos.p4 into the
// roles of Paxos: leaders, acceptors and learners of up to four replicated logs
// ("applications").
//
//	session.Session per switch --> App --+
//	session.Session per switch --> App --+--> Deployment (one goroutine) --> Core (pure)
//	session.Session per switch --> App --+            |                        |
//	                                                  |                      gate --> one goroutine --> Journal
//	         Write, Send, Reread, ReadNext <----------+-- held until stored ---+
//
// A Deployment, a fleet.Loop, is all switches of a configuration (Config, ParseConfig); its Core decides, and
// knows no clock, no switch and no file: what it is told (Synced, Lost, PacketIn, Written, Tick),
// what is durable (Journal), and what it wants (Poll). Which entries the program has is in
// tables.go alone.
//
// # How the controller takes part
//
// The controller is a host at the CPU port of every switch: it has an IPv4 and a MAC address, and
// each switch has an l2 entry for it that leads to the CPU port. Hosts send it reports
// (systems/paxos: Report); acceptors answer it. It asks an acceptor by a packet-out at a neighbour
// of the acceptor's switch: what comes back is a packet-in there. So an acceptor needs a
// neighbour that the controller reaches. ARP is answered for everybody in the configuration, and
// nothing is flooded. All switches are one L2 domain, forwarded by static shortest paths
// (ctrl/topology); a link that fails is not routed around.
//
// The phases of Paxos themselves are systems/paxos's Coordinator; this package says with whom it
// is run, when, and what its outcome allows.
//
// # What must hold
//
//   - A round is used once. It is in the journal before any switch or acceptor hears of it;
//     a controller that starts anew begins with the next one. The journal's folder is locked.
//     When something cannot be recorded nothing is done any more. While something is being
//     recorded nothing leaves but answers to ARP (ctrl/fleet); the status is told, and nothing waits for the disk
//     but what rests on the record.
//   - A leader gets its entry when a majority of the acceptors has promised its round (floor), with
//     the instance after all that may have been chosen; in one round no instance is given twice:
//     the next instance is written before the entry, and a leader's registers that may be lost
//     are never written again in its round.
//   - A switch's registers are those of one life: a random number in the register life, which
//     is recorded, and written when everything else of the role has been. A switch with another
//     life has forgotten. One whose life was given by nobody here is not used at all.
//   - An acceptor is a switch in one life. One that has forgotten is none any more; it may
//     become another one, as may a spare. The new one votes in no round below the one that it is
//     taken up in (its floor is written first). Until a majority of the new configuration
//     has everything from the lowest instance on, and as long as an attempt was not finished,
//     majorities of all configurations are asked. One acceptor at a time.
//   - The window of instances moves up its beginning first: everywhere, and then its end. It moves
//     when more than half of the replicas have what is below in a checkpoint.
//   - A switch that comes back is read back; what it holds and should not is taken away, and what
//     it lacks is written. A leader that has its entry leads on: a controller that
//     starts anew disturbs nothing.
//
// Each of these has a test that fails without it: sim_test.go drives the Core against switches
// in the interpreter, in random worlds with losses, crashes of the controller at any step, and
// switches that die, forget, and come back.
//
// # When a leader is replaced
//
// At once when the connection to its switch is lost, when its registers are, or when most of
// the proposers report that they hear no answers (Silent); or one of them for Timing.Silent.
// The next of Application.Leaders that is there takes over: one round trip to the acceptors
// (FLOOR), one write to the new leader, one to everybody for the way to the leader's address.
// Instances that the old one had not finished are finished beside the new one, in the same
// round. An operator may order a leader (Core.Lead).
//
// # When acceptors change
//
// The new configuration serves at once, and what was chosen before is copied to it afterwards (as in Vertical Paxos I; Lamport,
// Malkhi, Zhou, 2009):
//
//	recorded: round r, new members -> FLOOR r to all, old and new
//	-> a majority of each has promised, the highest instance voted in is h
//	-> recorded: serve r from h+1 on -> the leader leads in r: service is back
//	-> h and below: what no replica has delivered is finished first, then all that is not trimmed is copied,
//	   in a round of its own: PREPARE to a majority of each, ACCEPT to the new
//	-> recorded: lead r: the new ones have everything, the old ones are not asked any more
//
// Why nothing is lost, or chosen twice:
//
//   - Above h no lower round has chosen anything, nor can it. To choose, a majority of the configuration of that round must
//     vote; one of each such majority has promised r, and had not voted above h when it did. So what the new
//     configuration chooses there does not depend on the old one, and a new member needs nothing but its floor to vote.
//   - At h and below only the controller proposes from r on, in rounds that it asks a majority of each configuration about. It
//     proposes the vote of the highest round among them: what was chosen by the old ones, or by the new ones meanwhile.
//   - The old ones are not asked any more when a majority of the new ones has voted in each instance from the lowest to h. This
//     is recorded before it is acted upon. A controller that starts anew before has no record of what was copied, and copies again.
//
// Copying is for later, and yields: at most four instances at a time, fewer when answers are late, and none while an
// instance is missing or a take-over is under way. What is trimmed meanwhile need not be copied. The next acceptor is not replaced before.
//
// A take-over needs a majority of the old ones until then, and so does copying: if too many of them are lost for that, the new
// ones serve on under their leader, and close gaps above h, until the lost ones are back or h is trimmed.
//
// An acceptor is replaced when it has forgotten, or has been gone for Timing.Replace. Replicas
// that miss an instance say so (Gap): it is chosen in a round of its own, without the leader. When
// nothing is delivered for a while the leader's register says whether instances were given that
// nobody has heard of.
//
// # The journal
//
// Lines of a checksum and a record in JSON, synchronised before they are acted upon (about a
// record per take-over, per gap and per trim; none per value). It must be kept as long as the
// switches run: with another journal they are foreign, until they are restarted.
//
// # Limits
//
// Four applications, five acceptors of each, 64 learners and 176 replicas. Rounds are 31 bits.
// A switch that may be an acceptor and a learner needs an address for each.
package control
