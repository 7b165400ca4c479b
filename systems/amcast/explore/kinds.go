package explore

import "github.com/p4ce/p4ce/sim/explore"

// Kinds are the kinds of worlds of this system.
var Kinds = []explore.Kind{
	{Name: "amcast", Prefix: "amcast-", Kept: Kept, Shared: true, Model: explore.Models(ParseBounds, NewModel)},
}
