package rsm

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/p4ce/p4ce/systems/paxos"
)

// record returns n bytes that only this record has.
func record(client, number uint32, n int) []byte {
	b := binary.BigEndian.AppendUint32(binary.BigEndian.AppendUint32(nil, client), number)
	for len(b) < n {
		b = append(b, byte(len(b)*7+int(client*31+number)))
	}
	return b[:n]
}

// Records of several clients whose pieces come in any order come out whole, once, and
// nothing else does, also when the state goes through bytes on the way.
func TestAssembler(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		type value struct {
			client, number uint32
			data           []byte
		}
		var values []value
		want := map[string]int{} // by client and number: how many pieces are missing
		records := map[string][]byte{}
		for client := range uint32(3) {
			client += 1<<16 | 1 + client<<16
			for number := range uint32(rapid.IntRange(0, 4).Draw(t, "records")) {
				r := record(client, number, rapid.IntRange(0, 6*paxos.MaxValue).Draw(t, "size"))
				for _, p := range pieces(number, r) {
					require.LessOrEqual(t, len(p), paxos.MaxValue)
					values = append(values, value{client, number, p})
				}
				key := fmt.Sprint(client, number)
				records[key], want[key] = r, len(pieces(number, r))
			}
		}
		a := newAssembler()
		for _, v := range rapid.Permutation(values).Draw(t, "order") {
			number, got, ok := a.add(v.client, v.data)
			key := fmt.Sprint(v.client, v.number)
			want[key]--
			require.Equal(t, want[key] == 0, ok)
			if ok {
				require.Equal(t, v.number, number)
				require.True(t, bytes.Equal(records[key], got))
			}
			if rapid.IntRange(0, 3).Draw(t, "store") == 0 {
				state := a.append(nil)
				var err error
				a, err = parseAssembler(stateVersion, state)
				require.NoError(t, err)
				require.Equal(t, state, a.append(nil))
			}
		}
		require.Zero(t, a.strange)
	})
}

// What a host's earlier life has left is dropped with the first value of the next one.
func TestAssemblerLives(t *testing.T) {
	a := newAssembler()
	old, other, next := uint32(5<<16|1), uint32(6<<16|1), uint32(5<<16|2)
	for _, client := range []uint32{old, other} {
		_, _, ok := a.add(client, pieces(9, record(client, 9, 100))[0])
		require.False(t, ok)
	}
	_, _, ok := a.add(next, pieces(1, []byte("x"))[0])
	require.True(t, ok)
	require.NotContains(t, a.clients, old)
	_, _, ok = a.add(other, pieces(9, record(other, 9, 100))[1])
	require.True(t, ok, "another host's are not")
	require.Empty(t, a.lives)
	for _, client := range []uint32{next, other, 3} {
		_, _, ok = a.add(client, lifeValue(uint64(client)<<32))
		require.False(t, ok)
	}
	want := map[uint32]uint64{next: uint64(next) << 32, other: uint64(other) << 32}
	require.Equal(t, want, a.lives)
	require.EqualValues(t, 1, a.strange, "a client that has one life")
	b, err := parseAssembler(stateVersion, a.append(nil))
	require.NoError(t, err)
	require.Equal(t, want, b.lives)
	a.add(5<<16|3, pieces(1, []byte("x"))[0])
	delete(want, next)
	require.Equal(t, want, a.lives)
	// An earlier version stored none.
	a.lives = nil
	state := a.append(nil)
	b, err = parseAssembler(1, state[:len(state)-4])
	require.NoError(t, err)
	require.Empty(t, b.lives)
	require.Equal(t, a.clients, b.clients)
}

// What is no piece is counted, and has no effect.
func TestAssemblerStrange(t *testing.T) {
	const client = 1<<16 | 1
	long := pieces(7, record(client, 7, 200))
	edit := func(at int, b ...byte) []byte {
		v := bytes.Clone(long[1])
		copy(v[at:], b)
		return v
	}
	for name, v := range map[string][]byte{
		"nothing": nil, "a line of text": []byte("hello, world"), "one, cut short": {kindOne, 0, 0, 1}, "a head alone": long[0][:pieceHead],
		"index at the count": edit(5, 0, 4), "one piece": edit(5, 0, 0, 0, 1), "too many": edit(7, 0xff, 0xff), "another count": edit(7, 0, 9),
		"short, and not the last": long[1][:20], "a second time": long[0],
	} {
		a := newAssembler()
		_, _, ok := a.add(client, long[0])
		require.False(t, ok)
		_, _, ok = a.add(client, v)
		require.False(t, ok, name)
		require.EqualValues(t, 1, a.strange, name)
		for i, p := range long[1:] {
			var got []byte
			if _, got, ok = a.add(client, p); i == len(long)-2 {
				require.True(t, ok, name)
				require.Equal(t, record(client, 7, 200), got, name)
			}
		}
	}
	a := newAssembler()
	for n := range uint32(maxPartial + 1) {
		a.add(client, pieces(n, record(client, n, 200))[0])
	}
	require.EqualValues(t, 1, a.strange, "too many at a time")
	require.Len(t, a.clients[client], maxPartial)
}

func FuzzParseAssembler(f *testing.F) {
	a := newAssembler()
	f.Add(a.append(nil))
	for _, client := range []uint32{1<<16 | 3, 2<<16 | 1} {
		a.add(client, pieces(4, record(client, 4, 130))[2])
		a.add(client, pieces(5, record(client, 5, 5000))[64])
		a.add(client, lifeValue(uint64(client)))
	}
	f.Add(a.append(nil))
	f.Fuzz(func(t *testing.T, b []byte) {
		a, err := parseAssembler(stateVersion, b)
		if err != nil {
			return
		}
		require.Equal(t, b, a.append(nil))
	})
}

func FuzzAdd(f *testing.F) {
	f.Add(pieces(4, record(1, 4, 130))[2], pieces(4, record(1, 4, 130))[0])
	f.Add([]byte{kindOne, 0, 0, 0, 1}, []byte("text"))
	f.Add(lifeValue(7), lifeValue(1<<63))
	f.Fuzz(func(t *testing.T, v, w []byte) {
		a := newAssembler()
		for _, value := range [][]byte{v, w, v} {
			if len(value) <= paxos.MaxValue {
				a.add(1<<16|1, value)
			}
		}
		state := a.append(nil)
		b, err := parseAssembler(stateVersion, state)
		require.NoError(t, err)
		require.Equal(t, state, b.append(nil))
	})
}
