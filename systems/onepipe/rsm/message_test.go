package rsm

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/p4ce/p4ce/roce/wire"
	"github.com/p4ce/p4ce/systems/onepipe"
)

var member = Member{"h1", onepipe.Process{Addr: wire.Addr{10, 0, 0, 1}, Number: 7}}

func TestMessages(t *testing.T) {
	for _, m := range []message{
		{kind: records, view: 3, number: 9, records: [][]byte{[]byte("a"), {}, []byte("bc")}},
		{kind: join, view: 1 << 40, number: 1, member: member},
		{kind: leave, member: member},
	} {
		got, err := parseMessage(m.append(nil))
		require.NoError(t, err)
		require.Equal(t, m, got)
		for n := range m.append(nil) {
			_, err := parseMessage(m.append(nil)[:n])
			if m.kind == records && n > messageHead && n < messageHead+recordHead+1 || n <= messageHead {
				require.Error(t, err, "%d bytes", n)
			}
		}
	}
	_, err := parseMessage(append([]byte{4}, make([]byte, 40)...))
	require.ErrorIs(t, err, errMessage)
}

func TestStates(t *testing.T) {
	for _, s := range []state{
		{Members: []Member{{Name: "a"}}},
		{Records: 1 << 40, View: 5, Members: []Member{member, {"h2", onepipe.Process{Addr: wire.Addr{10, 0, 0, 2}, Number: 1}}}, last: onepipe.Message{Time: 1 << 50, From: member.Process}},
	} {
		got, err := parseState(s.append(nil))
		require.NoError(t, err)
		require.Equal(t, s, got)
	}
	for _, bad := range [][]byte{nil, {1}, append([]byte{2}, make([]byte, 60)...), append(member.append(nil), 1, 2, 3)} {
		_, err := parseState(bad)
		require.ErrorIs(t, err, errState)
	}
}

func FuzzParseMessage(f *testing.F) {
	f.Add((&message{kind: records, records: [][]byte{[]byte("a")}}).append(nil))
	f.Add((&message{kind: join, member: member}).append(nil))
	f.Fuzz(func(t *testing.T, b []byte) {
		if m, err := parseMessage(b); err == nil {
			require.Equal(t, b, m.append(nil))
		}
	})
}

func FuzzParseState(f *testing.F) {
	f.Add((&state{Members: []Member{member}}).append(nil))
	f.Fuzz(func(t *testing.T, b []byte) {
		if s, err := parseState(b); err == nil {
			require.Equal(t, b, s.append(nil))
		}
	})
}

// The newest view that anybody knows says who must answer, and who has most begins.
func TestBeginner(t *testing.T) {
	all := []string{"a", "b", "c"}
	answers := func(list ...Status) map[string]Status {
		m := map[string]Status{}
		for _, s := range list {
			m[s.Name] = s
		}
		return m
	}
	for _, c := range []struct {
		what    string
		answers map[string]Status
		first   string
		missing []string
	}{
		{"a new store", answers(Status{Name: "b", Members: all}, Status{Name: "c", Members: all}), "b", []string{"server a"}},
		{"all are there", answers(Status{Name: "b", Members: all}, Status{Name: "c", Members: all}, Status{Name: "a", Members: all}), "a", nil},
		{"who has most", answers(Status{Name: "a", View: 4, Records: 7, Members: all}, Status{Name: "b", View: 4, Records: 9, Members: all}, Status{Name: "c", View: 3, Records: 3, Members: all}), "b", nil},
		{"the view counts first", answers(Status{Name: "a", View: 4, Records: 9, Members: all}, Status{Name: "b", View: 5, Records: 9, Members: []string{"b"}}), "b", nil},
		{"the newest view is somebody's else", answers(Status{Name: "a", View: 4, Members: []string{"a"}}, Status{Name: "b", View: 5, Members: []string{"b", "c"}}), "b", []string{"server c"}},
		{"one has lost its disk", answers(Status{Name: "a", View: 4, Members: all}, Status{Name: "b", Members: all}, Status{Name: "c", View: 4, Members: all}), "a", []string{"the state of server b, which has lost it"}},
	} {
		first, missing := beginner(c.answers)
		require.Equal(t, c.missing, missing, c.what)
		if len(missing) == 0 {
			require.Equal(t, c.first, first, c.what)
		}
	}
}
