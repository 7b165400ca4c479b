package p4rt

import (
	"strings"
	"testing"

	p4 "github.com/p4lang/p4runtime/go/p4/v1"
	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/proto"

	"github.com/p4ce/p4ce/dataplane"
	"github.com/p4ce/p4ce/dataplane/interp"
	"github.com/p4ce/p4ce/p4/lang/ir"
)

// keeper is an interpreter that begins with what another server has written.
type keeper struct {
	*interp.Target
	from *state
	err  error
}

func (k *keeper) Kept() ([]byte, error) {
	if k.from == nil {
		return nil, nil
	}
	return proto.Marshal(k.from.config)
}

func (k *keeper) Adopt(p *dataplane.Pipeline) (*dataplane.State, error) {
	if k.err != nil {
		return nil, k.err
	}
	table := func(t *ir.Table) *ir.Table {
		for _, x := range p.Program.Tables {
			if x.Name == t.Name {
				return x
			}
		}
		return nil
	}
	// Entries are of the program that is running now.
	entry := func(e dataplane.Entry) dataplane.Entry {
		e.Table = table(e.Table)
		for _, a := range e.Table.Actions {
			if a.Action.Name == e.Action.Action.Name {
				e.Action.Action = a.Action
			}
		}
		return e
	}
	if err := k.Load(p); err != nil {
		return nil, err
	}
	out := &dataplane.State{Groups: map[uint16][]dataplane.Replica{}}
	for _, t := range k.from.tableIDs {
		for _, e := range k.from.list(k.from.tables[t]) {
			if e.table.src.ConstEntries {
				continue
			}
			next := entry(e.target)
			if err := k.Insert(&next); err != nil {
				return nil, err
			}
			out.Entries = append(out.Entries, &next)
		}
	}
	for _, d := range k.from.defaults {
		out.Defaults = append(out.Defaults, entry(d.target))
	}
	for id, g := range k.from.groups {
		chains, _, err := decodeGroup(g)
		if err != nil {
			return nil, err
		}
		for _, c := range chains {
			out.Groups[id] = append(out.Groups[id], c[0])
		}
	}
	return out, nil
}

// A server that takes a running pipeline over answers as the one before did.
func TestAdopt(t *testing.T) {
	old := newHarness(t, Options{})
	old.primary()
	group := `packet_replication_engine_entry { multicast_group_entry { multicast_group_id: 1 replicas { port: "\x01" instance: 1 } replicas { port: "\x01\x00" instance: 2 } } }`
	exactDefault := `table_entry { table_id: 0x02000001 action { action { action_id: 0x01000001 params { param_id: 1 value: "\x01" } params { param_id: 2 value: "\x02" } } } is_default_action: true }`
	wide := `table_entry { table_id: 0x02000003 match { field_id: 1 ternary { value: "\x01\x00\x00\x00" mask: "\xff\x00\x00\x00" } } match { field_id: 3 optional { value: "\x05" } } action { action { action_id: 0x01000002 } } priority: 3 }`
	everything := `table_entry { table_id: 0x02000002 action { action { action_id: 0x01000002 } } }`
	require.NoError(t, old.write(old.insert(exact1), old.insert(exact2), old.insert(lpm1), old.insert(tcam1), old.insert(wide), old.insert(everything),
		old.insert(group), old.up(p4.Update_MODIFY, exactDefault)))

	k := &keeper{Target: interp.New(interp.Options{}), from: old.server.st}
	h := serve(t, k, Options{})
	reads := []string{
		"table_entry {}", "table_entry { is_default_action: true }", "packet_replication_engine_entry { multicast_group_entry {} }",
		"table_entry { table_id: 0x02000003 priority: 3 }",
	}
	// Metadata are not in a data plane.
	written := func(r string) []string {
		list := old.read(r)
		for i := range list {
			list[i] = strings.ReplaceAll(list[i], ` metadata:"mine"`, "")
		}
		return list
	}
	for _, r := range reads {
		require.ElementsMatch(t, written(r), h.read(r), r)
	}
	resp, err := h.client.GetForwardingPipelineConfig(ctxFor(t), &p4.GetForwardingPipelineConfigRequest{DeviceId: 1})
	require.NoError(t, err)
	require.True(t, proto.Equal(old.server.st.config, resp.GetConfig()))

	// It goes on from there, and the same program changes nothing.
	s := h.stream()
	s.arbitrate("", 1)
	s.next()
	require.NoError(t, h.set(p4.SetForwardingPipelineConfigRequest_RECONCILE_AND_COMMIT, h.config("good")))
	require.ElementsMatch(t, written(reads[0]), h.read(reads[0]))
	require.Error(t, h.write(h.insert(exact1)), "it exists")
	require.NoError(t, h.write(h.up(p4.Update_DELETE, exact1), h.up(p4.Update_DELETE, wide), h.up(p4.Update_MODIFY, group)))
	require.Len(t, h.read("table_entry {}"), len(old.read("table_entry {}"))-2)
}

// What cannot be taken over is left alone, and the server begins without a pipeline.
func TestAdoptRefused(t *testing.T) {
	old := newHarness(t, Options{})
	old.primary()
	for name, k := range map[string]*keeper{
		"nothing kept":    {},
		"another program": {from: old.server.st, err: dataplane.ErrUnsupported},
		"no config":       {from: &state{config: &p4.ForwardingPipelineConfig{}}},
	} {
		t.Run(name, func(t *testing.T) {
			k.Target = interp.New(interp.Options{})
			h := serve(t, k, Options{})
			_, err := h.readErr("table_entry {}")
			require.ErrorContains(t, err, "no pipeline has been set")
			h.primary()
			require.NoError(t, h.write(h.insert(exact1)))
		})
	}
}
