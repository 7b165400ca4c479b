package consensus

import (
	"time"

	"github.com/p4ce/p4ce/sim/explore"
)

// Kept are the worlds that are explored again and again. Those that are not large take
// some seconds.
var Kept = []explore.Kept{
	{Name: "fast-path", Shows: "entries, completions in any batches: every order", Bounds: "entries=3 batch"},
	{Name: "barrier", Shows: "an entry and two read barriers: every order", Bounds: "entries=1 barriers=2"},
	{Name: "takeover", Shows: "the leader is cut off, comes back, and what it had posted comes late", Bounds: "entries=2 batch cuts=1 victims=0 late order"},
	{Name: "barrier-takeover", Shows: "read barriers while the lead changes", Bounds: "entries=1 barriers=1 cuts=1 victims=0 order"},
	{Name: "rejoin", Shows: "a follower loses its memory and becomes a full member again", Bounds: "entries=1 crashes=1 beats=2 victims=12 order"},
	{Name: "leader-crash", Shows: "the leader loses its memory", Bounds: "entries=2 crashes=1 victims=0 late order"},
	{Name: "switch", Shows: "through the switch: a copy is lost, the leader is cut off, WRITEs come late", Bounds: "switch entries=2 batch misses=1 cuts=1 victims=0 late order"},
	{Name: "remove", Shows: "the leader is removed, and cut off", Bounds: "remove=0 entries=1 cuts=1 victims=0 order"},
	{Name: "join", Shows: "a server joins, the leader is cut off", Bounds: "entries=1 join batch cuts=1 victims=0 order"},

	{Name: "durable", Shows: "what counts is on disk: the leader's process ends and starts again", Bounds: "entries=1 crashes=1 victims=0 beats=1 durable order"},

	{Name: "leader-rejoins", Shows: "the leader loses its memory and leads again", Bounds: "entries=1 crashes=1 beats=2 victims=0 order", Large: true},
	{Name: "remove-slowly", Shows: "the leader is removed, and cut off, and time passes", Bounds: "remove=0 entries=1 times=1 cuts=1 victims=0 order", Large: true},
	{Name: "takeover-held", Shows: "the leader is cut off, and something is held up", Bounds: "entries=2 batch cuts=1 victims=0 late order holds=1", Large: true},
	{Name: "barrier-held", Shows: "read barriers while the lead changes, and something is held up", Bounds: "entries=1 barriers=1 cuts=1 victims=0 order holds=1", Large: true},
	{Name: "walks", Shows: "everything at once, at random",
		Bounds: "entries=4 barriers=2 cuts=2 crashes=1 beats=3 times=4 join late batch split torn=1 loses=2", Walk: 20 * time.Second, Steps: 300},
	{Name: "deep-walks", Shows: "takeovers and restarts one after the other, at random",
		Bounds: "entries=4 barriers=2 cuts=3 crashes=2 beats=3 times=2 join late batch order holds=3", Walk: 20 * time.Second, Steps: 250},
	{Name: "deep-durable-walks", Shows: "the same with disks",
		Bounds: "entries=4 barriers=2 cuts=3 crashes=3 beats=3 times=2 durable late batch order holds=3", Walk: 20 * time.Second, Steps: 250},
	{Name: "deep-switch-walks", Shows: "the same through the switch",
		Bounds: "switch groups=3 entries=4 barriers=2 cuts=3 crashes=1 beats=3 times=4 misses=2 late batch order holds=3", Walk: 20 * time.Second, Steps: 250},
	{Name: "four-walks", Shows: "the same with four servers",
		Bounds: "servers=4 entries=4 cuts=3 crashes=2 beats=3 times=2 late batch order holds=3", Walk: 20 * time.Second, Steps: 250},
	{Name: "durable-walks", Shows: "everything at once, with disks, at random",
		Bounds: "entries=4 barriers=2 cuts=1 crashes=3 beats=3 times=4 durable late batch split loses=2", Walk: 20 * time.Second, Steps: 300},
	{Name: "switch-walks", Shows: "everything at once through the switch, at random",
		Bounds: "switch groups=3 entries=4 barriers=2 cuts=2 crashes=1 beats=3 times=4 misses=2 late batch split loses=2", Walk: 20 * time.Second, Steps: 300},
}
