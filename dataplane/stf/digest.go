package stf

import (
	"fmt"
	"math/big"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/p4ce/p4ce/dataplane"
	"github.com/p4ce/p4ce/p4/entries"
	"github.com/p4ce/p4ce/p4/lang/ir"
)

// digests are what packets have reported and what was expected.
type digests struct {
	strict bool // the script speaks of digests: it names all of them
	expect []expectedDigest
	line   atomic.Int64 // of the statement that is carried out

	mu  sync.Mutex // target's goroutines
	got []reportedDigest
}

type reportedDigest struct {
	dataplane.Digest
	line int
}

type expectedDigest struct {
	line   int
	digest *ir.Digest
	fields []*big.Int // nil: may be anything
}

func parseExpectDigest(n at, words []string) (Stmt, error) {
	if len(words) == 0 {
		return nil, fmt.Errorf("expect_digest needs a name")
	}
	e := &ExpectDigest{at: n, Name: unquote(words[0])}
	for _, w := range words[1:] {
		k, v, ok := splitKey(w)
		if !ok {
			return nil, fmt.Errorf("%q is not FIELD:VALUE", w)
		}
		e.Fields = append(e.Fields, KeyValue{unquote(k), v})
	}
	return e, nil
}

func (d *digests) receive(g dataplane.Digest) {
	d.mu.Lock()
	defer d.mu.Unlock()
	own := dataplane.Digest{Digest: g.Digest}
	for _, f := range g.Fields {
		own.Fields = append(own.Fields, append([]byte(nil), f...))
	}
	d.got = append(d.got, reportedDigest{own, int(d.line.Load())})
}

// digestOf finds the digest and its fields in the program.
func (r *runner) digestOf(st *ExpectDigest) (expectedDigest, error) {
	var e expectedDigest
	d, err := entries.Resolve("digest", st.Name, r.prog.Digests, func(d *ir.Digest) string { return d.Name })
	if err != nil {
		return e, err
	}
	e = expectedDigest{st.line(), d, make([]*big.Int, len(d.Fields))}
	for _, kv := range st.Fields {
		i := 0
		for i < len(d.Fields) && d.Fields[i].Name != kv.Key {
			i++
		}
		if i == len(d.Fields) {
			return e, fmt.Errorf("digest %s has no field %q", d.Name, kv.Key)
		}
		v, err := number(kv.Value)
		if err == nil {
			_, err = toBytes(v, d.Fields[i].Type.Width)
		}
		if err != nil {
			return e, fmt.Errorf("digest %s: field %q: %w", d.Name, kv.Key, err)
		}
		e.fields[i] = v
	}
	return e, nil
}

// settleDigests compares digests with what was expected, in order.
func (r *runner) settleDigests() {
	d := &r.digests
	d.mu.Lock()
	got := d.got
	d.got = nil
	d.mu.Unlock()
	for i, e := range d.expect {
		switch {
		case i >= len(got):
			r.fail(e.line, "expected a digest %s, got none", e.digest.Name)
		case !e.is(got[i].Digest):
			r.fail(e.line, "the packet sent at line %d reported another digest: got %s", got[i].line, describe(got[i].Digest))
		}
	}
	if d.strict {
		for _, g := range got[min(len(d.expect), len(got)):] {
			r.fail(g.line, "unexpected digest: %s", describe(g.Digest))
		}
	}
	d.expect = nil
}

func (e expectedDigest) is(d dataplane.Digest) bool {
	if d.Digest != e.digest || len(d.Fields) != len(e.fields) {
		return false
	}
	for i, want := range e.fields {
		if want != nil && want.Cmp(new(big.Int).SetBytes(d.Fields[i])) != 0 {
			return false
		}
	}
	return true
}

func describe(d dataplane.Digest) string {
	parts := []string{d.Digest.Name}
	for i, f := range d.Digest.Fields {
		if i < len(d.Fields) {
			parts = append(parts, fmt.Sprintf("%s:%#x", f.Name, d.Fields[i]))
		}
	}
	return strings.Join(parts, " ")
}
