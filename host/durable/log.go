package durable

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/cespare/xxhash/v2"
)

// Log is a log of records. It is used by one goroutine at a time.
type Log struct {
	fs   FS
	dir  string
	name string

	first   uint64 // segment that is kept
	current uint64 // segment, 0 before the first Begin
	file    File
	at      int64 // where the next batch goes
	batches uint64
	state   state
	buf     []byte
	slotBuf []byte

	mark   File
	marks  uint64
	failed error
}

// The mark is two places of markSize bytes, written in turn:
//
//	sum | how often it was written | first segment | last segment | where the log stands
const (
	markName = "mark"
	markSize = 512
	markLen  = 8 + 8 + 8 + 8 + stateSize
)

// mark says how far a log reached a moment ago.
type mark struct {
	writes, first, last uint64
	state               state
}

func (m mark) encode(name string) []byte {
	b := make([]byte, 8, markLen)
	for _, v := range []uint64{m.writes, m.first, m.last} {
		b = le.AppendUint64(b, v)
	}
	b = m.state.append(b)
	le.PutUint64(b, chain(xxhash.Sum64String(name), b[8:]))
	return b
}

func parseMark(b []byte, name string) (m mark, ok bool) {
	if len(b) < markLen || le.Uint64(b) != chain(xxhash.Sum64String(name), b[8:markLen]) {
		return m, false
	}
	return mark{le.Uint64(b[8:]), le.Uint64(b[16:]), le.Uint64(b[24:]), parseState(b[32:])}, true
}

// OpenLog opens the log in a folder, which is made if there is none, and reads it: f is
// called for every record with the segment that it is in. The record is valid during the
// call. A log has a name, so that it is not taken for another one. Nothing can be appended
// before Begin. The caller closes it.
func OpenLog(f FS, dir, name string, each func(segment uint64, record []byte) error) (_ *Log, err error) {
	if len(name) > maxName {
		return nil, fmt.Errorf("log %q: a name of %d bytes", name, len(name))
	}
	l := &Log{fs: f, dir: dir, name: name}
	defer func() {
		if err != nil {
			err = fmt.Errorf("log %s: %w", dir, errors.Join(err, l.Close()))
		}
	}()
	if err := MakeDir(f, dir); err != nil {
		return nil, err
	}
	segments, err := l.list()
	if err != nil {
		return nil, err
	}
	m, err := l.openMark(len(segments) > 0)
	if err != nil {
		return nil, err
	}
	l.marks = m.writes
	return l, l.read(segments, m, each)
}

func (l *Log) path(segment uint64) string {
	return filepath.Join(l.dir, fmt.Sprintf("%08d.log", segment))
}

// list are the segments in the folder, in order. What was being written is removed.
func (l *Log) list() (segments []uint64, err error) {
	names, err := l.fs.List(l.dir)
	if err != nil {
		return nil, err
	}
	for _, n := range names {
		if strings.HasSuffix(n, tempSuffix) {
			if err := l.fs.Remove(filepath.Join(l.dir, n)); err != nil {
				return nil, err
			}
		}
		number, ok := strings.CutSuffix(n, ".log")
		if v, err := strconv.ParseUint(number, 10, 64); ok && err == nil && filepath.Base(l.path(v)) == n {
			segments = append(segments, v)
		}
	}
	slices.Sort(segments)
	return segments, nil
}

// openMark reads the mark, which is made when there is no log.
func (l *Log) openMark(exists bool) (m mark, err error) {
	path := filepath.Join(l.dir, markName)
	b, err := readAll(l.fs, path)
	switch {
	case err == nil:
	case !errors.Is(err, fs.ErrNotExist):
		return m, err
	case exists:
		return m, fmt.Errorf("its mark is missing: %w", ErrDamaged)
	default:
		b = make([]byte, 2*markSize)
		copy(b, mark{first: 1}.encode(l.name))
		if err := replace(l.fs, path, b, true); err != nil {
			return m, err
		}
	}
	found := false
	for i := 0; i < 2 && len(b) >= (i+1)*markSize; i++ {
		if v, ok := parseMark(b[i*markSize:], l.name); ok && (!found || v.writes > m.writes) {
			m, found = v, true
		}
	}
	if !found {
		return m, fmt.Errorf("its mark is damaged, or of another log: %w", ErrDamaged)
	}
	l.mark, err = l.fs.OpenReadWrite(path)
	return m, err
}

// read reads segments.
func (l *Log) read(segments []uint64, m mark, each func(segment uint64, record []byte) error) error {
	// The mark is written behind what it says: there may be more segments, and older ones
	// that were to be removed.
	for len(segments) > 0 && segments[0] < m.first {
		if err := l.fs.Remove(l.path(segments[0])); err != nil {
			return err
		}
		segments = segments[1:]
	}
	last := m.last
	if n := len(segments); n > 0 {
		last = max(last, segments[n-1])
	}
	for i, want := 0, m.first; want <= last; i, want = i+1, want+1 {
		if i >= len(segments) || segments[i] != want {
			return fmt.Errorf("segment %d of %d to %d is missing: %w", want, m.first, last, ErrDamaged)
		}
	}
	var ends *content
	var before uint64
	for _, s := range segments {
		c, err := l.readOne(s, each)
		if err != nil {
			return fmt.Errorf("%s: %w", l.path(s), err)
		}
		if ends != nil && ends.end != c.start {
			return fmt.Errorf("%s: it ends at record %d, but %s begins after record %d: %w", l.path(before), ends.end.number, l.path(s), c.start.number, ErrDamaged)
		}
		ends, before = &c, s
	}
	if ends != nil {
		if ends.end.number < m.state.number || ends.end.number == m.state.number && ends.end != m.state {
			return fmt.Errorf("it ends at record %d, but records up to %d were acknowledged: %w", ends.end.number, m.state.number, ErrDamaged)
		}
		l.state = ends.end
	}
	l.first, l.current = m.first, last
	return nil
}

// readOne reads a segment.
func (l *Log) readOne(segment uint64, each func(segment uint64, record []byte) error) (content, error) {
	file, err := l.fs.Open(l.path(segment))
	if err != nil {
		return content{}, err
	}
	defer file.Close()
	return readSegment(file, l.name, segment, func(r []byte) error {
		if each == nil {
			return nil
		}
		return each(segment, r)
	})
}

// Begin begins a segment with records of its own, which are on disk when it returns.
func (l *Log) Begin(records ...[]byte) error {
	if l.failed != nil {
		return l.failed
	}
	return l.fail(l.begin(records))
}

func (l *Log) fail(err error) error {
	if err != nil {
		l.failed = fmt.Errorf("log %s: %w", l.dir, err)
	}
	return l.failed
}

func (l *Log) begin(records [][]byte) error {
	next := l.current + 1
	b := make([]byte, dataAt)
	copy(b, encodeHead(l.name, next, l.state))
	s := l.state
	if len(records) > 0 {
		b, s = encodeBatch(b, s, records)
		copy(b[headSize:], encodeSlot(nil, dataAt, s, b[dataAt:]))
	}
	if err := replace(l.fs, l.path(next), b, true); err != nil {
		return err
	}
	file, err := l.fs.OpenReadWrite(l.path(next))
	if err != nil {
		return err
	}
	if l.file != nil {
		err = l.file.Close()
	}
	l.file, l.at, l.batches = file, int64(len(b)), 1
	l.current, l.state = next, s
	return errors.Join(err, l.writeMark(), l.mark.Sync())
}

// writeMark brings the mark up to date. It need not be flushed: it says nothing that is not
// on disk.
func (l *Log) writeMark() error {
	l.marks++
	m := mark{l.marks, l.first, l.current, l.state}
	_, err := l.mark.WriteAt(m.encode(l.name), int64(l.marks%2)*markSize)
	return err
}

// Append appends records, which are on disk when it returns: all of them or, after an
// error or a loss of power, all or none. After an error nothing more is appended.
func (l *Log) Append(records ...[]byte) error {
	if l.failed != nil || len(records) == 0 {
		return l.failed
	}
	if l.file == nil {
		return fmt.Errorf("log %s: no segment", l.dir)
	}
	return l.fail(l.append(records))
}

func (l *Log) append(records [][]byte) error {
	var s state
	l.buf, s = encodeBatch(l.buf[:0], l.state, records)
	n := int64(len(l.buf))
	if n > maxBatch {
		return fmt.Errorf("a batch of %d bytes", n)
	}
	l.slotBuf = encodeSlot(l.slotBuf, l.at, s, l.buf)
	fits := int64(len(l.slotBuf)) == slotHead+n
	if _, err := l.file.WriteAt(l.buf, l.at); err != nil {
		return err
	}
	if !fits {
		// The slot has no copy of it, but says that it is there: so it must be first.
		if err := l.file.SyncData(); err != nil {
			return err
		}
	}
	if _, err := l.file.WriteAt(l.slotBuf, headSize+int64(l.batches%2)*slotSize); err != nil {
		return err
	}
	if err := l.file.SyncData(); err != nil {
		return err
	}
	l.at, l.state, l.batches = l.at+n, s, l.batches+1
	return l.writeMark()
}

// Segment is the number of the segment that is appended to, and Size its size in bytes.
func (l *Log) Segment() uint64 { return l.current }

// Size is the size in bytes of the segment that is appended to.
func (l *Log) Size() int64 { return l.at }

// Drop removes the segments below one; the current one stays.
func (l *Log) Drop(below uint64) error {
	if below = min(below, l.current); l.failed != nil || below <= l.first {
		return l.failed
	}
	was := l.first
	l.first = below
	// Without the mark, segments that are not there are missing.
	if err := l.fail(errors.Join(l.writeMark(), l.mark.Sync())); err != nil {
		return err
	}
	for s := was; s < below; s++ {
		if err := ignoreMissing(l.fs.Remove(l.path(s))); err != nil {
			return l.fail(err)
		}
	}
	return nil
}

// Records calls f for every record that is kept, as OpenLog does. Nothing is appended
// meanwhile.
func (l *Log) Records(f func(segment uint64, record []byte) error) error {
	for s := l.first; s <= l.current && s > 0; s++ {
		if _, err := l.readOne(s, f); err != nil {
			return fmt.Errorf("log %s: %w", l.path(s), err)
		}
	}
	return nil
}

// Close closes the log, with its mark on disk.
func (l *Log) Close() error {
	var errs []error
	if l.mark != nil {
		errs = append(errs, l.mark.Sync(), l.mark.Close())
	}
	if l.file != nil {
		errs = append(errs, l.file.Close())
	}
	l.file, l.mark = nil, nil
	if l.failed == nil {
		l.failed = fmt.Errorf("log %s: %w", l.dir, fs.ErrClosed)
	}
	return errors.Join(errs...)
}
