package paxos

import "github.com/p4ce/p4ce/sim/explore"

// Kept are the worlds that are explored again and again.
var Kept = []explore.Kept{
	{Name: "one-leader", Shows: "one leader: two values, in any order, and messages that come twice", Bounds: "requests=2 repeats=1"},
	{Name: "take-over", Shows: "a second leader takes over while the first believes", Bounds: "requests=1 later=1 takeovers=1"},
	{Name: "laps", Shows: "cells are used again", Bounds: "requests=3 trims=1"},
}
