package p4runtime

import (
	"fmt"
	"slices"

	p4 "github.com/p4lang/p4runtime/go/p4/v1"
	"github.com/stretchr/testify/require"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"

	"github.com/p4ce/p4ce/dataplane"
)

func directOf(match, rest string) string {
	return fmt.Sprintf("direct_counter_entry { table_entry { table_id: 0x02000001 %s } %s }", match, rest)
}

func hits(n int) string {
	if n == 0 {
		return ""
	}
	return fmt.Sprintf("packet_count: %d byte_count: %d", n, n*64)
}

// counters are the requirements of direct counters.
var counters = []requirement{
	{"counter.insert-sets", func(d *device) {
		d.writes(d.ins(entry(1, one, hit5)), d.ins(entry(1, two, hit5+" counter_data { packet_count: 9 byte_count: 90 }")))
		d.has(directOf(one, ""), directOf(one, "data { }"))
		d.has(directOf(two, ""), directOf(two, "data { packet_count: 9 byte_count: 90 }"))
	}},
	{"counter.counts", func(d *device) {
		d.writes(d.ins(entry(1, one, hit5)))
		for range 3 {
			d.goes(frame(1, 0x0a000001, 1, 0))
		}
		d.has(directOf(one, ""), directOf(one, "data { "+hits(3)+" }"))
	}},
	{"counter.of-a-profile", func(d *device) {
		send := func(port int) string {
			return fmt.Sprintf(`action { action_id: 0x01000006 params { param_id: 1 value: "\%03o" } }`, port)
		}
		set := "action { action_profile_action_set { action_profile_actions { " + send(5) + " weight: 1 } action_profile_actions { " + send(6) + " weight: 1 } } }"
		d.writes(d.ins(entry(12, b1, set+" counter_data { packet_count: 10 }")))
		require.Equal(d, to(5, 6, 5), d.spread(18, 1, 0, 3))
		d.has(entry(12, b1, "counter_data { }"), entry(12, b1, set+" counter_data { packet_count: 13 }"))
		require.NoError(d, d.set(reconcile, d.changed()))
		d.has(entry(12, b1, "counter_data { }"), entry(12, b1, set+" counter_data { packet_count: 13 }"))
	}},
	{"counter.modify-keeps", func(d *device) {
		d.writes(d.ins(entry(1, one, hit5+" counter_data { packet_count: 9 }")), d.mod(entry(1, one, hit6)))
		d.has(entry(1, one, "counter_data { }"), entry(1, one, hit6+" counter_data { packet_count: 9 }"))
	}},
	{"counter.modify-sets", func(d *device) {
		d.writes(d.ins(entry(1, one, hit5+" counter_data { packet_count: 9 }")), d.mod(entry(1, one, hit6+" counter_data { packet_count: 4 }")))
		d.has(directOf(one, ""), directOf(one, "data { packet_count: 4 }"))
	}},
	{"counter.modify-without-action", func(d *device) {
		d.writes(d.ins(entry(1, one, hit5)), d.mod(entry(1, one, "counter_data { packet_count: 4 }")))
		d.has(entry(1, one, "counter_data { }"), entry(1, one, hit5+" counter_data { packet_count: 4 }"))
	}},
	{"counter.read-only-if-asked", func(d *device) {
		d.writes(d.ins(entry(1, one, hit5+" counter_data { packet_count: 9 }")))
		d.has(entry(1, one, ""), entry(1, one, hit5))
		d.has(entry(1, one, "counter_data { }"), entry(1, one, hit5+" counter_data { packet_count: 9 }"))
	}},
	{"counter.action-without", func(d *device) {
		d.refuses(codes.InvalidArgument, d.ins(entry(1, one, deny+" counter_data { }")))
		d.writes(d.ins(entry(1, one, deny)))
		d.refuses(codes.InvalidArgument, d.mod(entry(1, one, "counter_data { packet_count: 1 }")), d.mod(missOf(1, other+" counter_data { }")))
	}},
	{"counter.const-entry", func(d *device) {
		read := "direct_counter_entry { table_entry { table_id: 0x02000004 " + fixedA + " } }"
		d.writes(d.mod(entry(4, fixedA, "counter_data { packet_count: 5 }")))
		d.goes(frame(4, 0x0a000001, 0, 0))
		require.EqualValues(d, 6, d.reads(read)[0].GetDirectCounterEntry().GetData().GetPacketCount())
		d.refuses(codes.PermissionDenied, d.mod(entry(4, fixedA, action(5, `params { param_id: 1 value: "\x07" }`)+" counter_data { packet_count: 8 }")))
		require.EqualValues(d, 6, d.reads(read)[0].GetDirectCounterEntry().GetData().GetPacketCount())
	}},
	{"counter.direct-modify", func(d *device) {
		d.writes(d.ins(entry(1, one, hit5)), d.mod(directOf(one, "data { packet_count: 7 byte_count: 8 }")))
		d.has(directOf(one, ""), directOf(one, "data { packet_count: 7 byte_count: 8 }"))
	}},
	{"counter.direct-no-data", func(d *device) {
		d.writes(d.ins(entry(1, one, hit5+" counter_data { packet_count: 9 }")), d.mod(directOf(one, "")))
		d.has(directOf(one, ""), directOf(one, "data { packet_count: 9 }"))
	}},
	{"counter.direct-insert-delete", func(d *device) {
		d.writes(d.ins(entry(1, one, hit5)))
		d.refuses(codes.InvalidArgument, d.ins(directOf(one, "data { }")), d.del(directOf(one, "")))
	}},
	{"counter.direct-missing", func(d *device) {
		d.refuses(codes.NotFound, d.mod(directOf(one, "data { }")))
		d.refusesRead(codes.NotFound, directOf(one, ""))
	}},
	{"counter.gone-with-the-entry", func(d *device) {
		d.writes(d.ins(entry(1, one, hit5+" counter_data { packet_count: 9 }")), d.del(entry(1, one, "")))
		d.refuses(codes.NotFound, d.mod(directOf(one, "data { }")))
		d.writes(d.ins(entry(1, one, hit5)))
		d.has(directOf(one, ""), directOf(one, "data { }"))
	}},
	{"counter.direct-wildcard", func(d *device) {
		d.writes(d.ins(entry(1, one, hit5)), d.ins(entry(1, two, hit5)))
		d.has(directOf("", ""), directOf(one, "data { }"), directOf(two, "data { }"))
		require.Len(d, d.reads("direct_counter_entry { }"), 4, "and those of the const table")
	}},
}

func cell(kind string, id int, index, rest string) string {
	return fmt.Sprintf("%s_entry { %s_id: %d %s %s }", kind, kind, id, index, rest)
}

const (
	counterID = 0x12000001
	meterID   = 0x14000001
	wordID    = 0x16000001
	pairID    = 0x16000002
	first     = "index { }"
	last      = "index { index: 7 }"
	beyond    = "index { index: 8 }"
	negative  = "index { index: -1 }"
)

// arrays are one kind of array each, with a value for a cell.
var arrays = []struct {
	kind  string
	id    int
	value string
}{{"counter", counterID, "data { packet_count: 3 byte_count: 4 }"}, {"meter", meterID, "config { cir: 1 cburst: 2 pir: 3 pburst: 4 }"}, {"register", wordID, `data { bitstring: "\x12\x34" }`}}

// each is one requirement for counters, one for meters and one for registers.
func each(counter, meter, register string, f func(d *device, kind string, id int, value string)) (out []requirement) {
	for i, name := range []string{counter, meter, register} {
		a := arrays[i]
		out = append(out, requirement{name, func(d *device) { f(d, a.kind, a.id, a.value) }})
	}
	return out
}

// common are the requirements that counters, meters and registers have in common.
var common = slices.Concat(
	each("counter.modify", "meter.modify", "register.modify", func(d *device, kind string, id int, value string) {
		d.writes(d.mod(cell(kind, id, first, value)), d.mod(cell(kind, id, last, value)))
		d.has(cell(kind, id, first, ""), cell(kind, id, first, value))
		d.has(cell(kind, id, last, ""), cell(kind, id, last, value))
	}),
	each("counter.insert-delete", "meter.insert-delete", "register.insert-delete", func(d *device, kind string, id int, value string) {
		d.refuses(codes.InvalidArgument, d.ins(cell(kind, id, first, value)), d.del(cell(kind, id, first, "")))
	}),
	each("counter.modify-all", "meter.modify-all", "register.modify-all", func(d *device, kind string, id int, value string) {
		d.writes(d.mod(cell(kind, id, "", value)))
		list := d.reads(cell(kind, id, "", ""))
		require.Len(d, list, 8)
		for i, e := range list {
			require.True(d, proto.Equal(entity(d, cell(kind, id, fmt.Sprintf("index { index: %d }", i), value)), e), "%v", e)
		}
	}),
	each("counter.index-negative", "meter.index-negative", "register.index-negative", func(d *device, kind string, id int, value string) {
		d.refuses(codes.InvalidArgument, d.mod(cell(kind, id, negative, value)))
		d.refusesRead(codes.InvalidArgument, cell(kind, id, negative, ""))
	}),
	each("counter.index-beyond", "meter.index-beyond", "register.index-beyond", func(d *device, kind string, id int, value string) {
		d.refuses(codes.OutOfRange, d.mod(cell(kind, id, beyond, value)))
		d.refusesRead(codes.OutOfRange, cell(kind, id, beyond, ""))
	}),
	each("counter.id-unknown", "meter.id-unknown", "register.id-unknown", func(d *device, kind string, id int, value string) {
		d.refuses(codes.InvalidArgument, d.mod(cell(kind, id+0xff, first, value)))
		d.refusesRead(codes.InvalidArgument, cell(kind, id+0xff, "", ""))
	}),
	each("counter.read-array", "meter.read-array", "register.read-array", func(d *device, kind string, id int, _ string) {
		require.Len(d, d.reads(cell(kind, id, "", "")), 8)
		require.Len(d, d.reads(cell(kind, id, last, "")), 1)
	}),
	each("counter.read-all", "meter.read-all", "register.read-all", func(d *device, kind string, _ int, _ string) {
		want := map[string]int{"counter": 8, "meter": 8, "register": 16} // there are two registers
		require.Len(d, d.reads(cell(kind, 0, "", "")), want[kind])
	}),
)

// cells are the requirements of arrays.
var cells = slices.Concat(common, []requirement{
	{"counter.default-zero", func(d *device) {
		d.has(cell("counter", counterID, first, ""), cell("counter", counterID, first, "data { }"))
	}},
	{"counter.no-data", func(d *device) {
		d.writes(d.mod(cell("counter", counterID, first, "data { packet_count: 3 }")), d.mod(cell("counter", counterID, first, "")))
		d.has(cell("counter", counterID, first, ""), cell("counter", counterID, first, "data { packet_count: 3 }"))
	}},
	{"counter.packets-and-bytes", func(d *device) {
		for range 2 {
			d.goes(frame(6, 0, 0, 0))
		}
		d.has(cell("counter", counterID, "index { index: 1 }", ""), cell("counter", counterID, "index { index: 1 }", "data { "+hits(2)+" }"))
	}},
	{"meter.default-green", func(d *device) {
		d.has(cell("meter", meterID, first, ""), cell("meter", meterID, first, ""))
		for range 20 {
			require.EqualValues(d, 0, d.outs(frame(10, 0, 0, 9))[0].Frame[7], "green")
		}
	}},
	{"meter.reset", func(d *device) {
		d.writes(d.mod(cell("meter", meterID, first, "config { cir: 1 cburst: 1 pir: 1 pburst: 1 }")), d.mod(cell("meter", meterID, first, "")))
		d.has(cell("meter", meterID, first, ""), cell("meter", meterID, first, ""))
	}},
	{"meter.colors", func(d *device) {
		d.writes(d.mod(cell("meter", meterID, first, "config { cburst: 1 pburst: 2 }")))
		var colors []byte
		for range 3 {
			colors = append(colors, d.outs(frame(10, 0, 0, 9))[0].Frame[7])
		}
		require.Equal(d, []byte{0, 1, 3}, colors, "green, yellow, red")
	}},
	{"meter.eburst", func(d *device) {
		d.refuses(codes.InvalidArgument, d.mod(cell("meter", meterID, first, "config { cir: 1 cburst: 1 pir: 1 pburst: 1 eburst: 1 }")))
	}},
	{"meter.malformed", func(d *device) {
		d.refuses(codes.InvalidArgument, d.mod(cell("meter", meterID, first, "config { cir: -1 }")), d.mod(cell("meter", meterID, first, "config { cir: 2 pir: 1 }")))
	}},
	{"meter.counters", func(d *device) {
		d.refuses(codes.Unimplemented, d.mod(cell("meter", meterID, first, "counter_data { }")))
		d.refusesRead(codes.Unimplemented, cell("meter", meterID, first, "counter_data { }"))
	}},
	{"register.initial", func(d *device) {
		d.has(cell("register", wordID, first, ""), cell("register", wordID, first, `data { bitstring: "\x07" }`))
	}},
	{"register.format", func(d *device) {
		d.refuses(codes.InvalidArgument, d.mod(cell("register", wordID, first, "")), d.mod(cell("register", wordID, first, "data { }")), d.mod(cell("register", wordID, first, "data { bool: true }")),
			d.mod(cell("register", wordID, first, `data { struct { members { bitstring: "\x01" } } }`)),
			d.mod(cell("register", pairID, first, `data { bitstring: "\x01" }`)), d.mod(cell("register", pairID, first, `data { struct { members { bitstring: "\x01" } } }`)),
			d.mod(cell("register", pairID, first, `data { struct { members { bitstring: "\x01" } members { } } }`)))
		d.has(cell("register", wordID, first, ""), cell("register", wordID, first, `data { bitstring: "\x07" }`))
	}},
	{"register.too-wide", func(d *device) {
		d.refuses(codes.OutOfRange, d.mod(cell("register", wordID, first, `data { bitstring: "\x01\x00\x00\x00\x00" }`)))
	}},
	{"register.struct-order", func(d *device) {
		pair := `data { struct { members { bitstring: "\x05" } members { bitstring: "\xff" } } }`
		d.writes(d.mod(cell("register", pairID, first, pair)))
		d.has(cell("register", pairID, first, ""), cell("register", pairID, first, pair))
		require.Equal(d, []byte{0, 0, 0, 0xff}, d.outs(frame(13, 0, 0, 0))[0].Frame[1:5], "the second member")
	}},
	{"register.data-plane", func(d *device) {
		d.writes(d.mod(cell("register", wordID, first, `data { bitstring: "\x01\x02\x03\x04" }`)))
		require.Equal(d, []byte{1, 2, 3, 4}, d.outs(frame(11, 0, 0, 0))[0].Frame[1:5])
	}},
})

// reads are the requirements of Read.
var reads = []requirement{
	{"read.no-election-id", func(d *device) {
		d.writes(d.ins(entry(1, one, hit5)))
		d.main.cancel()
		d.has(entry(1, "", ""), entry(1, one, hit5))
	}},
	{"read.empty", func(d *device) {
		list, err := d.query()
		require.NoError(d, err)
		require.Empty(d, list)
	}},
	{"read.entity-unset", func(d *device) { d.refusesRead(codes.InvalidArgument, "") }},
	{"read.all-tables", func(d *device) {
		d.writes(d.ins(entry(1, one, hit5)), d.ins(entry(2, ten, fwd5)))
		require.Len(d, d.reads("table_entry { }"), 2+2+2, "with those of the program's text")
	}},
	{"read.one-table", func(d *device) {
		d.writes(d.ins(entry(1, one, hit5)), d.ins(entry(2, ten, fwd5)))
		d.has(entry(2, "", ""), entry(2, ten, fwd5))
	}},
	{"read.table-unknown", func(d *device) { d.refusesRead(codes.InvalidArgument, entry(0x77, "", "")) }},
	{"read.by-match", func(d *device) {
		d.writes(d.ins(entry(1, one, hit5)), d.ins(entry(1, two, hit6)))
		d.has(entry(1, two, ""), entry(1, two, hit6))
		d.has(entry(1, `match { field_id: 1 exact { value: "\x77" } } match { field_id: 2 exact { value: "\x01" } }`, ""))
	}},
	{"read.by-match-invalid", func(d *device) {
		d.refusesRead(codes.InvalidArgument, entry(1, `match { field_id: 1 exact { value: "\x77" } }`, ""))
		d.refusesRead(codes.InvalidArgument, entry(1, ten, ""))
		d.refusesRead(codes.InvalidArgument, "table_entry { "+ten+" }")
	}},
	{"read.by-match-of-any-priority", func(d *device) {
		d.writes(d.ins(entry(3, tern10+" priority: 1", fwd5)), d.ins(entry(3, tern10+" priority: 2", fwd6)), d.ins(entry(3, "priority: 3", fwd6)))
		d.has(entry(3, tern10, ""), entry(3, tern10+" priority: 1", fwd5), entry(3, tern10+" priority: 2", fwd6))
		d.has(entry(3, tern10+" priority: 2", ""), entry(3, tern10+" priority: 2", fwd6))
	}},
	{"read.by-priority", func(d *device) {
		d.writes(d.ins(entry(3, tern10+" priority: 1", fwd5)), d.ins(entry(3, "priority: 2", fwd6)))
		d.has(entry(3, "priority: 2", ""), entry(3, "priority: 2", fwd6))
	}},
	{"read.by-action", func(d *device) {
		d.writes(d.ins(entry(2, ten, fwd5)), d.ins(entry(2, "", deny)))
		d.has(entry(2, "", deny), entry(2, "", deny))
		d.has(entry(2, "", action(1, "")), entry(2, ten, fwd5))
		d.has(missOf(2, deny), missOf(2, deny))
		d.has(missOf(2, action(1, "")))
		d.refusesRead(codes.InvalidArgument, entry(2, "", "action { action_profile_member_id: 1 }"))
		d.refusesRead(codes.InvalidArgument, entry(2, "", hit5))
	}},
	{"read.by-metadata", func(d *device) {
		d.writes(d.ins(entry(2, ten, fwd5+` metadata: "a"`)), d.ins(entry(2, "", fwd5+` metadata: "b"`)))
		d.has(entry(2, "", `metadata: "b"`), entry(2, "", fwd5+` metadata: "b"`))
		d.has(entry(2, "", `metadata: "c"`))
	}},
	{"read.by-controller-metadata", func(d *device) {
		d.writes(d.ins(entry(2, ten, fwd5+` controller_metadata: 1`)), d.ins(entry(2, "", fwd5+` controller_metadata: 2`)))
		d.has(entry(2, "", `controller_metadata: 2`), entry(2, "", fwd5+` controller_metadata: 2`))
	}},
	{"read.default-only", func(d *device) {
		d.writes(d.ins(entry(2, ten, fwd5)))
		d.has(missOf(2, ""), missOf(2, deny))
		d.has(entry(2, "", ""), entry(2, ten, fwd5))
	}},
	{"read.dont-care-is-a-wildcard", func(d *device) {
		d.writes(d.ins(entry(2, "", fwd5)), d.ins(entry(2, ten, fwd6)))
		d.has(entry(2, "", ""), entry(2, "", fwd5), entry(2, ten, fwd6))
	}},
	{"read.role", func(d *device) {
		d.writes(d.ins(entry(2, ten, fwd5)))
		r, err := d.Read(d.ctx(), &p4.ReadRequest{DeviceId: 1, Role: "any", Entities: []*p4.Entity{entity(d, entry(2, "", ""))}})
		require.NoError(d, err)
		m, err := r.Recv()
		require.NoError(d, err)
		require.Len(d, m.GetEntities(), 1, "every role has the whole pipeline")
	}},
	{"read.batch-errors", func(d *device) {
		d.writes(d.ins(entry(1, one, hit5)), d.ins(entry(2, ten, fwd5)))
		list, err := d.query(entry(1, "", ""), entry(0x77, "", ""), cell("counter", counterID, beyond, ""), entry(2, "", ""))
		require.Equal(d, []codes.Code{codes.OK, codes.InvalidArgument, codes.OutOfRange, codes.OK}, d.details(err))
		require.Empty(d, status.Convert(err).Details()[0].(*p4.Error).String())
		require.Len(d, list, 2, "the others are answered")
		require.True(d, proto.Equal(entity(d, entry(1, one, hit5)), list[0]))
		require.True(d, proto.Equal(entity(d, entry(2, ten, fwd5)), list[1]))
	}},
	{"read.same-twice", func(d *device) {
		d.writes(d.ins(entry(1, one, hit5)))
		list, err := d.query(entry(1, "", ""), entry(1, "", ""))
		require.NoError(d, err)
		require.Len(d, list, 2)
	}},
	{"read.unsupported-kinds", func(d *device) {
		for _, text := range []string{"extern_entry { }", "packet_replication_engine_entry { clone_session_entry { } }"} {
			d.refusesRead(codes.Unimplemented, text)
		}
		d.refusesRead(codes.InvalidArgument, "packet_replication_engine_entry { }")
	}},
	{"read.concurrent", func(d *device) {
		d.writes(d.ins(entry(1, one, hit5)))
		var open []p4.P4Runtime_ReadClient
		for range 4 {
			r, err := d.Read(d.ctx(), &p4.ReadRequest{DeviceId: 1, Entities: []*p4.Entity{entity(d, entry(1, "", ""))}})
			require.NoError(d, err)
			open = append(open, r)
		}
		for _, r := range open {
			m, err := r.Recv()
			require.NoError(d, err)
			require.Len(d, m.GetEntities(), 1)
		}
	}},
}

func group(text string) string {
	return "packet_replication_engine_entry { multicast_group_entry { " + text + " } }"
}

// groups are the requirements of multicast groups.
var groups = []requirement{
	{"group.insert", func(d *device) {
		g := group(`multicast_group_id: 5 replicas { port: "\x01" instance: 1 } replicas { port: "\x02" instance: 0 } replicas { port: "\x02" instance: 2 }`)
		d.writes(d.ins(g))
		d.has(group("multicast_group_id: 5"), g)
		require.ElementsMatch(d, to(1, 2, 2), d.goes(frame(8, 0, 5, 0)))
	}},
	{"group.metadata", func(d *device) {
		g := group(`multicast_group_id: 5 metadata: "\x00m"`)
		d.writes(d.ins(g))
		d.has(group("multicast_group_id: 5"), g)
	}},
	{"group.id-zero", func(d *device) {
		d.refuses(codes.InvalidArgument, d.ins(group("")), d.mod(group("")), d.del(group("")), d.ins(group("multicast_group_id: 0x10000")))
	}},
	{"group.exists", func(d *device) {
		d.writes(d.ins(group("multicast_group_id: 5")))
		d.refuses(codes.AlreadyExists, d.ins(group("multicast_group_id: 5")))
	}},
	{"group.instance-too-large", func(d *device) {
		d.refuses(codes.InvalidArgument, d.ins(group(`multicast_group_id: 5 replicas { port: "\x01" instance: 0x10000 }`)))
	}},
	{"group.port", func(d *device) {
		d.refuses(codes.InvalidArgument, d.ins(group(`multicast_group_id: 5 replicas { instance: 1 }`)))
		d.refuses(codes.OutOfRange, d.ins(group(`multicast_group_id: 5 replicas { port: "\x02\x00" }`)), d.ins(group(`multicast_group_id: 5 replicas { port: "" }`)), d.ins(group(`multicast_group_id: 5 replicas { port: "\x01\xff" }`)))
	}},
	{"group.port-number", func(d *device) { // the deprecated form
		g := group(`multicast_group_id: 5 replicas { egress_port: 2 instance: 1 }`)
		d.writes(d.ins(g))
		d.has(group(""), g)
		require.Equal(d, to(2), d.goes(frame(8, 0, 5, 0)))
	}},
	{"group.replica-twice", func(d *device) {
		d.refuses(codes.InvalidArgument, d.ins(group(`multicast_group_id: 5 replicas { port: "\x01" instance: 1 } replicas { port: "\x00\x01" instance: 1 }`)),
			d.ins(group(`multicast_group_id: 5 replicas { port: "\x01" instance: 1 } replicas { port: "\x02" instance: 1 backup_replicas { port: "\x01" instance: 1 } }`)))
	}},
	{"group.backup-on-own-port", func(d *device) {
		d.refuses(codes.InvalidArgument, d.ins(group(`multicast_group_id: 5 replicas { port: "\x01" instance: 1 backup_replicas { port: "\x01" instance: 2 } }`)))
	}},
	{"group.backup-order", func(d *device) {
		g := group(`multicast_group_id: 5 replicas { port: "\x01" instance: 1 backup_replicas { port: "\x09" instance: 2 } backup_replicas { port: "\x03" instance: 3 } }`)
		d.writes(d.ins(g))
		d.has(group(""), g)
	}},
	{"group.backup-takes-over", func(d *device) {
		d.writes(d.ins(group(`multicast_group_id: 5 replicas { port: "\x01" instance: 1 backup_replicas { port: "\x09" instance: 2 } backup_replicas { port: "\x03" instance: 3 } } replicas { port: "\x02" }`)))
		now := func(want ...dataplane.Port) { d.Helper(); require.ElementsMatch(d, want, d.goes(frame(8, 0, 5, 0))) }
		now(1, 2)
		d.server.SetPort(1, false)
		now(9, 2)
		d.server.SetPort(9, false)
		now(3, 2)
		d.server.SetPort(2, false) // it has no backup
		now(3, 2)
	}},
	{"group.backup-gives-back", func(d *device) {
		now := func(want ...dataplane.Port) { d.Helper(); require.Equal(d, want, d.goes(frame(8, 0, 5, 0))) }
		d.server.SetPort(1, false) // before there is a group
		d.writes(d.ins(group(`multicast_group_id: 5 replicas { port: "\x01" instance: 1 backup_replicas { port: "\x09" instance: 2 } backup_replicas { port: "\x03" instance: 3 } }`)))
		d.server.SetPort(9, false)
		now(3)
		d.server.SetPort(9, true)
		now(9)
		d.server.SetPort(1, true)
		now(1)
	}},
	{"group.backup-all-down", func(d *device) {
		d.writes(d.ins(group(`multicast_group_id: 5 replicas { port: "\x01" instance: 1 backup_replicas { port: "\x09" instance: 2 } }`)))
		d.server.SetPort(1, false)
		d.server.SetPort(9, false)
		require.Equal(d, to(1), d.goes(frame(8, 0, 5, 0)), "to the first port, where it is lost")
	}},
	{"group.modify", func(d *device) {
		d.refuses(codes.NotFound, d.mod(group("multicast_group_id: 5")))
		d.writes(d.ins(group(`multicast_group_id: 5 replicas { port: "\x01" backup_replicas { port: "\x02" } } metadata: "m"`)))
		d.refuses(codes.InvalidArgument, d.mod(group(`multicast_group_id: 5 replicas { port: "\x01" instance: 0x10000 }`)))
		g := group(`multicast_group_id: 5 replicas { port: "\x07" instance: 1 }`)
		d.writes(d.mod(g))
		d.has(group(""), g)
		d.server.SetPort(1, false) // which is in it no more
		require.Equal(d, to(7), d.goes(frame(8, 0, 5, 0)))
	}},
	{"group.delete", func(d *device) {
		d.refuses(codes.NotFound, d.del(group("multicast_group_id: 5")))
		d.writes(d.ins(group(`multicast_group_id: 5 replicas { port: "\x01" backup_replicas { port: "\x02" } }`)), d.del(group(`multicast_group_id: 5`)))
		d.has(group(""))
		require.Empty(d, d.goes(frame(8, 0, 5, 0)))
		d.server.SetPort(1, false)
		require.Empty(d, d.goes(frame(8, 0, 5, 0)))
	}},
	{"group.unknown-drops", func(d *device) { require.Empty(d, d.goes(frame(8, 0, 77, 0))) }},
	{"group.read", func(d *device) {
		a, b := group(`multicast_group_id: 5 replicas { port: "\x01" }`), group(`multicast_group_id: 6 replicas { port: "\x02" }`)
		d.writes(d.ins(a), d.ins(b))
		d.has(group(`multicast_group_id: 6 replicas { port: "\x77" } metadata: "ignored"`), b)
		d.has(group(""), a, b)
		d.has(group("multicast_group_id: 9"))
	}},
}
