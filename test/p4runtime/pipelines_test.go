package p4runtime

import (
	p4 "github.com/p4lang/p4runtime/go/p4/v1"
	"github.com/stretchr/testify/require"
	"google.golang.org/grpc/codes"
	"google.golang.org/protobuf/proto"
)

const (
	verify    = p4.SetForwardingPipelineConfigRequest_VERIFY
	save      = p4.SetForwardingPipelineConfigRequest_VERIFY_AND_SAVE
	commit    = p4.SetForwardingPipelineConfigRequest_VERIFY_AND_COMMIT
	onlyThen  = p4.SetForwardingPipelineConfigRequest_COMMIT
	reconcile = p4.SetForwardingPipelineConfigRequest_RECONCILE_AND_COMMIT

	all        = p4.GetForwardingPipelineConfigRequest_ALL
	cookieOnly = p4.GetForwardingPipelineConfigRequest_COOKIE_ONLY
	infoOnly   = p4.GetForwardingPipelineConfigRequest_P4INFO_AND_COOKIE
	deviceOnly = p4.GetForwardingPipelineConfigRequest_DEVICE_CONFIG_AND_COOKIE
)

// primary makes the client the primary of a switch without a program.
func (d *device) primary() {
	d.Helper()
	d.main = d.stream()
	d.main.claim("", 1)
	d.main.is(codes.OK, 1)
}

// unrealisable are configs that no switch can realize.
func (d *device) unrealisable() map[string]*p4.ForwardingPipelineConfig {
	noInfo, noDevice, garbage, wrong, zero := d.config(), d.config(), d.config(), d.config(), d.config()
	noInfo.P4Info, noDevice.P4DeviceConfig = nil, nil
	garbage.P4DeviceConfig = []byte("\x00not a program")
	wrong.P4Info.Tables[0].MatchFields[0].Bitwidth++
	zero.P4Info.Tables[0].Preamble.Id = 0
	return map[string]*p4.ForwardingPipelineConfig{"none": nil, "no p4info": noInfo, "no device config": noDevice, "garbage": garbage, "p4info of another": wrong, "id 0": zero}
}

// pipelines are the requirements of the pipeline config.
var pipelines = []requirement{
	{"pipe.unknown-device", func(d *device) {
		d.primary()
		_, err := d.SetForwardingPipelineConfig(d.ctx(), &p4.SetForwardingPipelineConfigRequest{DeviceId: 2, ElectionId: id(1), Action: commit, Config: d.config()})
		d.fails(codes.NotFound, err)
	}},
	{"pipe.unknown-role", func(d *device) {
		d.primary()
		_, err := d.SetForwardingPipelineConfig(d.ctx(), &p4.SetForwardingPipelineConfigRequest{DeviceId: 1, Role: "nobody", ElectionId: id(1), Action: commit, Config: d.config()})
		d.fails(codes.NotFound, err)
	}},
	{"pipe.not-primary", func(d *device) {
		d.fails(codes.PermissionDenied, d.set(commit, d.config()))
		d.primary()
		for _, election := range []*p4.Uint128{nil, id(2)} {
			for _, a := range []p4.SetForwardingPipelineConfigRequest_Action{verify, save, commit, onlyThen, reconcile} {
				_, err := d.SetForwardingPipelineConfig(d.ctx(), &p4.SetForwardingPipelineConfigRequest{DeviceId: 1, ElectionId: election, Action: a, Config: d.config()})
				d.fails(codes.PermissionDenied, err)
			}
		}
		require.Nil(d, d.get(all))
	}},
	{"pipe.unspecified", func(d *device) {
		d.primary()
		d.fails(codes.InvalidArgument, d.set(p4.SetForwardingPipelineConfigRequest_UNSPECIFIED, d.config()))
		d.fails(codes.InvalidArgument, d.set(77, d.config()))
	}},
	{"pipe.verify", func(d *device) {
		d.primary()
		require.NoError(d, d.set(verify, d.config()))
		require.Nil(d, d.get(all))
		require.NoError(d, d.set(commit, d.config()))
		d.writes(d.ins(entry(2, ten, fwd5)))
		require.NoError(d, d.set(verify, d.config()))
		d.has("table_entry { table_id: 0x02000002 }", entry(2, ten, fwd5))
		require.Equal(d, to(5), d.goes(frame(2, 0x0a000009, 0, 0)))
	}},
	{"pipe.verify-unrealizable", func(d *device) {
		d.primary()
		for name, c := range d.unrealisable() {
			d.Log(name)
			d.fails(codes.InvalidArgument, d.set(verify, c))
		}
	}},
	{"pipe.save", func(d *device) {
		d.primary()
		require.NoError(d, d.set(save, d.config()))
		require.Nil(d, d.get(all), "nothing is realized")
		require.NoError(d, d.set(onlyThen, nil))
		require.True(d, proto.Equal(d.config(), d.get(all)))
	}},
	{"pipe.save-keeps-state", func(d *device) {
		d.run()
		d.writes(d.ins(entry(2, ten, fwd5)))
		require.NoError(d, d.set(save, d.config()))
		require.Equal(d, to(5), d.goes(frame(2, 0x0a000009, 0, 0)))
	}},
	{"pipe.save-unrealizable", func(d *device) {
		d.primary()
		for _, c := range d.unrealisable() {
			d.fails(codes.InvalidArgument, d.set(save, c))
		}
		d.fails(codes.NotFound, d.set(onlyThen, nil))
	}},
	{"pipe.commit-clears", func(d *device) {
		d.run()
		d.writes(d.ins(entry(2, ten, fwd5)), d.mod(`register_entry { register_id: 0x16000001 index { index: 0 } data { bitstring: "\x09" } }`),
			d.ins(`packet_replication_engine_entry { multicast_group_entry { multicast_group_id: 1 replicas { port: "\x01" instance: 1 } } }`))
		require.NoError(d, d.set(commit, d.config()))
		d.has("table_entry { table_id: 0x02000002 }")
		d.has("packet_replication_engine_entry { multicast_group_entry { } }")
		d.has("register_entry { register_id: 0x16000001 index { index: 0 } }", `register_entry { register_id: 0x16000001 index { } data { bitstring: "\x07" } }`)
		require.Empty(d, d.goes(frame(2, 0x0a000009, 0, 0)))
	}},
	{"pipe.commit-unrealizable", func(d *device) {
		d.run()
		d.writes(d.ins(entry(2, ten, fwd5)))
		for _, c := range d.unrealisable() {
			d.fails(codes.InvalidArgument, d.set(commit, c))
		}
		d.has("table_entry { table_id: 0x02000002 }", entry(2, ten, fwd5))
	}},
	{"pipe.commit-of-nothing", func(d *device) {
		d.primary()
		d.fails(codes.NotFound, d.set(onlyThen, nil))
		require.NoError(d, d.set(save, d.config()))
		require.NoError(d, d.set(onlyThen, nil))
		d.fails(codes.NotFound, d.set(onlyThen, nil)) // it is committed already
	}},
	{"pipe.commit-with-config", func(d *device) {
		d.primary()
		require.NoError(d, d.set(save, d.config()))
		d.fails(codes.InvalidArgument, d.set(onlyThen, d.config()))
		require.Nil(d, d.get(all))
	}},
	{"pipe.reconcile-keeps", func(d *device) {
		d.run()
		d.writes(d.ins(entry(2, ten, fwd5)), d.mod(`register_entry { register_id: 0x16000001 index { index: 0 } data { bitstring: "\x09" } }`))
		c := d.config()
		c.Cookie.Cookie = 100
		require.NoError(d, d.set(reconcile, c))
		d.has("table_entry { table_id: 0x02000002 }", entry(2, ten, fwd5))
		d.has("register_entry { register_id: 0x16000001 index { index: 0 } }", `register_entry { register_id: 0x16000001 index { } data { bitstring: "\x09" } }`)
		require.Equal(d, to(5), d.goes(frame(2, 0x0a000009, 0, 0)))
		require.EqualValues(d, 100, d.get(cookieOnly).GetCookie().GetCookie())
	}},
	{"pipe.reconcile-unrealizable", func(d *device) {
		d.run()
		for _, c := range d.unrealisable() {
			d.fails(codes.InvalidArgument, d.set(reconcile, c))
		}
	}},
	{"pipe.reconcile-first", func(d *device) {
		d.primary()
		require.NoError(d, d.set(reconcile, d.config()))
		require.True(d, proto.Equal(d.config(), d.get(all)))
	}},
	{"get.unknown-device", func(d *device) {
		_, err := d.GetForwardingPipelineConfig(d.ctx(), &p4.GetForwardingPipelineConfigRequest{DeviceId: 2})
		d.fails(codes.NotFound, err)
	}},
	{"get.none", func(d *device) {
		for _, r := range []p4.GetForwardingPipelineConfigRequest_ResponseType{all, cookieOnly, infoOnly, deviceOnly} {
			require.Nil(d, d.get(r))
		}
	}},
	{"get.all", func(d *device) {
		d.run()
		require.True(d, proto.Equal(d.config(), d.get(all)))
	}},
	{"get.cookie-only", func(d *device) {
		d.run()
		require.True(d, proto.Equal(&p4.ForwardingPipelineConfig{Cookie: d.config().Cookie}, d.get(cookieOnly)))
	}},
	{"get.p4info-and-cookie", func(d *device) {
		d.run()
		c := d.config()
		c.P4DeviceConfig = nil
		require.True(d, proto.Equal(c, d.get(infoOnly)))
	}},
	{"get.device-config-and-cookie", func(d *device) {
		d.run()
		c := d.config()
		c.P4Info = nil
		require.True(d, proto.Equal(c, d.get(deviceOnly)))
	}},
	{"get.no-cookie", func(d *device) {
		d.primary()
		c := d.config()
		c.Cookie = nil
		require.NoError(d, d.set(commit, c))
		require.Nil(d, d.get(all).GetCookie())
		c.Cookie = &p4.ForwardingPipelineConfig_Cookie{} // zero is not unset
		require.NoError(d, d.set(commit, c))
		require.NotNil(d, d.get(all).GetCookie())
	}},
	{"get.unknown-type", func(d *device) {
		d.run()
		_, err := d.GetForwardingPipelineConfig(d.ctx(), &p4.GetForwardingPipelineConfigRequest{DeviceId: 1, ResponseType: 9})
		d.fails(codes.InvalidArgument, err)
	}},
	{"get.backup-may-read", func(d *device) {
		d.run()
		d.main.cancel()
		require.True(d, proto.Equal(d.config(), d.get(all)))
	}},
}
