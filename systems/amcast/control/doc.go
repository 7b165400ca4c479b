// Package control is the controller application for p4/amcast/amcast.p4. It gives switches the roles of atomic multicast:
// leaders and followers (members) of groups, and deliverers in front of replicas.
//
//	session.Session per switch --> App --+
//	session.Session per switch --> App --+--> Deployment (one goroutine) --> Core (pure)
//	session.Session per switch --> App --+            |                        |
//	                                                  |                      gate --> one goroutine --> Journal
//	              Write, Read, Resync, Send <---------+-- held until stored ---+
//
// A Deployment, a fleet.Loop, is all switches of a configuration (Config, ParseConfig). Its Core makes the decisions, and has
// no clock, no switch and no file. Only plan.go knows the entries of the program.
//
// # A new epoch of a group
//
// The controller replaces a leader, or a member, by a new epoch of the group:
//
//  1. It records the epoch, so that no later controller uses it again.
//  2. It fences the members of the last complete epoch: the register life gets a value that no role has, and the role loses
//     its entry. From then on the member says nothing, and no packet changes its registers.
//  3. It reads the registers of most of them. A member whose life is not the fence, or whose clock is 0, has lost its
//     registers, and does not count.
//  4. Merge makes of them the state of the group. The controller records it, before it overwrites any register: a member whose
//     registers are being written has neither the old state nor the new one.
//  5. All members get this state, as of the new epoch, and their roles. When most of them have it, and the leader has, the
//     controller records the epoch as complete, and the leader gets the entry that lets it propose.
//  6. Deliverers, and members of other groups, get the new epoch: first who belonged to the last one goes, then sets have the
//     new epochs, then who belongs to the new one comes.
//
// What the old leader had proposed keeps its timestamp. Hosts start unfinished messages again, and the new leader repeats what
// is in its cells. A message that no member of the quorum knows was acknowledged by no quorum, and gets a new timestamp.
//
// A controller that begins anew goes on with the recorded state, or reads fenced members again, in an epoch of its own.
//
// # Switches
//
// The registers of a role belong to one epoch of one group of one deployment: the register life says which (Core.life). A switch
// that begins anew has lives of 0. One with lives of another deployment, or of a journal that was lost, is foreign: it takes
// part in nothing until it is restarted. A deliverer may forget, since members have everything.
//
// Ways avoid switches that are not in the controller's hands. What a role has to say to another role of its own switch goes to
// a neighbour, which sends it back: a packet is for one role. Acknowledgements and proposals count only if they come by a port
// that leads to a switch, from the address of a member of the epoch: hosts cannot forge them.
//
// # Hosts
//
// A host says Hello to the address of its switch (package private). The controller gives its run a number for its client: of 256,
// each is given once, unless a run leaves with all its messages finished; then the next run of that host goes on behind
// them. A host that the controller does not hear of for Config.Silence has failed. Switches stop serving it, and only then
// are the others told that they need not wait for it. Its replicas are lost for good, since they have their state in memory.
//
// # Limits
//
// 32 groups, 5 members and 32 replicas of each, 127 switches, 8 roles of a switch, 15 copies of a proposal beside the leader. Timestamps
// have 32 bits and do not wrap: the controller logs an error in the first epoch that begins behind half of them. An epoch
// has 21 bits.
package control
