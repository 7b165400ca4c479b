package p4runtime

import (
	"fmt"
	"strings"

	p4 "github.com/p4lang/p4runtime/go/p4/v1"
	"github.com/stretchr/testify/require"
	"google.golang.org/grpc/codes"

	"github.com/p4ce/p4ce/dataplane"
)

// The tables with action profiles, and their profiles: see testdata.
const (
	chosenT, alsoT, stickyT, namedT = 8, 9, 10, 11
	next, sticky, named             = 0x11000001, 0x11000002, 0x11000003
	chosen, also, stuck, namedWhat  = 14, 15, 16, 17 // byte 0 of a packet
)

const (
	b1      = `match { field_id: 1 exact { value: "\x01" } }`
	b2      = `match { field_id: 1 exact { value: "\x02" } }`
	member1 = "action { action_profile_member_id: 1 }"
	group1  = "action { action_profile_group_id: 1 }"
)

// fwd is the action that sends to a port.
func fwd(port int) string {
	return fmt.Sprintf(`action { action_id: 0x01000001 params { param_id: 1 value: "\%03o" } params { param_id: 2 value: "\007" } }`, port)
}

func member(profile, id int, rest string) string {
	return fmt.Sprintf("action_profile_member { action_profile_id: %d member_id: %d %s }", profile, id, rest)
}

// group of a selector: rest is its size and members.
func memberGroup(profile, id int, rest string) string {
	return fmt.Sprintf("action_profile_group { action_profile_id: %d group_id: %d %s }", profile, id, rest)
}

// of is a member of a group; watch is its port, 0 for none.
func of(id, weight, watch int) string {
	text := fmt.Sprintf("members { member_id: %d weight: %d", id, weight)
	if watch > 0 {
		text += fmt.Sprintf(` watch_port: "\%03o"`, watch)
	}
	return text + " } "
}

// shot is an action of a set.
func shot(port, weight, watch int) string {
	text := fmt.Sprintf("action_profile_actions { %s weight: %d", fwd(port), weight)
	if watch > 0 {
		text += fmt.Sprintf(` watch_port: "\%03o"`, watch)
	}
	return text + " } "
}

func actionSet(text string) string {
	return "action { action_profile_action_set { " + text + " } }"
}

// spread are the ports that packets leave by whose hash is 0, 1, … n-1; 0 is none.
func (d *device) spread(what byte, b uint16, c byte, n int) (out []dataplane.Port) {
	d.Helper()
	for a := range n {
		ports := d.goes(frame(what, uint32(a), b, c))
		require.LessOrEqual(d, len(ports), 1)
		out = append(out, append(ports, 0)[0])
	}
	return out
}

// members inserts members 1 to n of a profile, which send to ports 1 to n.
func (d *device) members(profile, n int) {
	d.Helper()
	for i := 1; i <= n; i++ {
		d.writes(d.ins(member(profile, i, fwd(i))))
	}
}

// profiles are the requirements of action profiles and selectors.
var profiles = []requirement{
	{"profile.members", func(d *device) {
		m := member(named, 1, fwd(5))
		d.writes(d.ins(m), d.ins(entry(namedT, b1, member1)))
		d.refuses(codes.AlreadyExists, d.ins(m))
		d.has(member(named, 1, ""), m)
		d.has(entry(namedT, "", ""), entry(namedT, b1, member1))
		require.Equal(d, to(5), d.goes(frame(namedWhat, 0, 1, 0)))
		require.Equal(d, to(3), d.goes(frame(namedWhat, 0, 2, 0)), "the default entry")
		// All entries that name a member follow it.
		d.writes(d.ins(entry(namedT, b2, member1)), d.mod(member(named, 1, fwd(6))))
		require.Equal(d, to(6), d.goes(frame(namedWhat, 0, 1, 0)))
		require.Equal(d, to(6), d.goes(frame(namedWhat, 0, 2, 0)))
		d.writes(d.del(entry(namedT, b1, "")), d.del(entry(namedT, b2, "")), d.del(member(named, 1, "")))
		d.has(member(named, 0, ""))
	}},
	{"profile.member-unknown", func(d *device) {
		d.refuses(codes.InvalidArgument, d.ins(member(0x11000009, 1, fwd(5))), d.ins(member(named, 0, fwd(5))), d.del(member(0, 1, "")))
		d.refuses(codes.NotFound, d.mod(member(named, 1, fwd(5))), d.del(member(named, 1, "")))
	}},
	{"profile.member-action", func(d *device) {
		d.refuses(codes.InvalidArgument, d.ins(member(named, 1, "")), d.ins(member(named, 1, "action { action_id: 0x01000002 }")), d.ins(member(named, 1, "action { action_id: 0x01000001 }")))
		d.refuses(codes.PermissionDenied, d.ins(member(named, 1, "action { action_id: 0x01000003 }")))
		d.writes(d.ins(member(named, 1, fwd(5))))
		d.refuses(codes.InvalidArgument, d.mod(member(named, 1, "")))
		d.writes(d.del(member(named, 1, "action { action_id: 0x77 }"))) // the rest of it does not matter
	}},
	{"profile.member-size", func(d *device) {
		d.members(named, 2)
		d.refuses(codes.ResourceExhausted, d.ins(member(named, 3, fwd(3))))
		d.writes(d.del(member(named, 1, "")), d.ins(member(named, 3, fwd(3))))
	}},
	{"profile.member-in-use", func(d *device) {
		d.members(next, 2)
		d.writes(d.ins(entry(chosenT, b1, member1)), d.ins(memberGroup(next, 1, of(2, 1, 0))))
		d.refuses(codes.FailedPrecondition, d.del(member(next, 1, "")), d.del(member(next, 2, "")))
		d.writes(d.mod(entry(chosenT, b1, "action { action_profile_member_id: 2 }")), d.del(member(next, 1, "")), d.mod(memberGroup(next, 1, "")))
		d.refuses(codes.FailedPrecondition, d.del(member(next, 2, "")))
		d.writes(d.del(entry(chosenT, b1, "")), d.del(member(next, 2, "")))
	}},
	{"profile.reference-unknown", func(d *device) {
		d.refuses(codes.NotFound, d.ins(entry(chosenT, b1, member1)), d.ins(entry(chosenT, b1, group1)))
		d.members(next, 1)
		d.writes(d.ins(entry(chosenT, b1, member1)))
		d.refuses(codes.NotFound, d.mod(entry(chosenT, b1, "action { action_profile_member_id: 2 }")), d.mod(entry(chosenT, b1, group1)))
		d.has(entry(chosenT, "", ""), entry(chosenT, b1, member1))
		require.Equal(d, to(1), d.goes(frame(chosen, 0, 1, 0)))
	}},
	{"profile.reference-kind", func(d *device) {
		d.refuses(codes.InvalidArgument, d.ins(entry(chosenT, b1, fwd5)), d.ins(entry(chosenT, b1, "")), d.ins(entry(namedT, b1, group1)), d.ins(entry(namedT, b1, actionSet(shot(1, 1, 0)))),
			d.mod(missOf(chosenT, member1)))
	}},
	{"profile.default-entry", func(d *device) {
		d.has(missOf(chosenT, ""), missOf(chosenT, deny))
		d.writes(d.mod(missOf(chosenT, fwd6)))
		d.has(missOf(chosenT, ""), missOf(chosenT, fwd6))
		require.Equal(d, to(6), d.goes(frame(chosen, 0, 1, 0)))
		d.refuses(codes.PermissionDenied, d.mod(missOf(alsoT, fwd6)))
		d.has(missOf(alsoT, ""), missOf(alsoT, deny+" is_const: true"))
	}},
	{"profile.groups", func(d *device) {
		d.members(next, 3)
		g := memberGroup(next, 1, "max_size: 4 "+of(1, 1, 0)+of(3, 1, 0))
		d.writes(d.ins(g), d.ins(entry(chosenT, b1, group1)))
		d.refuses(codes.AlreadyExists, d.ins(g))
		d.has(memberGroup(next, 1, ""), g)
		d.has(entry(chosenT, "", ""), entry(chosenT, b1, group1))
		require.Equal(d, to(1, 3, 1, 3), d.spread(chosen, 1, 0, 4))
		// Another table of the selector has the same groups and members.
		d.writes(d.ins(entry(alsoT, `match { field_id: 1 ternary { value: "\x05" mask: "\xff" } } priority: 1`, group1)), d.mod(member(next, 3, fwd(5))))
		require.Equal(d, to(1, 5, 1), d.spread(also, 0, 5, 3))
		require.Equal(d, to(1, 5, 1), d.spread(chosen, 1, 0, 3))
		g = memberGroup(next, 1, "max_size: 4 "+of(2, 1, 0)+of(3, 1, 0)+of(1, 1, 0))
		d.writes(d.mod(g))
		d.has(memberGroup(next, 1, ""), g)
		require.Equal(d, to(2, 5, 1, 2), d.spread(chosen, 1, 0, 4))
		g = memberGroup(next, 1, "max_size: 4 "+of(2, 1, 0))
		d.writes(d.mod(g))
		require.Equal(d, to(2, 2, 2, 2), d.spread(chosen, 1, 0, 4))
	}},
	{"profile.group-scope", func(d *device) {
		d.members(next, 2)
		d.writes(d.ins(memberGroup(next, 1, of(2, 1, 0))), d.ins(entry(chosenT, b1, group1)), d.ins(entry(chosenT, b2, member1)))
		require.Equal(d, to(2), d.goes(frame(chosen, 0, 1, 0)), "a group and a member may have one number")
		require.Equal(d, to(1), d.goes(frame(chosen, 0, 2, 0)))
	}},
	{"profile.group-unknown", func(d *device) {
		d.refuses(codes.InvalidArgument, d.ins(memberGroup(0x11000009, 1, "")), d.ins(memberGroup(next, 0, "")), d.ins(memberGroup(named, 1, "")))
		d.refuses(codes.NotFound, d.mod(memberGroup(next, 1, "")), d.del(memberGroup(next, 1, "")), d.ins(memberGroup(next, 1, of(1, 1, 0))))
		d.members(next, 1)
		d.refuses(codes.InvalidArgument, d.ins(memberGroup(next, 1, of(1, 1, 0)+of(1, 1, 0))))
		d.writes(d.ins(memberGroup(next, 1, of(1, 1, 0))))
		d.refuses(codes.NotFound, d.mod(memberGroup(next, 1, of(2, 1, 0))))
		d.has(memberGroup(next, 1, ""), memberGroup(next, 1, of(1, 1, 0)))
	}},
	{"profile.group-in-use", func(d *device) {
		d.members(next, 1)
		d.writes(d.ins(memberGroup(next, 1, of(1, 1, 0))), d.ins(entry(chosenT, b1, group1)), d.ins(entry(chosenT, b2, group1)))
		d.refuses(codes.FailedPrecondition, d.del(memberGroup(next, 1, "")))
		d.writes(d.del(entry(chosenT, b1, "")), d.mod(entry(chosenT, b2, member1)), d.del(memberGroup(next, 1, "max_size: 77")))
		d.refuses(codes.NotFound, d.ins(entry(chosenT, b1, group1)))
	}},
	{"profile.group-size", func(d *device) {
		d.members(next, 3)
		d.refuses(codes.InvalidArgument, d.ins(memberGroup(next, 1, "max_size: 5")), d.ins(memberGroup(next, 1, "max_size: -1")))
		d.refuses(codes.ResourceExhausted, d.ins(memberGroup(next, 1, "max_size: 2 "+of(1, 3, 0))), d.ins(memberGroup(next, 1, of(1, 3, 0)+of(2, 2, 0))))
		d.writes(d.ins(memberGroup(next, 1, "max_size: 2 "+of(1, 1, 0))))
		d.refuses(codes.ResourceExhausted, d.mod(memberGroup(next, 1, "max_size: 2 "+of(1, 1, 0)+of(2, 1, 0)+of(3, 1, 0))))
		d.refuses(codes.InvalidArgument, d.mod(memberGroup(next, 1, "max_size: 3 "+of(1, 1, 0))), d.mod(memberGroup(next, 1, of(1, 1, 0))))
		d.has(memberGroup(next, 1, ""), memberGroup(next, 1, "max_size: 2 "+of(1, 1, 0)))
	}},
	{"profile.group-count", func(d *device) {
		for i := 1; i <= 3; i++ {
			d.writes(d.ins(memberGroup(next, i, "")))
		}
		d.refuses(codes.ResourceExhausted, d.ins(memberGroup(next, 4, "")))
		d.writes(d.del(memberGroup(next, 2, "")), d.ins(memberGroup(next, 4, "")))
	}},
	{"profile.weights", func(d *device) {
		d.members(next, 2)
		d.refuses(codes.InvalidArgument, d.ins(memberGroup(next, 1, of(1, 0, 0))), d.ins(memberGroup(next, 1, of(1, -1, 0))))
		d.writes(d.ins(memberGroup(next, 1, of(1, 3, 0)+of(2, 1, 0))), d.ins(entry(chosenT, b1, group1)))
		require.Equal(d, to(1, 1, 1, 2, 1, 1, 1, 2), d.spread(chosen, 1, 0, 8))
	}},
	{"profile.empty-group", func(d *device) {
		d.members(next, 1)
		d.writes(d.ins(memberGroup(next, 1, "")), d.ins(entry(chosenT, b1, group1)), d.mod(missOf(chosenT, fwd6)))
		require.Equal(d, to(6, 6), d.spread(chosen, 1, 0, 2), "a miss of the table")
		d.writes(d.mod(memberGroup(next, 1, of(1, 1, 0))))
		require.Equal(d, to(1, 1), d.spread(chosen, 1, 0, 2))
		d.writes(d.mod(memberGroup(next, 1, "")))
		require.Equal(d, to(6, 6), d.spread(chosen, 1, 0, 2))
	}},
	{"profile.watch-port", func(d *device) {
		d.members(next, 3)
		d.refuses(codes.InvalidArgument, d.ins(memberGroup(next, 1, `members { member_id: 1 weight: 1 watch_port: "\x01\xff" }`)))
		d.server.SetPort(5, false) // before there is a group
		g := memberGroup(next, 1, of(1, 1, 4)+of(2, 1, 5)+of(3, 1, 0))
		d.writes(d.ins(g), d.ins(entry(chosenT, b1, group1)))
		d.has(memberGroup(next, 1, ""), g)
		require.Equal(d, to(1, 3, 1), d.spread(chosen, 1, 0, 3))
		d.server.SetPort(4, false)
		require.Equal(d, to(3, 3, 3), d.spread(chosen, 1, 0, 3))
		d.server.SetPort(5, true)
		require.Equal(d, to(2, 3, 2), d.spread(chosen, 1, 0, 3))
		d.server.SetPort(4, true)
		require.Equal(d, to(1, 2, 3), d.spread(chosen, 1, 0, 3))
		g = memberGroup(next, 1, of(1, 1, 4)+of(2, 1, 5))
		d.writes(d.mod(g))
		d.server.SetPort(4, false)
		d.server.SetPort(5, false)
		require.Equal(d, to(0, 0), d.spread(chosen, 1, 0, 2), "a miss of the table, as with an empty group")
		d.has(memberGroup(next, 1, ""), g)
	}},
	{"profile.watch-deprecated", func(d *device) {
		d.members(next, 1)
		d.refuses(codes.Unimplemented, d.ins(memberGroup(next, 1, "members { member_id: 1 weight: 1 watch: 4 }")),
			d.ins(entry(stickyT, b1, actionSet("action_profile_actions { "+fwd(1)+" weight: 1 watch: 4 }"))))
	}},
	{"profile.resilient", func(d *device) {
		d.members(sticky, 3)
		d.writes(d.ins(memberGroup(sticky, 1, "max_size: 8 "+of(1, 2, 4)+of(2, 1, 0)+of(3, 1, 0))), d.ins(entry(stickyT, b1, group1)))
		before := d.spread(stuck, 1, 0, 8)
		count := func(list []dataplane.Port, p dataplane.Port) (n int) {
			for _, x := range list {
				if x == p {
					n++
				}
			}
			return n
		}
		require.Equal(d, []int{4, 2, 2}, []int{count(before, 1), count(before, 2), count(before, 3)}, "by weight, on all slots")
		leave := func(after []dataplane.Port, gone dataplane.Port) {
			d.Helper()
			require.Zero(d, count(after, gone))
			for i, p := range before {
				if p != gone {
					require.Equal(d, p, after[i], "packets of members that stay, stay")
				}
			}
		}
		d.server.SetPort(4, false)
		leave(d.spread(stuck, 1, 0, 8), 1)
		d.server.SetPort(4, true)
		before = d.spread(stuck, 1, 0, 8)
		require.Equal(d, 4, count(before, 1))
		d.writes(d.mod(memberGroup(sticky, 1, "max_size: 8 "+of(1, 2, 4)+of(2, 1, 0))))
		leave(d.spread(stuck, 1, 0, 8), 3)
	}},
	{"profile.one-shot", func(d *device) {
		set := entry(chosenT, b1, actionSet(shot(5, 1, 4)+shot(6, 2, 0)+shot(5, 1, 0)))
		d.writes(d.ins(set))
		d.has(entry(chosenT, "", ""), set)
		require.Equal(d, to(5, 6, 6, 5, 5), d.spread(chosen, 1, 0, 5))
		d.server.SetPort(4, false)
		require.Equal(d, to(6, 6, 5, 6), d.spread(chosen, 1, 0, 4))
		d.has(member(next, 0, "")) // it is not written in parts, nor read so
		d.has(memberGroup(next, 0, ""))
		set = entry(chosenT, b1, actionSet(shot(7, 1, 0)+"action_selection_mode: HASH size_semantics: SUM_OF_WEIGHTS"))
		d.writes(d.mod(set))
		d.has(entry(chosenT, "", ""), set)
		require.Equal(d, to(7, 7), d.spread(chosen, 1, 0, 2))
		d.writes(d.mod(entry(chosenT, b1, actionSet("")))) // which is a miss
		require.Equal(d, to(0, 0), d.spread(chosen, 1, 0, 2))
		d.writes(d.del(entry(chosenT, b1, "")))
		d.members(next, 8) // nothing of it is left
	}},
	{"profile.one-shot-refused", func(d *device) {
		d.refuses(codes.InvalidArgument, d.ins(entry(chosenT, b1, actionSet(shot(5, 0, 0)))), d.ins(entry(chosenT, b1, actionSet(shot(5, 5, 0)))), d.ins(entry(chosenT, b1, actionSet(shot(5, 2, 0)+shot(5, 3, 0)))),
			d.ins(entry(chosenT, b1, actionSet("action_profile_actions { weight: 1 action { action_id: 0x01000003 } }"))),
			d.ins(entry(chosenT, b1, actionSet("action_profile_actions { "+fwd(1)+` weight: 1 watch_port: "\x01\xff" }`))))
		d.has(entry(chosenT, "", ""))
	}},
	{"profile.one-shot-modes", func(d *device) {
		d.refuses(codes.Unimplemented, d.ins(entry(chosenT, b1, actionSet(shot(5, 1, 0)+"action_selection_mode: RANDOM"))), d.ins(entry(chosenT, b1, actionSet(shot(5, 1, 0)+"size_semantics: SUM_OF_MEMBERS"))))
	}},
	{"profile.one-shot-size", func(d *device) {
		four := strings.Repeat(shot(5, 1, 0), 4)
		b3 := strings.Replace(b1, "x01", "x03", 1)
		d.writes(d.ins(entry(chosenT, b1, actionSet(four))), d.ins(entry(chosenT, b2, actionSet(four))))
		d.refuses(codes.ResourceExhausted, d.ins(entry(chosenT, b3, actionSet(shot(5, 1, 0)))))
		// A full profile has room for a set in place of another.
		d.writes(d.mod(entry(chosenT, b1, actionSet(strings.Repeat(shot(6, 1, 0), 4)))))
		require.Equal(d, to(6, 6), d.spread(chosen, 1, 0, 2))
		d.writes(d.mod(entry(chosenT, b1, actionSet(shot(6, 1, 0)))), d.ins(entry(chosenT, b3, actionSet(shot(7, 1, 0)))))
		d.refuses(codes.ResourceExhausted, d.ins(entry(chosenT, `match { field_id: 1 exact { value: "\x04" } }`, actionSet("")))) // three groups
	}},
	{"profile.one-shot-mixed", func(d *device) {
		d.writes(d.ins(entry(chosenT, b1, actionSet(shot(5, 1, 0)))))
		d.refuses(codes.InvalidArgument, d.ins(member(next, 1, fwd(1))), d.ins(memberGroup(next, 1, "")), d.ins(entry(chosenT, b2, member1)), d.mod(entry(chosenT, b1, group1)))
		d.members(sticky, 1) // another selector
		d.refuses(codes.InvalidArgument, d.ins(entry(stickyT, b1, actionSet(shot(5, 1, 0)))))
		d.writes(d.del(entry(chosenT, b1, "")), d.ins(memberGroup(next, 1, "")))
		d.refuses(codes.InvalidArgument, d.ins(entry(chosenT, b1, actionSet(shot(5, 1, 0)))))
	}},
	{"profile.one-shot-resilient", func(d *device) {
		d.writes(d.ins(entry(stickyT, b1, actionSet(shot(5, 2, 4)+shot(6, 1, 0)+shot(7, 1, 0)))))
		before := d.spread(stuck, 1, 0, 4)
		require.ElementsMatch(d, to(5, 5, 6, 7), before)
		d.server.SetPort(4, false)
		for i, p := range d.spread(stuck, 1, 0, 4) {
			if before[i] != 5 {
				require.Equal(d, before[i], p)
			}
			require.NotEqual(d, dataplane.Port(5), p)
		}
	}},
	{"profile.read", func(d *device) {
		d.members(next, 2)
		d.members(sticky, 1)
		m := func(profile, id int) string { return member(profile, id, fwd(id)) }
		d.has(member(0, 0, ""), m(next, 1), m(next, 2), m(sticky, 1))
		d.has(member(next, 0, ""), m(next, 1), m(next, 2))
		d.has(member(next, 2, ""), m(next, 2))
		d.has(member(next, 3, ""))
		d.writes(d.ins(memberGroup(next, 2, "")), d.ins(memberGroup(next, 1, of(2, 1, 0))), d.ins(memberGroup(sticky, 1, "max_size: 3 ")))
		d.has(memberGroup(0, 0, ""), memberGroup(next, 1, of(2, 1, 0)), memberGroup(next, 2, ""), memberGroup(sticky, 1, "max_size: 3"))
		d.has(memberGroup(sticky, 0, ""), memberGroup(sticky, 1, "max_size: 3"))
		d.has(memberGroup(next, 9, ""))
		for _, text := range []string{member(0, 1, ""), member(0x77, 0, ""), memberGroup(0, 1, ""), memberGroup(0x77, 0, "")} {
			d.refusesRead(codes.InvalidArgument, text)
		}
	}},
	{"profile.reconcile", func(d *device) {
		d.members(next, 2)
		want := map[string]string{
			member(next, 0, ""):      member(next, 1, fwd(1)),
			memberGroup(next, 0, ""): memberGroup(next, 1, "max_size: 4 "+of(1, 1, 0)+of(2, 2, 4)),
			entry(chosenT, "", ""):   entry(chosenT, b1, group1),
			entry(stickyT, "", ""):   entry(stickyT, b1, actionSet(shot(5, 1, 0)+shot(6, 1, 0))),
			missOf(chosenT, ""):      missOf(chosenT, fwd6),
		}
		d.writes(d.ins(want[memberGroup(next, 0, "")]), d.ins(want[entry(chosenT, "", "")]), d.ins(want[entry(stickyT, "", "")]), d.mod(want[missOf(chosenT, "")]))
		check := func() {
			d.Helper()
			for query, e := range want {
				if query == member(next, 0, "") {
					d.has(query, e, member(next, 2, fwd(2)))
					continue
				}
				d.has(query, e)
			}
			require.Equal(d, to(1, 2, 2), d.spread(chosen, 1, 0, 3))
			require.ElementsMatch(d, to(5, 6), d.spread(stuck, 1, 0, 2))
			require.Equal(d, to(6), d.goes(frame(chosen, 0, 2, 0)))
		}
		check()
		require.NoError(d, d.set(reconcile, d.config())) // the same program
		check()
		renamed := d.config()
		renamed.P4Info.ActionProfiles[0].Preamble.Id = 0x11000077
		renamed.P4Info.Tables[7].ImplementationId, renamed.P4Info.Tables[8].ImplementationId = 0x11000077, 0x11000077
		require.NoError(d, d.set(reconcile, renamed)) // under another id
		d.has(memberGroup(0x11000077, 0, ""), strings.Replace(want[memberGroup(next, 0, "")], fmt.Sprint(next), fmt.Sprint(0x11000077), 1))
		require.NoError(d, d.set(reconcile, d.config()))
		check()
		d.refuses(codes.FailedPrecondition, d.del(member(next, 1, "")), d.del(memberGroup(next, 1, "")))
		// Another program that has the same tables.
		changed := d.changed()
		require.NoError(d, d.set(reconcile, changed))
		check()
		d.refuses(codes.FailedPrecondition, d.del(member(next, 1, "")), d.del(memberGroup(next, 1, "")))
		require.NoError(d, d.set(p4.SetForwardingPipelineConfigRequest_VERIFY_AND_COMMIT, d.config()))
		d.has(member(next, 0, ""))
		d.members(next, 8)
	}},
	{"profile.p4info-of-another", func(d *device) {
		for _, change := range []func(c *p4.ForwardingPipelineConfig){
			func(c *p4.ForwardingPipelineConfig) { c.P4Info.ActionProfiles[0].Size++ },
			func(c *p4.ForwardingPipelineConfig) { c.P4Info.ActionProfiles[0].MaxGroupSize++ },
			func(c *p4.ForwardingPipelineConfig) { c.P4Info.ActionProfiles[0].WithSelector = false },
			func(c *p4.ForwardingPipelineConfig) { c.P4Info.ActionProfiles[0].WeightsDisallowed = true },
			func(c *p4.ForwardingPipelineConfig) { c.P4Info.Tables[7].ImplementationId = named },
			func(c *p4.ForwardingPipelineConfig) { c.P4Info.ActionProfiles = c.P4Info.ActionProfiles[1:] },
		} {
			c := d.config()
			change(c)
			d.fails(codes.InvalidArgument, d.set(reconcile, c))
		}
	}},
}
