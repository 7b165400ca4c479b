package testbed_test

import (
	"encoding/binary"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/p4ce/p4ce/dataplane"
	"github.com/p4ce/p4ce/p4/lang/ir"
)

// dst is a destination address as bytes.
func dst(v uint64) []byte {
	var b [8]byte
	binary.BigEndian.PutUint64(b[:], v)
	return b[2:]
}

// frameOf is a packet to an address, of a type.
func frameOf(to uint64, typ uint16) []byte {
	return append(append(append([]byte{}, dst(to)...), 0, 0, 0, 0, 0, 0), byte(typ>>8), byte(typ))
}

// TestDirectCounters: each entry has a counter of its own, in tables of every kind; it goes on when the entry's action changes or
// other entries come and go, and a new entry counts from zero. The default action has one, too.
func TestDirectCounters(t *testing.T) {
	ones := []byte{0xff, 0xff, 0xff, 0xff, 0xff, 0xff}
	for _, target := range targets {
		t.Run(target, func(t *testing.T) {
			pipe := small(t, "testdata/direct_counter.p4")
			sw := load(t, pipe, target)
			tables := pipe.Program.Tables
			send := func(to uint64, typ uint16, want uint16) {
				t.Helper()
				out, err := sw.Inject(1, frameOf(to, typ))
				require.NoError(t, err)
				require.Len(t, out, 1)
				require.Equal(t, want, binary.BigEndian.Uint16(out[0].Frame[12:]))
			}
			match := []func(n uint64) []dataplane.Match{
				func(n uint64) []dataplane.Match { return []dataplane.Match{{Value: dst(n)}} },
				func(n uint64) []dataplane.Match { return []dataplane.Match{{Value: dst(n)[5:]}} },
				func(n uint64) []dataplane.Match {
					return []dataplane.Match{{Value: dst(n), Mask: ones}, {Value: []byte{0, 0}, Mask: []byte{0, 9}}}
				},
				func(n uint64) []dataplane.Match {
					return []dataplane.Match{{Value: dst(n), PrefixLen: 43, Mask: make([]byte, 6)}}
				},
			}
			for i, tb := range tables[:4] {
				t.Run(fmt.Sprint(tb.Name), func(t *testing.T) {
					entry := func(n, v uint64) *dataplane.Entry {
						e := &dataplane.Entry{Table: tb, Matches: match[i](n), Action: dataplane.Action{Action: tb.Actions[0].Action, Args: [][]byte{{byte(v >> 8), byte(v)}}}}
						if tb.Keys[0].Match == ir.Ternary {
							e.Priority = 5
						}
						return e
					}
					count := func(e *dataplane.Entry) uint64 {
						t.Helper()
						c, err := sw.ReadDirectCounter(e)
						require.NoError(t, err)
						require.Equal(t, 14*c.Packets, c.Bytes)
						return c.Packets
					}
					a, b, typ := entry(7, 0x700), entry(8, 0x800), uint16(i+1)
					require.NoError(t, sw.Insert(a))
					require.NoError(t, sw.Insert(b))
					require.Error(t, sw.Insert(a))
					send(7, typ, 0x700)
					send(7, typ, 0x700)
					send(8, typ, 0x800)
					send(9, typ, 0)
					require.EqualValues(t, 2, count(a))
					require.EqualValues(t, 1, count(b))
					require.EqualValues(t, 1, count(&dataplane.Entry{Table: tb}))
					require.NoError(t, sw.Modify(entry(7, 0x701)))
					require.ErrorIs(t, sw.Modify(entry(10, 1)), dataplane.ErrNotFound)
					send(7, typ, 0x701)
					require.EqualValues(t, 3, count(a))
					require.NoError(t, sw.Delete(a))
					require.ErrorIs(t, sw.Delete(a), dataplane.ErrNotFound)
					_, err := sw.ReadDirectCounter(a)
					require.ErrorIs(t, err, dataplane.ErrNotFound)
					require.NoError(t, sw.Insert(entry(11, 0xb00)))
					require.Zero(t, count(entry(11, 0)))
					send(11, typ, 0xb00)
					require.EqualValues(t, 1, count(entry(11, 0)))
					require.NoError(t, sw.WriteDirectCounter(b, dataplane.Counter{Packets: 4, Bytes: 56}))
					send(8, typ, 0x800)
					require.EqualValues(t, 5, count(b))
				})
			}
			// A miss behind a hit in another table.
			first := tables[1]
			require.NoError(t, sw.Insert(&dataplane.Entry{Table: first, Matches: []dataplane.Match{{Value: []byte{99}}},
				Action: dataplane.Action{Action: first.Actions[0].Action, Args: [][]byte{{0, 1}}}}))
			before, err := sw.ReadDirectCounter(&dataplane.Entry{Table: tables[0]})
			require.NoError(t, err)
			both := frameOf(99, 1)
			both[10] = 1
			_, err = sw.Inject(1, both)
			require.NoError(t, err)
			after, err := sw.ReadDirectCounter(&dataplane.Entry{Table: tables[0]})
			require.NoError(t, err)
			require.Equal(t, before.Packets+1, after.Packets)
			// Constant entries count as well.
			for _, src := range []byte{1, 2, 2, 3} {
				f := frameOf(1, 9)
				f[11] = src
				_, err := sw.Inject(1, f)
				require.NoError(t, err)
			}
			constant := tables[4]
			for i, want := range []uint64{1, 2} {
				c, err := sw.ReadDirectCounter(dataplane.ProgramEntry(constant, constant.Entries[i]))
				require.NoError(t, err)
				require.Equal(t, want, c.Packets)
			}
			c, err := sw.ReadDirectCounter(&dataplane.Entry{Table: constant})
			require.NoError(t, err)
			require.EqualValues(t, 1, c.Packets)
		})
	}
}

// TestLargeList: a table with ternary keys of more entries than a program searches by itself. The best of those that match is found.
func TestLargeList(t *testing.T) {
	for _, target := range targets {
		t.Run(target, func(t *testing.T) {
			pipe := small(t, "testdata/direct_counter.p4")
			sw := load(t, pipe, target)
			tb := pipe.Program.Tables[2]
			require.Equal(t, 1024, tb.Size)
			add := func(value, mask uint64, lo, hi uint16, priority int32, v uint16) {
				t.Helper()
				two := func(v uint16) []byte { return []byte{byte(v >> 8), byte(v)} }
				require.NoError(t, sw.Insert(&dataplane.Entry{Table: tb, Priority: priority,
					Matches: []dataplane.Match{{Value: dst(value), Mask: dst(mask)}, {Value: two(lo), Mask: two(hi)}},
					Action:  dataplane.Action{Action: tb.Actions[0].Action, Args: [][]byte{two(v)}}}))
			}
			for n := range 400 {
				add(uint64(n), 0xffff, 0, 0xffff, int32(1000-n), uint16(n))
			}
			add(0, 0, 0x10, 0x20, 2000, 0xaaaa)
			look := func(to uint64, src uint16) uint16 {
				f := frameOf(to, 3)
				binary.BigEndian.PutUint16(f[10:], src)
				out, err := sw.Inject(1, f)
				require.NoError(t, err)
				require.Len(t, out, 1)
				return binary.BigEndian.Uint16(out[0].Frame[12:])
			}
			require.EqualValues(t, 399, look(0x50000+399, 0))
			require.EqualValues(t, 5, look(5, 0x21))
			require.EqualValues(t, 0xaaaa, look(5, 0x20))
			require.EqualValues(t, 0, look(400, 0), "the default action")
		})
	}
}

// TestDirectCountersOfProfiles: an entry that names a member or a group counts its packets, whatever member they get, and the default
// entry those that match no entry, when its action counts.
func TestDirectCountersOfProfiles(t *testing.T) {
	for _, target := range targets {
		t.Run(target, func(t *testing.T) {
			pipe := small(t, "testdata/profile_counter.p4")
			sw := load(t, pipe, target)
			prog := pipe.Program
			insert := func(table string, keys []uint64, action string, args ...uint64) *dataplane.Entry {
				t.Helper()
				e := dataplane.NewEntry(prog, table, keys, 0, action, args...)
				if e.Table.Keys[0].Match == ir.Ternary {
					e.Matches[0].Mask, e.Priority = []byte{0xff, 0xff}, 1
				}
				require.NoError(t, sw.Insert(e))
				return e
			}
			insert("balanced.members", []uint64{1}, "send", 0x100)
			insert("balanced.members", []uint64{2}, "low", 0x200)
			insert("next.groups", []uint64{3}, "set_size", 2, 4, 0)
			insert("next.slots", []uint64{3, 0}, "set_member", 1)
			insert("next.slots", []uint64{3, 1}, "set_member", 2)
			insert("marked.members", []uint64{1}, "mark", 9)
			group, one := insert("balanced", []uint64{1}, "to_group", 3), insert("balanced", []uint64{2}, "to_member", 1)
			marked := insert("marked", []uint64{5}, "to_member", 1)
			send := func(to uint64, src byte, typ, want uint16) {
				t.Helper()
				f := frameOf(to, typ)
				f[11] = src
				out, err := sw.Inject(1, f)
				require.NoError(t, err)
				require.Len(t, out, 1)
				require.Equal(t, want, binary.BigEndian.Uint16(out[0].Frame[12:]))
			}
			counted := func(e *dataplane.Entry, packets uint64) {
				t.Helper()
				c, err := sw.ReadDirectCounter(e)
				require.NoError(t, err)
				require.Equal(t, dataplane.Counter{Packets: packets, Bytes: 14 * packets}, c)
			}
			send(1, 0, 1, 0x100)
			send(1, 1, 1, 0x201)
			send(1, 2, 1, 0x100)
			send(2, 0, 1, 0x100)
			send(3, 0, 1, 1) // NoAction, which does not count
			counted(group, 3)
			counted(one, 1)
			counted(&dataplane.Entry{Table: dataplane.TableOf(prog, "balanced")}, 0)
			send(5, 0, 2, 9)
			send(6, 0, 2, 7)
			send(7, 0, 2, 7)
			counted(marked, 1)
			counted(&dataplane.Entry{Table: dataplane.TableOf(prog, "marked")}, 2)
		})
	}
}
