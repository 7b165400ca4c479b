package p4runtime

import (
	"fmt"
	"strings"

	p4 "github.com/p4lang/p4runtime/go/p4/v1"
	"github.com/stretchr/testify/require"
	"google.golang.org/grpc/codes"

	"github.com/p4ce/p4ce/dataplane"
)

// set is a value set of the program with these members.
func set(n int, members ...string) string {
	out := fmt.Sprintf("value_set_entry { value_set_id: %d ", 0x03000000+n)
	for _, m := range members {
		out += "members { " + m + " } "
	}
	return out + "}"
}

// mark is a member of the set marked.
func mark(v byte) string { return fmt.Sprintf(`match { field_id: 1 exact { value: "\x%02x" } }`, v) }

const (
	area10 = `match { field_id: 1 ternary { value: "\x0a\x00\x00\x00" mask: "\xff\x00\x00\x00" } }`
	low    = `match { field_id: 2 range { low: "\x05" high: "\x09" } }`
)

// sets are the requirements of value sets.
var sets = []requirement{
	{"set.modify", func(d *device) {
		now := func(c byte, port dataplane.Port) {
			d.Helper()
			require.Equal(d, to(port), d.goes(frame(19, 0, 0, c)), "%d", c)
		}
		now(7, 6)
		d.writes(d.mod(set(1, mark(7), mark(8))))
		now(7, 5)
		now(8, 5)
		now(9, 6)
		d.writes(d.mod(set(1, mark(9), mark(8)))) // all there is room for, before and after
		now(7, 6)
		now(8, 5)
		now(9, 5)
		d.writes(d.mod(set(1)))
		now(8, 6)
	}},
	{"set.insert-delete", func(d *device) {
		d.refuses(codes.InvalidArgument, d.ins(set(1, mark(7))), d.del(set(1)), d.ins(set(1)))
	}},
	{"set.size", func(d *device) {
		d.writes(d.mod(set(1, mark(7))))
		d.refuses(codes.ResourceExhausted, d.mod(set(1, mark(1), mark(2), mark(3))))
		d.has(set(1), set(1, mark(7)))
		require.Equal(d, to(5), d.goes(frame(19, 0, 0, 7)), "nothing has changed")
		require.Equal(d, to(6), d.goes(frame(19, 0, 0, 1)))
	}},
	{"set.member-twice", func(d *device) {
		d.refuses(codes.InvalidArgument, d.mod(set(1, mark(7), mark(7))))
	}},
	{"set.id-unknown", func(d *device) {
		d.refuses(codes.InvalidArgument, d.mod(set(9)))
		d.refusesRead(codes.InvalidArgument, set(9))
	}},
	{"set.fields", func(d *device) {
		d.refuses(codes.InvalidArgument,
			d.mod(set(1, "")), // an exact field is missing
			d.mod(set(1, `match { field_id: 2 exact { value: "\x07" } }`)),
			d.mod(set(1, `match { field_id: 1 ternary { value: "\x07" mask: "\xff" } }`)),
			d.mod(set(1, mark(7)+mark(7))))
		d.refuses(codes.OutOfRange, d.mod(set(1, `match { field_id: 1 exact { value: "\x01\x00" } }`)))
	}},
	{"set.kinds", func(d *device) {
		d.writes(d.mod(set(2, area10+low, "")))
		require.Equal(d, to(5), d.goes(frame(20, 0xff000000, 1, 0)), "a member without fields is everything")
		d.writes(d.mod(set(2, area10+low)))
		for _, c := range []struct {
			a    uint32
			b    uint16
			port dataplane.Port
		}{{0x0a000001, 5, 5}, {0x0affffff, 9, 5}, {0x0a000001, 4, 6}, {0x0a000001, 10, 6}, {0x0b000001, 5, 6}} {
			require.Equal(d, to(c.port), d.goes(frame(20, c.a, c.b, 0)), "%x %d", c.a, c.b)
		}
	}},
	{"set.read", func(d *device) {
		d.has(set(1), set(1))
		d.has("value_set_entry { }", set(1), set(2))
		d.writes(d.mod(set(1, mark(8), mark(7))), d.mod(set(2, area10)))
		d.has(set(1), set(1, mark(8), mark(7)))
		d.has("value_set_entry { }", set(1, mark(8), mark(7)), set(2, area10))
		require.Len(d, d.reads("table_entry { }"), 4, "its members are no entries of a table")
	}},
	{"set.stays-a-member", func(d *device) {
		d.writes(d.mod(set(1, mark(7), mark(8))))
		d.target.(*spy).changes = nil
		d.writes(d.mod(set(1, mark(9), mark(7))))
		require.Equal(d, []string{"remove 08", "add 09"}, d.target.(*spy).changes, "7 stays, and there is no room for three")
	}},
	{"set.all-or-nothing", func(d *device) {
		d.writes(d.mod(set(1, mark(7), mark(8))))
		d.target.(*spy).refused = "add 0a"
		d.refuses(codes.Internal, d.mod(set(1, mark(9), mark(10))))
		d.has(set(1), set(1, mark(7), mark(8)))
		require.Equal(d, to(5), d.goes(frame(19, 0, 0, 7)))
		require.Equal(d, to(5), d.goes(frame(19, 0, 0, 8)))
		require.Equal(d, to(6), d.goes(frame(19, 0, 0, 9)))
	}},
	{"set.reconciled", func(d *device) {
		d.writes(d.mod(set(1, mark(8), mark(7))))
		c := d.config()
		c.P4Info.ValueSets[0].Preamble.Name = strings.TrimPrefix(c.P4Info.ValueSets[0].Preamble.Name, "pipe.")
		c.P4Info.ValueSets[0].Preamble.Id = 0x03000077
		require.NoError(d, d.set(p4.SetForwardingPipelineConfigRequest_RECONCILE_AND_COMMIT, c))
		d.has(set(0x77), set(0x77, mark(8), mark(7)))
		require.Equal(d, to(5), d.goes(frame(19, 0, 0, 7)))
		c.P4Info.ValueSets[0].Size = 3
		require.Error(d, d.set(p4.SetForwardingPipelineConfigRequest_RECONCILE_AND_COMMIT, c), "the program has another size")
	}},
}
