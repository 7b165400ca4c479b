package main

// check is one run of the checker.
type check struct {
	name  string
	shows string
	flags []string // of decision.pml
	want  string   // outcome
	full  bool     // left out by -quick
}

// Outcomes other than the name of the property that was violated.
const (
	holds      = "holds"
	incomplete = "incomplete" // the search ended before all states were seen
)

// Properties of decision.pml.
const (
	agreement = "agreement" // no slot is decided with two values
	validity  = "validity"  // what is decided was proposed
	stays     = "stays"     // a new leader has adopted everything decided in lower terms
	applied   = "applied"   // a server applies only what is decided
	current   = "current"   // a read barrier covers what was reported before it was asked for
	goal      = "goal"      // a GOAL_ flag: what was claimed to be impossible happens
)

var properties = []string{agreement, validity, stays, applied, current, goal}

// goals are what a model that cannot move would not do.
var goals = []check{
	{"decides", "a value is decided", []string{"K=2", "C=0", "S=1", "GOAL_DECIDED"}, goal, false},
	{"applies", "all servers apply all slots", []string{"K=2", "C=0", "S=2", "GOAL_APPLIED"}, goal, false},
	{"adopts", "a value is decided in a later term than it was proposed in", []string{"K=2", "C=0", "S=1", "GOAL_ADOPTED"}, goal, false},
	{"switch", "a value is decided through the switch", []string{"K=2", "C=0", "S=1", "SWITCH", "GOAL_SWITCH"}, goal, false},
	{"fall-back", "a value lost in the switch is decided directly", []string{"K=2", "C=0", "S=2", "SWITCH", "GOAL_FALLBACK"}, goal, false},
	{"rejoins", "a value is decided by a server that has crashed and rejoined", []string{"K=2", "C=1", "S=1", "GOAL_REJOINED"}, goal, false},
	{"changes", "a value is decided under a new membership", []string{"N=4", "K=2", "C=0", "S=2", "CHANGE", "GOAL_CHANGED"}, goal, false},
	{"reads", "a read barrier covers what an earlier leader has reported", []string{"K=2", "C=0", "S=1", "BARRIER", "GOAL_READ"}, goal, false},
}

// mutants break one rule each.
//
// AGREEMENT_ONLY takes the property "stays" away, which is stronger and would be
// violated first: what is shown is then that two values are decided.
var mutants = []check{
	{"half", "half of an even number of servers is a majority", []string{"N=4", "K=2", "C=0", "S=1", "MUT_HALF", "AGREEMENT_ONLY"}, agreement, false},
	{"term-reused", "two candidates use one term", []string{"K=3", "C=0", "S=1", "MUT_TERM_REUSED", "AGREEMENT_ONLY"}, agreement, false},
	{"not-revoked", "the old leader's connections are not revoked", []string{"K=2", "C=0", "S=1", "MUT_NOT_REVOKED", "AGREEMENT_ONLY"}, agreement, false},
	{"group-kept", "the old leader's group is not revoked", []string{"K=2", "C=0", "S=1", "SWITCH", "MUT_GROUP_KEPT", "AGREEMENT_ONLY"}, agreement, false},
	{"first-found", "the first entry found is adopted, not the highest term's", []string{"K=3", "C=0", "S=1", "MUT_FIRST_FOUND", "AGREEMENT_ONLY"}, agreement, false},
	{"torn", "a WRITE of the same value makes an entry incomplete", []string{"K=3", "C=0", "S=1", "MUT_TORN", "AGREEMENT_ONLY"}, agreement, false},
	{"read-unchecked", "the promised term is not looked at after the log was read", []string{"N=5", "K=4", "C=0", "S=1", "OWNER2=1", "OWNER3=2", "OWNER4=1", "MUT_READ_UNCHECKED", "AGREEMENT_ONLY"}, agreement, true},
	{"commit-ahead", "a commit position is applied before what it covers was written", []string{"K=2", "C=0", "S=1", "MUT_COMMIT_AHEAD"}, applied, false},
	{"group-quorum", "f is computed from the group's size", []string{"K=2", "C=0", "S=1", "SWITCH", "MUT_GROUP_QUORUM", "AGREEMENT_ONLY"}, agreement, false},
	{"group-gap", "a group's member lacks entries when the group is formed", []string{"K=2", "C=0", "S=2", "SWITCH", "MUT_GROUP_GAP", "AGREEMENT_ONLY"}, applied, false},
	{"fallback-skips", "fall-back writes only what is undecided", []string{"K=2", "C=0", "S=2", "SWITCH", "MUT_FALLBACK_SKIPS"}, applied, false},
	{"amnesia", "a server that has restarted is a member at once", []string{"K=2", "C=1", "S=1", "MUT_AMNESIA", "AGREEMENT_ONLY"}, agreement, false},
	{"not-caught-up", "it is made a member before it holds the log", []string{"K=2", "C=1", "S=1", "MUT_NOT_CAUGHT_UP", "AGREEMENT_ONLY"}, agreement, false},
	{"ask-nobody", "it does not ask what the others have promised", []string{"K=2", "C=1", "S=1", "MUT_ASK_NOBODY", "AGREEMENT_ONLY"}, agreement, false},
	{"ask-anybody", "it asks servers that have lost their promises too", []string{"K=2", "C=2", "S=1", "MUT_ASK_ANYBODY", "AGREEMENT_ONLY"}, agreement, false},
	{"grant-outlives", "a grant counts after the server has restarted", []string{"K=2", "C=1", "S=1", "MUT_GRANT_OUTLIVES", "AGREEMENT_ONLY"}, agreement, false},
	{"behind-change", "values are proposed behind an undecided change of membership", []string{"N=4", "K=3", "C=0", "S=2", "CHANGE", "MUT_BEHIND_CHANGE", "AGREEMENT_ONLY"}, agreement, false},
	{"behind-adopted", "values are proposed behind an adopted change of membership", []string{"N=4", "K=3", "C=0", "S=2", "OWNER2=1", "OWNER3=2", "CHANGE", "MUT_BEHIND_ADOPTED", "AGREEMENT_ONLY"}, agreement, false},
	{"barrier-alone", "a read barrier is confirmed without asking anybody", []string{"K=2", "C=0", "S=1", "BARRIER", "MUT_BARRIER_ALONE"}, current, false},
	{"barrier-before", "what was acknowledged before a read barrier was asked for counts", []string{"K=2", "C=0", "S=1", "BARRIER", "MUT_BARRIER_BEFORE"}, current, false},
	{"barrier-adopted", "a read barrier does not wait for what was adopted", []string{"K=2", "C=0", "S=1", "BARRIER", "MUT_BARRIER_ADOPTED"}, current, false},
}

// bases break nothing: every property holds in every state.
var bases = []check{
	{"crash", "3 servers, 2 terms, 2 slots, 1 crash", []string{"K=2", "C=1", "S=2"}, holds, false},
	{"terms", "3 servers, 3 terms, 1 slot, 1 crash", []string{"K=3", "C=1", "S=1"}, holds, false},
	{"slots", "3 servers, 3 terms, 2 slots", []string{"K=3", "C=0", "S=2"}, holds, false},
	{"switch-crash", "the switch, 3 servers, 2 terms, 1 slot, 1 crash", []string{"K=2", "C=1", "S=1", "SWITCH"}, holds, false},
	{"switch-slots", "the switch, 3 servers, 2 terms, 2 slots", []string{"K=2", "C=0", "S=2", "SWITCH"}, holds, false},
	{"four", "4 servers, 2 terms, 1 slot, 1 crash", []string{"N=4", "K=2", "C=1", "S=1"}, holds, false},
	{"four-terms", "4 servers, 3 terms, 1 slot", []string{"N=4", "K=3", "C=0", "S=1"}, holds, false},
	{"barrier", "read barriers, 3 servers, 2 terms, 1 slot, 1 crash", []string{"K=2", "C=1", "S=1", "BARRIER"}, holds, false},
	{"barrier-slots", "read barriers, 3 servers, 2 terms, 2 slots", []string{"K=2", "C=0", "S=2", "BARRIER"}, holds, false},
	{"join", "a server joins 3, 2 terms, 2 slots", []string{"N=4", "K=2", "C=0", "S=2", "CHANGE"}, holds, false},
	{"remove", "a server leaves 4, 2 terms, 2 slots", []string{"N=4", "K=2", "C=0", "S=2", "CHANGE", "OLD=15", "NEW=7"}, holds, false},

	{"crashes", "3 servers, 3 terms, 1 slot, 2 crashes", []string{"K=3", "C=2", "S=1"}, holds, true},
	{"large", "3 servers, 3 terms, 2 slots, 1 crash", []string{"K=3", "C=1", "S=2"}, holds, true},
	{"switch-large", "the switch, 3 servers, 2 terms, 2 slots, 1 crash", []string{"K=2", "C=1", "S=2", "SWITCH"}, holds, true},
	{"switch-four", "the switch, 4 servers, 2 terms, 1 slot, 1 crash", []string{"N=4", "K=2", "C=1", "S=1", "SWITCH"}, holds, true},
}

var checks = append(append(append([]check{}, goals...), mutants...), bases...)
