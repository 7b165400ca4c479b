package kv

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"hash"
	"hash/crc32"
	"io"

	"github.com/cockroachdb/pebble/v2"

	"github.com/p4ce/p4ce/host/disk"
	"github.com/p4ce/p4ce/host/replicated"
)

// An image is a magic string and frames:
//
//	type, one byte | length | payload | CRC-32C of all before, this frame's
//
// M, first: the machine's description and the protocol's state; D: keys, each with its
// expiry and value; E, last: how many keys, and the SHA-256 of all payloads before.
// Numbers of frames are 32 bits, little-endian; those in payloads are uvarints.
const (
	imageMagic = "p4ce kv image 1\n"
	// frameTarget is the length at which a D frame is written. Its last key and value may exceed it.
	frameTarget = 256 << 10
	maxFrame    = frameTarget + MaxKey + MaxValue + 64

	frameMeta = 'M'
	frameData = 'D'
	frameEnd  = 'E'
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// image is a consistent image of a Machine.
type image struct {
	s    *disk.Store
	snap *pebble.Snapshot
}

// Snapshot implements replicated.StateMachine.
func (m *Machine) Snapshot() (replicated.Image, error) {
	if err := m.save(); err != nil {
		return nil, err
	}
	s, err := m.acquireWorking()
	if err != nil {
		return nil, err
	}
	return &image{s: s, snap: s.DB.NewSnapshot()}, nil
}

// Close implements replicated.Image.
func (i *image) Close() error {
	if i.snap == nil {
		return nil
	}
	err := i.snap.Close()
	i.snap = nil
	return errors.Join(err, i.s.Release())
}

// WriteTo implements replicated.Image.
func (i *image) WriteTo(w io.Writer) (int64, error) {
	f := frameWriter{w: w, sum: sha256.New()}
	f.write([]byte(imageMagic))
	desc, err := get(i.snap, metaKey)
	if err != nil {
		return f.n, err
	}
	state, err := get(i.snap, stateKey)
	if err != nil {
		return f.n, err
	}
	f.bytes(desc)
	if state != nil { // there is nothing: no record was ever executed
		f.bytes(state)
	}
	f.frame(frameMeta)
	it, err := i.snap.NewIter(dataRange())
	if err != nil {
		return f.n, err
	}
	keys := uint64(0)
	for it.First(); it.Valid() && f.err == nil; it.Next() {
		e, err := parseEntry(it.Value())
		if err != nil {
			return f.n, errors.Join(err, it.Close())
		}
		f.payload = binary.AppendUvarint(f.payload, uint64(e.expiry))
		f.bytes(it.Key()[dataHeader:])
		f.bytes(e.value)
		keys++
		if len(f.payload) >= frameTarget {
			f.frame(frameData)
		}
	}
	if err := errors.Join(it.Error(), it.Close()); err != nil {
		return f.n, err
	}
	if len(f.payload) > 0 {
		f.frame(frameData)
	}
	f.payload = binary.AppendUvarint(f.payload, keys)
	f.bytes(f.sum.Sum(nil))
	f.frame(frameEnd)
	return f.n, f.err
}

// frameWriter writes frames until there is an error.
type frameWriter struct {
	w       io.Writer
	sum     hash.Hash
	payload []byte
	n       int64
	err     error
}

func (f *frameWriter) write(b []byte) {
	if f.err != nil {
		return
	}
	n, err := f.w.Write(b)
	f.n += int64(n)
	f.err = err
}

// bytes appends a length and the bytes to the payload.
func (f *frameWriter) bytes(b []byte) {
	f.payload = binary.AppendUvarint(f.payload, uint64(len(b)))
	f.payload = append(f.payload, b...)
}

// frame writes the payload, and starts the next one.
func (f *frameWriter) frame(kind byte) {
	head := binary.LittleEndian.AppendUint32([]byte{kind}, uint32(len(f.payload)))
	f.sum.Write(f.payload)
	crc := crc32.Update(crc32.Checksum(head, castagnoli), castagnoli, f.payload)
	f.write(head)
	f.write(binary.LittleEndian.AppendUint32(f.payload, crc))
	f.payload = f.payload[:0]
}

// Restore implements replicated.StateMachine.
func (m *Machine) Restore(r io.Reader) error {
	s, name, err := m.create()
	if err != nil {
		return fmt.Errorf("restore: %w", err)
	}
	if err := errors.Join(load(s, r), m.countSync(s, false)); err != nil {
		s.Drop.Store(true)
		return fmt.Errorf("restore: %w", errors.Join(err, s.Release()))
	}
	return m.replace(s, name)
}

// replace puts a database that is on disk in place of the one in use, and takes ownership of it.
func (m *Machine) replace(s *disk.Store, name string) error {
	old, err := m.acquireWorking()
	if err != nil {
		return errors.Join(err, s.Release())
	}
	defer old.Release()
	if err := m.point(s, name); err != nil {
		// It is unknown which of the two the next start will find. Continuing with the old one could
		// lose later changes.
		old.Fail(fmt.Errorf("restore: %w", err))
		_ = s.Release()
		return old.Failure()
	}
	old.Drop.Store(true)
	m.saving.Lock()
	defer m.saving.Unlock()
	m.mem.Lock()
	defer m.mem.Unlock()
	m.mu.Lock()
	m.cur = s
	m.mu.Unlock()
	m.giving = nil    // what has changed is not known
	_ = old.Release() // its disk no longer matters
	return s.Run(func() error { return m.read(s) })
}

// load fills a new store from an image, and waits until it is on disk.
func load(s *disk.Store, r io.Reader) error {
	i, err := readImage(r, func(d *decoder, keys *uint64) error {
		return s.Run(func() error {
			b := s.DB.NewBatch()
			defer b.Close()
			for len(d.b) > 0 {
				if err := loadKey(b, d); err != nil {
					return err
				}
				*keys++
			}
			return b.Commit(pebble.NoSync)
		})
	})
	if err != nil {
		return err
	}
	return s.Run(func() error {
		b := s.DB.NewBatch()
		defer b.Close()
		if err := b.Set(metaKey, i.desc, nil); err != nil {
			return err
		}
		if i.state != nil {
			if err := b.Set(stateKey, i.state, nil); err != nil {
				return err
			}
		}
		return b.Commit(pebble.Sync)
	})
}

// header is what an image begins with.
type header struct {
	meta
	desc  []byte // meta, as it is on disk
	state []byte // of the protocol; nil: there is none
}

// readImage reads an image to its end, and checks all of it. data takes the keys of a frame, and counts them.
func readImage(r io.Reader, data func(d *decoder, keys *uint64) error) (h header, err error) {
	f := frameReader{r: r, sum: sha256.New()}
	magic := make([]byte, len(imageMagic))
	if err := f.read(magic); err != nil {
		return h, err
	}
	if string(magic) != imageMagic {
		return h, errors.New("not an image of a key-value store, or one of another version")
	}
	kind, payload, err := f.frame()
	if err != nil {
		return h, err
	}
	d := decoder{b: payload}
	h.desc = append([]byte{}, d.bytes()...)
	if d.err == nil && len(d.b) > 0 {
		h.state = append([]byte{}, d.bytes()...)
	}
	if h.meta, err = parseMeta(h.desc); err != nil {
		return h, fmt.Errorf("image: %w", err)
	}
	if kind != frameMeta || d.err != nil || len(d.b) > 0 {
		return h, errImage
	}
	keys := uint64(0)
	for {
		sum := f.sum.Sum(nil)
		if kind, payload, err = f.frame(); err != nil {
			return h, err
		}
		d = decoder{b: payload}
		if kind == frameEnd {
			if n := d.uvarint(); n != keys || n != h.keys || string(d.bytes()) != string(sum) || d.err != nil || len(d.b) > 0 {
				return h, errImage
			}
			break
		}
		if kind != frameData {
			return h, errImage
		}
		if err := data(&d, &keys); err != nil {
			return h, err
		}
	}
	switch _, err := io.ReadFull(r, magic[:1]); {
	case err == nil:
		return h, errImage
	case !errors.Is(err, io.EOF):
		return h, err
	}
	return h, nil
}

var errImage = errors.New("the image is damaged")

// loadKey moves one key from a D frame to a batch.
func loadKey(b *pebble.Batch, d *decoder) error {
	expiry, key, value, err := oneKey(d)
	if err != nil {
		return err
	}
	v := binary.LittleEndian.AppendUint64(make([]byte, 0, valueHeader+len(value)), expiry)
	if err := b.Set(appendDataKey(nil, key), append(v, value...), nil); err != nil {
		return err
	}
	if expiry == 0 {
		return nil
	}
	return b.Set(appendExpiryKey(nil, int64(expiry), key), nil, nil)
}

// oneKey reads a key from a D frame. What it returns is valid as long as the frame.
func oneKey(d *decoder) (expiry uint64, key, value []byte, err error) {
	expiry = d.uvarint()
	key, value = d.bytes(), d.bytes()
	if d.err != nil || expiry > 2*maxTime || len(key) > MaxKey || len(value) > MaxValue {
		return 0, nil, nil, errImage
	}
	return expiry, key, value, nil
}

// frameReader reads frames.
type frameReader struct {
	r   io.Reader
	sum hash.Hash
	buf bytes.Buffer
}

// read fills b. An image that ends within is an error.
func (f *frameReader) read(b []byte) error {
	if _, err := io.ReadFull(f.r, b); err != nil {
		return cut(err)
	}
	return nil
}

func cut(err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return errors.New("the image is truncated")
	}
	return err
}

// frame returns the type and the payload of the next frame. The payload is valid until the next call.
func (f *frameReader) frame() (byte, []byte, error) {
	head := make([]byte, 5)
	if err := f.read(head); err != nil {
		return 0, nil, err
	}
	n := binary.LittleEndian.Uint32(head[1:])
	if n > maxFrame {
		return 0, nil, errImage
	}
	// The buffer grows with the data that arrives, whatever the length says.
	f.buf.Reset()
	if _, err := io.CopyN(&f.buf, f.r, int64(n)+4); err != nil {
		return 0, nil, cut(err)
	}
	payload, crc := f.buf.Bytes()[:n], f.buf.Bytes()[n:]
	if crc32.Update(crc32.Checksum(head, castagnoli), castagnoli, payload) != binary.LittleEndian.Uint32(crc) {
		return 0, nil, errImage
	}
	f.sum.Write(payload)
	return head[0], payload, nil
}
