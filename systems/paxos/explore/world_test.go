package explore

import (
	"io/fs"
	"testing"
	"time"

	"github.com/p4ce/p4ce/internal/long"
	"github.com/p4ce/p4ce/p4"
	"github.com/p4ce/p4ce/sim/explore"
	"github.com/p4ce/p4ce/sim/explore/exploretest"
)

var options = explore.Options{Workers: 1, Time: 3 * time.Minute}

// world is a world of a program.
func world(programs fs.FS, bounds string) (explore.Model, error) {
	return explore.Models(ParseBounds, func(b Bounds) (*Model, error) { return newModel(b, programs) })(bounds)
}

// TestBrokenRules breaks the program, or how it is used, once for every rule.
func TestBrokenRules(t *testing.T) {
	long.Test(t)
	const (
		kept     = "if (cell.inst == hdr.paxos.inst && cell.rnd > hdr.paxos.rnd) {"
		takeOver = "requests=1 later=1 takeovers=1"
		two      = "two values are chosen|which is not chosen"
	)
	exploretest.Broken(t, p4.FS, world, options, []struct{ Name, Bounds, File, Old, New, Want string }{
		{"two leaders lead in one round (the paper's round 0), and acceptors vote again in it", "requests=1 later=1 oneround", "paxos/acceptor.p4", "if (cell.inst == hdr.paxos.inst && cell.rnd == hdr.paxos.rnd) {", "if (false) {", "two values are chosen|votes for"},
		{"votes below the floor", takeOver, "paxos/acceptor.p4", "(1, 1, ACT_ACCEPT, _, 1, 1, 0, 0) : promise_kept();", "(1, 1, ACT_ACCEPT, _, 1, _, 0, 0) : promise_kept();", two},
		{"a floor that is not raised", takeOver, "paxos/acceptor.p4", "rnd = hdr.paxos.rnd;\n                above = 1;", "above = 1;", two},
		{"promises of an instance are not kept", "requests=2 gaps=1", "paxos/acceptor.p4", kept, "if (false) {", two},
		{"promises are not remembered", "requests=2 gaps=1", "paxos/acceptor.p4", "cell.inst = hdr.paxos.inst;\n                cell.rnd = hdr.paxos.rnd;\n                kept = 1;", "kept = 1;", two},
		{"votes are not reported", takeOver, "paxos/acceptor.p4", "(1, ACT_PREPARE) : vote_look();", "", two},
		{"a vote's round is that of its report", takeOver, "paxos/acceptor.p4", "rnd = cell.rnd;\n            } else {\n                rnd = 0;", "rnd = 0;\n            } else {\n                rnd = 0;", two},
		{"the highest instance is not remembered", takeOver, "paxos/acceptor.p4", "(1, 1, ACT_ACCEPT, _, 1, 0, 0) : seen();", "", two},
		{"votes of an instance before in a cell are reported", "requests=1 takeovers=1 lapped", "paxos/acceptor.p4", "if (cell.inst == hdr.paxos.inst) {\n                rnd = cell.rnd;", "if (true) {\n                rnd = cell.rnd;", two},
		{"what was trimmed is voted for", "requests=1 takeovers=1 lapped", "paxos/acceptor.p4", "(1, 1, ACT_ACCEPT, _, 1, 1, 0, 0) : promise_kept();", "(1, 1, ACT_ACCEPT, _, 1, 1, 0, _) : promise_kept();", two + "|votes for"},
		{"an acceptor that has forgotten goes on", takeOver + " forgets=1", "paxos/service.p4", "if (now == md.life) {", "if (true) {", two + "|votes for|not done|instance"},
		{"the acceptors of before are not asked any more when the new ones lead", "changed gaps=1 alone", "paxos/acceptor.p4", "", "", two},
		{"a vote that comes twice is two votes", "requests=1 repeats=1 learner", "paxos/learner.p4", "(1, 0, 3, 0x02 &&& 0x02, 0x01) : reached();", "(1, 0, 3, 0x02 &&& 0x02, 0x02) : reached();", "not chosen"},
		{"votes of two rounds are counted together", "votes learner trims=2 repeats=2", "paxos/learner.p4", "(1, _) : begin();", "(1, _) : add();", "not chosen"},
		{"votes of a round that is over are counted", "votes learner trims=2 repeats=2", "paxos/learner.p4", "(1, 0x80000000 &&& 0x80000000) : too_late();", "(1, 0x80000000 &&& 0x80000000) : add();", "not chosen"},
		{"votes of two instances are counted together", "votes learner trims=2 repeats=2", "paxos/learner.p4", "if (cell.inst == hdr.paxos.inst) {\n                before = cell.rnd;", "if (true) {\n                before = cell.rnd;", "not chosen"},
		{"anybody proposes", "requests=1 takeovers=1 probes", "paxos/acceptor.p4", "(1, 1, ACT_ACCEPT, _, 1, 1, 0, 0) : promise_kept();", "(1, 1, ACT_ACCEPT, _, _, 1, 0, 0) : promise_kept();", "stranger"},
		{"anybody raises the floor", "requests=1 takeovers=1 probes", "paxos/acceptor.p4", "(1, 1, ACT_FLOOR, 1) : raise();", "(1, 1, ACT_FLOOR, _) : raise();", "stranger"},
		{"anybody prepares", "requests=1 takeovers=1 probes", "paxos/acceptor.p4", "(1, 1, ACT_PREPARE, _, 1, 1, 0, 0) : promise_kept();", "(1, 1, ACT_PREPARE, _, _, 1, 0, 0) : promise_kept();", "stranger"},
		{"anybody votes", "requests=1 takeovers=1 learner probes", "paxos/learner.p4", "(1, 1, ACT_LEARN, _, 0, 0, _, _) : nobody();", "", "stranger"},
	})
}

// TestKept explores the worlds that do not take long.
func TestKept(t *testing.T) {
	long.Test(t)
	exploretest.Kept(t, Kept, explore.Models(ParseBounds, NewModel), options)
}

// TestWalks goes random ways through larger worlds: the same ones every time.
func TestWalks(t *testing.T) {
	exploretest.Walks(t, Kept, explore.Models(ParseBounds, NewModel), explore.WalkOptions{Workers: 1, Walks: 2000})
}

func TestBounds(t *testing.T) {
	exploretest.Bounds(t, ParseBounds, Kept, "requests", "requests=x", "requests=10", "probes=1", "takeovers=2", "gaps=2", "changes=1", "takeovers=1 changes=2", "later=1", "votes", "no=1")
}
