package p4rt

import (
	"errors"
	"strings"
	"testing"

	p4 "github.com/p4lang/p4runtime/go/p4/v1"
	"github.com/stretchr/testify/require"
	"google.golang.org/grpc/codes"

	"github.com/p4ce/p4ce/bpf/bundle"
	"github.com/p4ce/p4ce/dataplane"
	"github.com/p4ce/p4ce/dataplane/interp"
	p4src "github.com/p4ce/p4ce/p4"
	"github.com/p4ce/p4ce/p4/lang"
)

// A controller in the same process writes what another would write by gRPC, and is told the
// same errors; packets have the program's headers.
func TestLocal(t *testing.T) {
	prog, diags := lang.Compile(lang.Options{Path: p4src.Source("rdma"), FS: p4src.FS})
	require.False(t, diags.HasErrors())
	info, err := p4src.Info("rdma")
	require.NoError(t, err)
	target := interp.New(interp.Options{})
	defer target.Close()
	l, err := NewLocal(target, prog, info)
	require.NoError(t, err)

	var table, action, param uint32
	for _, x := range info.GetTables() {
		if x.GetPreamble().GetAlias() == "l2" {
			table = x.GetPreamble().GetId()
		}
	}
	for _, x := range info.GetActions() {
		if x.GetPreamble().GetAlias() == "forward" {
			action, param = x.GetPreamble().GetId(), x.GetParams()[0].GetId()
		}
	}
	require.NotZero(t, table)
	require.NotZero(t, action)
	update := func(op p4.Update_Type, port byte) *p4.Update {
		return &p4.Update{Type: op, Entity: &p4.Entity{Entity: &p4.Entity_TableEntry{TableEntry: &p4.TableEntry{
			TableId: table,
			Match:   []*p4.FieldMatch{{FieldId: 1, FieldMatchType: &p4.FieldMatch_Exact_{Exact: &p4.FieldMatch_Exact{Value: []byte{2, 0, 0, 0, 0, 9}}}}},
			Action: &p4.TableAction{Type: &p4.TableAction_Action{Action: &p4.Action{
				ActionId: action, Params: []*p4.Action_Param{{ParamId: param, Value: []byte{port}}},
			}}},
		}}}}
	}
	code := func(err error) codes.Code {
		var le *LocalError
		require.True(t, errors.As(err, &le), "%v", err)
		return le.Code
	}
	require.Equal(t, codes.NotFound, code(l.Write(update(p4.Update_MODIFY, 3))))
	require.NoError(t, l.Write(update(p4.Update_INSERT, 3)))
	require.Equal(t, codes.AlreadyExists, code(l.Write(update(p4.Update_INSERT, 3))))
	frame := append([]byte{2, 0, 0, 0, 0, 9, 2, 0, 0, 0, 0, 1, 0x88, 0xb5}, make([]byte, 50)...)
	var out []dataplane.Port
	sink := interp.Sink{Send: func(p dataplane.Port, _ []byte) { out = append(out, p) }, Drop: func(string) {}}
	require.NoError(t, target.Run(1, frame, 0, &sink))
	require.Equal(t, []dataplane.Port{3}, out)
	require.NoError(t, l.Write(update(p4.Update_DELETE, 3)))

	// What nobody knows goes up, with its port; what comes down says where to.
	var up []byte
	sink.Send = func(p dataplane.Port, b []byte) { require.Equal(t, target.CPUPort(), p); up = append([]byte{}, b...) }
	require.NoError(t, target.Run(7, frame, 0, &sink))
	in := l.PacketIn(up)
	require.Equal(t, frame, in.GetPayload())
	require.Nil(t, l.PacketIn(up[:1]), "shorter than the header")
	down := &p4.PacketOut{Payload: frame}
	for _, m := range info.GetControllerPacketMetadata() {
		if m.GetPreamble().GetName() != "packet_out" {
			continue
		}
		for _, f := range m.GetMetadata() {
			v := byte(0)
			if f.GetName() == "egress_port" {
				v = 5
			}
			down.Metadata = append(down.Metadata, &p4.PacketMetadata{MetadataId: f.GetId(), Value: []byte{v}})
		}
	}
	b, err := l.PacketOut(down)
	require.NoError(t, err)
	out = nil
	sink.Send = func(p dataplane.Port, got []byte) { out = append(out, p); require.Equal(t, frame, got) }
	require.NoError(t, target.Run(target.CPUPort(), b, 0, &sink))
	require.Equal(t, []dataplane.Port{5}, out)
	_, err = l.PacketOut(&p4.PacketOut{Payload: frame})
	require.ErrorContains(t, err, "missing")
	require.Nil(t, l.Digest(dataplane.Digest{Digest: prog.Digests[0]}), "nobody has asked for it")
	require.ErrorIs(t, interp.New(interp.Options{}).Run(1, frame, 0, &sink), dataplane.ErrNoPipeline)
}

// Locals of one program share its const entries, which nobody can write, and nothing else.
func TestLocalsShare(t *testing.T) {
	prog, diags := lang.Compile(lang.Options{Path: p4src.Source("rdma"), FS: p4src.FS})
	require.False(t, diags.HasErrors())
	info, err := p4src.Info("rdma")
	require.NoError(t, err)
	p, err := NewLocalProgram(prog, info)
	require.NoError(t, err)
	var locals []*Local
	for range 2 {
		target := interp.New(interp.Options{})
		defer target.Close()
		l, err := p.Start(target)
		require.NoError(t, err)
		locals = append(locals, l)
	}
	shared, written := 0, 0
	a, b := locals[0].s.st, locals[1].s.st
	for _, id := range p.sch.tableIDs {
		tb := p.sch.tables[id]
		if tb.src.ConstEntries {
			require.Len(t, a.entries[tb], len(tb.src.Entries), tb.name)
			for key, e := range a.entries[tb] {
				shared++
				require.Same(t, e, b.entries[tb][key], tb.name)
				err := locals[0].Write(&p4.Update{Type: p4.Update_DELETE, Entity: &p4.Entity{Entity: &p4.Entity_TableEntry{TableEntry: a.readable(e)}}})
				require.ErrorContains(t, err, "const")
			}
			continue
		}
		if tb.name != "l2" && !strings.HasSuffix(tb.name, ".l2") {
			continue
		}
		written++
		var call *p4.TableAction
		for aid, sc := range tb.actions {
			if len(sc.act.params) == 1 {
				call = sc.act.encode([][]byte{{0, 3}})
				call.GetAction().ActionId = aid
			}
		}
		require.NotNil(t, call)
		require.NoError(t, locals[0].Write(&p4.Update{Type: p4.Update_INSERT, Entity: &p4.Entity{Entity: &p4.Entity_TableEntry{TableEntry: &p4.TableEntry{
			TableId: id, Action: call,
			Match: []*p4.FieldMatch{{FieldId: 1, FieldMatchType: &p4.FieldMatch_Exact_{Exact: &p4.FieldMatch_Exact{Value: []byte{2, 0, 0, 0, 0, 9}}}}},
		}}}}))
		require.Len(t, a.entries[tb], 1)
		require.Empty(t, b.entries[tb])
	}
	require.Greater(t, shared, 4000)
	require.Equal(t, 1, written)
}

// TestServerLocal: the process that has a server loads a program and writes without taking part in arbitration, and a client is the
// primary as before.
func TestServerLocal(t *testing.T) {
	h := newHarness(t, Options{Trust: func([]byte) error { return errors.New("not trusted") }})
	l := h.server.Local()
	code := func(err error) codes.Code {
		var le *LocalError
		require.ErrorAs(t, err, &le)
		require.NotContains(t, err.Error(), "rpc error")
		return le.Code
	}
	word := entity(t, "register_entry { register_id: 0x16000001 index { index: 3 } data { bitstring: '\\007' } }")
	_, err := l.Read(t.Context(), word)
	require.Equal(t, codes.FailedPrecondition, code(err))
	require.Equal(t, codes.InvalidArgument, code(l.Load(&p4.ForwardingPipelineConfig{})))
	config := h.config("good")
	config.P4DeviceConfig, err = bundle.Bundle{Program: "prog", Source: "good", Object: []byte("object")}.Marshal()
	require.NoError(t, err)
	require.NoError(t, l.Load(config))
	set := &p4.Update{Type: p4.Update_MODIFY, Entity: word}
	require.NoError(t, l.Write(set))
	require.Error(t, h.write(set), "a client that is no primary may not")
	got, err := l.Read(t.Context(), entity(t, "register_entry { register_id: 0x16000001 index { index: 3 } }"))
	require.NoError(t, err)
	require.Len(t, got, 1)
	require.Equal(t, text1(word), text1(got[0]))
	require.Equal(t, codes.OutOfRange, code(l.Write(&p4.Update{Type: p4.Update_MODIFY, Entity: entity(t, "register_entry { register_id: 0x16000001 index { index: 99 } data { bitstring: '\\007' } }")})))

	s := h.stream()
	s.arbitrate("", 1)
	require.Zero(t, s.next().GetArbitration().GetStatus().GetCode())
	require.ErrorContains(t, h.set(p4.SetForwardingPipelineConfigRequest_VERIFY, config), "not trusted")
	require.NoError(t, h.write(set))
	require.NoError(t, l.Write(set), "beside a primary, too")
}
