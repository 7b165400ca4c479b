package chaos

import (
	"fmt"
	"strings"
	"testing"
)

// rules has a scenario for every rule of the protocol whose lack can be seen:
// those that the papers or the public code of Mu do without, and those that make the
// rest work (docs/consensus.md). systems/rdma/mutants/mu.txt breaks each rule: its scenario then violates
// something for one of the first seeds. With the rule it does not for any.
var rules = []struct {
	name   string
	about  string // what is done without the rule
	script string
}{
	{
		name:  "majority",
		about: "half of an even number of servers is taken for a majority (public Mu)",
		script: `cluster servers=4
			until full 3
			cut 0 2
			cut 0 3
			cut 1 2
			cut 1 3
			propose 0 a
			run 100ms`,
	},
	{
		name:  "others-value",
		about: "a proposal succeeds when its slot is decided, whoever's value it holds (public Mu)",
		script: `cluster servers=3
			until full 2
			cut 0
			propose 0 mine
			until leader 1
			propose 1 other
			run 5ms
			heal
			run 100ms`,
	},
	{
		name:  "ring",
		about: "ring space is used again without looking at heads (public Mu)",
		script: `cluster servers=3 log=4096
			until full 2
			pause 2
			propose 0 a+800 b+800 c+800 d+800 e+800 f+800 g+800 h+800
			run 20ms`,
	},
	{
		name:  "term-reuse",
		about: "a candidate takes a proposal number that it has used before (public Mu)",
		script: `cluster servers=3
			until full 2
			propose 0 a
			run 3ms
			crash 0
			until leader 1
			restart 0
			run 150ms
			propose leader b
			settle c`,
	},
	{
		name:  "no-revoke",
		about: "a new leader is let in while the old one still is (Mu's permissions: revoke first)",
		script: `cluster servers=3
			until full 2
			pause 0
			until leader 1
			propose 1 b
			run 3ms
			propose 0 x y
			resume 0
			run 30ms
			settle c`,
	},
	{
		name:  "first-found",
		about: "the first entry that is found is adopted, not that of the highest term (Paxos, phase 1)",
		script: `cluster servers=3
			until full 2
			cut 0
			propose 0 old
			until leader 1
			slow 1 5s
			slow 2 5s
			propose 1 new
			run 1ms
			heal
			until leader 0
			run 20ms`,
	},
	{
		name:  "amnesia",
		about: "a server that has restarted votes as if it remembered",
		script: `cluster servers=3
			until leader 0
			run 5ms
			cut 0 2
			propose 0 a
			run 1ms
			crash 1
			restart 1
			pause 0
			heal
			run 200ms
			propose leader b
			run 10ms`,
	},
	{
		name:  "no-incarnation",
		about: "a vote that was given in an earlier life counts (Michael et al., DISC 2017)",
		script: `cluster servers=3
			until full 2
			cut 0
			until leader 1
			propose 1 a b c
			run 2ms
			crash 1 disk
			settle last`,
	},
	{
		name:  "group-size",
		about: "f is computed from the size of the switch's group instead of the cluster's (P4CE paper, Table II)",
		script: `cluster servers=5 switch
			until full 4
			crash 3
			crash 4
			run 100ms
			until mode accelerated
			run 400ms
			miss 2
			propose 0 a
			run 5ms`,
	},
	{
		name:  "no-checksum",
		about: "an entry is taken as it is, whatever part of it the device has made visible (public Mu: a last byte that is not zero)",
		script: `cluster servers=3
			until full 2
			cut 0 2
			propose 0 ` + dense("a") + `
			run 2ms
			propose 0 ` + dense("b") + `
			run 2ms
			propose 0 ` + dense("c") + `
			run 40ms
			heal
			run 60ms`,
	},
	{
		name:  "commit-ahead",
		about: "the commit position is written to a peer that does not hold what it covers",
		script: `cluster servers=5
			until full 4
			cut 0 1
			cut 0 3
			cut 0 4
			propose 0 old
			run 1ms
			cut 2
			pause 0
			until leader 1
			propose 1 new
			run 5ms
			heal
			run 100ms`,
	},
	{
		name:  "lease-grant",
		about: "another leader is let in before the lease of the last one has run out",
		script: `cluster servers=3 lease=300ms
			until full 2
			run 40ms
			pause 0
			until leader 1
			propose 1 a
			run 5ms`,
	},
	{
		name:  "lease-arrival",
		about: "a lease is counted from when the leader hears of it, not from before it was given",
		script: `cluster servers=3 lease=60ms
			until full 2
			run 40ms
			pause 0
			until leader 1
			propose 1 a
			run 5ms
			resume 0
			run 5ms`,
	},
	{
		name:  "lease-margin",
		about: "the clocks of leader and followers are taken to run at one rate",
		script: `cluster servers=3 lease=2s skew=0.02
			until full 2
			run 40ms
			pause 0
			until leader 1
			propose 1 a
			run 5ms`,
	},
	{
		name:  "lease-restart",
		about: "a server that starts again with its disk has forgotten what it has promised",
		script: `cluster servers=3 durable lease=300ms
			until full 2
			run 40ms
			pause 0
			crash 1
			crash 2
			restart 1
			restart 2
			until leader 1
			propose 1 a
			run 5ms`,
	},
	{
		name:  "lease-setting",
		about: "a server that starts again with a shorter lease waits for that, not for the one that it has promised",
		script: `cluster servers=3 durable lease=300ms
			until full 2
			run 40ms
			pause 0
			set lease=20ms
			crash 1
			crash 2
			restart 1
			restart 2
			until leader 1
			propose 1 a
			run 5ms`,
	},
	{
		name:  "lease-setting-none",
		about: "or with none",
		script: `cluster servers=3 durable lease=300ms
			until full 2
			run 40ms
			pause 0
			set lease=0s
			crash 1
			crash 2
			restart 1
			restart 2
			until leader 1
			propose 1 a
			run 5ms`,
	},
	{
		name:  "gone-back",
		about: "a server whose disk was put back to what it was counts as before",
		script: `cluster servers=3 durable
			until full 2
			run 20ms
			copy 1
			cut 0 2
			propose 0 a b c
			run 60ms
			crash 1
			restore 1
			cut 0
			restart 1
			until leader 1
			propose 1 d
			run 30ms
			settle e`,
	},
	{
		name:  "lease-start",
		about: "a new leader answers reads before it has applied what it has adopted",
		script: `cluster servers=3 lease=40ms
			until full 2
			slow 1 200ms
			propose 0 a b c
			run 10ms
			pause 0
			until leader 1
			run 60ms`,
	},
}

// dense is a record whose bytes are all different from those of empty memory.
func dense(s string) string { return strings.Repeat(s, 200) }

func lines(script string) []string {
	var l []string
	for s := range strings.Lines(script) {
		l = append(l, strings.TrimSpace(s))
	}
	return l
}

// TestRules shows that nothing is violated in the scenario of any rule.
func TestRules(t *testing.T) {
	for _, r := range rules {
		t.Run(r.name, func(t *testing.T) {
			t.Parallel()
			script := lines(r.script)
			head := script[0]
			for seed := range *tries {
				script[0] = fmt.Sprintf("%s seed=%d", head, seed)
				if w, err := RunScript(script, nil); err != nil || w.failed != nil {
					t.Fatalf("%s: %v, %v", script[0], err, w.failed)
				}
			}
		})
	}
}

// TestOneDead: the leader does not wait for every peer, as public Mu does (the P4CE paper, III-A, goes on with f).
func TestOneDead(t *testing.T) {
	w, err := RunScript(lines(`cluster servers=3 seed=1
		until full 2
		crash 2
		propose 0 a
		run 100ms`), nil)
	if err != nil || w.failed != nil {
		t.Fatal(err, w.failed)
	}
	if w.Stats.Decided != 1 {
		t.Error("nothing is decided without server 2")
	}
}
