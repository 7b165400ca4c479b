package p4rt

import (
	"strings"
	"testing"

	p4config "github.com/p4lang/p4runtime/go/p4/config/v1"
	p4 "github.com/p4lang/p4runtime/go/p4/v1"
	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/proto"
)

// renamed is the test program's p4info as another compiler writes it: without the name of
// the pipeline, and with other ids.
func renamed(t *testing.T) *p4config.P4Info {
	info := parseInfo(t)
	move := func(p *p4config.Preamble) {
		p.Name = strings.TrimPrefix(p.Name, "pipe.")
		p.Id += 0x100
	}
	for _, x := range info.Actions {
		move(x.Preamble)
	}
	for _, x := range info.Tables {
		move(x.Preamble)
		for _, r := range x.ActionRefs {
			r.Id += 0x100
		}
	}
	for _, x := range info.Counters {
		move(x.Preamble)
	}
	for _, x := range info.DirectCounters {
		move(x.Preamble)
		x.DirectTableId += 0x100
	}
	for _, x := range info.Registers {
		move(x.Preamble)
	}
	for _, x := range info.Digests {
		move(x.Preamble)
	}
	return info
}

// TestOtherNames: a p4info with other ids and names of the same program is the one that
// requests are read by, and that is read back; with RECONCILE_AND_COMMIT what is installed
// changes its ids and nothing else.
func TestOtherNames(t *testing.T) {
	h := newHarness(t, Options{})
	s := h.primary()
	meta := strings.Replace(exact1, "table_entry {", `table_entry { metadata: "mine"`, 1)
	require.NoError(t, h.write(h.insert(meta), h.insert(tcam1),
		h.up(p4.Update_MODIFY, "table_entry { table_id: 0x02000002 is_default_action: true action { action { action_id: 0x01000002 } } }"),
		h.insert(`packet_replication_engine_entry { multicast_group_entry { multicast_group_id: 4 replicas { port: "\x01" instance: 1 } } }`),
		h.insert(`digest_entry { digest_id: 0x17000001 config { max_list_size: 1 } }`)))
	before := map[string][]string{}
	texts := []string{
		"table_entry {}", "table_entry { is_default_action: true }",
		"packet_replication_engine_entry { multicast_group_entry {} }", "digest_entry {}",
	}
	for _, text := range texts {
		before[text] = h.read(text)
		require.NotEmpty(t, before[text])
	}
	other := h.config("good")
	other.P4Info = renamed(t)
	for range 2 { // the second time nothing changes
		require.NoError(t, h.set(p4.SetForwardingPipelineConfigRequest_RECONCILE_AND_COMMIT, other))
		g, err := h.client.GetForwardingPipelineConfig(ctxFor(t), &p4.GetForwardingPipelineConfigRequest{DeviceId: 1})
		require.NoError(t, err)
		require.True(t, proto.Equal(other, g.GetConfig()), "what was pushed is read back")
		for _, text := range texts {
			var want []string
			for _, line := range before[text] {
				e := entity(t, line)
				shift(e)
				want = append(want, text1(e))
			}
			require.Equal(t, want, h.read(text))
		}
	}
	// The digest comes under its new id.
	_, err := h.target.Inject(3, append([]byte{0xd1, 0, 0, 0, 5}, make([]byte, 20)...))
	require.NoError(t, err)
	for {
		if d := s.next().GetDigest(); d != nil {
			require.Equal(t, uint32(0x17000101), d.GetDigestId())
			break
		}
	}
	// The old ids are none any more; and a new pipeline takes the form as well.
	_, err = h.readErr("table_entry { table_id: 0x02000001 }")
	require.ErrorContains(t, err, "not in the p4info")
	require.NoError(t, h.set(p4.SetForwardingPipelineConfigRequest_VERIFY_AND_COMMIT, other))
	e := entity(t, exact1)
	shift(e)
	require.NoError(t, h.write(&p4.Update{Type: p4.Update_INSERT, Entity: e}))
}

// shift gives an entity the ids of renamed.
func shift(e *p4.Entity) {
	if te := e.GetTableEntry(); te != nil {
		te.TableId += 0x100
		if a := te.GetAction().GetAction(); a != nil {
			a.ActionId += 0x100
		}
	}
	if d := e.GetDigestEntry(); d != nil {
		d.DigestId += 0x100
	}
}
