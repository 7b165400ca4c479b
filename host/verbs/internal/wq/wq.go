// Package wq keeps track of a work queue whose completions name only a number: the posted requests,
// the outstanding ones, and those that must ask for a completion although no caller wants one. Only
// a completion frees the places of the requests before it.
package wq

import "github.com/p4ce/p4ce/host/rdma"

// Entry is a posted request.
type Entry struct {
	ID     uint64
	Op     rdma.Op
	Len    int
	Silent bool   // report no success
	Local  []byte // where fetched data go that were fetched into Stage, or nil
	Stage  []byte // memory of the device's own that the request uses, or nil
}

// Queue is the requests between head and tail. Invariants:
//
//  1. tail - head <= limit <= len(entries), and len(entries) is a power of two, so
//     that numbers may wrap around;
//  2. among any limit/2 successive entries at least one asks for a completion, so a
//     full queue always drains.
//
// It is not synchronised.
type Queue struct {
	entries    []Entry
	limit      int
	head, tail uint32
	quiet      int // entries since the last that asks for a completion
}

// New makes a queue of n places.
func New(n int) *Queue {
	size := 1
	for size < n {
		size *= 2
	}
	return &Queue{entries: make([]Entry, size), limit: n}
}

// Len returns the number of outstanding entries.
func (q *Queue) Len() int { return int(q.tail - q.head) }

// Room returns the number of free places.
func (q *Queue) Room() int { return q.limit - q.Len() }

// Push adds an entry, for which there must be room, and returns its number and
// whether it must ask for a completion.
func (q *Queue) Push(e Entry) (seq uint32, signal bool) {
	seq = q.tail
	*q.at(seq) = e
	q.tail++
	q.quiet++
	if !e.Silent || q.quiet >= max(q.limit/2, 1) {
		q.quiet = 0
		return seq, true
	}
	return seq, false
}

// Pop takes back the last n entries, which were not posted after all. They are
// given to drop, newest first.
func (q *Queue) Pop(n int, drop func(*Entry)) {
	for range n {
		q.tail--
		e := q.at(q.tail)
		drop(e)
		*e = Entry{}
	}
	// The next one asks: it is not known which of the rest do.
	q.quiet = q.limit
}

// Retire removes all entries up to seq, oldest first: each is given to f, with last
// set for seq itself. A number that is not outstanding removes nothing.
func (q *Queue) Retire(seq uint32, f func(e *Entry, last bool)) {
	if seq-q.head >= q.tail-q.head {
		return
	}
	for {
		e := q.at(q.head)
		last := q.head == seq
		q.head++
		f(e, last)
		*e = Entry{}
		if last {
			return
		}
	}
}

// Flush removes all entries, oldest first.
func (q *Queue) Flush(f func(e *Entry)) {
	for q.head != q.tail {
		e := q.at(q.head)
		q.head++
		f(e)
		*e = Entry{}
	}
}

func (q *Queue) at(seq uint32) *Entry { return &q.entries[seq&uint32(len(q.entries)-1)] }
