package chaos

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// found has scripts, shortened, by which TestChaos has found something. All ended
// with a cluster that did not recover. A line that begins with refused must not be
// possible, all others must.
var found = []struct{ about, script string }{
	{"the leader removes itself, and stops before the others know", `cluster servers=3
		until ready 1
		until ready 2
		remove 0
		run 50ms
		settle x`},
	{"the power fails after the leader has removed itself", `cluster servers=4
		until full 3
		remove 0
		run 1ms
		power
		settle x`},
	{"a server starts again with a membership whose servers are no more", `cluster servers=3
		until ready 1
		until ready 2
		crash 1
		remove 0
		until removed 0
		run 50ms
		stop 0
		restart 1
		settle x`},
	{"the server that should lead does not know today's membership", `cluster servers=3
		until full 2
		cut 0
		until leader 1
		learner 3
		until ready 3
		join 3
		run 50ms
		remove 2
		run 50ms
		stop 2
		pause 1
		heal
		run 300ms
		crash 1
		settle x`},
	{"a dead server is removed, and the leader starts again at once", `cluster servers=3
		until full 2
		crash 2
		run 100ms
		remove 2
		until removed 2
		stop 2
		crash 0
		restart 0
		settle x`},
	{"a dead server is removed, and the leader starts again as soon as it has said so", `cluster servers=3
		until full 2
		crash 2
		run 100ms
		remove 2
		until answered
		stop 2
		crash 0
		restart 0
		run 1ms
		until leader
		settle x`},
	{"servers are removed one after the other, each time the leader with the next", `cluster servers=5
		until full 4
		crash 4
		run 100ms
		remove 4
		until answered
		crash 0
		until leader 1
		remove 0
		until answered
		crash 1
		until leader
		remove 1
		until answered
		crash 2
		restart 2
		run 1ms
		until leader
		settle x`},
	{"members are removed while one is cut off", `cluster servers=4
		until full 3
		cut 3
		run 100ms
		remove 2
		run 50ms
		refused remove 1
		run 50ms
		propose leader a
		run 100ms
		decided a
		settle x`},
	{"a round trip takes longer than a request is given", `cluster servers=3 delay=1ms request=1ms
		until full 2
		barrier leader
		run 100ms
		confirmed
		settle x`},
	{"a learner comes back with the disk of before it was a member", `cluster servers=3 log=4096 routes=1 durable
		until full 2
		learner 4
		run 100ms
		copy 4
		join 4
		run 50ms
		crash 4
		restore 4
		settle x`},
	{"a machine is lost and another server starts again, of three that have it on disk", `cluster servers=3 durable
		until full 2
		propose 0 a
		run 20ms
		crash 2
		crash 0
		restart 0
		run 300ms
		propose leader b
		run 100ms
		decided b
		settle x`},
	{"a server stands still that has read everything, and has not refused a group that is over", `cluster servers=5 log=4096 routes=1 switch eager
		until mode accelerated
		cut 4
		propose leader b+900 c+900 d+900 e+900 f+900
		run 2ms
		pause 3
		switch restart
		settle x core=0,1,2`},
	{"who should lead does not reach a majority, and who does waits for it", `cluster servers=5 routes=1
		until full 4
		cut 1 3
		cut 1 4
		run 100ms
		crash 0
		settle x core=2,3,4`},
	{"a disk goes back to before the membership of today", `cluster servers=3 durable
		until full 2
		copy 2
		run 50ms
		remove 1
		until removed 1
		run 20ms
		stop 1
		until leader
		learner 3
		until ready 3
		join 3
		until member 3
		run 20ms
		crash 2
		restore 2
		settle x`},
	{"all lose power, and start again without a journal", `cluster servers=3 durable
		until full 2
		slow 0 5s
		slow 1 5s
		slow 2 5s
		propose 0 a b c
		run 20ms
		decided c
		power
		set durable=false
		settle d`},
	{"the same, and one starts twice before it is a full member", `cluster servers=3 durable
		until full 2
		slow 0 5s
		slow 1 5s
		slow 2 5s
		propose 0 a b c
		run 20ms
		decided c
		power
		set durable=false
		restart 1
		restart 2
		run 40ms
		crash 1
		settle d`},
	{"the same, when one of them has a change of members that nobody knows the outcome of", `cluster servers=3 durable
		until full 2
		learner 3
		run 20ms
		join 3
		run 300us
		power
		set durable=false
		settle d`},
	{"the same, and with one again, and without", `cluster servers=3 durable lease=30ms
		until full 2
		propose 0 a b c
		run 20ms
		decided c
		power
		set durable=false
		settle d
		power
		set durable=true
		set lease=0s
		settle e
		propose leader f
		run 20ms
		power
		set durable=false
		set lease=50ms
		settle g`},
	{"the only member adds a server, and all lose power before it has that on disk", `cluster servers=2 log=4096 eager lease=42ms
		until full 1
		learner 3
		run 20ms
		remove 1
		run 20ms
		slow 0 8ms
		propose 0 a b c
		run 1500us
		join 3
		run 1500us
		power
		restart 0
		run 5ms
		restart 3
		settle d`},
	// That was none: who answers reads had applied what the old leader reported.
	{"a leader stands still before it looks at acknowledgements, and reports when it goes on what its successor has adopted", `cluster servers=3 lease=28ms
		until full 2
		run 20ms
		propose 0 a
		run 4us
		pause 0
		until leader 1
		run 20ms
		decided a
		resume 0
		settle x`},
	// That was none: the check had forgotten what the disk had held.
	{"a disk is lost when the entry on it is acknowledged, and the acknowledgement not looked at yet", `cluster servers=3 durable
		until full 2
		slow 0 5ms
		cut 0 1
		propose 0 a
		run 300us
		crash 2 disk
		run 10ms
		heal
		restart 2
		settle x`},
}

// lost has scripts by which acknowledged data was lost, or could have been.
var lost = []struct{ about, script string }{
	{"proposals behind an adopted change of membership are decided with it, under the old membership", `cluster servers=3 routes=1 batch=1 eager
		until full 2
		learner 3
		until ready 3
		cut 0 2
		cut 1 0 oneway
		join 3
		run 1ms
		crash 0
		heal
		until leader 1
		propose 1 a b c
		run 5ms
		settle x`},
}

// TestFound runs them again.
func TestFound(t *testing.T) {
	for _, f := range slices.Concat(found, lost) {
		t.Run(f.about, func(t *testing.T) {
			t.Parallel()
			script := lines(f.script)
			refused := map[int]bool{}
			for i, l := range script {
				script[i], refused[i+1] = strings.CutPrefix(l, "refused ")
			}
			head := script[0]
			for seed := range 40 {
				script[0] = fmt.Sprintf("%s seed=%d", head, seed)
				w, err := RunScript(script, nil)
				if err != nil {
					t.Fatal(err)
				}
				if w.failed != nil {
					t.Fatalf("seed %d: %v", seed, w.failed)
				}
				for i := range script {
					if err := w.Undone[i+1]; (err != nil) != refused[i+1] {
						t.Fatalf("seed %d: line %d (%s): %v", seed, i+1, script[i], err)
					}
				}
			}
		})
	}
}
