package p4rt

import (
	"context"
	"testing"

	p4 "github.com/p4lang/p4runtime/go/p4/v1"
	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/encoding/prototext"
	"google.golang.org/protobuf/proto"
)

// FuzzWrite feeds arbitrary updates to a server. Whatever it accepted must read
// back, and what reads back must be deletable: server and target agree.
func FuzzWrite(f *testing.F) {
	for _, text := range []string{exact1, exact2, lpm1, tcam1,
		`packet_replication_engine_entry { multicast_group_entry { multicast_group_id: 1 replicas { port: "\x01" instance: 1 } } }`,
		`register_entry { register_id: 0x16000001 index { index: 3 } data { bitstring: "\x12\x34" } }`,
		`register_entry { register_id: 0x16000002 data { struct { members { bitstring: "\x05" } members { bitstring: "\xff" } } } }`,
		`counter_entry { counter_id: 0x12000001 data { packet_count: 8 } }`,
		`meter_entry { meter_id: 0x14000001 index { index: 3 } config { cir: 1 cburst: 2 pir: 3 pburst: 4 } }`,
		`digest_entry { digest_id: 0x17000001 config { max_list_size: 1 } }`,
	} {
		e := &p4.Entity{}
		require.NoError(f, prototext.Unmarshal([]byte(text), e))
		for _, op := range []p4.Update_Type{p4.Update_INSERT, p4.Update_MODIFY} {
			b, err := proto.Marshal(&p4.WriteRequest{Updates: []*p4.Update{{Type: op, Entity: e}}})
			require.NoError(f, err)
			f.Add(b)
		}
	}
	h := newHarness(f, Options{})
	// A primary without a stream: nothing that can time out.
	_, err := h.server.arb.update(1000, "", &electionID{low: 1})
	require.NoError(f, err)
	require.NoError(f, h.set(p4.SetForwardingPipelineConfigRequest_VERIFY_AND_COMMIT, h.config("good")))
	f.Fuzz(func(t *testing.T, b []byte) {
		req := &p4.WriteRequest{}
		if proto.Unmarshal(b, req) != nil || len(req.GetUpdates()) > 20 {
			return
		}
		req.DeviceId, req.ElectionId, req.Role, req.RoleId = 1, &p4.Uint128{Low: 1}, "", 0
		_, _ = h.server.Write(context.Background(), req)

		var written []*p4.Entity
		err := h.server.read(context.Background(), &p4.ReadRequest{Entities: []*p4.Entity{
			{Entity: &p4.Entity_TableEntry{TableEntry: &p4.TableEntry{CounterData: &p4.CounterData{}}}},
			{Entity: &p4.Entity_PacketReplicationEngineEntry{PacketReplicationEngineEntry: &p4.PacketReplicationEngineEntry{
				Type: &p4.PacketReplicationEngineEntry_MulticastGroupEntry{MulticastGroupEntry: &p4.MulticastGroupEntry{}},
			}}},
			{Entity: &p4.Entity_DigestEntry{DigestEntry: &p4.DigestEntry{}}},
		}}, func(list []*p4.Entity) error {
			written = append(written, list...)
			return nil
		})
		require.NoError(t, err)
		clean := &p4.WriteRequest{DeviceId: 1, ElectionId: &p4.Uint128{Low: 1}}
		for _, e := range written {
			if !e.GetTableEntry().GetIsConst() {
				clean.Updates = append(clean.Updates, &p4.Update{Type: p4.Update_DELETE, Entity: e})
			}
		}
		_, err = h.server.Write(context.Background(), clean)
		require.NoError(t, err, "what reads back can be deleted")
	})
}

// FuzzPacketOut: any metadata is either refused or a frame of header and
// payload.
func FuzzPacketOut(f *testing.F) {
	f.Add([]byte("x"), uint32(1), []byte{1}, uint32(2), []byte{0})
	f.Fuzz(func(t *testing.T, payload []byte, id1 uint32, v1 []byte, id2 uint32, v2 []byte) {
		sch, err := newSchema(testProgram("p"), parseInfo(t))
		require.NoError(t, err)
		out := &p4.PacketOut{Payload: payload, Metadata: []*p4.PacketMetadata{{MetadataId: id1, Value: v1}, {MetadataId: id2, Value: v2}}}
		frame, err := sch.packetOut.encode(out)
		if err != nil {
			return
		}
		require.Equal(t, payload, frame[2:])
		require.Equal(t, out.GetPayload(), sch.packetOut.decode(frame).GetPayload())
	})
}
