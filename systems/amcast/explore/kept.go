package explore

import (
	"time"

	"github.com/p4ce/p4ce/sim/explore"
)

// Kept are the worlds that are explored again and again.
var Kept = []explore.Kept{
	{Name: "one", Shows: "a message to one group, in any order", Bounds: "one=1"},
	{Name: "groups", Shows: "messages to one and both groups, in any order: random ways", Bounds: "one=2 both=3 ticks=6 repeats=3", Walk: 10 * time.Second, Steps: 300},
	{Name: "epochs", Shows: "a group of three members has new epochs while messages are under way: random ways", Bounds: "one=2 both=2 members=3 ticks=6 repeats=3 changes=2", Walk: 10 * time.Second, Steps: 300},
	{Name: "forgets", Shows: "a member forgets, and a client dies: random ways", Bounds: "one=3 both=2 members=3 ticks=6 repeats=3 changes=2 forgets=1 dies=1", Walk: 10 * time.Second, Steps: 300},
	{Name: "void", Shows: "a client dies, whose message nobody may have: random ways", Bounds: "one=1 both=2 ticks=20 repeats=2 dies=1", Walk: 10 * time.Second, Steps: 400},

	{Name: "lost", Shows: "a message to both groups, of which a packet is lost, and another comes twice", Bounds: "both=1 fair losses=1 repeats=1 ticks=1", Large: true},
	{Name: "lost-more", Shows: "messages to one and both groups, of which packets are lost", Bounds: "one=1 both=1 fair losses=2 ticks=1", Large: true},
	{Name: "epoch", Shows: "a new epoch at any moment of a message's way", Bounds: "one=1 members=3 fair changes=1 ticks=1", Large: true},
}
