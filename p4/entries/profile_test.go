package entries

import (
	"encoding/json"
	"strings"
	"testing"

	p4 "github.com/p4lang/p4runtime/go/p4/v1"
	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/encoding/prototext"
	"google.golang.org/protobuf/proto"
)

// What entries name is written before them, and removed after them; what does not depend on it stays as it is in the file. Batches part
// what a switch may not reorder.
func TestOrder(t *testing.T) {
	changes := parsed(t, testProgram(t), `delete member next[1]
delete member_group next[2]
delete balanced a=1 priority 1
balanced a=2 -> member_group 1 priority 1
multicast 1 -> 1
member_group next[1] -> 3
member next[4] -> deny()
member next[3] -> deny()`)
	var got []string
	for _, b := range Batches(changes) {
		for _, c := range b {
			got = append(got, c.Statement.String())
		}
		got = append(got, "")
	}
	require.Equal(t, `member next[4] -> deny()
member next[3] -> deny()

member_group next[1] -> 3

delete balanced a=1 priority 1
balanced a=2 -> member_group 1 priority 1
multicast 1 -> 1

delete member_group next[2]

delete member next[1]
`, strings.Join(got, "\n"))
	require.Empty(t, Batches(nil))
}

// Of what is deleted, only the name goes to the switch, so that a line of a dump can be deleted.
func TestDeleteProfiles(t *testing.T) {
	for text, want := range map[string]string{
		"delete member next[5] -> nobody(looks=at)":               `action_profile_member { action_profile_id: 0x11000001 member_id: 5 }`,
		"delete member_group next[5] -> 1 weight 3, 2 max_size 5": `action_profile_group { action_profile_id: 0x11000001 group_id: 5 }`,
	} {
		e := &p4.Entity{}
		require.NoError(t, prototext.Unmarshal([]byte(want), e))
		u := parsed(t, testProgram(t), text)[0].Update
		require.Equal(t, p4.Update_DELETE, u.GetType())
		require.True(t, proto.Equal(e, u.GetEntity()), "%s\n%s", text, u)
	}
}

// Profiles are shown before the tables that name what is in them, by one word.
func TestReadProfiles(t *testing.T) {
	p := testProgram(t)
	var h held
	const text = `member next[1] -> deny()
member next[2] -> deny()

member marks[1] -> deny()

member_group next[1] -> 1, 2 weight 3 watch 4 max_size 8
`
	const tables = `balanced hdr.a=0x1 -> member 1 priority 1
balanced hdr.a=0x2 -> member_group 1 priority 1
balanced hdr.a=0x3 -> deny() weight 2, fwd(port=1, dst_mac=00:00:00:00:00:02) watch 3 priority 1 mode hash
balanced hdr.a=0x4 -> () priority 1
`
	for _, c := range parsed(t, p, text+tables) {
		h = append(h, c.Update.GetEntity())
	}
	read := func(args ...string) []*Statement {
		w, err := ParseWhat(args)
		require.NoError(t, err)
		list, err := p.Read(t.Context(), h.read, w)
		require.NoError(t, err)
		return list
	}
	require.Equal(t, text, string(Text(read("profile"))))
	require.Equal(t, "member marks[1] -> deny()\n", string(Text(read("profile", "In.marks"))))
	require.Equal(t, "member_group next[1] -> 1, 2 weight 3 watch 4 max_size 8\n", string(Text(read("member_group", "next"))))
	require.Equal(t, text+"\n"+tables, string(Text(read())))
	require.Equal(t, []string{"marks", "next", "same", "unused"}, p.Names("profile"))

	b, err := json.Marshal(NewDocument(read()))
	require.NoError(t, err)
	require.JSONEq(t, `{
		"members": [
			{"profile": "next", "member": 1, "action": "deny", "args": {}}, {"profile": "next", "member": 2, "action": "deny", "args": {}},
			{"profile": "marks", "member": 1, "action": "deny", "args": {}}],
		"member_groups": [{"profile": "next", "member_group": 1, "max_size": 8, "members": [{"member": 1, "weight": 1}, {"member": 2, "weight": 3, "watch": 4}]}],
		"entries": [
			{"table": "balanced", "match": {"hdr.a": "0x1"}, "args": {}, "member": 1, "priority": 1},
			{"table": "balanced", "match": {"hdr.a": "0x2"}, "args": {}, "member_group": 1, "priority": 1},
			{"table": "balanced", "match": {"hdr.a": "0x3"}, "args": {}, "priority": 1, "mode": "hash", "actions": [
				{"action": "deny", "weight": 2}, {"action": "fwd", "args": {"port": "1", "dst_mac": "00:00:00:00:00:02"}, "weight": 1, "watch": 3}]},
			{"table": "balanced", "match": {"hdr.a": "0x4"}, "args": {}, "priority": 1, "actions": []}],
		"groups": [], "registers": [], "counters": [], "meters": [], "digests": []}`, string(b))
}

// A switch of before P4Runtime 1.2 has the port to watch in another field.
func TestOldWatch(t *testing.T) {
	p := testProgram(t)
	e := &p4.Entity{}
	require.NoError(t, prototext.Unmarshal([]byte(`action_profile_group { action_profile_id: 0x11000001 group_id: 1 members { member_id: 1 weight: 1 watch: 4 } }`), e))
	s, err := p.Statement(e)
	require.NoError(t, err)
	require.Equal(t, "member_group next[1] -> 1 watch 4", s.String())
}
