package mu

import (
	"errors"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
)

// replay is a Replay that notes what it gives.
type replay struct {
	Replay
	geo   Geometry
	given []Decided
	err   error
}

func newReplay(t *testing.T) *replay {
	r := &replay{}
	var err error
	r.geo, err = NewGeometry(MinLogSize)
	require.NoError(t, err)
	r.Region = make([]byte, MinLogSize)
	r.Apply = func(d Decided) error {
		d.Record = append([]byte(nil), d.Record...)
		r.given = append(r.given, d)
		return r.err
	}
	return r
}

func (r *replay) add(e entry) (uint64, error) {
	b := make([]byte, entrySize(len(e.record)))
	if e.skip {
		b = b[:entryHeader]
	}
	e.encode(b)
	end := e.position + entrySize(len(e.record))
	if e.skip {
		end = e.position + r.geo.left(e.position)
	}
	return end, r.Add(Logged{Term: e.term, Position: e.position, End: end, Commit: e.commit, Bytes: b[:e.length()]})
}

// What a journal's replay takes, what it gives, and what it refuses.
func TestReplay(t *testing.T) {
	t.Run("what is decided", func(t *testing.T) {
		r := newReplay(t)
		first, err := r.add(entry{position: 0, index: 0, term: 256, record: []byte("a")})
		require.NoError(t, err)
		require.Empty(t, r.given)
		second, err := r.add(entry{position: first, index: 1, term: 256, commit: first, record: []byte("b")})
		require.NoError(t, err)
		require.Equal(t, []Decided{{Index: 0, Position: first, Record: []byte("a")}}, r.given)
		require.Equal(t, first, r.Position)
		require.EqualValues(t, 1, r.Index)
		_, err = r.add(entry{position: second, index: 2, term: 256, commit: second - 8, record: []byte("c")})
		require.NoError(t, err)
		require.Len(t, r.given, 1, "not all of it is decided")
		require.NoError(t, r.Rest())
		require.Len(t, r.given, 3)
		require.EqualValues(t, 3, r.Index)
		require.Equal(t, "c", string(r.given[2].Record))
	})
	t.Run("the entry itself, when it comes again", func(t *testing.T) {
		r := newReplay(t)
		end, err := r.add(entry{position: 0, index: 0, term: 256, record: []byte("a")})
		require.NoError(t, err)
		_, err = r.add(entry{position: 0, index: 0, term: 512, commit: end, record: []byte("a")})
		require.NoError(t, err)
		require.Len(t, r.given, 1)
	})
	t.Run("not what was there before what is decided", func(t *testing.T) {
		r := newReplay(t)
		end, err := r.add(entry{position: 0, index: 0, term: 256, record: []byte("old")})
		require.NoError(t, err)
		_, err = r.add(entry{position: end, index: 1, term: 256, record: []byte("older")})
		require.NoError(t, err)
		// Both are decided when the first of them is logged.
		_, err = r.add(entry{position: 0, index: 0, term: 512, commit: 2 * end, record: []byte("new")})
		require.NoError(t, err)
		require.Equal(t, []Decided{{Index: 0, Position: end, Record: []byte("new")}}, r.given)
		_, err = r.add(entry{position: end, index: 1, term: 512, commit: 2 * end, record: []byte("newer")})
		require.NoError(t, err)
		require.Equal(t, []Decided{{Index: 0, Position: end, Record: []byte("new")}, {Index: 1, Position: 2 * end, Record: []byte("newer")}}, r.given)
	})
	t.Run("members and skips", func(t *testing.T) {
		r := newReplay(t)
		at := r.geo.ring - 256
		r.Position, r.Index = at, 5
		members := []Member{{ID: 0}, {ID: 4}}
		at, err := r.add(entry{position: at, index: 5, term: 256, record: EncodeMembers(members), members: true})
		require.NoError(t, err)
		membersEnd := at
		at, err = r.add(entry{position: at, index: 5, term: 256, skip: true})
		require.NoError(t, err)
		require.Equal(t, r.geo.ring, at)
		end, err := r.add(entry{position: at, index: 5, term: 256, commit: at, record: []byte("x")})
		require.NoError(t, err)
		require.Equal(t, []Decided{{Index: 5, Position: membersEnd, Members: members}}, r.given)
		require.EqualValues(t, 5, r.Index)
		require.Equal(t, at, r.Position)
		require.NoError(t, r.Rest())
		require.Equal(t, Decided{Index: 5, Position: end, Record: []byte("x")}, r.given[1])
	})
	t.Run("nothing of another index", func(t *testing.T) {
		r := newReplay(t)
		_, err := r.add(entry{position: 0, index: 3, term: 256, record: []byte("a")})
		require.NoError(t, err)
		require.NoError(t, r.Rest())
		require.Empty(t, r.given)
		require.Zero(t, r.Position)
	})
	t.Run("the rest, once around the ring", func(t *testing.T) {
		r := newReplay(t)
		size := entrySize(104)
		r.Position, r.Index = r.geo.ring-2*size-32, 0
		require.NotZero(t, r.geo.left(r.Position+2*size))
		at := r.Position
		for i := range uint64(10) {
			if left := r.geo.left(at); left < entryHeader {
				at += left
			}
			end, err := r.add(entry{position: at, index: i, term: 256, record: make([]byte, 104)})
			require.NoError(t, err)
			at = end
		}
		require.NoError(t, r.Rest())
		require.Len(t, r.given, 10)
		require.Equal(t, at, r.Position)
	})
	t.Run("who takes it may fail", func(t *testing.T) {
		r := newReplay(t)
		first, err := r.add(entry{position: 0, index: 0, term: 256, record: []byte("a")})
		require.NoError(t, err)
		r.err = errors.New("no room")
		_, err = r.add(entry{position: first, index: 1, term: 256, commit: first, record: []byte("b")})
		require.ErrorIs(t, err, r.err)

		r = newReplay(t)
		_, err = r.add(entry{position: 0, index: 0, term: 256, record: []byte("a")})
		require.NoError(t, err)
		r.err = errors.New("no room")
		require.ErrorIs(t, r.Rest(), r.err)
		require.Len(t, r.given, 1)

		r = newReplay(t)
		end, err := r.add(entry{position: 0, index: 0, term: 256, record: []byte("a")})
		require.NoError(t, err)
		r.err = errors.New("no room")
		_, err = r.add(entry{position: 0, index: 0, term: 512, commit: end, record: []byte("a")})
		require.ErrorIs(t, err, r.err)
	})
	t.Run("damage", func(t *testing.T) {
		r := newReplay(t)
		good := func() Logged {
			e := entry{position: 8, index: 0, term: 256, record: []byte("record")}
			b := make([]byte, entrySize(6))
			e.encode(b)
			return Logged{Term: 256, Position: 8, End: 8 + entrySize(6), Bytes: b[:e.length()]}
		}
		require.NoError(t, r.Add(good()))
		for about, change := range map[string]func(l *Logged){
			"a bit":            func(l *Logged) { l.Bytes[entryHeader]++ },
			"another position": func(l *Logged) { l.Position += 8 },
			"too short":        func(l *Logged) { l.Bytes = l.Bytes[:len(l.Bytes)-1] },
			"too long":         func(l *Logged) { l.Bytes = append(l.Bytes, 0) },
			"over the end":     func(l *Logged) { l.Position = r.geo.ring - 8 },
			"over the largest": func(l *Logged) { l.Bytes = make([]byte, r.geo.maxEntry()+1) },
			"nothing":          func(l *Logged) { l.Bytes = nil },
		} {
			l := good()
			change(&l)
			require.ErrorIs(t, r.Add(l), ErrJournal, about)
		}
		_, err := r.add(entry{position: 8, index: 0, term: 256, record: []byte("no members"), members: true})
		require.NoError(t, err)
		r.Position = 8
		require.ErrorIs(t, r.Rest(), ErrJournal)
		require.Empty(t, r.given)
		r.Region = r.Region[:100]
		require.ErrorIs(t, r.Rest(), ErrLogSize)
		require.ErrorIs(t, r.Add(good()), ErrLogSize)
	})
}

// What a log region holds, as tests and tools see it.
func TestHolds(t *testing.T) {
	geo, err := NewGeometry(MinLogSize)
	require.NoError(t, err)
	region := make([]byte, MinLogSize)
	put := func(e entry) uint64 {
		off := geo.slot(e.position)
		if e.skip {
			e.encode(region[off : off+entryHeader])
			return e.position + geo.left(e.position)
		}
		e.encode(region[off : off+entrySize(len(e.record))])
		return e.position + entrySize(len(e.record))
	}
	members := []Member{{ID: 1}, {ID: 2}}
	first := put(entry{position: 0, index: 4, term: 7, record: []byte("record")})
	second := put(entry{position: first, index: 5, term: 8, record: EncodeMembers(members), members: true})
	end := put(entry{position: second, index: 5, term: 8, skip: true})

	i, ok := Inspect(region, 0)
	require.True(t, ok)
	require.Equal(t, Inspected{Decided: Decided{Index: 4, Position: first, Record: []byte("record")}, Term: 7, End: first}, i)
	i, ok = Inspect(region, first)
	require.True(t, ok)
	require.Equal(t, Inspected{Decided: Decided{Index: 5, Position: second, Members: members}, Term: 8, End: second}, i)
	i, ok = Inspect(region, second)
	require.True(t, ok)
	require.True(t, i.Skip)
	require.Equal(t, end, i.End)
	_, ok = Inspect(region, end)
	require.False(t, ok)
	_, ok = Inspect(region[:100], 0)
	require.False(t, ok)

	for _, c := range []struct {
		position uint64
		d        Decided
		holds    bool
		record   bool
	}{
		{first, Decided{Index: 4, Record: []byte("record")}, true, true},
		{first, Decided{Index: 5, Record: []byte("record")}, false, false},
		{first, Decided{Index: 4, Record: []byte("recorD")}, false, false},
		{first, Decided{Index: 4, Record: []byte("recor")}, false, true}, // of the same size, and what is there begins like this
		{first + 8, Decided{Index: 4, Record: []byte("record")}, false, false},
		{8, Decided{Index: 4, Record: []byte("record")}, false, false},
		{second, Decided{Index: 5, Members: members}, true, true},
		{second, Decided{Index: 5, Members: []Member{{ID: 1}, {ID: 3}}}, false, false},
		{second, Decided{Index: 5, Record: EncodeMembers(members)}, false, true},
		{second, Decided{Index: 4, Members: members}, false, false},
	} {
		require.Equal(t, c.holds, Holds(region, c.position, c.d), "%d %+v", c.position, c.d)
		require.Equal(t, c.record, HoldsRecord(region, c.position, c.d), "%d %+v", c.position, c.d)
	}
	require.False(t, Holds(region, end, Decided{Index: 5, Record: make([]byte, int(geo.left(second))-entryHeader)}), "a skip is no entry")
	region[ringStart+entryTerm]++ // its checksum is wrong now
	require.False(t, Holds(region, first, Decided{Index: 4, Record: []byte("record")}))
	require.True(t, HoldsRecord(region, first, Decided{Index: 4, Record: []byte("record")}))
	require.False(t, HoldsRecord(region[:100], first, Decided{Index: 4, Record: []byte("record")}))
	require.False(t, HoldsRecord(region, geo.ring+8, Decided{Index: 4, Record: []byte("record")}), "across the end")
	bad := put(entry{position: 0, index: 4, term: 7, record: []byte("none"), members: true})
	_, ok = Inspect(region, 0)
	require.False(t, ok)
	require.False(t, Holds(region, bad, Decided{Index: 4}))
}

// What goes to a server's disk, and what is there.
func TestJournals(t *testing.T) {
	t.Run("in order, the skip too", func(t *testing.T) {
		a := onDisk(t, 1, 3)
		a.announced()
		a.follow()
		at, index := uint64(0), uint64(0)
		var want []string
		for a.core.geo.left(at) >= 400 {
			at = a.writes(entry{position: at, index: index, term: 5 << 8, commit: at, record: make([]byte, 320)})
			want = append(want, fmt.Sprint(at))
			index++
			a.core.Poll(a.now)
			a.apply()
			a.core.Logged(a.now, 5<<8, at)
		}
		left := a.core.geo.left(at)
		require.GreaterOrEqual(t, left, uint64(entryHeader))
		e := entry{position: at, index: index, term: 5 << 8, commit: at, skip: true}
		off := a.core.geo.slot(at)
		e.encode(a.log[off : off+entryHeader])
		at += left
		want = append(want, fmt.Sprint(at))
		at = a.writes(entry{position: at, index: index, term: 5 << 8, commit: at, record: []byte("x")})
		want = append(want, fmt.Sprint(at))
		a.core.Poll(a.now)
		var got []string
		for i, l := range a.logged {
			got = append(got, fmt.Sprint(l.End))
			if i > 0 {
				require.Equal(t, a.logged[i-1].End, l.Position)
			}
			require.Equal(t, Term(5<<8), l.Term)
		}
		require.Equal(t, want, got)
		require.Equal(t, at-entrySize(1), a.logged[len(a.logged)-1].Commit)
	})
	t.Run("what is applied, of a leader whose term is over", func(t *testing.T) {
		a := onDisk(t, 1, 3)
		a.announced()
		a.follow()
		end := a.writes(entry{term: 5 << 8, record: []byte("x")})
		r := request{cluster: 7, term: 6<<8 | 2, seq: 1, durable: true}
		r.encode(a.vote[offRequest+requestLen*2:]) // before this server has looked at its log
		a.core.readRequests()
		require.Equal(t, r.term, a.core.promised)
		require.Empty(t, a.logged)
		at := a.writes(entry{position: end, index: 1, commit: end, term: 6<<8 | 2, record: []byte("y")})
		a.core.Poll(a.now)
		require.Equal(t, []string{"x"}, a.records())
		a.core.Poll(a.now)
		require.Len(t, a.logged, 2)
		require.Equal(t, []uint64{0, end}, []uint64{a.logged[0].Position, a.logged[0].End})
		require.Equal(t, []uint64{end, at}, []uint64{a.logged[1].Position, a.logged[1].End})
		require.Equal(t, []Term{5 << 8, 6<<8 | 2}, []Term{a.logged[0].Term, a.logged[1].Term})
	})
	t.Run("an end that is too short for a mark needs no disk", func(t *testing.T) {
		a := newAlone(t, 1, 3, func(c *Config) {
			c.Durable, c.Stored = true, Stored{Full: true, Incarnation: 3}
			c.Position = MinLogSize - ringStart - 32
		})
		a.stored = a.cfg.Stored
		a.announced()
		for _, p := range a.peers {
			p.st.head = a.core.head
		}
		a.follow()
		require.Equal(t, a.core.geo.ring, a.core.journaled)
		require.Equal(t, a.core.geo.ring, a.core.logged)
		require.Empty(t, a.logged)
	})
	t.Run("reports of a disk", func(t *testing.T) {
		a := onDisk(t, 1, 3)
		a.announced()
		a.follow()
		a.writes(entry{term: 5 << 8, record: []byte("x")})
		a.core.Poll(a.now)
		a.core.Logged(a.now, 4<<8, 48)
		require.Zero(t, a.core.logged, "of another term")
		require.EqualValues(t, 48, a.core.kept, "but it was there")
		a.core.Logged(a.now, 5<<8, 40)
		require.EqualValues(t, 40, a.status().logged)
		require.EqualValues(t, 48, a.status().kept)
		a.core.Logged(a.now, 5<<8, 32)
		require.EqualValues(t, 40, a.core.logged, "it does not go back")
	})
	t.Run("a disk that fails", func(t *testing.T) {
		a := onDisk(t, 1, 3)
		a.announced()
		a.follow()
		a.unpromised = true
		before := a.status()
		a.asks(request{term: 6 << 8, seq: 1})
		a.tick(50 * ms)
		require.Equal(t, before, a.status(), "nobody relies on anything that it says from now on")
	})
	t.Run("of a majority", func(t *testing.T) {
		for _, c := range []struct {
			states string
			own    uint64
			others []uint64
			until  uint64
		}{
			{"FFF", 24, []uint64{16, 8}, 16}, {"FFF", 0, []uint64{16, 8}, 8}, {"FFF", 24, []uint64{0, 0}, 0},
			{"F", 24, nil, 24}, {"FF", 24, []uint64{16}, 16}, {"FFFF", 24, []uint64{16, 8, 0}, 8},
			{"FFFFF", 40, []uint64{32, 24, 16, 8}, 24}, {"FFRFF", 40, []uint64{32, 24, 16, 8}, 16}, {"FFRR", 40, []uint64{32, 24, 16}, 0},
		} {
			a := sees(t, 0, c.states)
			a.core.cfg.Durable, a.core.logged, a.core.promised, a.core.role = true, c.own, 5<<8, Leader
			for i, p := range a.core.peers {
				p.live, p.full, p.st.promised, p.st.logged = true, c.states[i+1] == 'F', 5<<8, c.others[i]
			}
			require.Equal(t, c.until, a.core.onDisks(), "%+v", c)
			for _, p := range a.core.peers {
				require.Equal(t, p.st.logged, a.core.held(p))
				p.st.promised--
				require.Zero(t, a.core.held(p), "of another leader")
			}
		}
		a := sees(t, 0, "FFF")
		a.core.cfg.Durable, a.core.logged, a.core.members = true, 24, []Member{{ID: 1}, {ID: 2}}
		for _, p := range a.core.peers {
			p.live, p.full, p.st.logged = true, true, 8
		}
		require.EqualValues(t, 8, a.core.onDisks(), "this server was removed")
	})
}
