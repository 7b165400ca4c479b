package kv

import (
	"bytes"
	"crypto/rand"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"io"
	"math/bits"

	"github.com/cockroachdb/pebble/v2"

	"github.com/p4ce/p4ce/host/replicated"
)

// The state is given in rounds. The keys are in buckets, by the first bits of their hashes, which is
// the order in which the database has them. A round contains all keys of those buckets that the other
// server lacks, or that have changed since they were sent. So the bookkeeping is one bit for each
// bucket, however much changes and however long it takes. A round that breaks continues where it was,
// with a newer view.
const (
	bucketBits = 22
	buckets    = 1 << bucketBits
)

func bucketOf(hash uint64) int { return int(hash >> (64 - bucketBits)) }

// bucketKey returns the first key of a bucket in the database. For the bucket after the last, it
// returns the end of all keys.
func bucketKey(b int) []byte {
	if b == buckets {
		return []byte{dataPrefix + 1}
	}
	return binary.BigEndian.AppendUint64([]byte{dataPrefix}, uint64(b)<<(64-bucketBits))
}

// bucketSet is a set of buckets.
type bucketSet [buckets / 64]uint64

func (s *bucketSet) add(b int) { s[b/64] |= 1 << (b % 64) }

// all adds all buckets.
func (s *bucketSet) all() {
	for i := range s {
		s[i] = ^uint64(0)
	}
}

// next returns the first bucket from b on that is, or is not, in the set. If there is none, it returns
// buckets.
func (s *bucketSet) next(b int, in bool) int {
	for b < buckets {
		w := s[b/64]
		if !in {
			w = ^w
		}
		if w &= ^uint64(0) << (b % 64); w != 0 {
			return b&^63 + bits.TrailingZeros64(w)
		}
		b = b&^63 + 64
	}
	return buckets
}

func (s *bucketSet) count() (n int) {
	for _, w := range s {
		n += bits.OnesCount64(w)
	}
	return n
}

// addFrom adds the buckets of o from b on.
func (s *bucketSet) addFrom(o *bucketSet, b int) {
	for b = o.next(b, true); b < buckets; b = o.next(b+1, true) {
		s.add(b)
	}
}

// transferID distinguishes one transfer from others.
type transferID [16]byte

// progress is how far a transfer has come, as the receiving server has it on disk: it has the buckets
// of a round before next, and all earlier rounds.
type progress struct {
	id    transferID
	round uint64
	next  int    // buckets: all
	keys  uint64 // that there are
}

const progressLen = 16 + 8 + 4 + 8

func (p progress) bytes() []byte {
	b := append(make([]byte, 0, progressLen), p.id[:]...)
	b = binary.LittleEndian.AppendUint64(b, p.round)
	b = binary.LittleEndian.AppendUint32(b, uint32(p.next))
	return binary.LittleEndian.AppendUint64(b, p.keys)
}

func parseProgress(b []byte) (p progress, ok bool) {
	if len(b) != progressLen {
		return p, false
	}
	copy(p.id[:], b)
	p.round, p.next, p.keys = binary.LittleEndian.Uint64(b[16:]), int(binary.LittleEndian.Uint32(b[24:])), binary.LittleEndian.Uint64(b[28:])
	return p, p.next <= buckets
}

// giving is a transfer to another server, and what has changed since. A server that has installed the
// state, and cannot continue from there, begins with what it has. The machine's lock mem guards it,
// and saving: changes to the database are marked.
type giving struct {
	m     *Machine
	id    transferID
	round uint64     // the round that is under way, or has broken
	set   *bucketSet // the buckets that it sends
	lacks bucketSet  // the buckets that the next round must send
	// What the other server had when it last asked, and what the rounds since then have sent: it may
	// return without those.
	base  progress
	given bucketSet
	// Statistics of the last round that was not short, to estimate the length of the next one: keys
	// that change differ from those that do not.
	bytes, filled int64
}

// Give implements replicated.Gradual.
func (m *Machine) Give(known []byte) (replicated.Giving, bool, error) {
	m.mem.Lock()
	defer m.mem.Unlock()
	if p, ok := parseProgress(known); ok && m.giving != nil && m.giving.goOn(p) {
		return m.giving, true, nil
	}
	g := &giving{m: m, set: &bucketSet{}}
	if _, err := rand.Read(g.id[:]); err != nil {
		return nil, false, err
	}
	for i := range g.lacks {
		g.lacks[i] = ^uint64(0)
	}
	m.giving = g
	return g, false, nil
}

// goOn takes back what did not arrive of the round that has broken, or what was not kept of earlier
// rounds. It returns false if the other server has parts of another transfer.
func (g *giving) goOn(p progress) bool {
	switch {
	case p.id != g.id:
		return false
	case p.round == g.round:
		g.lacks.addFrom(g.set, p.next)
	case p.round+1 == g.round && p.next == buckets: // nothing of the last round has arrived
		g.lacks.addFrom(g.set, 0)
	case p.round == g.base.round && p.next == g.base.next: // nor of the rounds before, or it was not kept
		g.lacks.addFrom(&g.given, 0)
	default:
		return false
	}
	g.set, g.base, g.given = &bucketSet{}, p, bucketSet{}
	return true
}

var errOtherTransfer = errors.New("another server is receiving the state, or the state has been replaced")

// Round implements replicated.Giving.
func (g *giving) Round() (replicated.Image, int64, error) {
	m := g.m
	if err := m.save(); err != nil {
		return nil, 0, err
	}
	// Nothing is applied meanwhile, so nothing is saved that the view lacks.
	m.saving.Lock()
	defer m.saving.Unlock()
	s, err := m.acquireWorking()
	if err != nil {
		return nil, 0, err
	}
	m.mem.Lock()
	defer m.mem.Unlock()
	if m.giving != g {
		return nil, 0, errors.Join(errOtherTransfer, s.Release())
	}
	set := g.lacks
	g.set, g.lacks = &set, bucketSet{}
	g.given.addFrom(&set, 0)
	g.round++
	size := int64(-1)
	if g.filled > 0 {
		size = int64(set.count()) * (g.bytes/g.filled + 1)
	}
	return &roundImage{image: image{s: s, snap: s.DB.NewSnapshot()}, g: g, set: &set, round: g.round}, size, nil
}

// A round is
//
//	magic | M | D ... | E
//
// in frames like those of an image (image.go). M has the transfer, the round, the machine's
// description and the protocol's state. D has keys as in an image, each after a K. Behind the keys of
// a range, it has R, the first key of the database in the range, and the first key behind the range:
// they replace everything that the other server has in that range. E has the number of frames.
const (
	roundMagic = "p4ce kv round 1\n"
	itemKey    = 'K'
	itemRange  = 'R'
)

// roundImage is the contents of one round.
type roundImage struct {
	image
	g     *giving
	set   *bucketSet
	round uint64
}

// WriteTo implements replicated.Image.
func (r *roundImage) WriteTo(w io.Writer) (int64, error) {
	f := frameWriter{w: w, sum: crc32.New(castagnoli)}
	f.write([]byte(roundMagic))
	desc, err := get(r.snap, metaKey)
	if err != nil {
		return f.n, err
	}
	state, err := get(r.snap, stateKey)
	if err != nil {
		return f.n, err
	}
	f.payload = append(f.payload, r.g.id[:]...)
	f.payload = binary.AppendUvarint(f.payload, r.round)
	f.bytes(desc)
	f.bytes(state)
	f.frame(frameMeta)
	it, err := r.snap.NewIter(dataRange())
	if err != nil {
		return f.n, err
	}
	frames, filled, last := uint64(0), int64(0), -1
	for from := r.set.next(0, true); from < buckets && f.err == nil; {
		to := r.set.next(from, false)
		lower, upper := bucketKey(from), bucketKey(to)
		for ok := forward(it, lower); ok && bytes.Compare(it.Key(), upper) < 0 && f.err == nil; ok = it.Next() {
			e, err := parseEntry(it.Value())
			if err != nil {
				return f.n, errors.Join(err, it.Close())
			}
			if b := bucketOf(binary.BigEndian.Uint64(it.Key()[1:])); b != last {
				filled, last = filled+1, b
			}
			f.payload = append(f.payload, itemKey)
			f.payload = binary.AppendUvarint(f.payload, uint64(e.expiry))
			f.bytes(it.Key()[dataHeader:])
			f.bytes(e.value)
			if len(f.payload) >= frameTarget {
				behind := append(bytes.Clone(it.Key()), 0)
				f.span(lower, behind)
				f.frame(frameData)
				frames++
				lower = behind
			}
		}
		f.span(lower, upper)
		if from = r.set.next(to, true); len(f.payload) >= frameTarget || from == buckets {
			f.frame(frameData)
			frames++
		}
	}
	if err := errors.Join(it.Error(), it.Close()); err != nil {
		return f.n, err
	}
	f.payload = binary.AppendUvarint(f.payload, frames)
	f.frame(frameEnd)
	if f.err == nil {
		r.g.brought(f.n, filled)
	}
	return f.n, f.err
}

// near is how many keys are skipped one by one before a new search. Neighbouring keys are read at
// once, and a search reads something of every level of the database.
const near = 16

// forward moves an iterator to the first key that is not below a given one. If the iterator is already
// behind that key, there is no key in between.
func forward(it *pebble.Iterator, key []byte) bool {
	for range near {
		if !it.Valid() {
			break
		}
		if bytes.Compare(it.Key(), key) >= 0 {
			return true
		}
		it.Next()
	}
	if it.Valid() && bytes.Compare(it.Key(), key) >= 0 {
		return true
	}
	return it.SeekGE(key)
}

// span ends a range of keys.
func (f *frameWriter) span(lower, upper []byte) {
	f.payload = append(f.payload, itemRange)
	f.bytes(lower)
	f.bytes(upper)
}

// sample is how many buckets serve to estimate the length of others.
const sample = 1000

// brought records how long a round was.
func (g *giving) brought(bytes, filled int64) {
	g.m.mem.Lock()
	defer g.m.mem.Unlock()
	if filled = max(filled, 1); filled >= min(g.filled, sample) {
		g.bytes, g.filled = bytes, filled
	}
}
