package chaos

import (
	"strings"
	"testing"
	"time"
)

// weakRules are all rules whose lack can be seen. Under the weak rule something does not hold
// for one of the first seeds; with it, nothing for any (TestChaos has the same worlds).
var weakRules = []struct {
	name  string // Options.Weak
	about string
	want  string // in what does not hold; more than one thing may be seen first: separated by |
	tweak func(*Options)
}{
	{"no-floor", "an acceptor votes below its floor", "agreement", nil},
	{"no-promise", "an acceptor votes below what it has promised", "agreement", nil},
	{"no-lap", "a cell does not know its instance", "agreement|learner|stuck", nil},
	{"no-window", "a full ring is used again", "agreement|learner|stuck", func(o *Options) {
		o.Ring, o.Values, o.Acceptors, o.Faults = 4, 100, 3, 2*time.Millisecond
	}},
	{"no-owner", "anybody proposes in a round", "", nil},
	{"amnesia", "a role that has forgotten goes on", "agreement", nil},
	{"count", "votes are counted, not voters", "learner", nil},
	{"mixed-rounds", "votes of different rounds are added up", "learner", nil},
	{"any-voter", "votes of others count", "learner", nil},
	{"no-highest", "an acceptor does not say what it has voted in", "agreement", nil},
	{"first-found", "any vote is adopted, not that of the highest round", "agreement", nil},
	{"minority", "one promise is enough", "agreement", nil},
	{"highest", "the lowest end that acceptors know is taken for the end", "agreement", nil},
	{"new-only", "the acceptors of earlier configurations are not asked", "agreement", nil},
	{"unshown", "what was sent is taken for voted", "agreement|stuck", nil},
	{"order", "values are delivered as they come", "order", nil},
	{"twice", "what clients send again is delivered again", "integrity", nil},
	{"instance", "what learners say again is delivered again", "order|integrity", nil},
	{"full", "what a full leader says is not heard", "stuck", func(o *Options) { o.Ring = 4 }},
	{weakStranger, "a host takes values from anybody", "order|integrity", nil},
	{"clients", "a checkpoint does not have what clients have sent", "order|integrity", nil},
	{"lives", "what a host's earlier lives have sent is delivered when a later one has begun", "integrity", nil},
	{"renumber", "what is sent again gets a new number", "integrity|stuck", nil},
	{weakChecksum, "damaged packets are taken", "", nil},
	{weakRoundReuse, "the counter of rounds is not durable", "", nil},
	{weakRoundZero, "a leader begins without phase 1", "agreement", nil},
	{weakFloorless, "an acceptor that has forgotten gets its role without a floor", "agreement|learner", nil},
	{weakRetire, "earlier configurations are not asked, once a round has begun", "agreement", nil},
	{weakRemember, "who has forgotten is taken for who it was", "agreement", nil},
	{weakTrimOne, "things are trimmed when one replica has a checkpoint", "stuck", nil},
	{weakTrimOrder, "the end of the window is raised and its beginning is not", "agreement|learner|stuck", func(o *Options) {
		o.Ring, o.Values, o.Acceptors, o.Faults = 4, 100, 3, 2*time.Millisecond
	}},
}

// TestWeakRules shows that the checks see what they are for, and that each rule is needed.
func TestWeakRules(t *testing.T) {
	const tries = 3000
	for _, r := range weakRules {
		t.Run(r.name, func(t *testing.T) {
			t.Parallel()
			other := map[string]int{}
			for seed := range uint64(tries) {
				o := Defaults(seed)
				if r.tweak != nil {
					r.tweak(&o)
				}
				if r.tweak != nil && seed < 10 {
					if _, err := Run(o); err != nil {
						t.Fatalf("%s: seed %d: with the rule: %v", r.name, seed, err)
					}
				}
				o.Weak = r.name
				_, err := Run(o)
				if err == nil {
					continue
				}
				for _, want := range strings.Split(r.want, "|") {
					if strings.Contains(err.Error(), want+":") {
						t.Logf("%s: seed %d: %v", r.about, seed, err)
						return
					}
				}
				other[strings.Split(err.Error(), ":")[1]]++
				t.Logf("%s: seed %d: %v", r.name, seed, err)
				if len(other) > 5 {
					break
				}
			}
			t.Errorf("%s: nothing is seen in %d runs, but %v", r.about, tries, other)
		})
	}
}
