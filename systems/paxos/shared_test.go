package paxos_test

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/p4ce/p4ce/systems/paxos"
)

// onWire is what arrives of a message.
func onWire(t require.TestingT, m paxos.Message) paxos.Message {
	b, err := m.Append(nil)
	require.NoError(t, err)
	var got paxos.Message
	require.NoError(t, got.Parse(b))
	return got
}

// TestShared: what waits together shares packets, in the form that takes most.
func TestShared(t *testing.T) {
	for _, tt := range []struct {
		lengths []int
		want    string // of each packet its form, the bytes and the values
	}{
		{[]int{64}, "0/64/1"},
		{[]int{0}, "0/0/1"},
		{[]int{64, 64}, "0/64/1 0/64/1"},
		{[]int{64, 1, 1}, "0/64/1 132/4/2"},
		{[]int{0, 0}, "130/2/2"},
		{[]int{32, 32}, "224/64/2"},
		{[]int{32, 32, 32, 32, 32}, "224/64/2 224/64/2 0/32/1"},
		{[]int{33, 33}, "0/33/1 0/33/1"},
		{[]int{32, 31}, "0/32/1 0/31/1"},
		{[]int{32, 30}, "192/64/2"},
		{[]int{31, 31}, "192/64/2"},
		{[]int{21, 21, 21, 3}, "213/63/3 0/3/1"},
		{[]int{16, 16, 16, 16}, "208/64/4"},
		{[]int{16, 16, 16}, "179/51/3"},
		{[]int{30, 9, 30, 9}, "169/41/2 169/41/2"},
		{slices.Repeat([]int{1}, 65), "193/64/64 0/1/1"},
		{slices.Repeat([]int{0}, 65), "192/64/64 0/0/1"},
	} {
		p := newProposer(t, paxos.ProposerOptions{})
		var all, got []string
		for i, n := range tt.lengths {
			all = append(all, strings.Repeat(string(rune('a'+i%26)), n))
			number, err := p.Submit(0, []byte(all[i]))
			require.NoError(t, err)
			require.EqualValues(t, i+1, number)
		}
		var forms []string
		for _, m := range p.Sends() {
			m = onWire(t, m)
			require.EqualValues(t, len(got)+1, m.Sequence)
			forms = append(forms, fmt.Sprintf("%d/%d/%d", m.Shared, len(m.Value), m.Values()))
			require.False(t, m.Has(m.Sequence-1))
			require.False(t, m.Has(m.Sequence+uint32(m.Values())))
			m.Each(func(sequence uint32, value []byte) {
				got = append(got, string(value))
				require.EqualValues(t, len(got), sequence)
				require.True(t, m.Has(sequence))
			})
		}
		require.Equal(t, tt.want, strings.Join(forms, " "), tt.lengths)
		require.Equal(t, all, got)
		require.Empty(t, p.Sends())
	}
}

// TestSharedApart: a value whose neighbour has arrived is sent again without it, and a report is a message of its own.
func TestSharedApart(t *testing.T) {
	p := newProposer(t, paxos.ProposerOptions{Resend: 10 * ms, Silence: 1})
	for _, v := range []string{"a", "b", "c", "d"} {
		_, err := p.Submit(0, []byte(v))
		require.NoError(t, err)
	}
	require.Len(t, p.Sends(), 1)
	require.True(t, p.Delivered(ms, 2))
	p.Tick(time.Second)
	var got []string
	for _, m := range p.Sends() {
		got = append(got, fmt.Sprint(m.Kind, m.Sequence, " of ", m.Values()))
	}
	require.Equal(t, []string{"request 1 of 1", "request 3 of 2", "report 0 of 1"}, got)
}

// TestSharedRefused: all values of a request that is refused are sent again, and none that was not in it.
func TestSharedRefused(t *testing.T) {
	p := newProposer(t, paxos.ProposerOptions{Resend: 10 * ms})
	n, err := p.Submit(0, []byte("slow"))
	require.NoError(t, err)
	p.Sends()
	require.True(t, p.Delivered(200*ms, n), "answers take long")
	for _, v := range []string{"a", "b", "c"} {
		_, err := p.Submit(200*ms, []byte(v))
		require.NoError(t, err)
	}
	m := onWire(t, p.Sends()[0])
	require.Equal(t, 3, m.Values())
	_, err = p.Submit(200*ms, []byte("d"))
	require.NoError(t, err)
	require.Len(t, p.Sends(), 1)
	m.Kind, m.VoteRound = paxos.Refused, uint32(paxos.ReasonFull)
	p.Refuse(&m)
	require.EqualValues(t, 1, p.Refused())
	p.Tick(210 * ms)
	again := apart(p.Sends())
	require.Len(t, again, 3)
	for i, want := range []string{"a", "b", "c"} {
		require.Equal(t, want, string(again[i].Value))
	}
	// One that is not of this client, or claims more values than there are, does no harm.
	p.Refuse(&paxos.Message{Kind: paxos.Refused, Client: 8, Sequence: 5})
	p.Refuse(&paxos.Message{Kind: paxos.Refused, Client: 7, Sequence: 6, Shared: 193, Value: make([]byte, 64)})
	require.EqualValues(t, 1, p.Refused())
}

// TestSharedMalformed: values that do not add up are no values, for all replicas alike.
func TestSharedMalformed(t *testing.T) {
	r := newReplica(t, paxos.ReplicaOptions{})
	bad := [][]byte{{}, {0}, {5, 'a'}, {1, 'a'}, {1, 'a', 1}, {1, 'a', 2, 'b'}, {255, 'a', 0}}
	for i, b := range bad {
		r.Deliver(0, &paxos.Message{Kind: paxos.Deliver, Instance: uint32(i + 1), Client: 7, Sequence: 1, Shared: 128 + uint8(len(b)), Value: b})
	}
	require.Empty(t, log(r))
	require.EqualValues(t, len(bad)+1, r.Position())
	require.EqualValues(t, len(bad), r.Stats().Malformed)
	require.False(t, r.Has(7, 1))
	require.NoError(t, r.Recover(1, nil))
	d, ok := r.Recovered()
	require.True(t, ok)
	require.Equal(t, []paxos.Entry{{Instance: 1}}, d.Entries)
}

// TestSharedState: a state between two values of an instance continues with the second one, also where more was delivered.
func TestSharedState(t *testing.T) {
	r := newReplica(t, paxos.ReplicaOptions{})
	m := &paxos.Message{Kind: paxos.Deliver, Instance: 1, Client: 7, Sequence: 1, Shared: 134, Value: []byte("\x01a\x01b\x01c")}
	r.Deliver(0, m)
	var e paxos.Entry
	require.True(t, r.Next(&e))
	require.Equal(t, paxos.Entry{Instance: 1, Client: 7, Sequence: 1, Value: []byte("a")}, e)
	require.EqualValues(t, 1, r.Position())
	state := r.AppendState(nil)
	require.NoError(t, r.Recover(1, nil))
	_, ok := r.Recovered()
	require.False(t, ok, "not all of it was delivered")
	require.True(t, r.Next(&e))
	r.Checkpointed(2)
	require.NoError(t, r.Restore(state))
	require.Equal(t, []string{"b", "c"}, log(r), "and a is in the state")
	require.EqualValues(t, 2, r.Position())
	d, ok := r.Recovered()
	require.True(t, ok)
	require.Len(t, d.Entries, 3)
	require.Equal(t, paxos.Entry{Instance: 1, Client: 7, Sequence: 3, Value: []byte("c")}, d.Entries[2])

	other := newReplica(t, paxos.ReplicaOptions{})
	require.NoError(t, other.Restore(state))
	other.Deliver(0, m)
	require.Equal(t, []string{"b", "c"}, log(other))
	require.EqualValues(t, 1, other.Stats().Again)
	require.Equal(t, r.AppendState(nil), other.AppendState(nil))
}

// TestSharedOnce: whatever is lost, doubled and sent again, with whomever it shares a packet then, each value of each client is
// delivered once, as it is, and on all replicas in the same order; also by a replica that begins again from any state.
func TestSharedOnce(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		proposers := map[uint32]*paxos.Proposer{}
		for _, client := range []uint32{1<<16 | 1, 2<<16 | 1} {
			p, err := paxos.NewProposer(paxos.ProposerOptions{Client: client, Window: 16, Resend: ms})
			require.NoError(t, err)
			proposers[client] = p
		}
		type name struct{ client, sequence uint32 }
		want := map[name]string{}
		var decided []paxos.Message // the leader's order
		one, err := paxos.NewReplica(paxos.ReplicaOptions{Ring: 1 << 12})
		require.NoError(t, err)
		var first []paxos.Entry
		now := time.Duration(0)
		step := func(more bool) {
			now += ms
			for _, client := range []uint32{1<<16 | 1, 2<<16 | 1} {
				p := proposers[client]
				values, copies := 0, func() int { return 1 }
				if more {
					values = rapid.IntRange(0, 6).Draw(t, "values")
					copies = func() int { return rapid.SampledFrom([]int{1, 1, 1, 0, 2}).Draw(t, "copies") }
				}
				for range values {
					length := rapid.SampledFrom([]int{0, 1, 8, 16, 21, 31, 32, 33, 64}).Draw(t, "length")
					value := bytes.Repeat([]byte{byte(len(want))}, length)
					if n, err := p.Submit(now, value); err == nil {
						want[name{client, n}] = string(value)
					}
				}
				p.Tick(now)
				for _, m := range p.Sends() {
					if m.Kind != paxos.Request {
						continue
					}
					for range copies() {
						d := onWire(t, m)
						d.Kind, d.Instance = paxos.Deliver, uint32(len(decided)+1)
						decided = append(decided, d)
						one.Deliver(now, &d)
					}
				}
			}
			var e paxos.Entry
			for one.Next(&e) {
				e.Value = bytes.Clone(e.Value)
				first = append(first, e)
				proposers[e.Client].Delivered(now, e.Sequence)
			}
		}
		for range rapid.IntRange(1, 20).Draw(t, "steps") {
			step(true)
		}
		for i := 0; i < 5000 && len(first) < len(want); i++ {
			step(false)
		}
		require.Len(t, first, len(want))
		seen := map[name]bool{}
		for _, e := range first {
			n := name{e.Client, e.Sequence}
			require.False(t, seen[n], "twice: %v", n)
			seen[n] = true
			require.Equal(t, want[n], string(e.Value), n)
		}
		// Another replica gets it in another order, and dies anywhere.
		other, err := paxos.NewReplica(paxos.ReplicaOptions{Ring: 1 << 12})
		require.NoError(t, err)
		var second []paxos.Entry
		for _, d := range rapid.Permutation(decided).Draw(t, "order") {
			other.Deliver(now, &d)
		}
		var e paxos.Entry
		for other.Next(&e) {
			e.Value = bytes.Clone(e.Value)
			second = append(second, e)
			if rapid.IntRange(0, 3).Draw(t, "dies") == 0 {
				state := other.AppendState(nil)
				other, err = paxos.NewReplica(paxos.ReplicaOptions{Ring: 1 << 12})
				require.NoError(t, err)
				require.NoError(t, other.Restore(state))
				for _, d := range decided {
					other.Deliver(now, &d)
				}
			}
		}
		require.Equal(t, first, second)
	})
}

// TestSharedAllocates: neither who sends nor who delivers allocates for values that share packets.
func TestSharedAllocates(t *testing.T) {
	p, r := newProposer(t, paxos.ProposerOptions{}), newReplica(t, paxos.ReplicaOptions{Ring: 256})
	value := []byte("sixteen bytes...")
	var e paxos.Entry
	instance := uint32(0)
	got := 0
	turn := func() {
		for range 64 {
			if _, err := p.Submit(0, value); err != nil {
				t.Fatal(err)
			}
		}
		for _, m := range p.Sends() {
			instance++
			m.Kind, m.Instance = paxos.Deliver, instance
			r.Deliver(0, &m)
		}
		for r.Next(&e) {
			got++
			p.Delivered(0, e.Sequence)
		}
	}
	turn()
	require.Zero(t, testing.AllocsPerRun(100, turn))
	require.Equal(t, 64*102, got)
	require.EqualValues(t, 16*102, instance)
}

// FuzzShared: whatever comes in a form, replicas make the same of it, and continue.
func FuzzShared(f *testing.F) {
	f.Add(uint8(0), []byte("value"))
	f.Add(uint8(224), make([]byte, 64))
	f.Add(uint8(134), []byte("\x01a\x01b\x01c"))
	f.Add(uint8(192), append(make([]byte, 63), 1))
	f.Fuzz(func(t *testing.T, form uint8, b []byte) {
		in := paxos.Message{Kind: paxos.Deliver, Instance: 1, Client: 7, Sequence: 1<<32 - 3, Shared: form, Value: b}
		data, err := in.Append(nil)
		if err != nil {
			return // nobody can send it
		}
		var m paxos.Message
		require.NoError(t, m.Parse(data))
		var values []string
		m.Each(func(sequence uint32, value []byte) {
			require.Equal(t, m.Sequence+uint32(len(values)), sequence)
			values = append(values, string(value))
		})
		require.Len(t, values, m.Values())
		require.LessOrEqual(t, len(values), paxos.MaxValue)
		r := newReplica(t, paxos.ReplicaOptions{Ring: 4})
		r.Deliver(0, &m)
		require.Equal(t, values, log(r))
		require.EqualValues(t, 2, r.Position())
	})
}
