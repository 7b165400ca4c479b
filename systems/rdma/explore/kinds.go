// Package explore has the explorer's worlds (sim/explore) of this system: the decision protocol
// among servers (consensus), the group of one switch (gather), and trees of groups over several
// switches (tree).
package explore

import (
	"github.com/p4ce/p4ce/sim/explore"
	"github.com/p4ce/p4ce/systems/rdma/explore/consensus"
	"github.com/p4ce/p4ce/systems/rdma/explore/gather"
	"github.com/p4ce/p4ce/systems/rdma/explore/tree"
)

// Kinds are the kinds of worlds of this system.
var Kinds = []explore.Kind{
	{Name: "mu", Kept: consensus.Kept, Model: explore.Models(consensus.ParseBounds, consensus.NewModel)},
	{Name: "rdma", Prefix: "rdma-", Kept: gather.Kept, Shared: true, Model: explore.Models(gather.ParseBounds, gather.NewModel)},
	{Name: "tree", Kept: tree.Kept, Shared: true, Model: explore.Models(tree.ParseBounds, tree.NewModel)},
}
