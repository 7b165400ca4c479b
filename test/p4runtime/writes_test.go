package p4runtime

import (
	"bytes"
	"fmt"
	"sync"

	p4 "github.com/p4lang/p4runtime/go/p4/v1"
	"github.com/stretchr/testify/require"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

// writes are the requirements of batches, and of values.
var writes = []requirement{
	{"write.empty", func(d *device) { d.writes() }},
	{"write.all-ok", func(d *device) {
		_, err := d.Write(d.ctx(), d.request(d.ins(entry(1, one, hit5)), d.ins(entry(2, ten, fwd5))))
		require.NoError(d, err)
	}},
	{"write.insert-exists", func(d *device) {
		d.writes(d.ins(entry(1, one, hit5)))
		d.refuses(codes.AlreadyExists, d.ins(entry(1, one, hit6)))
		d.has("table_entry { table_id: 0x02000001 }", entry(1, one, hit5))
		require.Equal(d, to(5), d.goes(frame(1, 0x0a000001, 1, 0)))
	}},
	{"write.insert-full", func(d *device) {
		match := `match { field_id: 1 exact { value: "\x%02x" } } match { field_id: 2 exact { value: "\x01" } }`
		for i := range 4 {
			d.writes(d.ins(entry(1, fmt.Sprintf(match, i), hit5)))
		}
		d.refuses(codes.ResourceExhausted, d.ins(entry(1, fmt.Sprintf(match, 9), hit5)))
		require.Len(d, d.reads("table_entry { table_id: 0x02000001 }"), 4)
		d.writes(d.del(entry(1, fmt.Sprintf(match, 0), "")), d.ins(entry(1, fmt.Sprintf(match, 9), hit5)))
	}},
	{"write.modify", func(d *device) {
		d.writes(d.ins(entry(1, one, hit5+` metadata: "m"`)), d.mod(entry(1, one, hit6)))
		d.has("table_entry { table_id: 0x02000001 }", entry(1, one, hit6)) // the metadata, too, is what the new one has
		require.Equal(d, to(6), d.goes(frame(1, 0x0a000001, 1, 0)))
	}},
	{"write.modify-missing", func(d *device) {
		d.refuses(codes.NotFound, d.mod(entry(1, one, hit5)))
		d.has("table_entry { table_id: 0x02000001 }")
	}},
	{"write.delete", func(d *device) {
		d.writes(d.ins(entry(1, one, hit5)), d.del(entry(1, one, "")))
		d.has("table_entry { table_id: 0x02000001 }")
		require.Equal(d, to(3), d.goes(frame(1, 0x0a000001, 1, 0)))
	}},
	{"write.delete-missing", func(d *device) { d.refuses(codes.NotFound, d.del(entry(1, one, ""))) }},
	{"write.delete-ignores-the-rest", func(d *device) {
		d.writes(d.ins(entry(1, one, hit5)))
		d.writes(d.del(entry(1, one, action(0x99, `params { param_id: 7 }`)+` metadata: "x" controller_metadata: 3 idle_timeout_ns: -5 meter_config { cir: -1 } counter_data { packet_count: -1 } meter_counter_data { }`)))
		d.has("table_entry { table_id: 0x02000001 }")
	}},
	{"write.malformed", func(d *device) {
		d.refuses(codes.InvalidArgument, &p4.Update{Type: p4.Update_INSERT}, &p4.Update{Type: p4.Update_INSERT, Entity: &p4.Entity{}},
			d.ins("packet_replication_engine_entry { }"), d.mod("direct_counter_entry { }"))
	}},
	{"write.type-unknown", func(d *device) {
		for _, t := range []p4.Update_Type{p4.Update_UNSPECIFIED, 4, 99, -1} {
			d.refuses(codes.InvalidArgument, d.up(t, entry(1, one, hit5)))
		}
		d.has("table_entry { table_id: 0x02000001 }")
	}},
	{"write.id-zero", func(d *device) {
		d.refuses(codes.InvalidArgument, d.ins("table_entry { "+hit5+" }"), d.mod("counter_entry { index { } data { } }"), d.mod("meter_entry { index { } }"),
			d.mod(`register_entry { index { } data { bitstring: "\x01" } }`), d.ins("digest_entry { config { max_list_size: 1 } }"), d.ins(entry(1, one, "action { action { } }")))
	}},
	{"write.id-of-another-kind", func(d *device) {
		d.refuses(codes.InvalidArgument, d.ins(fmt.Sprintf("table_entry { table_id: %d %s }", 0x01000001, hit5)), d.mod("counter_entry { counter_id: 0x14000001 data { } }"))
	}},
	{"write.continue-on-error", func(d *device) {
		_, err := d.Write(d.ctx(), d.request(d.del(entry(1, two, "")), d.ins(entry(1, one, hit5)), d.ins(entry(9, one, hit5)), d.ins(entry(2, ten, fwd5))))
		require.Equal(d, []codes.Code{codes.NotFound, codes.OK, codes.InvalidArgument, codes.OK}, d.details(err))
		require.Equal(d, to(5), d.goes(frame(1, 0x0a000001, 1, 0)))
		require.Equal(d, to(5), d.goes(frame(2, 0x0a000001, 1, 0)))
	}},
	{"write.one-error-per-update", func(d *device) {
		_, err := d.Write(d.ctx(), d.request(d.ins(entry(1, one, hit5)), d.ins(entry(1, one, hit5))))
		st := status.Convert(err)
		require.Equal(d, codes.Unknown, st.Code())
		require.NotEmpty(d, st.Message())
		require.Len(d, st.Details(), 2)
		ok, bad := st.Details()[0].(*p4.Error), st.Details()[1].(*p4.Error)
		require.Empty(d, ok.String(), "of an update that succeeded, nothing but the code")
		require.Equal(d, codes.AlreadyExists, codes.Code(bad.GetCanonicalCode()))
		require.NotEmpty(d, bad.GetMessage())
		require.NotEmpty(d, bad.GetSpace())
	}},
	{"write.error-of-the-call", func(d *device) {
		_, err := d.Write(d.ctx(), &p4.WriteRequest{DeviceId: 2, ElectionId: id(1), Updates: []*p4.Update{d.ins(entry(1, one, hit5))}})
		d.fails(codes.NotFound, err) // without details
	}},
	{"write.rollback", func(d *device) {
		req := d.request(d.ins(entry(1, one, hit5)))
		req.Atomicity = p4.WriteRequest_ROLLBACK_ON_ERROR
		_, err := d.Write(d.ctx(), req)
		d.fails(codes.Unimplemented, err)
		d.has("table_entry { table_id: 0x02000001 }")
	}},
	{"write.dataplane-atomic", func(d *device) {
		req := d.request(d.ins(entry(1, one, hit5)))
		req.Atomicity = p4.WriteRequest_DATAPLANE_ATOMIC
		_, err := d.Write(d.ctx(), req)
		d.fails(codes.Unimplemented, err)
		d.has("table_entry { table_id: 0x02000001 }")
	}},
	{"write.mixed-kinds", func(d *device) {
		d.writes(d.ins(entry(1, one, hit5)), d.mod("counter_entry { counter_id: 0x12000001 index { index: 1 } data { packet_count: 5 } }"),
			d.ins(`packet_replication_engine_entry { multicast_group_entry { multicast_group_id: 1 replicas { port: "\x01" } } }`))
	}},
	{"write.serialized", func(d *device) {
		// Two clients change the same entry, each in a batch of both states: whoever is second finds what the first has left.
		var wait sync.WaitGroup
		fails := make([]error, 8)
		for i := range fails {
			wait.Go(func() {
				_, fails[i] = d.Write(d.ctx(), d.request(d.ins(entry(1, one, hit5)), d.mod(entry(1, one, hit6)), d.del(entry(1, one, ""))))
			})
		}
		wait.Wait()
		for _, err := range fails {
			require.NoError(d, err)
		}
		d.has("table_entry { table_id: 0x02000001 }")
	}},
	{"write.done-when-answered", func(d *device) {
		for range 20 {
			d.writes(d.ins(entry(1, one, hit5)))
			require.Equal(d, to(5), d.goes(frame(1, 0x0a000001, 1, 0)))
			d.writes(d.del(entry(1, one, "")))
			require.Equal(d, to(3), d.goes(frame(1, 0x0a000001, 1, 0)))
		}
	}},
	{"write.atomic", func(d *device) {
		d.writes(d.ins(entry(1, one, hit5)))
		done := make(chan struct{})
		go func() {
			defer close(done)
			for range 100 {
				for _, a := range []string{hit6, hit5} {
					if _, err := d.Write(d.ctx(), d.request(d.mod(entry(1, one, a)))); err != nil {
						d.Errorf("modify: %v", err)
						return
					}
				}
			}
		}()
		for more := true; more; {
			select {
			case <-done:
				more = false
			default:
			}
			out := d.goes(frame(1, 0x0a000001, 1, 0))
			require.Len(d, out, 1)
			require.Contains(d, to(5, 6), out[0], "neither the default entry, nor a bit of each")
		}
	}},
	{"write.large-batch", func(d *device) {
		u := d.ins(entry(2, ten, fwd5))
		u.GetEntity().GetTableEntry().Metadata = bytes.Repeat([]byte{1}, 5<<20) // more than gRPC's 4 MB
		d.writes(u)
	}},
	{"write.unsupported-kinds", func(d *device) {
		for _, text := range []string{
			"extern_entry { extern_type_id: 0x81 }",
			"packet_replication_engine_entry { clone_session_entry { session_id: 1 } }"} {
			for _, t := range []p4.Update_Type{p4.Update_INSERT, p4.Update_MODIFY, p4.Update_DELETE} {
				_, err := d.Write(d.ctx(), d.request(d.up(t, text)))
				require.Equal(d, []codes.Code{codes.Unimplemented}, d.details(err))
				require.Contains(d, status.Convert(err).Details()[0].(*p4.Error).GetMessage(), "not supported by this server: ", "the reason follows")
			}
		}
	}},
	{"bytes.shortest-is-answered", func(d *device) {
		d.writes(d.ins(entry(1, `match { field_id: 1 exact { value: "\x00\x00\x00\x2a" } } match { field_id: 2 exact { value: "\x00\x00" } }`,
			action(4, `params { param_id: 1 value: "\x00\x05" } params { param_id: 2 value: "\x00" }`))))
		d.has("table_entry { table_id: 0x02000001 }", entry(1, `match { field_id: 1 exact { value: "\x2a" } } match { field_id: 2 exact { value: "\x00" } }`,
			action(4, `params { param_id: 1 value: "\x05" } params { param_id: 2 value: "\x00" }`)))
	}},
	{"bytes.any-length", func(d *device) {
		d.writes(d.ins(entry(1, one, hit5)))
		long := `match { field_id: 1 exact { value: "\x00\x00\x00\x00\x00\x0a\x00\x00\x01" } } match { field_id: 2 exact { value: "\x00\x00\x00\x00\x00\x01" } }`
		d.refuses(codes.AlreadyExists, d.ins(entry(1, long, hit5))) // it is the same value
		d.writes(d.del(entry(1, long, "")))
	}},
	{"bytes.too-wide", func(d *device) {
		d.refuses(codes.OutOfRange,
			d.ins(entry(1, `match { field_id: 1 exact { value: "\x01\x00\x00\x00\x00" } } match { field_id: 2 exact { value: "\x01" } }`, hit5)),
			d.ins(entry(1, `match { field_id: 1 exact { value: "\x01" } } match { field_id: 2 exact { value: "\x01\x00\x00" } }`, hit5)),
			d.ins(entry(1, one, action(4, `params { param_id: 1 value: "\x02\x00" } params { param_id: 2 value: "\x00" }`))),
			d.ins(entry(1, one, action(4, `params { param_id: 1 value: "\x01" } params { param_id: 2 value: "\x10\x00" }`))))
		// The widest that fit.
		d.writes(d.ins(entry(1, `match { field_id: 1 exact { value: "\xff\xff\xff\xff" } } match { field_id: 2 exact { value: "\xff\xff" } }`,
			action(4, `params { param_id: 1 value: "\x01\xff" } params { param_id: 2 value: "\x0f\xff" }`))))
	}},
	{"bytes.empty", func(d *device) {
		d.refuses(codes.OutOfRange,
			d.ins(entry(1, `match { field_id: 1 exact { } } match { field_id: 2 exact { value: "\x01" } }`, hit5)),
			d.ins(entry(2, `match { field_id: 1 lpm { prefix_len: 8 } }`, fwd5)),
			d.ins(entry(3, `match { field_id: 1 ternary { value: "\x01" } } priority: 1`, fwd5)),
			d.ins(entry(3, `match { field_id: 2 range { low: "\x01" } } priority: 1`, fwd5)),
			d.ins(entry(3, `match { field_id: 3 optional { } } priority: 1`, fwd5)),
			d.ins(entry(1, one, action(4, `params { param_id: 1 } params { param_id: 2 value: "\x00" }`))),
			d.mod("register_entry { register_id: 0x16000001 index { } data { bitstring: \"\" } }"))
	}},
	{"bytes.big-endian", func(d *device) {
		d.writes(d.ins(entry(1, `match { field_id: 1 exact { value: "\x01\x02" } } match { field_id: 2 exact { value: "\x01\x00" } }`, hit5)))
		require.Equal(d, to(5), d.goes(frame(1, 0x0102, 0x0100, 0)))
		require.Equal(d, to(3), d.goes(frame(1, 0x0201, 0x0001, 0)))
	}},
}
