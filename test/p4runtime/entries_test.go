package p4runtime

import (
	"github.com/stretchr/testify/require"
	"google.golang.org/grpc/codes"
)

const (
	tern10 = `match { field_id: 1 ternary { value: "\x0a\x00\x00\x00" mask: "\xff\x00\x00\x00" } }`
	fixedA = `match { field_id: 1 ternary { value: "\x0a\x00\x00\x00" mask: "\xff\x00\x00\x00" } } priority: 2`
	idle1  = `match { field_id: 1 exact { value: "\x01" } }`
)

func missOf(table int, rest string) string { return entry(table, "is_default_action: true", rest) }

// entries are the requirements of table entries.
var entries = []requirement{
	{"entry.read-write", func(d *device) {
		tcam := entry(3, tern10+` match { field_id: 2 range { low: "\x05" high: "\x01\x00" } } match { field_id: 3 optional { value: "\x06" } } priority: 9`, fwd5+` metadata: "m" controller_metadata: 8`)
		for table, e := range map[int]string{1: entry(1, one, hit5), 2: entry(2, ten, fwd5), 3: tcam} {
			d.writes(d.ins(e))
			d.has(entry(table, "", ""), e)
		}
	}},
	{"entry.metadata", func(d *device) {
		d.writes(d.ins(entry(2, ten, fwd5+` metadata: "\x00\xffopaque"`)))
		d.has(entry(2, "", ""), entry(2, ten, fwd5+` metadata: "\x00\xffopaque"`))
	}},
	{"entry.controller-metadata", func(d *device) {
		d.writes(d.ins(entry(2, ten, fwd5+` controller_metadata: 18446744073709551615`)))
		d.has(entry(2, "", ""), entry(2, ten, fwd5+` controller_metadata: 18446744073709551615`))
	}},
	{"entry.priority-needed", func(d *device) {
		d.refuses(codes.InvalidArgument, d.ins(entry(3, tern10, fwd5)), d.ins(entry(3, tern10+" priority: -1", fwd5)), d.mod(entry(3, tern10, fwd5)), d.del(entry(3, tern10, "")))
	}},
	{"entry.priority-refused", func(d *device) {
		d.refuses(codes.InvalidArgument, d.ins(entry(1, one+" priority: 1", hit5)), d.ins(entry(2, ten+" priority: 1", fwd5)))
	}},
	{"entry.priority-higher-wins", func(d *device) {
		d.writes(d.ins(entry(3, "priority: 1", fwd6)), d.ins(entry(3, tern10+" priority: 2", fwd5)))
		require.Equal(d, to(5), d.goes(frame(3, 0x0a000001, 0, 0)))
		require.Equal(d, to(6), d.goes(frame(3, 0x0b000001, 0, 0)))
		d.writes(d.ins(entry(3, "priority: 3", deny)))
		require.Empty(d, d.goes(frame(3, 0x0a000001, 0, 0)))
	}},
	{"entry.priority-shared", func(d *device) {
		d.writes(d.ins(entry(3, tern10+" priority: 4", fwd5)), d.ins(entry(3, `match { field_id: 3 optional { value: "\x06" } } priority: 4`, fwd6)))
		require.Equal(d, to(5), d.goes(frame(3, 0x0a000001, 0, 0)))
		require.Equal(d, to(6), d.goes(frame(3, 0x0b000001, 0, 6)))
	}},
	{"entry.key-is-match-and-priority", func(d *device) {
		d.writes(d.ins(entry(3, tern10+" priority: 1", fwd5)), d.ins(entry(3, tern10+" priority: 2", fwd6)))
		d.refuses(codes.AlreadyExists, d.ins(entry(3, tern10+" priority: 1", fwd6)))
		d.writes(d.del(entry(3, tern10+" priority: 2", "")))
		d.has(entry(3, "", ""), entry(3, tern10+" priority: 1", fwd5))
	}},
	{"entry.order-of-fields", func(d *device) {
		d.writes(d.ins(entry(1, `match { field_id: 2 exact { value: "\x01" } } match { field_id: 1 exact { value: "\x0a\x00\x00\x01" } }`, hit5)))
		d.refuses(codes.AlreadyExists, d.ins(entry(1, one, hit5)))
	}},
	{"entry.keyless", func(d *device) {
		d.refuses(codes.InvalidArgument, d.ins(entry(6, "", fwd5)))
		d.refuses(codes.NotFound, d.mod(entry(6, "", fwd5)), d.del(entry(6, "", "")))
		d.writes(d.mod(missOf(6, fwd5)))
		require.Equal(d, to(5), d.goes(frame(6, 0, 0, 0)))
	}},
	{"entry.is-const-refused", func(d *device) {
		d.refuses(codes.InvalidArgument, d.ins(entry(1, one, hit5+" is_const: true")))
		d.writes(d.ins(entry(1, one, hit5)))
		d.refuses(codes.InvalidArgument, d.mod(entry(1, one, hit6+" is_const: true")), d.del(entry(1, one, "is_const: true")), d.mod(missOf(2, "is_const: true")))
		d.has(entry(1, "", ""), entry(1, one, hit5))
	}},
	{"match.field-unknown", func(d *device) {
		d.refuses(codes.InvalidArgument, d.ins(entry(2, `match { field_id: 9 lpm { value: "\x01" prefix_len: 32 } }`, fwd5)),
			d.ins(entry(2, `match { lpm { value: "\x01" prefix_len: 32 } }`, fwd5)))
	}},
	{"match.kind-unset", func(d *device) {
		d.refuses(codes.InvalidArgument, d.ins(entry(2, `match { field_id: 1 }`, fwd5)), d.ins(entry(3, `match { field_id: 1 } priority: 1`, fwd5)))
	}},
	{"match.kind-of-another", func(d *device) {
		d.refuses(codes.InvalidArgument, d.ins(entry(2, `match { field_id: 1 exact { value: "\x01" } }`, fwd5)),
			d.ins(entry(3, `match { field_id: 1 lpm { value: "\x01" prefix_len: 32 } } priority: 1`, fwd5)))
	}},
	{"match.field-twice", func(d *device) {
		d.refuses(codes.InvalidArgument, d.ins(entry(2, ten+ten, fwd5)))
	}},
	{"match.exact-needed", func(d *device) {
		d.refuses(codes.InvalidArgument, d.ins(entry(1, `match { field_id: 1 exact { value: "\x01" } }`, hit5)), d.ins(entry(1, "", hit5)))
	}},
	{"match.lpm", func(d *device) {
		d.writes(d.ins(entry(2, ten, fwd5)), d.ins(entry(2, `match { field_id: 1 lpm { value: "\x0a\x01\x00\x00" prefix_len: 16 } }`, fwd6)))
		require.Equal(d, to(5), d.goes(frame(2, 0x0a020000, 0, 0)))
		require.Equal(d, to(6), d.goes(frame(2, 0x0a010203, 0, 0)))
	}},
	{"match.lpm-dont-care", func(d *device) {
		d.refuses(codes.InvalidArgument, d.ins(entry(2, `match { field_id: 1 lpm { value: "\x00" } }`, fwd5)), d.ins(entry(2, `match { field_id: 1 lpm { value: "\x00" prefix_len: -1 } }`, fwd5)))
		d.writes(d.ins(entry(2, "", fwd5)))
		d.has(entry(2, "", ""), entry(2, "", fwd5))
		require.Equal(d, to(5), d.goes(frame(2, 0x0b000000, 0, 0)))
	}},
	{"match.lpm-bits-beyond", func(d *device) {
		d.refuses(codes.InvalidArgument, d.ins(entry(2, `match { field_id: 1 lpm { value: "\x0a\x00\x00\x01" prefix_len: 31 } }`, fwd5)),
			d.ins(entry(2, `match { field_id: 1 lpm { value: "\x0a\x00\x00\x01" prefix_len: 33 } }`, fwd5)))
		d.writes(d.ins(entry(2, `match { field_id: 1 lpm { value: "\x0a\x00\x00\x01" prefix_len: 32 } }`, fwd5)))
	}},
	{"match.ternary", func(d *device) {
		d.writes(d.ins(entry(3, `match { field_id: 1 ternary { value: "\x01" mask: "\x0f" } } priority: 1`, fwd5)))
		require.Equal(d, to(5), d.goes(frame(3, 0xfffffff1, 0, 0)))
		require.Empty(d, d.goes(frame(3, 0xfffffff2, 0, 0)))
	}},
	{"match.ternary-dont-care", func(d *device) {
		d.refuses(codes.InvalidArgument, d.ins(entry(3, `match { field_id: 1 ternary { value: "\x00" mask: "\x00" } } priority: 1`, fwd5)))
		d.writes(d.ins(entry(3, "priority: 1", fwd5)))
		d.has(entry(3, "", ""), entry(3, "priority: 1", fwd5))
		require.Equal(d, to(5), d.goes(frame(3, 0x12345678, 9, 9)))
	}},
	{"match.ternary-bits-outside", func(d *device) {
		d.refuses(codes.InvalidArgument, d.ins(entry(3, `match { field_id: 1 ternary { value: "\x03" mask: "\x02" } } priority: 1`, fwd5)),
			d.ins(entry(3, `match { field_id: 1 ternary { value: "\x01\x00" mask: "\xff" } } priority: 1`, fwd5)))
	}},
	{"match.range", func(d *device) {
		d.writes(d.ins(entry(3, `match { field_id: 2 range { low: "\x05" high: "\x07" } } priority: 1`, fwd5)), d.ins(entry(3, `match { field_id: 2 range { low: "\x09" high: "\x09" } } priority: 1`, fwd6)))
		require.Empty(d, d.goes(frame(3, 0, 4, 0)))
		require.Equal(d, to(5), d.goes(frame(3, 0, 5, 0)))
		require.Equal(d, to(5), d.goes(frame(3, 0, 7, 0)))
		require.Empty(d, d.goes(frame(3, 0, 8, 0)))
		require.Equal(d, to(6), d.goes(frame(3, 0, 9, 0)))
	}},
	{"match.range-backwards", func(d *device) {
		d.refuses(codes.InvalidArgument, d.ins(entry(3, `match { field_id: 2 range { low: "\x07" high: "\x05" } } priority: 1`, fwd5)))
	}},
	{"match.range-dont-care", func(d *device) {
		d.refuses(codes.InvalidArgument, d.ins(entry(3, `match { field_id: 2 range { low: "\x00" high: "\xff\xff" } } priority: 1`, fwd5)))
	}},
	{"match.optional", func(d *device) {
		d.writes(d.ins(entry(3, `match { field_id: 3 optional { value: "\x00" } } priority: 1`, fwd5)))
		require.Equal(d, to(5), d.goes(frame(3, 0, 0, 0)))
		require.Empty(d, d.goes(frame(3, 0, 0, 1)))
	}},
	{"action.insert-needs-one", func(d *device) {
		d.refuses(codes.InvalidArgument, d.ins(entry(2, ten, "")), d.ins(entry(2, ten, "action { }")))
	}},
	{"action.modify-without", func(d *device) {
		d.refuses(codes.NotFound, d.mod(entry(2, ten, "")))
		d.writes(d.ins(entry(2, ten, fwd5+` metadata: "m"`)), d.mod(entry(2, ten, "")))
		d.has(entry(2, "", ""), entry(2, ten, fwd5+` metadata: "m"`))
		require.Equal(d, to(5), d.goes(frame(2, 0x0a000001, 0, 0)))
	}},
	{"action.kind-of-another", func(d *device) {
		d.refuses(codes.InvalidArgument, d.ins(entry(2, ten, "action { action_profile_member_id: 1 }")), d.ins(entry(2, ten, "action { action_profile_group_id: 1 }")),
			d.ins(entry(2, ten, "action { action_profile_action_set { } }")))
	}},
	{"action.not-of-the-table", func(d *device) {
		d.refuses(codes.InvalidArgument, d.ins(entry(2, ten, other)), d.ins(entry(2, ten, hit5)), d.ins(entry(2, ten, action(0x77, ""))), d.mod(missOf(2, hit5)))
	}},
	{"action.scope", func(d *device) {
		d.refuses(codes.PermissionDenied, d.ins(entry(1, one, other)), d.mod(missOf(1, deny)))
		d.writes(d.ins(entry(1, one, deny)), d.mod(missOf(1, other)))
	}},
	{"action.parameter-missing", func(d *device) {
		d.refuses(codes.InvalidArgument, d.ins(entry(2, ten, action(1, `params { param_id: 1 value: "\x05" }`))), d.ins(entry(2, ten, action(1, ""))))
	}},
	{"action.parameter-unknown", func(d *device) {
		d.refuses(codes.InvalidArgument, d.ins(entry(2, ten, action(1, `params { param_id: 1 value: "\x05" } params { param_id: 2 value: "\x05" } params { param_id: 3 value: "\x05" }`))),
			d.ins(entry(2, ten, action(2, `params { param_id: 1 value: "\x05" }`))))
	}},
	{"action.parameter-twice", func(d *device) {
		d.refuses(codes.InvalidArgument, d.ins(entry(2, ten, action(1, `params { param_id: 1 value: "\x05" } params { param_id: 1 value: "\x05" }`))))
	}},
	{"action.parameters-in-any-order", func(d *device) {
		d.writes(d.ins(entry(2, ten, action(1, `params { param_id: 2 value: "\x07" } params { param_id: 1 value: "\x05" }`))))
		require.Equal(d, to(5), d.goes(frame(2, 0x0a000001, 0, 0)))
	}},
	{"default.always-set", func(d *device) {
		d.has(missOf(1, ""), missOf(1, other))
		require.Equal(d, to(3), d.goes(frame(1, 1, 1, 1)))
	}},
	{"default.insert-or-delete", func(d *device) {
		d.refuses(codes.InvalidArgument, d.ins(missOf(2, fwd5)), d.del(missOf(2, "")))
	}},
	{"default.match-or-priority", func(d *device) {
		d.refuses(codes.InvalidArgument, d.mod(missOf(2, ten+fwd5)), d.mod(missOf(3, "priority: 1 "+fwd5)))
	}},
	{"default.modify", func(d *device) {
		d.writes(d.mod(missOf(2, fwd5+` metadata: "m"`)))
		d.has(missOf(2, ""), missOf(2, fwd5+` metadata: "m"`))
		require.Equal(d, to(5), d.goes(frame(2, 0x0b000000, 0, 0)))
	}},
	{"default.reset", func(d *device) {
		d.writes(d.mod(missOf(2, fwd5+` metadata: "m" controller_metadata: 4`)), d.mod(missOf(2, "")))
		d.has(missOf(2, ""), missOf(2, deny))
		require.Empty(d, d.goes(frame(2, 0x0b000000, 0, 0)))
	}},
	{"default.const", func(d *device) {
		d.refuses(codes.PermissionDenied, d.mod(missOf(4, deny)), d.mod(missOf(4, "")))
		d.has(missOf(4, ""), missOf(4, deny+" is_const: true"))
	}},
	{"default.no-idle-timeout", func(d *device) {
		d.refuses(codes.InvalidArgument, d.mod(missOf(7, "idle_timeout_ns: 5")), d.mod(missOf(7, "time_since_last_hit { }")))
		d.refusesRead(codes.InvalidArgument, missOf(7, "time_since_last_hit { }"))
		d.refusesRead(codes.InvalidArgument, missOf(7, "idle_timeout_ns: 5"))
	}},
	{"const.insert-modify-delete", func(d *device) {
		a5 := action(5, `params { param_id: 1 value: "\x07" }`)
		d.refuses(codes.PermissionDenied, d.ins(entry(4, tern10+" priority: 9", deny)), d.mod(entry(4, fixedA, deny)), d.mod(entry(4, fixedA, a5)), d.del(entry(4, fixedA, "")))
		require.Equal(d, to(7), d.goes(frame(4, 0x0a000001, 0, 0)))
	}},
	{"const.read", func(d *device) {
		d.has(entry(4, "", ""), entry(4, fixedA, action(5, `params { param_id: 1 value: "\x07" }`)+" is_const: true"),
			entry(4, `match { field_id: 1 ternary { value: "\x0b\x00\x00\x00" mask: "\xff\x00\x00\x00" } } priority: 1`, action(5, `params { param_id: 1 value: "\x05" }`)+" is_const: true"))
	}},
	{"const.modify-nothing", func(d *device) {
		d.writes(d.mod(entry(4, fixedA, "")))
		d.refuses(codes.NotFound, d.mod(entry(4, tern10+" priority: 77", "")))
	}},
	{"preset.read", func(d *device) {
		b := func(n string) string { return `match { field_id: 1 exact { value: "\x0` + n + `" } }` }
		d.has(entry(5, "", ""), entry(5, b("1"), action(1, `params { param_id: 1 value: "\x01" } params { param_id: 2 value: "\x01" }`)+" is_const: true"),
			entry(5, b("2"), action(1, `params { param_id: 1 value: "\x02" } params { param_id: 2 value: "\x02" }`)))
		require.Equal(d, to(1), d.goes(frame(5, 0, 1, 0)))
		require.Equal(d, to(2), d.goes(frame(5, 0, 2, 0)))
	}},
	{"preset.change", func(d *device) {
		b := `match { field_id: 1 exact { value: "\x02" } }`
		d.writes(d.mod(entry(5, b, fwd5)))
		require.Equal(d, to(5), d.goes(frame(5, 0, 2, 0)))
		d.writes(d.del(entry(5, b, "")))
		require.Empty(d, d.goes(frame(5, 0, 2, 0)))
	}},
	{"preset.const", func(d *device) {
		b := `match { field_id: 1 exact { value: "\x01" } }`
		d.refuses(codes.PermissionDenied, d.mod(entry(5, b, fwd5)), d.del(entry(5, b, "")))
		require.Equal(d, to(1), d.goes(frame(5, 0, 1, 0)))
	}},
	{"preset.insert", func(d *device) {
		d.writes(d.ins(entry(5, `match { field_id: 1 exact { value: "\x03" } }`, fwd6)))
		require.Equal(d, to(6), d.goes(frame(5, 0, 3, 0)))
	}},
	{"direct.no-meter", func(d *device) {
		d.refuses(codes.InvalidArgument, d.ins(entry(1, one, hit5+" meter_config { cir: 1 }")), d.mod(missOf(2, "meter_config { }")))
	}},
	{"direct.no-meter-counters", func(d *device) {
		d.refuses(codes.Unimplemented, d.ins(entry(1, one, hit5+" meter_counter_data { }")), d.mod(missOf(2, "meter_counter_data { }")))
		d.refusesRead(codes.Unimplemented, entry(1, "", "meter_counter_data { }"))
	}},
	{"direct.no-counter", func(d *device) {
		d.refuses(codes.InvalidArgument, d.ins(entry(2, ten, fwd5+" counter_data { }")), d.mod(missOf(2, fwd5+" counter_data { }")), d.mod("direct_counter_entry { table_entry { table_id: 0x02000002 } data { } }"))
		d.refusesRead(codes.InvalidArgument, "direct_counter_entry { table_entry { table_id: 0x02000002 } }")
	}},
}
