package explore

import (
	"bytes"
	"testing"
)

type shelf struct {
	books   []book
	first   *book
	byName  map[string]*book
	lent    map[*book]bool
	any     any
	twin    *shelf
	rules   *rules
	pair    [2]*book
	count   func() int
	nothing []int
}

type book struct {
	on    *shelf
	pages []int
	next  *book
}

type rules struct{ n int }

// A copy has the shape of the original, and nothing in common with it but what is shared.
func TestCopy(t *testing.T) {
	s := &shelf{books: make([]book, 2), rules: &rules{1}, byName: map[string]*book{}, lent: map[*book]bool{}}
	for i := range s.books {
		s.books[i] = book{on: s, pages: []int{i, 7}}
	}
	s.first, s.twin, s.any = &s.books[0], s, &s.books[1]
	s.first.next = &s.books[1]
	s.byName["b"], s.lent[&s.books[1]] = &s.books[1], true
	s.pair[1] = s.first
	loose := &book{next: s.first}
	s.pair[0] = loose
	c := &Copier{Shared: map[string]bool{"explore.rules": true}, Inside: map[string]string{"explore.book": "on"}}
	var e Encoder
	want := e.Append(nil, s)
	for _, from := range []string{"shelf", "book"} { // a book leads to its shelf
		n := Copy(c, s)
		if from == "book" {
			n = Copy(c, s.first).on
		}
		if got := e.Append(nil, n); !bytes.Equal(got, want) {
			t.Fatalf("from %s: the copy is another: %x, want %x", from, got, want)
		}
		one := &n.books[1]
		if n == s || n.twin != n || n.first != &n.books[0] || n.first.next != one || n.byName["b"] != one || !n.lent[one] || n.any != any(one) || n.pair[1] != n.first {
			t.Fatalf("from %s: the copy has another shape", from)
		}
		if n.rules != s.rules || n.pair[0] == loose || n.nothing != nil || n.count != nil {
			t.Fatalf("from %s: what is shared is not, or the other way round", from)
		}
		one.pages[0] = 9
		n.byName["c"] = one
		n.books[0].pages = append(n.books[0].pages, 3)
		if got := e.Append(nil, s); !bytes.Equal(got, want) {
			t.Fatalf("from %s: the original has changed with the copy", from)
		}
	}
}

// ring is a queue in a ring.
type ring[T any] struct {
	list    []T
	at, len int
}

// Equal states have equal bytes: maps in any order, and rings wherever they begin.
func TestEncoderMapsAndRings(t *testing.T) {
	e := &Encoder{Rings: map[string][3]string{"explore.ring": {"list", "at", "len"}}}
	type state struct {
		m map[string]*int
		p map[*int]bool
		k map[[2]byte]int
		r ring[int]
		f float64
	}
	make1 := func(keys ...string) *state {
		s := &state{m: map[string]*int{}, p: map[*int]bool{}, r: ring[int]{[]int{3, 0, 1, 2}, 2, 3}, f: 1.5, k: map[[2]byte]int{}}
		for _, k := range keys {
			n := len(k)
			s.m[k] = &n
			s.p[&n] = true
			s.k[[2]byte{k[0], 1}] = n
		}
		return s
	}
	a, b := make1("x", "yy", "zzz"), make1("zzz", "x", "yy")
	b.r = ring[int]{[]int{1, 2, 3, 9}, 0, 3}
	if !bytes.Equal(e.Append(nil, a), e.Append(nil, b)) {
		t.Error("the same state has other bytes")
	}
	for i, change := range []func(){
		func() { *b.m["x"] = 5 }, func() { *b.m["x"] = 1; delete(b.m, "x") }, func() { b = make1("x", "yy", "zzz"); b.f = 2 },
		func() { b = make1("x", "yy", "zzz"); b.r.len = 2 }, func() { b = make1("x", "yy", "zzz"); b.p[nil] = true },
		func() { b = make1("x", "yy", "zzz"); b.k[[2]byte{'x', 2}] = 1 },
	} {
		change()
		if bytes.Equal(e.Append(nil, a), e.Append(nil, b)) {
			t.Errorf("change %d is not seen", i)
		}
	}
}
