package explore

import (
	"time"

	"github.com/p4ce/p4ce/sim/explore"
)

// Kept are the worlds that are explored again and again.
var Kept = []explore.Kept{
	{Name: "order", Shows: "three scatterings of one timestamp, whatever is held up", Bounds: "once=3 ticks=3 holds=1"},
	{Name: "commit", Shows: "two reliable ones, whatever is held up", Bounds: "reliable=2 ticks=3 holds=1"},
	{Name: "lost", Shows: "a frame is lost, whatever it is", Bounds: "once=1 reliable=2 ticks=6 losses=1"},
	{Name: "late-copies", Shows: "a frame comes twice, the second time much later", Bounds: "once=1 reliable=1 ticks=5 repeats=1 long"},
	{Name: "clocks", Shows: "clocks that differ, and fall back", Bounds: "once=1 reliable=1 ticks=3 skew=1 jumps=1 anytime"},
	{Name: "room", Shows: "windows that are full, and processes that take their time", Bounds: "once=3 ticks=5 small"},
	{Name: "room-commit", Shows: "the same with reliable messages of two fragments", Bounds: "reliable=3 ticks=5 small long"},
	{Name: "strangers", Shows: "packets of strangers and liars in every state", Bounds: "once=1 reliable=1 ticks=3 losses=1 probes"},
	{Name: "free", Shows: "one scattering, and everything in any order", Bounds: "once=1 ticks=1 free"},
	{Name: "dies", Shows: "a host dies at any moment", Bounds: "reliable=2 ticks=11 kills=1 control"},
	{Name: "cut", Shows: "a link fails, for good or until the end, and clocks differ", Bounds: "reliable=3 ticks=12 skew=1 cuts=1 control"},
	{Name: "spine", Shows: "a switch fails, and forgets everything", Bounds: "reliable=1 ticks=14 fails=1 control"},
	{Name: "forgets", Shows: "a switch and the controller forget everything at the same time", Bounds: "reliable=1 ticks=14 forgets=1 control"},
	{Name: "joins", Shows: "a host joins while others send", Bounds: "once=2 ticks=5 skew=1 joins control anytime"},

	{Name: "apart", Shows: "a host does not reach another one any more, for good: nobody fails", Bounds: "once=1 reliable=2 ticks=10 holes=1 control"},

	{Name: "cpu", Shows: "switches whose CPUs send the beacons, whatever is held up", Bounds: "once=1 reliable=1 ticks=3 holds=1 cpu=2"},
	{Name: "cpu-mixed", Shows: "one such switch, and one whose data plane does, and clocks that differ", Bounds: "once=2 ticks=4 skew=1 holds=1 cpu=1"},
	{Name: "cpu-dies", Shows: "a host dies behind such switches", Bounds: "reliable=1 ticks=11 kills=1 cpu=2 control"},

	{Name: "replaced", Shows: "a host dies, and so does the controller", Bounds: "reliable=1 ticks=12 kills=1 restarts=1 control", Large: true},
	{Name: "back", Shows: "a link fails and comes back, while all send", Bounds: "once=1 reliable=1 ticks=14 cuts=1 heals=1 control", Large: true},
	{Name: "spine-back", Shows: "a switch fails and comes back", Bounds: "reliable=1 ticks=14 fails=1 heals=1 control", Large: true},
	{Name: "two-die", Shows: "two hosts die", Bounds: "reliable=1 ticks=12 kills=2 control", Large: true},
	{Name: "joins-lost", Shows: "a host joins, and a frame is lost", Bounds: "once=1 ticks=6 losses=1 skew=1 joins control anytime", Large: true},
	{Name: "free-commit", Shows: "a reliable scattering, and everything in any order", Bounds: "reliable=1 ticks=1 free", Large: true},
	{Name: "forgets-anytime", Shows: "the same, and hosts send at any time", Bounds: "reliable=1 ticks=14 forgets=1 anytime control", Large: true},
	{Name: "returns", Shows: "a link fails, comes back at the end, and who was cut off delivers what the others do", Bounds: "reliable=2 ticks=16 cuts=1 control returns"},
	{Name: "returns-random", Shows: "the same, and more fails: random ways",
		Bounds: "reliable=4 ticks=40 losses=1 kills=1 cuts=1 heals=1 restarts=1 control returns anytime rare=25", Walk: 30 * time.Second, Steps: 700, Large: true},
	{Name: "apart-lost", Shows: "two hosts do not reach each other, and a frame is lost", Bounds: "reliable=1 ticks=12 holes=2 losses=1 control", Large: true},
	{Name: "apart-dies", Shows: "a host does not reach another one, and one dies", Bounds: "reliable=2 ticks=8 holes=1 kills=1 control", Large: true},
	{Name: "apart-random", Shows: "two hosts do not reach others, while all send: random ways",
		Bounds: "once=1 reliable=3 ticks=40 losses=1 holes=2 repeats=1 control anytime rare=15", Walk: 30 * time.Second, Steps: 500, Large: true},
	{Name: "apart-returns", Shows: "a host does not reach another one, a link fails, and who was cut off delivers what the others do: random ways",
		Bounds: "reliable=4 ticks=40 losses=1 holes=2 cuts=1 heals=1 restarts=1 control returns anytime rare=25", Walk: 30 * time.Second, Steps: 700, Large: true},
	{Name: "hangs", Shows: "the agent of a switch hangs, for any time: random ways",
		Bounds: "reliable=2 ticks=30 kills=1 hangs=1 cpu=2 control anytime rare=25", Walk: 30 * time.Second, Steps: 700},
	{Name: "random", Shows: "everything fails, rarely: random ways",
		Bounds: "once=2 reliable=2 ticks=40 losses=2 repeats=1 holds=2 jumps=1 kills=1 cuts=1 heals=1 control anytime rare=25",
		Walk:   30 * time.Second, Steps: 700, Large: true},
}
