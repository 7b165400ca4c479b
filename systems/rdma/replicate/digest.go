package replicate

import (
	"crypto/sha256"
	"encoding/hex"
	"hash"
)

// Digest identifies a sequence of records: their number, and the SHA-256 of their
// concatenation, which for the records of a file is that of the file.
type Digest struct {
	Records uint64
	Sum     [sha256.Size]byte
}

func (d Digest) String() string { return hex.EncodeToString(d.Sum[:]) }

// digester computes a Digest record by record.
type digester struct {
	records uint64
	hash    hash.Hash
}

func newDigester() digester { return digester{hash: sha256.New()} }

func (d *digester) add(record []byte) {
	d.records++
	// A hash never returns an error.
	_, _ = d.hash.Write(record)
}

func (d *digester) digest() Digest {
	r := Digest{Records: d.records}
	d.hash.Sum(r.Sum[:0])
	return r
}
