// Package region adds regions of memory to a group that a switch has formed, and removes them,
// while the group's leader is connected.
//
//	leader                          switch                         replicas
//	  | -- Add: REQ {VA, size} -----> | -- REQ {VA, size, slot} ---> |  Offer, each
//	  |                               | <-- REP {VA, R_key, size} -- |
//	  | <-- REP {R_key} ------------- |                              |
//	  | == WRITE at VA + x, on the group's connection ==> x in each replica's region
//	  | -- Close: DREQ -------------> | -- DREQ -------------------> |  Done: no more WRITEs
//
// # Contract
//
//   - A region exists as long as the connection that stands for it: from Add until Close, or until
//     the group, a replica or the controller ends the connection. Nothing is sent over this
//     connection. The group's own connection continues, unless the group itself ends.
//   - The size of a region is a power of two, 64 to 2^31 bytes. A region lies at a multiple of its
//     size, below 4 GiB. The group's first region lies at 0. A region that overlaps another is
//     refused.
//   - A WRITE lies in one region from its first to its last byte. Any other WRITE ends the group's
//     connection with a remote access error. A WRITE names the group's R_key, whatever the region.
//   - Before Offer, a replica registers its memory so that the group's connection reaches it (in
//     its domain). After Done, it deregisters the memory.
package region
