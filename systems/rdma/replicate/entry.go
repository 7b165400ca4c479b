package replicate

import "github.com/p4ce/p4ce/systems/rdma/mu"

// Offsets in the region, behind the commit position and in front of the ring (mu.RingStart).
const (
	offHead      = 64
	offHeadIndex = 72
	headLen      = 16
)

// The log has the form of the decision protocol's.
type (
	geometry = mu.Geometry
	entry    = mu.Entry
)

// MinLogSize is the smallest size of a log's region.
const MinLogSize = mu.MinLogSize
