package kv

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"math/rand/v2"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/stretchr/testify/require"

	"github.com/p4ce/p4ce/host/replicated"
	"github.com/p4ce/p4ce/internal/long"
)

// roundOf is what the next round of a transfer is.
func roundOf(t require.TestingT, g replicated.Giving) []byte {
	image, _, err := g.Round()
	require.NoError(t, err)
	var b bytes.Buffer
	_, err = image.WriteTo(&b)
	require.NoError(t, err)
	require.NoError(t, image.Close())
	return b.Bytes()
}

// change applies n random changes.
func change(t require.TestingT, m *Machine, r *rand.Rand, at *int, keys, n int) {
	for range n {
		key := fmt.Sprint("k", r.IntN(keys))
		o := op{code: opSet, args: args(key, strings.Repeat("v", r.IntN(2000)))}
		switch r.IntN(5) {
		case 0:
			o = op{code: opDel, args: args(key)}
		case 1:
			o.n = int64(1_000_000 + r.IntN(1000)) // expires, some day
		}
		apply(t, m, *at, encode(record{time: 10, ops: []op{o}}))
		*at++
	}
}

// TestRounds: the state goes over in rounds while it changes, over connections that break anywhere; processes end
// meanwhile. What was there before is not brought again, and in the end it is the same state.
func TestRounds(t *testing.T) {
	long.Test(t)
	for seed := range uint64(6) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			r := rand.New(rand.NewPCG(seed, 1))
			from := open(t, vfs.NewMem())
			defer from.Close()
			fs := vfs.NewMem()
			to := open(t, fs)
			defer func() { require.NoError(t, to.Close()) }()
			n := 0
			change(t, from, r, &n, 3000, 3000)
			apply(t, to, 0, set(1, "old", "state"))
			old := digest(t, to)
			first, breaks := 0, 0
			taken, err := to.Take()
			require.NoError(t, err)
			for whole := 0; whole < 3; {
				g, resumed, err := from.Give(taken.Known())
				require.NoError(t, err)
				require.Equal(t, taken.Known() != nil, resumed, "it goes on where it was")
				b := roundOf(t, g)
				change(t, from, r, &n, 3000, 50)
				switch {
				case first == 0:
					first = len(b)
				case whole > 0:
					require.Less(t, len(b), first/2, "what has changed is little")
				}
				if r.IntN(2) > 0 {
					require.NoError(t, taken.Round(bytes.NewReader(b)))
					whole++
					continue
				}
				breaks++
				had := taken.Known()
				cut := r.IntN(len(b))
				require.ErrorContains(t, taken.Round(io.MultiReader(bytes.NewReader(b[:cut]), iotest.ErrReader(errors.New("the peer died")))), "the peer died")
				if cut > len(b)/2 && len(b) > 4*frameTarget {
					require.NotEqual(t, had, taken.Known(), "what has come is kept")
				}
				require.NoError(t, taken.Close())
				require.Equal(t, old, digest(t, to), "the state in use is as it was")
				if r.IntN(2) > 0 {
					require.NoError(t, to.Close())
					to = open(t, fs)
				}
				taken, err = to.Take()
				require.NoError(t, err)
			}
			// The last one is of a moment that both know.
			g, _, err := from.Give(taken.Known())
			require.NoError(t, err)
			want, position := digest(t, from), applied(t, from)
			require.NoError(t, taken.Round(bytes.NewReader(roundOf(t, g))))
			require.NoError(t, taken.Install())
			require.NoError(t, taken.Close())
			require.Equal(t, want, digest(t, to))
			require.Equal(t, position, applied(t, to))
			require.NoError(t, to.Close())
			to = open(t, fs)
			require.Equal(t, want, digest(t, to), "it is on disk")
			require.Empty(t, to.partial)
			t.Logf("%d breaks", breaks)
		})
	}
}

// TestRoundsGoOn: a round that broke brings what has not arrived, and no more.
func TestRoundsGoOn(t *testing.T) {
	from, to := open(t, vfs.NewMem()), open(t, vfs.NewMem())
	defer from.Close()
	defer to.Close()
	value := strings.Repeat("v", 64<<10)
	for i := range 200 {
		apply(t, from, i, set(7, fmt.Sprint("k", i), value))
	}
	taken, err := to.Take()
	require.NoError(t, err)
	require.Nil(t, taken.Known())
	g, resumed, err := from.Give(nil)
	require.NoError(t, err)
	require.False(t, resumed)
	all := roundOf(t, g)
	require.Error(t, taken.Round(bytes.NewReader(all[:len(all)*3/4])))
	require.NoError(t, taken.Close())
	taken, err = to.Take()
	require.NoError(t, err)
	g, resumed, err = from.Give(taken.Known())
	require.NoError(t, err)
	require.True(t, resumed)
	rest := roundOf(t, g)
	require.InDelta(t, len(all)/4, len(rest), 600<<10)
	require.NoError(t, taken.Round(bytes.NewReader(rest)))
	require.NoError(t, taken.Install())
	require.NoError(t, taken.Close())
	require.Equal(t, digest(t, from), digest(t, to))
}

// TestRoundsAgain: who has installed the state, and applied what followed, goes on from there when it needs the state again:
// what has changed since is brought, over connections that break, and processes that end, and nothing else.
func TestRoundsAgain(t *testing.T) {
	for seed := range uint64(6) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			r := rand.New(rand.NewPCG(seed, 2))
			from := open(t, vfs.NewMem())
			defer from.Close()
			fs := vfs.NewMem()
			to := open(t, fs)
			defer func() { require.NoError(t, to.Close()) }()
			n := 0
			change(t, from, r, &n, 2000, 2000)
			taken, err := to.Take()
			require.NoError(t, err)
			g, _, err := from.Give(taken.Known())
			require.NoError(t, err)
			first := roundOf(t, g)
			require.NoError(t, taken.Round(bytes.NewReader(first)))
			require.NoError(t, taken.Install())
			require.NoError(t, taken.Close())
			for range 3 {
				// The log goes on, and then it is lost.
				state := r.Uint64()
				same := func() *rand.Rand { return rand.New(rand.NewPCG(state, 3)) }
				m := n
				change(t, from, same(), &n, 2000, 60)
				change(t, to, same(), &m, 2000, 60)
				require.Equal(t, digest(t, from), digest(t, to))
				if r.IntN(2) > 0 {
					require.NoError(t, to.Close())
					to = open(t, fs)
				}
				change(t, from, r, &n, 2000, 60)
				before := digest(t, to)
				for breaks := r.IntN(4); ; breaks-- {
					taken, err := to.Take()
					require.NoError(t, err)
					g, resumed, err := from.Give(taken.Known())
					require.NoError(t, err)
					require.True(t, resumed)
					for range r.IntN(3) {
						b := roundOf(t, g)
						require.Less(t, len(b), len(first)/2, "what has changed is little")
						require.NoError(t, taken.Round(bytes.NewReader(b)))
						change(t, from, r, &n, 2000, 20)
					}
					b := roundOf(t, g)
					want := digest(t, from)
					if breaks > 0 {
						require.Error(t, taken.Round(bytes.NewReader(b[:r.IntN(len(b))])))
						require.NoError(t, taken.Close())
						require.Equal(t, before, digest(t, to), "the state in use is as it was")
						require.Empty(t, to.partial, "no state that ever was")
						if r.IntN(2) > 0 {
							require.NoError(t, to.Close())
							to = open(t, fs)
						}
						continue
					}
					require.NoError(t, taken.Round(bytes.NewReader(b)))
					require.NoError(t, taken.Install())
					require.NoError(t, taken.Close())
					require.Equal(t, want, digest(t, to))
					break
				}
			}
			// Another giver knows nothing of that.
			other := open(t, vfs.NewMem())
			defer other.Close()
			apply(t, other, 0, set(7, "other", "state"))
			taken, err = to.Take()
			require.NoError(t, err)
			g, resumed, err := other.Give(taken.Known())
			require.NoError(t, err)
			require.False(t, resumed)
			require.NoError(t, taken.Round(bytes.NewReader(roundOf(t, g))))
			require.NoError(t, taken.Install())
			require.NoError(t, taken.Close())
			require.Equal(t, digest(t, other), digest(t, to))
		})
	}
}

// TestRoundsAheadOfGiver: a server has applied more than its giver had when a round was made. What the next one brings covers that.
func TestRoundsAheadOfGiver(t *testing.T) {
	from, to := open(t, vfs.NewMem()), open(t, vfs.NewMem())
	defer from.Close()
	defer to.Close()
	apply(t, from, 0, set(7, "k", "1"))
	apply(t, from, 1, set(7, "l", "1"))
	taken, err := to.Take()
	require.NoError(t, err)
	g, _, err := from.Give(nil)
	require.NoError(t, err)
	require.NoError(t, taken.Round(bytes.NewReader(roundOf(t, g))))
	require.NoError(t, taken.Install())
	require.NoError(t, taken.Close())
	apply(t, to, 2, set(7, "k", "2"))
	require.NoError(t, to.Sync())
	taken, err = to.Take()
	require.NoError(t, err)
	g, resumed, err := from.Give(taken.Known())
	require.NoError(t, err)
	require.True(t, resumed)
	require.NoError(t, taken.Round(bytes.NewReader(roundOf(t, g))))
	apply(t, from, 2, set(7, "k", "2"))
	apply(t, from, 3, set(7, "m", "2"))
	require.NoError(t, taken.Round(bytes.NewReader(roundOf(t, g))))
	require.NoError(t, taken.Install())
	require.NoError(t, taken.Close())
	require.Equal(t, digest(t, from), digest(t, to))
}

// TestRoundsOfAnother: who has a part of another transfer's state begins anew, and one who does not need any more what it has
// taken removes it.
func TestRoundsOfAnother(t *testing.T) {
	a, b, to := open(t, vfs.NewMem()), open(t, vfs.NewMem()), open(t, vfs.NewMem())
	defer a.Close()
	defer b.Close()
	defer to.Close()
	for i := range 20 {
		apply(t, a, i, set(7, fmt.Sprint("a", i), "1"))
		apply(t, b, i, set(7, fmt.Sprint("b", i), "2"))
	}
	taken, err := to.Take()
	require.NoError(t, err)
	g, _, err := a.Give(nil)
	require.NoError(t, err)
	require.NoError(t, taken.Round(bytes.NewReader(roundOf(t, g))))
	h, resumed, err := b.Give(taken.Known())
	require.NoError(t, err)
	require.False(t, resumed)
	require.NoError(t, taken.Round(bytes.NewReader(roundOf(t, h))))
	require.NoError(t, taken.Install())
	require.NoError(t, taken.Close())
	require.Equal(t, digest(t, b), digest(t, to))

	// Somebody else asks: what was begun ends, and says so.
	_, _, err = a.Give(nil)
	require.NoError(t, err)
	_, _, err = g.Round()
	require.ErrorIs(t, err, errOtherTransfer)
	// The giver's state was replaced by another one: what has changed is not known.
	g, _, err = b.Give(nil)
	require.NoError(t, err)
	require.NoError(t, b.Restore(bytes.NewReader(takeImage(t, a))))
	_, _, err = g.Round()
	require.ErrorIs(t, err, errOtherTransfer)

	taken, err = to.Take()
	require.NoError(t, err)
	g, _, err = a.Give(nil)
	require.NoError(t, err)
	require.NoError(t, taken.Round(bytes.NewReader(roundOf(t, g))))
	require.NoError(t, taken.Close())
	require.NotEmpty(t, to.partial)
	name := to.partial
	apply(t, to, 100, set(9, "goes", "on"))
	require.Empty(t, to.partial)
	_, err = to.fs.Stat(to.path(name))
	require.Error(t, err)
}

// TestRoundsOfAnotherGiver: what a server has of one giver's state is not gone on with by another one, although that has
// begun to give its own to somebody, and is in the same round.
func TestRoundsOfAnotherGiver(t *testing.T) {
	a, b, to, third := open(t, vfs.NewMem()), open(t, vfs.NewMem()), open(t, vfs.NewMem()), open(t, vfs.NewMem())
	for _, m := range []*Machine{a, b, to, third} {
		defer m.Close()
	}
	for i := range 20 {
		apply(t, a, i, set(7, fmt.Sprint("a", i), "1"))
		apply(t, b, i, set(7, fmt.Sprint("b", i), "2"))
	}
	taken, err := to.Take()
	require.NoError(t, err)
	g, _, err := b.Give(nil)
	require.NoError(t, err)
	require.NoError(t, taken.Round(bytes.NewReader(roundOf(t, g))))
	other, err := third.Take()
	require.NoError(t, err)
	h, _, err := a.Give(nil)
	require.NoError(t, err)
	require.NoError(t, other.Round(bytes.NewReader(roundOf(t, h))))
	require.NoError(t, other.Close())

	h, resumed, err := a.Give(taken.Known())
	require.NoError(t, err)
	require.False(t, resumed)
	require.NoError(t, taken.Round(bytes.NewReader(roundOf(t, h))))
	require.NoError(t, taken.Install())
	require.NoError(t, taken.Close())
	require.Equal(t, digest(t, a), digest(t, to))
}

// TestRoundBackwards: ranges that are not in order are no round, also within a bucket: what is replaced is passed once.
func TestRoundBackwards(t *testing.T) {
	key := func(b byte) []byte { return append(bucketKey(7), b) }
	for about, c := range map[string]struct {
		ranges [][2][]byte
		ok     bool
	}{
		"in order":      {[][2][]byte{{bucketKey(0), key(1)}, {key(1), key(3)}, {key(3), bucketKey(buckets)}}, true},
		"overlapping":   {[][2][]byte{{bucketKey(0), key(2)}, {key(1), key(3)}}, false},
		"one twice":     {[][2][]byte{{key(1), key(2)}, {key(1), key(2)}}, false},
		"back a bucket": {[][2][]byte{{key(1), bucketKey(9)}, {bucketKey(8), bucketKey(10)}}, false},
	} {
		to := open(t, vfs.NewMem())
		var out bytes.Buffer
		f := frameWriter{w: &out, sum: crc32.New(castagnoli)}
		f.write([]byte(roundMagic))
		f.payload = append(f.payload, make([]byte, 15)...)
		f.payload = append(f.payload, 1, 1) // a transfer's number, its first round
		f.bytes(meta{}.bytes())
		f.bytes(nil)
		f.frame(frameMeta)
		for _, r := range c.ranges {
			f.span(r[0], r[1])
		}
		f.frame(frameData)
		f.payload = binary.AppendUvarint(f.payload, 1)
		f.frame(frameEnd)
		require.NoError(t, f.err)
		taken, err := to.Take()
		require.NoError(t, err)
		require.Equal(t, c.ok, taken.Round(&out) == nil, about)
		require.NoError(t, taken.Close())
		require.NoError(t, to.Close())
	}
}

// FuzzRound: whatever comes as a round, the state in use stays until one is whole.
func FuzzRound(f *testing.F) {
	from := open(f, vfs.NewMem())
	apply(f, from, 0, set(7, "k", "value"))
	g, _, err := from.Give(nil)
	require.NoError(f, err)
	whole := roundOf(f, g)
	require.NoError(f, from.Close())
	f.Add(whole, false)
	f.Add(whole[:len(whole)-3], false)
	f.Add(whole[len(roundMagic):], true)
	f.Fuzz(func(t *testing.T, b []byte, mend bool) {
		if mend { // so that the checksums of what follows the magic hold
			b = mendFrames(roundMagic, b)
		}
		m := open(t, vfs.NewMem())
		before := digest(t, m)
		taken, err := m.Take()
		require.NoError(t, err)
		if err = taken.Round(bytes.NewReader(b)); err == nil {
			err = taken.Install()
		} else {
			require.Error(t, taken.Install())
		}
		require.NoError(t, taken.Close())
		if err != nil {
			require.Equal(t, before, digest(t, m))
		}
		apply(t, m, 0, set(8, "k", "v"))
		require.NoError(t, m.Close())
	})
}

// TestRoundDamaged: a round that is damaged, or of something else, is not taken, and the state in use stays.
func TestRoundDamaged(t *testing.T) {
	from, to := open(t, vfs.NewMem()), open(t, vfs.NewMem())
	defer from.Close()
	defer to.Close()
	for i := range 5 {
		apply(t, from, i, set(7, fmt.Sprint("k", i), "value"))
	}
	apply(t, to, 0, set(1, "old", "state"))
	want := digest(t, to)
	g, _, err := from.Give(nil)
	require.NoError(t, err)
	b := roundOf(t, g)
	for i := 0; i < len(b); i += 11 {
		bad := bytes.Clone(b)
		bad[i] ^= 1 << (i % 8)
		taken, err := to.Take()
		require.NoError(t, err)
		require.Error(t, taken.Round(bytes.NewReader(bad)), "byte %d", i)
		require.Error(t, taken.Install())
		require.NoError(t, taken.Close())
		require.Equal(t, want, digest(t, to))
	}
}
