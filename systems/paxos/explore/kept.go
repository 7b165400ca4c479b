package explore

import (
	"time"

	"github.com/p4ce/p4ce/sim/explore"
)

// Kept are the worlds that are explored again and again.
var Kept = []explore.Kept{
	{Name: "one-leader", Shows: "one leader: two values, in any order, and messages that come twice", Bounds: "requests=2 repeats=1 learner"},
	{Name: "votes", Shows: "votes of two rounds, and of two instances in one cell", Bounds: "votes learner trims=2"},
	{Name: "take-over", Shows: "a second leader takes over while the first believes", Bounds: "requests=1 later=1 takeovers=1"},
	{Name: "forgets", Shows: "an acceptor forgets while another leader takes over", Bounds: "requests=1 takeovers=1 forgets=1"},
	{Name: "changed", Shows: "a leader leads before a new acceptor has what was chosen", Bounds: "changed later=1"},
	{Name: "lapped", Shows: "a second leader takes over in cells that are used again", Bounds: "requests=1 takeovers=1 lapped"},
	{Name: "laps", Shows: "instances are trimmed, and their cells used again", Bounds: "requests=3 trims=1"},
	{Name: "gap", Shows: "the controller closes an instance, in a round of its own", Bounds: "requests=2 gaps=1"},
	{Name: "strangers", Shows: "messages of a stranger in every state", Bounds: "requests=2 probes"},
	{Name: "two-values", Shows: "a second leader takes over two instances: random ways", Bounds: "requests=2 later=1 takeovers=1", Walk: 10 * time.Second, Steps: 60},
	{Name: "change", Shows: "an acceptor that has forgotten is taken up anew by another leader, while the first believes: random ways", Bounds: "requests=1 later=1 takeovers=1 changes=1 gaps=1", Walk: 10 * time.Second, Steps: 60},

	{Name: "repeated", Shows: "a take-over in which messages come twice", Bounds: "requests=1 later=1 takeovers=1 repeats=1", Large: true},
	{Name: "forgets-more", Shows: "an acceptor forgets, and the second leader goes on", Bounds: "requests=1 later=1 takeovers=1 forgets=1", Large: true},
	{Name: "votes-repeated", Shows: "votes of two rounds and instances, twice", Bounds: "votes learner trims=2 repeats=2", Large: true},
	{Name: "change-all", Shows: "an acceptor that has forgotten is taken up anew: every state", Bounds: "requests=1 later=1 takeovers=1 changes=1", Large: true},
	{Name: "changed-missing", Shows: "a new acceptor, and a missing instance", Bounds: "changed gaps=1", Large: true},
	{Name: "changed-both", Shows: "a new acceptor, a missing instance and a value", Bounds: "changed later=1 gaps=1", Large: true},
	{Name: "two-values-all", Shows: "the same, every state", Bounds: "requests=2 later=1 takeovers=1", Large: true},
	{Name: "lapped-more", Shows: "the same with a value of the second leader", Bounds: "requests=1 later=1 takeovers=1 lapped repeats=1", Large: true},
}
