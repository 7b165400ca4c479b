// Package region adds regions of memory to a group that a switch has formed, while its leader
// is connected, and takes them away.
//
//	leader                          switch                         replicas
//	  | -- Add: REQ {VA, size} -----> | -- REQ {VA, size, slot} ---> |  Offer, each
//	  |                               | <-- REP {VA, R_key, size} -- |
//	  | <-- REP {R_key} ------------- |                              |
//	  | == WRITE at VA + x, on the group's connection ==> x in each replica's region
//	  | -- Close: DREQ -------------> | -- DREQ -------------------> |  Done: nobody writes
//
// # Contract
//
//   - A region is there as long as the connection that stands for it: from Add until Close, or
//     until the group, a replica or the controller ends it. Nothing is sent over it. The
//     group's own connection goes on in all of these cases.
//   - A region has a power of two of bytes, 64 to 2^31, and lies at a multiple of its size, below
//     4 GiB. The group's first region lies at 0. A region that overlaps another is refused.
//   - A WRITE lies in one region from its first to its last byte; others end the group's
//     connection with a remote access error. It names the group's R_key, whatever the region.
//   - A replica registers its memory such that the group's connection reaches it (its domain),
//     before Offer, and takes it away after Done.
package region
