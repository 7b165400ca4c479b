// Package control is what a controller of atomic multicast computes.
//
// # A new epoch of a group
//
// A leader is replaced, or a member, by a new epoch of its group:
//
//  1. The epoch is recorded, so that no later controller uses it again.
//  2. A quorum of the members of the last epoch is fenced: the register life gets a value that no
//     role has. From then on they say nothing. A member whose life was not that of the last epoch has
//     lost its registers, and does not count.
//  3. Their registers are read. What a packet has written that came before the fence is among them.
//  4. Merge makes of them the state of the group.
//  5. All members get this state, as of the new epoch, and their roles. When a quorum has it, the
//     epoch is recorded as complete, and the leader gets its role.
//  6. Deliverers, and members of other groups, get the new epoch: first who belonged to the last one
//     goes, then sets have the new epochs, then who belongs to the new one comes.
//
// An epoch that was not completed leaves copies of the state of the last complete one, and nothing
// else, since it had no leader.
package control
