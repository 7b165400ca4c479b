package p4runtime

import (
	p4 "github.com/p4lang/p4runtime/go/p4/v1"
	"github.com/stretchr/testify/require"
	"google.golang.org/grpc/codes"
	"google.golang.org/protobuf/types/known/anypb"
)

// sessions are the requirements of arbitration and of calls that need no program.
var sessions = []requirement{
	{"arb.first-is-primary", func(d *device) {
		s := d.stream()
		s.claim("", 5)
		a := s.is(codes.OK, 5)
		require.EqualValues(d, 1, a.GetDeviceId())
		require.Nil(d, a.GetRole())
	}},
	{"arb.unknown-device", func(d *device) {
		s := d.stream()
		s.update(&p4.MasterArbitrationUpdate{DeviceId: 2, ElectionId: id(1)})
		s.ends(codes.NotFound)
	}},
	{"arb.device-zero", func(d *device) {
		s := d.stream()
		s.update(&p4.MasterArbitrationUpdate{ElectionId: id(1)})
		s.ends(codes.NotFound)
	}},
	{"arb.duplicate-id", func(d *device) {
		a, b := d.stream(), d.stream()
		a.claim("", 5)
		a.is(codes.OK, 5)
		b.claim("", 5)
		b.ends(codes.InvalidArgument)
	}},
	{"arb.duplicate-id-later", func(d *device) {
		a, b := d.stream(), d.stream()
		a.claim("", 5)
		a.is(codes.OK, 5)
		b.claim("", 4)
		b.is(codes.AlreadyExists, 5)
		b.claim("", 5)
		b.ends(codes.InvalidArgument)
	}},
	{"arb.id-free-again", func(d *device) {
		a, b := d.stream(), d.stream()
		b.watch("")
		b.next()
		a.claim("", 5)
		a.is(codes.OK, 5)
		b.is(codes.AlreadyExists, 5)
		a.cancel()
		b.is(codes.NotFound, 5)
		b.claim("", 5)
		b.is(codes.OK, 5)
	}},
	{"arb.role-config", func(d *device) {
		s := d.stream()
		s.update(&p4.MasterArbitrationUpdate{DeviceId: 1, ElectionId: id(1), Role: &p4.Role{Name: "r", Config: &anypb.Any{TypeUrl: "type.googleapis.com/x"}}})
		s.ends(codes.InvalidArgument)
	}},
	{"arb.role-config-later", func(d *device) {
		s := d.stream()
		s.claim("r", 1)
		s.is(codes.OK, 1)
		s.update(&p4.MasterArbitrationUpdate{DeviceId: 1, ElectionId: id(1), Role: &p4.Role{Name: "r", Config: &anypb.Any{TypeUrl: "type.googleapis.com/x"}}})
		s.ends(codes.InvalidArgument)
	}},
	{"arb.device-changes", func(d *device) {
		s := d.stream()
		s.claim("", 1)
		s.update(&p4.MasterArbitrationUpdate{DeviceId: 2, ElectionId: id(1)})
		s.ends(codes.FailedPrecondition)
	}},
	{"arb.role-changes", func(d *device) {
		s := d.stream()
		s.claim("a", 1)
		s.claim("b", 1)
		s.ends(codes.FailedPrecondition)
	}},
	{"arb.higher-takes-over", func(d *device) {
		a, b := d.stream(), d.stream()
		a.claim("", 5)
		a.is(codes.OK, 5)
		b.claim("", 6)
		b.is(codes.OK, 6)
		a.is(codes.AlreadyExists, 6)
	}},
	{"arb.lower-is-backup", func(d *device) {
		a, b := d.stream(), d.stream()
		a.claim("", 5)
		a.is(codes.OK, 5)
		b.claim("", 4)
		b.is(codes.AlreadyExists, 5)
		// Only the client that asked is told: the next that the primary hears is the answer to its own message.
		a.claim("", 7)
		a.is(codes.OK, 7)
	}},
	{"arb.high-word", func(d *device) {
		a, b := d.stream(), d.stream()
		a.arbitrate("", &p4.Uint128{Low: 1 << 63})
		a.is(codes.OK, 1<<63)
		b.arbitrate("", &p4.Uint128{High: 1})
		require.EqualValues(d, 1, b.is(codes.OK, 0).GetElectionId().GetHigh())
		a.is(codes.AlreadyExists, 0)
	}},
	{"arb.same-id-again", func(d *device) {
		a := d.stream()
		for range 2 {
			a.claim("", 5)
			a.is(codes.OK, 5)
		}
	}},
	{"arb.primary-raises", func(d *device) {
		a, b := d.stream(), d.stream()
		a.claim("", 5)
		a.is(codes.OK, 5)
		b.claim("", 4)
		b.is(codes.AlreadyExists, 5)
		a.claim("", 9)
		a.is(codes.OK, 9)
		b.is(codes.AlreadyExists, 9)
	}},
	{"arb.primary-steps-down", func(d *device) {
		a, b := d.stream(), d.stream()
		a.claim("", 5)
		a.is(codes.OK, 5)
		b.claim("", 4)
		b.is(codes.AlreadyExists, 5)
		a.claim("", 3)
		a.is(codes.NotFound, 5)
		b.is(codes.NotFound, 5)
	}},
	{"arb.primary-leaves", func(d *device) {
		a, b, c := d.stream(), d.stream(), d.stream()
		a.claim("", 5)
		a.is(codes.OK, 5)
		b.claim("", 4)
		b.is(codes.AlreadyExists, 5)
		c.watch("")
		c.is(codes.AlreadyExists, 5)
		a.cancel()
		b.is(codes.NotFound, 5)
		c.is(codes.NotFound, 5)
	}},
	{"arb.no-primary-until-asked", func(d *device) {
		a, b := d.stream(), d.stream()
		a.claim("", 5)
		a.is(codes.OK, 5)
		b.claim("", 4)
		b.is(codes.AlreadyExists, 5)
		a.cancel()
		b.is(codes.NotFound, 5)
		_, err := d.Write(d.ctx(), &p4.WriteRequest{DeviceId: 1, ElectionId: id(4)})
		d.fails(codes.PermissionDenied, err)
		b.claim("", 4)
		b.is(codes.NotFound, 5)
		b.claim("", 6)
		b.is(codes.OK, 6)
	}},
	{"arb.highest-ever", func(d *device) {
		a := d.stream()
		a.claim("", 9)
		a.is(codes.OK, 9)
		a.cancel()
		a.ends(codes.Canceled)
		b := d.stream()
		b.watch("")
		for b.next().GetArbitration().GetStatus().GetCode() != int32(codes.NotFound) { // the server has seen a go
		}
		b.claim("", 8)
		b.is(codes.NotFound, 9)
	}},
	{"arb.unset-id", func(d *device) {
		a := d.stream()
		a.watch("")
		m := a.next().GetArbitration()
		require.Equal(d, codes.NotFound, codes.Code(m.GetStatus().GetCode()))
		require.Nil(d, m.GetElectionId(), "nobody has been the primary")
	}},
	{"arb.unset-ids-coexist", func(d *device) {
		a, b := d.stream(), d.stream()
		for _, s := range []*stream{a, b} {
			s.watch("")
			require.Equal(d, codes.NotFound, codes.Code(s.next().GetArbitration().GetStatus().GetCode()))
		}
	}},
	{"arb.id-zero", func(d *device) {
		a, b := d.stream(), d.stream()
		a.arbitrate("", &p4.Uint128{})
		a.is(codes.OK, 0)
		b.arbitrate("", &p4.Uint128{})
		b.ends(codes.InvalidArgument)
	}},
	{"arb.roles-apart", func(d *device) {
		a, b, c := d.stream(), d.stream(), d.stream()
		a.claim("", 5)
		a.is(codes.OK, 5)
		b.claim("other", 5)
		require.Equal(d, "other", b.is(codes.OK, 5).GetRole().GetName())
		c.claim("other", 6)
		c.is(codes.OK, 6)
		b.is(codes.AlreadyExists, 6)
		// The default role has heard nothing of it.
		a.claim("", 7)
		a.is(codes.OK, 7)
	}},
	{"arb.no-session-to-read", func(d *device) {
		_, err := d.Capabilities(d.ctx(), &p4.CapabilitiesRequest{})
		require.NoError(d, err)
		_, err = d.query("table_entry {}")
		d.fails(codes.FailedPrecondition, err) // not of a missing session
	}},
	{"arb.answer-without-request", func(d *device) {
		s := d.stream()
		s.update(&p4.MasterArbitrationUpdate{DeviceId: 1, ElectionId: id(3)})
		require.NotNil(d, s.is(codes.OK, 3).GetStatus(), "the server fills the status in")
	}},
	{"cap.version", func(d *device) {
		r, err := d.Capabilities(d.ctx(), &p4.CapabilitiesRequest{})
		require.NoError(d, err)
		require.Equal(d, "1.5.0", r.GetP4RuntimeApiVersion())
	}},
	{"cap.device", func(d *device) {
		r, err := d.Capabilities(d.ctx(), &p4.CapabilitiesRequest{DeviceId: 1})
		require.NoError(d, err)
		require.Equal(d, "1.5.0", r.GetP4RuntimeApiVersion())
	}},
	{"cap.unknown-device", func(d *device) {
		_, err := d.Capabilities(d.ctx(), &p4.CapabilitiesRequest{DeviceId: 2})
		d.fails(codes.NotFound, err)
	}},
	{"write.unknown-device", func(d *device) {
		_, err := d.Write(d.ctx(), &p4.WriteRequest{DeviceId: 2, ElectionId: id(1)})
		d.fails(codes.NotFound, err)
	}},
	{"write.unknown-role", func(d *device) {
		_, err := d.Write(d.ctx(), &p4.WriteRequest{DeviceId: 1, Role: "nobody", ElectionId: id(1)})
		d.fails(codes.NotFound, err)
	}},
	{"write.not-primary", func(d *device) {
		a, b := d.stream(), d.stream()
		a.claim("", 5)
		a.is(codes.OK, 5)
		b.claim("", 4)
		b.is(codes.AlreadyExists, 5)
		for _, election := range []*p4.Uint128{nil, {}, id(4), id(6), {High: 5}, {High: 1, Low: 5}} {
			_, err := d.Write(d.ctx(), &p4.WriteRequest{DeviceId: 1, ElectionId: election})
			d.fails(codes.PermissionDenied, err)
		}
	}},
	{"write.role-and-id", func(d *device) {
		a, b := d.stream(), d.stream()
		a.claim("a", 5)
		a.is(codes.OK, 5)
		b.claim("b", 6)
		b.is(codes.OK, 6)
		_, err := d.Write(d.ctx(), &p4.WriteRequest{DeviceId: 1, Role: "a", ElectionId: id(6)})
		d.fails(codes.PermissionDenied, err)
		_, err = d.Write(d.ctx(), &p4.WriteRequest{DeviceId: 1, Role: "a", ElectionId: id(5)})
		d.fails(codes.FailedPrecondition, err) // it is the primary
	}},
	{"write.default-role-unset", func(d *device) {
		a := d.stream()
		a.claim("", 5)
		a.is(codes.OK, 5)
		_, err := d.Write(d.ctx(), &p4.WriteRequest{DeviceId: 1, Role: "x", ElectionId: id(5)})
		d.fails(codes.NotFound, err)
	}},
	{"write.no-pipeline", func(d *device) {
		a := d.stream()
		a.claim("", 1)
		a.is(codes.OK, 1)
		_, err := d.Write(d.ctx(), d.request(d.ins(entry(2, "", fwd5))))
		d.fails(codes.FailedPrecondition, err)
	}},
	{"read.no-pipeline", func(d *device) {
		_, err := d.query("table_entry {}")
		d.fails(codes.FailedPrecondition, err)
	}},
	{"read.unknown-device", func(d *device) {
		r, err := d.Read(d.ctx(), &p4.ReadRequest{DeviceId: 2})
		require.NoError(d, err)
		_, err = r.Recv()
		d.fails(codes.NotFound, err)
	}},
	{"stream.arbitration-is-no-stream-error", func(d *device) {
		s := d.stream()
		s.update(&p4.MasterArbitrationUpdate{DeviceId: 7})
		_, err := s.Recv()
		d.fails(codes.NotFound, err)
	}},
	{"stream.unknown-message", func(d *device) {
		s := d.stream()
		require.NoError(d, s.Send(&p4.StreamMessageRequest{}))
		require.NotNil(d, s.fails(codes.Unimplemented).GetOther())
	}},
	{"stream.other", func(d *device) {
		s := d.stream()
		require.NoError(d, s.Send(&p4.StreamMessageRequest{Update: &p4.StreamMessageRequest_Other{Other: &anypb.Any{TypeUrl: "type.googleapis.com/x"}}}))
		require.NotNil(d, s.fails(codes.Unimplemented).GetOther())
	}},
	{"packet.no-pipeline", func(d *device) {
		s := d.stream()
		s.claim("", 1)
		s.is(codes.OK, 1)
		s.out(`payload: "x"`)
		require.NotNil(d, s.fails(codes.FailedPrecondition).GetPacketOut())
	}},
}
