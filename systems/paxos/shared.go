package paxos

import "fmt"

// Several values of a client that wait together share a packet, and so an instance: up to MaxValue bytes
// in all. To a switch they are one value. Their numbers follow each other, beginning with the message's.
// The byte of the message's header that otherwise has the length of the value has the form (Message.Shared):
//
//	0 to 64      one value of so many bytes
//	128 + n      n bytes, 2 to 64, of two or more values; each is a byte with its length, and so many bytes
//	192 + n      64/n values of n bytes, 1 to 32, without anything between them
//
// Nothing else is a message. Bytes of the second form that do not add up are no values: replicas pass over
// the instance, all in the same way.
const (
	formLengths = 128
	formEqual   = 192
	mostEqual   = MaxValue / 2
)

// formBytes returns how many bytes the values have, of one form or another.
func formBytes(form byte) (n int, ok bool) {
	switch {
	case form <= MaxValue:
		return int(form), true
	case form >= formLengths+2 && form <= formLengths+MaxValue:
		return int(form) - formLengths, true
	case form > formEqual && form <= formEqual+mostEqual:
		each := int(form) - formEqual
		return MaxValue / each * each, true
	}
	return 0, false
}

// Values returns how many values the message has: 0 if those that share it do not add up.
func (m *Message) Values() int { return countValues(m.Shared, m.Value) }

// Each calls f with each of the values and its number: not at all if those that share the message do not
// add up. A value is part of the message's.
func (m *Message) Each(f func(sequence uint32, value []byte)) {
	rest := m.Value
	for i := range uint32(m.Values()) {
		var value []byte
		value, rest = nextValue(m.Shared, rest)
		f(m.Sequence+i, value)
	}
}

// Has reports whether one of the values has this number.
func (m *Message) Has(sequence uint32) bool { return sequence-m.Sequence < uint32(m.Values()) }

func countValues(shared uint8, b []byte) (n int) {
	switch {
	case shared == 0:
		return 1
	case shared > formEqual:
		return MaxValue / (int(shared) - formEqual)
	}
	for ; len(b) > 0; n++ {
		if int(b[0]) >= len(b) {
			return 0
		}
		b = b[1+int(b[0]):]
	}
	if n < 2 {
		return 0
	}
	return n
}

// nextValue returns the first of the values in b, of which countValues has found some, and the others.
func nextValue(shared uint8, b []byte) (value, rest []byte) {
	switch {
	case shared == 0:
		return b, nil
	case shared > formEqual:
		n := int(shared) - formEqual
		return b[:n:n], b[n:]
	}
	n := 1 + int(b[0])
	return b[1:n:n], b[n:]
}

// sharing puts requests together.
type sharing struct {
	out  []Message
	room []byte // of their values
}

// share returns the same requests, and what is between them, in fewer messages. The result is valid until
// the next call.
func (s *sharing) share(in []Message) []Message {
	if len(in) < 2 {
		return in
	}
	s.out, s.room = s.out[:0], s.room[:0]
	for len(in) > 0 {
		m := in[0]
		n := s.join(&m, in)
		s.out = append(s.out, m)
		in = in[n:]
	}
	return s.out
}

// join puts as many of the requests as there is room for into m, which is the first one, and returns their
// number.
func (s *sharing) join(m *Message, in []Message) int {
	follows := func(i int) bool {
		return i < len(in) && in[i].Kind == Request && in[i].Client == m.Client && in[i].Sequence == m.Sequence+uint32(i)
	}
	each := len(m.Value)
	n, bytes := 0, 0
	for follows(n) && bytes+1+len(in[n].Value) <= MaxValue {
		bytes += 1 + len(in[n].Value)
		n++
	}
	equal := 0
	for each > 0 && each <= mostEqual && equal < MaxValue/each && follows(equal) && len(in[equal].Value) == each {
		equal++
	}
	from := len(s.room)
	switch {
	case equal > n && equal == MaxValue/each:
		for i := range equal {
			s.room = append(s.room, in[i].Value...)
		}
		n, m.Shared = equal, formEqual+byte(each)
	case n > 1:
		for i := range n {
			s.room = append(append(s.room, byte(len(in[i].Value))), in[i].Value...)
		}
		m.Shared = formLengths + byte(bytes)
	default:
		return 1
	}
	m.Value = s.room[from:len(s.room):len(s.room)]
	return n
}

// errForm is the error for a form that is none.
func errForm(form byte) error {
	return fmt.Errorf("%w: values in the form %d, which is unknown [is the sender of a newer version?]", ErrMessage, form)
}
