package p4rt

import (
	"bytes"
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"testing"

	p4 "github.com/p4lang/p4runtime/go/p4/v1"
	"github.com/stretchr/testify/require"
	"google.golang.org/grpc/codes"
	healthpb "google.golang.org/grpc/health/grpc_health_v1"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/encoding/prototext"
	"google.golang.org/protobuf/proto"

	"github.com/p4ce/p4ce/bpf/bundle"
	"github.com/p4ce/p4ce/dataplane"
)

// codesOf are the codes of the p4.v1.Error details of a failed write.
func codesOf(t *testing.T, err error) (out []codes.Code, messages []string) {
	t.Helper()
	require.Equal(t, codes.Unknown, status.Code(err), "%v", err)
	for _, d := range status.Convert(err).Details() {
		e, ok := d.(*p4.Error)
		require.True(t, ok, "%T", d)
		out, messages = append(out, codes.Code(e.GetCanonicalCode())), append(messages, e.GetMessage())
	}
	return out, messages
}

const (
	exact1 = `table_entry { table_id: 0x02000001 match { field_id: 1 exact { value: "\x0a\x00\x00\x01" } } match { field_id: 2 exact { value: "\x01" } } action { action { action_id: 0x01000001 params { param_id: 1 value: "\x05" } params { param_id: 2 value: "\x07" } } } }`
	exact2 = `table_entry { table_id: 0x02000001 match { field_id: 1 exact { value: "\x00" } } match { field_id: 2 exact { value: "\x01\xff" } } action { action { action_id: 0x01000002 } } }`
	lpm1   = `table_entry { table_id: 0x02000002 match { field_id: 1 lpm { value: "\x0a\x00\x00\x00" prefix_len: 8 } } action { action { action_id: 0x01000002 } } metadata: "mine" }`
	tcam1  = `table_entry { table_id: 0x02000003 match { field_id: 1 ternary { value: "\x10" mask: "\xf0" } } match { field_id: 2 range { low: "\x05" high: "\x01\x00" } } match { field_id: 3 optional { value: "\x06" } } action { action { action_id: 0x01000002 } } priority: 9 }`
)

func TestCapabilitiesHealthReflection(t *testing.T) {
	h := newHarness(t, Options{})
	c, err := h.client.Capabilities(ctxFor(t), &p4.CapabilitiesRequest{})
	require.NoError(t, err)
	require.Equal(t, "1.5.0", c.GetP4RuntimeApiVersion())
	r, err := healthpb.NewHealthClient(h.conn).Check(ctxFor(t), &healthpb.HealthCheckRequest{Service: "p4.v1.P4Runtime"})
	require.NoError(t, err)
	require.Equal(t, healthpb.HealthCheckResponse_SERVING, r.GetStatus())
}

func TestWriteChecksInOrder(t *testing.T) {
	h := newHarness(t, Options{})
	do := func(req *p4.WriteRequest) codes.Code {
		_, err := h.client.Write(ctxFor(t), req)
		return status.Code(err)
	}
	one := &p4.Uint128{Low: 1}
	require.Equal(t, codes.NotFound, do(&p4.WriteRequest{DeviceId: 2}))
	require.Equal(t, codes.NotFound, do(&p4.WriteRequest{DeviceId: 1, Role: "nobody", ElectionId: one}))
	require.Equal(t, codes.PermissionDenied, do(&p4.WriteRequest{DeviceId: 1, ElectionId: one}), "no arbitration yet")
	s := h.stream()
	s.arbitrate("", 1)
	s.next()
	require.Equal(t, codes.PermissionDenied, do(&p4.WriteRequest{DeviceId: 1}), "no election id")
	require.Equal(t, codes.PermissionDenied, do(&p4.WriteRequest{DeviceId: 1, ElectionId: &p4.Uint128{Low: 2}}))
	require.Equal(t, codes.FailedPrecondition, do(&p4.WriteRequest{DeviceId: 1, ElectionId: one}), "no pipeline")
	require.Equal(t, codes.Unimplemented, do(&p4.WriteRequest{DeviceId: 1, ElectionId: one, Atomicity: p4.WriteRequest_DATAPLANE_ATOMIC}))
	_, err := h.readErr("table_entry {}")
	require.Equal(t, codes.FailedPrecondition, status.Code(err))
	require.NoError(t, h.set(p4.SetForwardingPipelineConfigRequest_VERIFY_AND_COMMIT, h.config("good")))
	require.Equal(t, codes.OK, do(&p4.WriteRequest{DeviceId: 1, ElectionId: one}))
}

func TestTableEntriesReadBack(t *testing.T) {
	h := newHarness(t, Options{})
	h.primary()
	require.NoError(t, h.write(h.insert(exact1), h.insert(exact2), h.insert(lpm1), h.insert(tcam1)))
	want := func(text string) string { return text1(entity(t, text)) }
	constEntries := []string{
		want(`table_entry { table_id: 0x02000004 match { field_id: 1 ternary { value: "\x0a\x00\x00\x00" mask: "\xff\x00\x00\x00" } } action { action { action_id: 0x01000001 params { param_id: 1 value: "\x07" } params { param_id: 2 value: "\x00" } } } priority: 2 is_const: true }`),
		want(`table_entry { table_id: 0x02000004 action { action { action_id: 0x01000002 } } priority: 1 is_const: true }`),
	}
	all := []string{want(exact1), want(exact2), want(lpm1), want(tcam1)}
	require.Equal(t, append(all, constEntries...), h.read("table_entry {}"))
	require.Equal(t, all[:2], h.read("table_entry { table_id: 0x02000001 }"))
	require.Equal(t, all[1:2], h.read(exact2))
	require.Equal(t, all[3:4], h.read("table_entry { table_id: 0x02000003 priority: 9 }"))
	require.Empty(t, h.read("table_entry { table_id: 0x02000003 priority: 8 }"))

	// Longer byte strings mean the same entry, and the shortest form is
	// returned.
	long := `table_entry { table_id: 0x02000001 match { field_id: 2 exact { value: "\x00\x00\x01" } } match { field_id: 1 exact { value: "\x00\x0a\x00\x00\x01" } } action { action { action_id: 0x01000002 } } }`
	c, _ := codesOf(t, h.write(h.insert(long)))
	require.Equal(t, []codes.Code{codes.AlreadyExists}, c)
	require.NoError(t, h.write(h.up(p4.Update_MODIFY, long)))
	changed := `table_entry { table_id: 0x02000001 match { field_id: 1 exact { value: "\x0a\x00\x00\x01" } } match { field_id: 2 exact { value: "\x01" } } action { action { action_id: 0x01000002 } } }`
	require.Equal(t, []string{want(changed)}, h.read(changed))
	require.Empty(t, h.read(exact1), "it has another action")

	require.NoError(t, h.write(h.up(p4.Update_DELETE, exact1), h.up(p4.Update_DELETE, lpm1), h.up(p4.Update_DELETE, tcam1)))
	require.Equal(t, append(all[1:2:2], constEntries...), h.read("table_entry {}"))
	_, err := h.readErr("table_entry { table_id: 7 }")
	got, _ := codesOf(t, err)
	require.Equal(t, []codes.Code{codes.InvalidArgument}, got)
}

func TestDefaultEntries(t *testing.T) {
	h := newHarness(t, Options{})
	h.primary()
	read := func() []string { return h.read("table_entry { table_id: 0x02000001 is_default_action: true }") }
	initial := read()
	require.Equal(t, []string{text1(entity(t, "table_entry { table_id: 0x02000001 action { action { action_id: 0x01000003 } } is_default_action: true }"))}, initial)
	set := `table_entry { table_id: 0x02000001 action { action { action_id: 0x01000001 params { param_id: 1 value: "\x01" } params { param_id: 2 value: "\x02" } } } is_default_action: true }`
	require.NoError(t, h.write(h.up(p4.Update_MODIFY, set)))
	require.Equal(t, []string{text1(entity(t, set))}, read())
	require.NoError(t, h.write(h.up(p4.Update_MODIFY, "table_entry { table_id: 0x02000001 is_default_action: true }")))
	require.Equal(t, initial, read(), "without an action: back to the program's own")
	require.Len(t, h.read("table_entry { is_default_action: true }"), 4)

	c, _ := codesOf(t, h.write(
		h.insert(set),
		h.up(p4.Update_DELETE, set),
		h.up(p4.Update_MODIFY, "table_entry { table_id: 0x02000001 is_default_action: true action { action { action_id: 0x01000002 } } }"),
		h.up(p4.Update_MODIFY, "table_entry { table_id: 0x02000001 is_default_action: true priority: 1 }"),
		h.up(p4.Update_MODIFY, "table_entry { table_id: 0x02000004 is_default_action: true }"),
	))
	require.Equal(t, []codes.Code{codes.InvalidArgument, codes.InvalidArgument, codes.PermissionDenied, codes.InvalidArgument, codes.PermissionDenied}, c)
}

// TestBadEntries: each is refused with the code and a message that names table
// and field.
func TestBadEntries(t *testing.T) {
	h := newHarness(t, Options{})
	h.primary()
	act := `action { action { action_id: 0x01000002 } }`
	for _, tt := range []struct {
		name, text string
		code       codes.Code
		message    string
	}{
		{"no table", `table_entry { table_id: 0x02000099 ` + act + ` }`, codes.InvalidArgument, "table id 0x2000099"},
		{"missing exact field", `table_entry { table_id: 0x02000001 match { field_id: 1 exact { value: "\x01" } } ` + act + ` }`, codes.InvalidArgument, `table "pipe.In.exact": match field "b": missing`},
		{"field twice", `table_entry { table_id: 0x02000001 match { field_id: 1 exact { value: "\x01" } } match { field_id: 1 exact { value: "\x01" } } ` + act + ` }`, codes.InvalidArgument, "given twice"},
		{"unknown field", `table_entry { table_id: 0x02000001 match { field_id: 9 exact { value: "\x01" } } ` + act + ` }`, codes.InvalidArgument, "match field id 9"},
		{"wrong kind", `table_entry { table_id: 0x02000002 match { field_id: 1 exact { value: "\x01" } } ` + act + ` }`, codes.InvalidArgument, "the field is lpm"},
		{"too wide", `table_entry { table_id: 0x02000001 match { field_id: 1 exact { value: "\x01" } } match { field_id: 2 exact { value: "\x02\x00" } } ` + act + ` }`, codes.OutOfRange, `match field "b": value: value of 10 bits does not fit in 9`},
		{"empty value", `table_entry { table_id: 0x02000001 match { field_id: 1 exact { } } match { field_id: 2 exact { value: "\x01" } } ` + act + ` }`, codes.OutOfRange, "empty byte string"},
		{"priority on exact", `table_entry { table_id: 0x02000002 priority: 1 match { field_id: 1 lpm { value: "\x0a\x00\x00\x00" prefix_len: 8 } } ` + act + ` }`, codes.InvalidArgument, "priority 1"},
		{"no priority", `table_entry { table_id: 0x02000003 ` + act + ` }`, codes.InvalidArgument, "needs one above 0"},
		{"lpm bits beyond", `table_entry { table_id: 0x02000002 match { field_id: 1 lpm { value: "\x0a\x00\x00\x01" prefix_len: 8 } } ` + act + ` }`, codes.InvalidArgument, "beyond its prefix of 8"},
		{"lpm length 0", `table_entry { table_id: 0x02000002 match { field_id: 1 lpm { value: "\x00" } } ` + act + ` }`, codes.InvalidArgument, "leave the field out"},
		{"lpm too long", `table_entry { table_id: 0x02000002 match { field_id: 1 lpm { value: "\x00" prefix_len: 33 } } ` + act + ` }`, codes.InvalidArgument, "prefix_len 33 of a field of 32 bits"},
		{"ternary mask 0", `table_entry { table_id: 0x02000003 priority: 1 match { field_id: 1 ternary { value: "\x00" mask: "\x00" } } ` + act + ` }`, codes.InvalidArgument, "leave the field out"},
		{"ternary outside", `table_entry { table_id: 0x02000003 priority: 1 match { field_id: 1 ternary { value: "\x03" mask: "\x02" } } ` + act + ` }`, codes.InvalidArgument, "outside its mask"},
		{"range backwards", `table_entry { table_id: 0x02000003 priority: 1 match { field_id: 2 range { low: "\x03" high: "\x02" } } ` + act + ` }`, codes.InvalidArgument, "is above high"},
		{"range of all", `table_entry { table_id: 0x02000003 priority: 1 match { field_id: 2 range { low: "\x00" high: "\x01\xff" } } ` + act + ` }`, codes.InvalidArgument, "the whole range"},
		{"no action", `table_entry { table_id: 0x02000002 }`, codes.InvalidArgument, "action: missing"},
		{"action of another table", `table_entry { table_id: 0x02000002 action { action { action_id: 0x01000003 } } }`, codes.InvalidArgument, "not one of the table's actions"},
		{"default-only action", `table_entry { table_id: 0x02000001 match { field_id: 1 exact { value: "\x01" } } match { field_id: 2 exact { value: "\x01" } } action { action { action_id: 0x01000003 } } }`, codes.PermissionDenied, "only for the default entry"},
		{"missing parameter", `table_entry { table_id: 0x02000002 action { action { action_id: 0x01000001 params { param_id: 1 value: "\x01" } } } }`, codes.InvalidArgument, `parameter "tag": missing`},
		{"wide parameter", `table_entry { table_id: 0x02000002 action { action { action_id: 0x01000001 params { param_id: 1 value: "\x01" } params { param_id: 2 value: "\xff\xff" } } } }`, codes.OutOfRange, `parameter "tag": value of 16 bits does not fit in 12`},
		{"unknown parameter", `table_entry { table_id: 0x02000002 action { action { action_id: 0x01000002 params { param_id: 1 value: "\x01" } } } }`, codes.InvalidArgument, "parameter id 1"},
		{"action profile", `table_entry { table_id: 0x02000002 action { action_profile_member_id: 1 } }`, codes.InvalidArgument, "no action profile"},
		{"const table", `table_entry { table_id: 0x02000004 priority: 5 ` + act + ` }`, codes.PermissionDenied, "its entries are const"},
		{"idle time-out", `table_entry { table_id: 0x02000002 idle_timeout_ns: 1 ` + act + ` }`, codes.InvalidArgument, "no idle timeout"},
		{"counter data", `table_entry { table_id: 0x02000002 counter_data {} ` + act + ` }`, codes.InvalidArgument, "no direct counter"},
		{"clone session", `packet_replication_engine_entry { clone_session_entry { session_id: 1 } }`, codes.Unimplemented, "no target clones packets"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c, m := codesOf(t, h.write(h.insert(tt.text)))
			require.Equal(t, []codes.Code{tt.code}, c, m)
			require.Contains(t, m[0], tt.message)
		})
	}
}

func TestBatchErrorsInOrder(t *testing.T) {
	h := newHarness(t, Options{})
	h.primary()
	c, m := codesOf(t, h.write(
		h.insert(exact1), h.insert(exact1), h.up(p4.Update_DELETE, exact2), h.up(p4.Update_MODIFY, exact2), h.insert(exact2), &p4.Update{},
	))
	require.Equal(t, []codes.Code{codes.OK, codes.AlreadyExists, codes.NotFound, codes.NotFound, codes.OK, codes.InvalidArgument}, c)
	require.Equal(t, "", m[0])
	require.Len(t, h.read("table_entry { table_id: 0x02000001 }"), 2)

	for i := range 2 {
		require.NoError(t, h.write(h.insert(fmt.Sprintf(`table_entry { table_id: 0x02000001 match { field_id: 1 exact { value: "\x77" } } match { field_id: 2 exact { value: "\x0%d" } } action { action { action_id: 0x01000002 } } }`, i))))
	}
	c, m = codesOf(t, h.write(h.insert(`table_entry { table_id: 0x02000001 match { field_id: 1 exact { value: "\x77" } } match { field_id: 2 exact { value: "\x09" } } action { action { action_id: 0x01000002 } } }`)))
	require.Equal(t, []codes.Code{codes.ResourceExhausted}, c)
	require.Contains(t, m[0], "table pipe.In.exact: 4 entries")
}

func TestMulticastGroups(t *testing.T) {
	h := newHarness(t, Options{})
	h.primary()
	group := func(body string) string {
		return "packet_replication_engine_entry { multicast_group_entry { " + body + " } }"
	}
	g1 := group(`multicast_group_id: 1 replicas { port: "\x01" instance: 1 } replicas { port: "\x01\x00" instance: 2 } replicas { egress_port: 1 instance: 3 } metadata: "m"`)
	g2 := group(`multicast_group_id: 0xffff replicas { port: "\x01" instance: 0xffff }`)
	require.NoError(t, h.write(h.insert(g1), h.insert(g2)))
	all := []string{text1(entity(t, g1)), text1(entity(t, g2))}
	require.Equal(t, all, h.read(group("")), "id 0 is a wildcard")
	require.Equal(t, all[:1], h.read(group("multicast_group_id: 1")))
	require.Empty(t, h.read(group("multicast_group_id: 5")))
	c, m := codesOf(t, h.write(
		h.insert(g1),
		h.insert(group("multicast_group_id: 0")),
		h.insert(group("multicast_group_id: 0x10000")),
		h.insert(group(`multicast_group_id: 2 replicas { port: "\x01" instance: 1 } replicas { egress_port: 1 instance: 1 }`)),
		h.insert(group(`multicast_group_id: 2 replicas { port: "\x02\x00" instance: 1 }`)),
		h.insert(group(`multicast_group_id: 2 replicas { port: "\x01\xff" instance: 1 }`)),
		h.insert(group(`multicast_group_id: 2 replicas { egress_port: 511 instance: 1 }`)),
		h.insert(group(`multicast_group_id: 2 replicas { egress_port: 512 instance: 1 }`)),
		h.insert(group(`multicast_group_id: 2 replicas { egress_port: 0x10001 instance: 1 }`)),
		h.insert(group(`multicast_group_id: 2 replicas { instance: 1 }`)),
		h.insert(group(`multicast_group_id: 2 replicas { port: "\x01" instance: 0x10000 }`)),
		h.insert(group(`multicast_group_id: 2 replicas { port: "\x01" instance: 1 backup_replicas { port: "\x01" instance: 2 } }`)),
		h.up(p4.Update_MODIFY, group("multicast_group_id: 2")),
		h.up(p4.Update_DELETE, group("multicast_group_id: 2")),
	))
	require.Equal(t, []codes.Code{codes.AlreadyExists, codes.InvalidArgument, codes.InvalidArgument, codes.InvalidArgument,
		codes.OutOfRange, codes.OutOfRange, codes.OutOfRange, codes.OutOfRange, codes.OutOfRange,
		codes.InvalidArgument, codes.InvalidArgument, codes.InvalidArgument, codes.NotFound, codes.NotFound}, c, m)
	require.Contains(t, m[3], "port 1 with instance 1 is given twice")
	require.Contains(t, m[5], "multicast group 2: replica 0: port 511: this number means no port on the chip (ports go from 0 to 510)")
	require.Contains(t, m[6], "port 511: this number means no port on the chip")
	require.Contains(t, m[7], "port 512: ports go from 0 to 510")
	g1b := group(`multicast_group_id: 1 replicas { port: "\x07" instance: 1 }`)
	require.NoError(t, h.write(h.up(p4.Update_MODIFY, g1b), h.up(p4.Update_DELETE, g2)))
	require.Equal(t, []string{text1(entity(t, g1b))}, h.read(group("")))
}

func TestRegistersAndCounters(t *testing.T) {
	h := newHarness(t, Options{})
	h.primary()
	w := `register_entry { register_id: 0x16000001 index { index: 3 } data { bitstring: "\x12\x34" } }`
	p := `register_entry { register_id: 0x16000002 index { index: 7 } data { struct { members { bitstring: "\x05" } members { bitstring: "\xff" } } } }`
	require.NoError(t, h.write(h.up(p4.Update_MODIFY, w), h.up(p4.Update_MODIFY, p)))
	require.Equal(t, []string{text1(entity(t, w))}, h.read("register_entry { register_id: 0x16000001 index { index: 3 } }"))
	require.Equal(t, text1(entity(t, p)), h.read("register_entry { register_id: 0x16000002 }")[7])
	require.Len(t, h.read("register_entry {}"), 16)
	require.NoError(t, h.write(h.up(p4.Update_MODIFY, `register_entry { register_id: 0x16000001 data { bitstring: "\x09" } }`)), "no index: all")
	for _, r := range h.read("register_entry { register_id: 0x16000001 }") {
		require.Contains(t, r, `bitstring:"\t"`)
	}
	c, m := codesOf(t, h.write(
		h.insert(w),
		h.up(p4.Update_MODIFY, `register_entry { register_id: 0x16000001 index { index: 8 } data { bitstring: "\x00" } }`),
		h.up(p4.Update_MODIFY, `register_entry { register_id: 0x16000001 index { index: 0 } data { bitstring: "\x01\x00\x00\x00\x00" } }`),
		h.up(p4.Update_MODIFY, `register_entry { register_id: 0x16000001 index { index: 0 } data { struct {} } }`),
		h.up(p4.Update_MODIFY, `register_entry { register_id: 0x16000002 index { index: 0 } data { struct { members { bitstring: "\x05" } } } }`),
		h.up(p4.Update_MODIFY, `register_entry { register_id: 5 }`),
	))
	require.Equal(t, []codes.Code{codes.InvalidArgument, codes.OutOfRange, codes.OutOfRange, codes.InvalidArgument, codes.InvalidArgument, codes.InvalidArgument}, c, m)

	// Three packets of five bytes on port 2, one entry of the exact table hit.
	require.NoError(t, h.write(h.insert(`table_entry { table_id: 0x02000001 match { field_id: 1 exact { value: "\x05" } } match { field_id: 2 exact { value: "\x02" } } action { action { action_id: 0x01000001 params { param_id: 1 value: "\x05" } params { param_id: 2 value: "\x07" } } } }`)))
	for range 3 {
		_, err := h.target.Inject(2, []byte{1, 0, 0, 0, 5})
		require.NoError(t, err)
	}
	counter := "counter_entry { counter_id: 0x12000001 index { index: 2 } data { byte_count: 15 packet_count: 3 } }"
	require.Equal(t, []string{text1(entity(t, counter))}, h.read("counter_entry { counter_id: 0x12000001 index { index: 2 } }"))
	require.Len(t, h.read("counter_entry {}"), 8)
	require.Contains(t, h.read("table_entry { table_id: 0x02000001 counter_data {} }")[0], "counter_data:{byte_count:15 packet_count:3}")
	require.NotContains(t, h.read("table_entry { table_id: 0x02000001 }")[0], "counter_data")
	direct := h.read("direct_counter_entry { table_entry { table_id: 0x02000001 } }")
	require.Len(t, direct, 1)
	require.Contains(t, direct[0], "data:{byte_count:15 packet_count:3}")
	require.Equal(t, direct, h.read("direct_counter_entry { table_entry { } }"))
	require.NoError(t, h.write(
		h.up(p4.Update_MODIFY, "counter_entry { counter_id: 0x12000001 index { index: 2 } data { } }"),
		h.up(p4.Update_MODIFY, `direct_counter_entry { table_entry { table_id: 0x02000001 match { field_id: 1 exact { value: "\x05" } } match { field_id: 2 exact { value: "\x02" } } } data { packet_count: 1 } }`),
	))
	require.Contains(t, h.read("direct_counter_entry { table_entry { table_id: 0x02000001 } }")[0], "data:{packet_count:1}")
	c, _ = codesOf(t, h.write(
		h.up(p4.Update_MODIFY, `direct_counter_entry { table_entry { table_id: 0x02000002 } data {} }`),
		h.up(p4.Update_MODIFY, `counter_entry { counter_id: 0x12000001 index { index: 9 } data {} }`),
		h.insert(`counter_entry { counter_id: 0x12000001 index { index: 1 } data {} }`),
	))
	require.Equal(t, []codes.Code{codes.InvalidArgument, codes.OutOfRange, codes.InvalidArgument}, c)
}

// TestMeters: cells are configured one by one or all at once, and read back as they were written.
func TestMeters(t *testing.T) {
	h := newHarness(t, Options{})
	h.primary()
	modify := func(text string) *p4.Update { return h.up(p4.Update_MODIFY, "meter_entry { "+text+" }") }
	one := "meter_id: 0x14000001 index { index: 3 } config { cir: 10 cburst: 20 pir: 30 pburst: 40 }"
	require.NoError(t, h.write(modify(one)))
	require.Equal(t, []string{text1(entity(t, "meter_entry { "+one+" }"))}, h.read("meter_entry { meter_id: 0x14000001 index { index: 3 } }"))
	all := h.read("meter_entry {}")
	require.Len(t, all, 8)
	require.NotContains(t, all[2], "config", "nobody has configured it")
	require.NoError(t, h.write(modify("meter_id: 0x14000001 config { cir: 1 cburst: 1 pir: 1 pburst: 1 }")), "no index: all")
	for _, m := range h.read("meter_entry { meter_id: 0x14000001 }") {
		require.Contains(t, m, "cir:1")
	}
	require.NoError(t, h.write(modify("meter_id: 0x14000001 index { index: 3 }")), "no configuration: no limit")
	all = h.read("meter_entry { meter_id: 0x14000001 }")
	require.NotContains(t, all[3], "config")
	require.Contains(t, all[4], "config")
	for _, tt := range []struct {
		update  *p4.Update
		code    codes.Code
		message string
	}{
		{modify("meter_id: 1"), codes.InvalidArgument, "meter id 0x1"},
		{h.insert("meter_entry { " + one + " }"), codes.InvalidArgument, "can only be modified"},
		{modify("meter_id: 0x14000001 index { index: 8 }"), codes.OutOfRange, "the size is 8"},
		{modify("meter_id: 0x14000001 index { index: -1 }"), codes.InvalidArgument, "is negative"},
		{modify("meter_id: 0x14000001 config { cir: -1 }"), codes.InvalidArgument, "a negative rate"},
		{modify("meter_id: 0x14000001 config { cir: 2 pir: 1 }"), codes.InvalidArgument, "the peak rate 1 is below the committed rate 2"},
		{modify("meter_id: 0x14000001 config { pburst: 9223372036854775807 }"), codes.InvalidArgument, "a burst above"},
		{modify("meter_id: 0x14000001 config { pir: 9223372036854775807 }"), codes.InvalidArgument, "a rate above"},
		{modify("meter_id: 0x14000001 config { eburst: 1 }"), codes.InvalidArgument, "eburst"},
		{modify("meter_id: 0x14000001 counter_data { }"), codes.Unimplemented, "no target counts"},
	} {
		c, m := codesOf(t, h.write(tt.update))
		require.Equal(t, []codes.Code{tt.code}, c, m)
		require.Contains(t, m[0], tt.message)
	}
	require.Equal(t, all, h.read("meter_entry { meter_id: 0x14000001 }"), "refused: nothing is changed")
}

func TestPipelineConfig(t *testing.T) {
	h := newHarness(t, Options{})
	s := h.stream()
	s.arbitrate("", 1)
	s.next()
	get := func(r p4.GetForwardingPipelineConfigRequest_ResponseType) (*p4.ForwardingPipelineConfig, error) {
		g, err := h.client.GetForwardingPipelineConfig(ctxFor(t), &p4.GetForwardingPipelineConfigRequest{DeviceId: 1, ResponseType: r})
		return g.GetConfig(), err
	}
	none := func() {
		t.Helper()
		c, err := get(p4.GetForwardingPipelineConfigRequest_ALL)
		require.NoError(t, err)
		require.Nil(t, c)
	}
	none()
	require.Equal(t, codes.NotFound, status.Code(h.set(p4.SetForwardingPipelineConfigRequest_COMMIT, nil)), "nothing saved")

	// What cannot be accepted, and why.
	bad := func(action p4.SetForwardingPipelineConfigRequest_Action, c *p4.ForwardingPipelineConfig, code codes.Code, message string) {
		t.Helper()
		err := h.set(action, c)
		require.Equal(t, code, status.Code(err), err)
		require.ErrorContains(t, err, message)
	}
	verify := p4.SetForwardingPipelineConfigRequest_VERIFY
	bad(verify, nil, codes.InvalidArgument, "config: missing")
	bad(verify, &p4.ForwardingPipelineConfig{P4Info: h.info}, codes.InvalidArgument, "p4_device_config: missing")
	bad(verify, &p4.ForwardingPipelineConfig{P4DeviceConfig: []byte("{}")}, codes.InvalidArgument, "p4info: missing")
	bad(verify, &p4.ForwardingPipelineConfig{P4Info: h.info, P4DeviceConfig: []byte("\x00tofino")}, codes.InvalidArgument, "is it for another target?")
	bad(verify, h.config("nonsense"), codes.InvalidArgument, "prog.p4:1:1: error P4000")
	bad(p4.SetForwardingPipelineConfigRequest_UNSPECIFIED, h.config("good"), codes.InvalidArgument, "action UNSPECIFIED")
	other := h.config("good")
	other.P4Info = proto.CloneOf(h.info)
	other.P4Info.Tables[1].MatchFields[0].Name = "dst"
	bad(verify, other, codes.InvalidArgument, `table "pipe.In.lpm" (id 0x2000002): match field "dst": name dst, but the program has a`)
	other.P4Info.Tables = other.P4Info.Tables[:1]
	bad(verify, other, codes.InvalidArgument, `table "pipe.In.lpm" of the program is missing`)
	other.P4Info = proto.CloneOf(h.info)
	other.P4Info.Actions[1].Preamble.Id = other.P4Info.Actions[0].Preamble.Id
	bad(verify, other, codes.InvalidArgument, `action "pipe.In.deny": id 0x1000001 already belongs to "pipe.In.fwd"`)
	other.P4Info = proto.CloneOf(h.info)
	other.P4Info.Tables[0].ActionRefs[0].Id = 0x01000007
	bad(verify, other, codes.InvalidArgument, `table "pipe.In.exact" (id 0x2000001): action id 0x1000007 (""): not an action of the program's table`)

	// VERIFY changes nothing, VERIFY_AND_SAVE waits for COMMIT.
	require.NoError(t, h.set(verify, h.config("good")))
	none()
	require.NoError(t, h.set(p4.SetForwardingPipelineConfigRequest_VERIFY_AND_SAVE, h.config("good")))
	none()
	bad(p4.SetForwardingPipelineConfigRequest_COMMIT, h.config("good"), codes.InvalidArgument, "takes no config")
	require.NoError(t, h.set(p4.SetForwardingPipelineConfigRequest_COMMIT, nil))
	c, err := get(p4.GetForwardingPipelineConfigRequest_ALL)
	require.NoError(t, err)
	require.True(t, proto.Equal(h.config("good"), c))
	c, err = get(p4.GetForwardingPipelineConfigRequest_COOKIE_ONLY)
	require.NoError(t, err)
	require.True(t, proto.Equal(&p4.ForwardingPipelineConfig{Cookie: &p4.ForwardingPipelineConfig_Cookie{Cookie: 99}}, c))
	c, err = get(p4.GetForwardingPipelineConfigRequest_P4INFO_AND_COOKIE)
	require.NoError(t, err)
	require.True(t, c.GetP4Info() != nil && c.GetP4DeviceConfig() == nil && c.GetCookie().GetCookie() == 99)
	c, err = get(p4.GetForwardingPipelineConfigRequest_DEVICE_CONFIG_AND_COOKIE)
	require.NoError(t, err)
	require.True(t, c.GetP4Info() == nil && c.GetP4DeviceConfig() != nil)

	// VERIFY_AND_COMMIT clears what was written.
	require.NoError(t, h.write(h.insert(exact1)))
	require.NoError(t, h.set(p4.SetForwardingPipelineConfigRequest_VERIFY_AND_COMMIT, h.config("good")))
	require.Empty(t, h.read("table_entry { table_id: 0x02000001 }"))
}

// TestReconcile: state survives, with the same program (nothing is touched)
// and with another one (everything is written again).
// TestTrust: an object that the server does not trust is refused whatever shall be done with it, and
// what runs goes on; one that runs already is not asked about.
func TestTrust(t *testing.T) {
	good := []byte("good")
	h := newHarness(t, Options{Trust: func(object []byte) error {
		if bytes.Equal(object, good) {
			return nil
		}
		return errors.New("not this one")
	}})
	h.primary() // its program has no object
	with := func(object []byte) *p4.ForwardingPipelineConfig {
		c := h.config("good")
		dev, err := bundle.Bundle{Program: "prog", Source: "good", Object: object}.Marshal()
		require.NoError(t, err)
		c.P4DeviceConfig = dev
		return c
	}
	for _, action := range []p4.SetForwardingPipelineConfigRequest_Action{
		p4.SetForwardingPipelineConfigRequest_VERIFY, p4.SetForwardingPipelineConfigRequest_VERIFY_AND_SAVE,
		p4.SetForwardingPipelineConfigRequest_VERIFY_AND_COMMIT, p4.SetForwardingPipelineConfigRequest_RECONCILE_AND_COMMIT,
	} {
		err := h.set(action, with([]byte("evil")))
		require.Equal(t, codes.PermissionDenied, status.Code(err), "%v: %v", action, err)
		require.ErrorContains(t, err, "not this one")
		require.NoError(t, h.set(action, with(good)), "%v", action)
	}
	require.Error(t, h.set(p4.SetForwardingPipelineConfigRequest_VERIFY_AND_COMMIT, with([]byte("evil"))))
	got, err := h.client.GetForwardingPipelineConfig(ctxFor(t), &p4.GetForwardingPipelineConfigRequest{DeviceId: 1})
	require.NoError(t, err)
	require.Equal(t, with(good).GetP4DeviceConfig(), got.GetConfig().GetP4DeviceConfig())
}

func TestReconcile(t *testing.T) {
	h := newHarness(t, Options{})
	h.primary()
	require.NoError(t, h.write(
		h.insert(exact1), h.insert(lpm1), h.insert(tcam1),
		h.up(p4.Update_MODIFY, "table_entry { table_id: 0x02000002 is_default_action: true action { action { action_id: 0x01000002 } } }"),
		h.insert(`packet_replication_engine_entry { multicast_group_entry { multicast_group_id: 4 replicas { port: "\x01" instance: 1 } } }`),
		h.up(p4.Update_MODIFY, `register_entry { register_id: 0x16000002 index { index: 7 } data { struct { members { bitstring: "\x05" } members { bitstring: "\xff" } } } }`),
		h.up(p4.Update_MODIFY, `counter_entry { counter_id: 0x12000001 index { index: 2 } data { packet_count: 8 } }`),
		h.up(p4.Update_MODIFY, `meter_entry { meter_id: 0x14000001 index { index: 2 } config { cir: 5 cburst: 6 pir: 7 pburst: 8 } }`),
		h.insert("digest_entry { digest_id: 0x17000001 config { max_list_size: 1 } }"),
	))
	everything := func() (out []string) {
		for _, q := range []string{"table_entry { counter_data {} }", "table_entry { is_default_action: true }", "register_entry {}", "counter_entry {}", "meter_entry {}",
			"digest_entry {}", "packet_replication_engine_entry { multicast_group_entry {} }"} {
			out = append(out, h.read(q)...)
		}
		return out
	}
	before := everything()
	require.NoError(t, h.set(p4.SetForwardingPipelineConfigRequest_RECONCILE_AND_COMMIT, h.config("good")))
	require.Equal(t, before, everything())
	require.NoError(t, h.set(p4.SetForwardingPipelineConfigRequest_RECONCILE_AND_COMMIT, h.config("good too")))
	require.Equal(t, before, everything())
	// The target has them, too: the entry matches, and counts.
	_, err := h.target.Inject(1, []byte{1, 10, 0, 0, 1})
	require.NoError(t, err)
	require.Contains(t, h.read("table_entry { table_id: 0x02000001 counter_data {} }")[0], "packet_count:1")
}

func TestPacketIO(t *testing.T) {
	h := newHarness(t, Options{})
	s := h.primary()
	backup := h.stream()
	backup.arbitrate("", 0)
	backup.next()

	_, err := h.target.Inject(3, []byte{1, 2, 3, 4, 5, 6})
	require.NoError(t, err)
	// Injected packets come back to the injector; packet-ins come from
	// PacketOut and from ports. A packet-out to the CPU port is both.
	out := func(st *stream, text string) {
		m := &p4.StreamMessageRequest{Update: &p4.StreamMessageRequest_Packet{Packet: packetOut(t, text)}}
		require.NoError(t, st.Send(m))
	}
	out(s, `payload: "hello" metadata { metadata_id: 1 value: "\x40" } metadata { metadata_id: 2 value: "\x00" }`)
	// Ingress removes the packet_out header and the egress adds none for a
	// packet-out, so the first two bytes of the payload read as the header.
	in := s.next().GetPacket()
	require.Equal(t, "llo", string(in.GetPayload()))
	require.Equal(t, `port=d0 pad=65`, meta(in))

	for _, tt := range []struct {
		text, message string
		code          codes.Code
	}{
		{`metadata { metadata_id: 1 value: "\x40" } metadata { metadata_id: 2 value: "\x00" }`, "payload: empty", codes.InvalidArgument},
		{`payload: "x" metadata { metadata_id: 1 value: "\x40" }`, `metadata "pad": missing`, codes.InvalidArgument},
		{`payload: "x" metadata { metadata_id: 9 value: "\x40" }`, "metadata id 9", codes.InvalidArgument},
		{`payload: "x" metadata { metadata_id: 1 value: "\x02\x00" }`, `metadata "port": value of 10 bits`, codes.OutOfRange},
		{`payload: "x" metadata { metadata_id: 1 value: "\x02" } metadata { metadata_id: 1 value: "\x02" }`, "given twice", codes.InvalidArgument},
	} {
		out(s, tt.text)
		e := s.next().GetError()
		require.Equal(t, tt.code, codes.Code(e.GetCanonicalCode()), tt.text)
		require.Contains(t, e.GetMessage(), tt.message)
		require.True(t, proto.Equal(packetOut(t, tt.text), e.GetPacketOut().GetPacketOut()))
	}
	out(backup, `payload: "x" metadata { metadata_id: 1 value: "\x40" } metadata { metadata_id: 2 value: "\x00" }`)
	require.Equal(t, codes.PermissionDenied, codes.Code(backup.next().GetError().GetCanonicalCode()), "and got no packet-in before it")
	st := h.server.Stats()
	require.Equal(t, [4]uint64{1, 0, 1, 6}, [4]uint64{st.PacketIns, st.PacketInsDropped, st.PacketOuts, st.PacketOutsRefused})
}

// TestSlowClient: a primary that reads nothing costs the data plane nothing;
// what does not fit is counted.
func TestSlowClient(t *testing.T) {
	h := newHarness(t, Options{QueueDepth: 8})
	h.primary()
	const n = 100_000 // more than the queue and gRPC's window hold
	frame := append([]byte{0x20, 0x00}, make([]byte, 200)...)
	for range n { // to the CPU port, so each is a packet-in
		require.NoError(t, h.target.PacketOut(frame))
	}
	st := h.server.Stats()
	require.Equal(t, uint64(n), st.PacketIns)
	require.NotZero(t, st.PacketInsDropped)
}

func TestDigests(t *testing.T) {
	h := newHarness(t, Options{})
	s := h.primary()
	inject := func(v byte) {
		_, err := h.target.Inject(3, []byte{0xd1, 0, 0, 0, v})
		require.NoError(t, err)
	}
	inject(1) // nobody asked
	d := "digest_entry { digest_id: 0x17000001 config { max_timeout_ns: 3600000000000 max_list_size: 2 ack_timeout_ns: 3600000000000 } }"
	require.NoError(t, h.write(h.insert(d)))
	require.Equal(t, []string{text1(entity(t, d))}, h.read("digest_entry {}"))
	inject(2)
	inject(2) // not repeated while it is not acknowledged
	inject(3)
	l := s.next().GetDigest()
	require.Equal(t, uint32(0x17000001), l.GetDigestId())
	require.Equal(t, []string{"03:02", "03:03"}, members(l))
	inject(2)
	inject(4)
	require.NoError(t, s.Send(&p4.StreamMessageRequest{Update: &p4.StreamMessageRequest_DigestAck{DigestAck: &p4.DigestListAck{DigestId: 5}}}))
	require.Equal(t, codes.InvalidArgument, codes.Code(s.next().GetError().GetCanonicalCode()))
	require.NoError(t, s.Send(&p4.StreamMessageRequest{Update: &p4.StreamMessageRequest_DigestAck{DigestAck: &p4.DigestListAck{DigestId: 0x17000001, ListId: l.GetListId()}}}))
	// The acknowledgement has no answer: a refused one behind it shows that it
	// has been handled.
	require.NoError(t, s.Send(&p4.StreamMessageRequest{Update: &p4.StreamMessageRequest_DigestAck{DigestAck: &p4.DigestListAck{DigestId: 5}}}))
	s.next()
	inject(2)
	require.Equal(t, []string{"03:04", "03:02"}, members(s.next().GetDigest()))

	// A short time-out sends what there is.
	require.NoError(t, h.write(h.up(p4.Update_MODIFY, "digest_entry { digest_id: 0x17000001 config { max_timeout_ns: 1 max_list_size: 100 } }")))
	inject(9)
	require.Equal(t, []string{"03:09"}, members(s.next().GetDigest()))
	require.NoError(t, h.write(h.up(p4.Update_DELETE, "digest_entry { digest_id: 0x17000001 }")))
	c, _ := codesOf(t, h.write(h.up(p4.Update_MODIFY, d), h.insert("digest_entry { digest_id: 0x17000001 }"), h.insert("digest_entry { digest_id: 3 }")))
	require.Equal(t, []codes.Code{codes.NotFound, codes.InvalidArgument, codes.InvalidArgument}, c)
}

func members(l *p4.DigestList) (out []string) {
	for _, d := range l.GetData() {
		m := d.GetStruct().GetMembers()
		out = append(out, hex.EncodeToString(m[0].GetBitstring())+":"+hex.EncodeToString(m[1].GetBitstring()))
	}
	return out
}

func meta(in *p4.PacketIn) string {
	return fmt.Sprintf("port=%x pad=%x", in.GetMetadata()[0].GetValue(), in.GetMetadata()[1].GetValue())
}

// TestStreamErrors: what ends a stream, with which code.
func TestStreamErrors(t *testing.T) {
	h := newHarness(t, Options{})
	ends := func(s *stream, code codes.Code) {
		t.Helper()
		for {
			if _, err := s.Recv(); err != nil {
				require.Equal(t, code, status.Code(err), err)
				return
			}
		}
	}
	s := h.stream()
	s.sendArbitration(&p4.MasterArbitrationUpdate{DeviceId: 9})
	ends(s, codes.NotFound)
	s = h.stream()
	s.sendArbitration(&p4.MasterArbitrationUpdate{DeviceId: 1, Role: &p4.Role{Id: 5}})
	ends(s, codes.Unimplemented)
	s = h.stream()
	s.arbitrate("", 1)
	s.sendArbitration(&p4.MasterArbitrationUpdate{DeviceId: 2})
	ends(s, codes.FailedPrecondition)

	first := h.stream()
	first.arbitrate("", 7)
	require.Equal(t, int32(codes.OK), first.next().GetArbitration().GetStatus().GetCode())
	dup := h.stream()
	dup.arbitrate("", 7)
	ends(dup, codes.InvalidArgument)

	// The primary goes away: the backup is told that there is none.
	backup := h.stream()
	backup.arbitrate("", 3)
	require.Equal(t, int32(codes.AlreadyExists), backup.next().GetArbitration().GetStatus().GetCode())
	first.cancel()
	u := backup.next().GetArbitration()
	require.Equal(t, int32(codes.NotFound), u.GetStatus().GetCode())
	require.Equal(t, uint64(7), u.GetElectionId().GetLow())
	require.NoError(t, backup.CloseSend())
	ends(backup, codes.Unknown) // io.EOF: the stream ends well
}

func TestTargetErrorsHaveCodes(t *testing.T) {
	for err, want := range map[error]codes.Code{
		dataplane.ErrFull: codes.ResourceExhausted, dataplane.ErrUnsupported: codes.Unimplemented, dataplane.ErrNotFound: codes.NotFound,
		dataplane.ErrNoPipeline: codes.FailedPrecondition, context.Canceled: codes.Internal,
	} {
		require.Equal(t, want, code(fmt.Errorf("table x: %w", err)))
	}
}

func packetOut(t *testing.T, text string) *p4.PacketOut {
	p := &p4.PacketOut{}
	require.NoError(t, prototext.Unmarshal([]byte(text), p))
	return p
}
