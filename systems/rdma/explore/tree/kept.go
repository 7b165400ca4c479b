package tree

import "github.com/p4ce/p4ce/sim/explore"

// Kept are the worlds that are explored again and again.
var Kept = []explore.Kept{
	{Name: "tree", Shows: "a home, two relays: packets lost on links, sent again", Bounds: "sends=3 losses=1 resends=1"},
	{Name: "changing", Shows: "the tree becomes another one, an update at a time", Bounds: "sends=2 losses=1 change"},
	{Name: "changing-late", Shows: "packets of both trees are under way, and are sent again", Bounds: "sends=2 resends=1 change"},
	{Name: "tree-strangers", Shows: "hostile packets in every state", Bounds: "sends=2 ahead=1 change probes"},

	{Name: "changing-loss", Shows: "the same with losses", Bounds: "sends=2 losses=1 resends=1 change", Large: true},
}
