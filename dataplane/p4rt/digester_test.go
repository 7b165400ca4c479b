package p4rt

import (
	"testing"
	"time"

	p4 "github.com/p4lang/p4runtime/go/p4/v1"
	"github.com/stretchr/testify/require"
)

func TestDigester(t *testing.T) {
	now := time.Unix(1000, 0)
	msg := func(b byte) *p4.P4Data { return &p4.P4Data{Data: &p4.P4Data_Bitstring{Bitstring: []byte{b}}} }
	d := newDigester(7, &p4.DigestEntry_Config{MaxTimeoutNs: int64(time.Second), MaxListSize: 3, AckTimeoutNs: int64(10 * time.Second)})
	_, ok := d.deadline()
	require.False(t, ok)
	require.Nil(t, d.add(msg(1), now))
	require.Nil(t, d.add(msg(2), now.Add(500*time.Millisecond)))
	at, ok := d.deadline()
	require.True(t, ok)
	require.Equal(t, now.Add(time.Second), at, "counted from the oldest message")
	require.Nil(t, d.tick(now.Add(999*time.Millisecond)))
	l := d.tick(at)
	require.Len(t, l.GetData(), 2)
	require.Equal(t, at.UnixNano(), l.GetTimestamp())

	require.Nil(t, d.add(msg(1), at), "sent, and not acknowledged")
	require.Nil(t, d.add(msg(3), at))
	require.Nil(t, d.add(msg(4), at))
	require.Len(t, d.add(msg(5), at).GetData(), 3, "the list is full")
	require.True(t, d.ack(1))
	require.False(t, d.ack(1))
	require.Nil(t, d.add(msg(1), at), "acknowledged: may be sent again")
	require.Nil(t, d.add(msg(3), at.Add(9*time.Second)))
	require.Len(t, d.current, 1)
	require.Nil(t, d.add(msg(3), at.Add(10*time.Second)), "the acknowledgement timed out")
	require.Len(t, d.current, 2)

	none := newDigester(7, &p4.DigestEntry_Config{})
	require.Len(t, none.add(msg(1), now).GetData(), 1, "no time-out: at once")
	require.Len(t, none.add(msg(1), now).GetData(), 1, "no acknowledgement asked for: repeated")
	require.Empty(t, none.pending)

	full := newDigester(7, &p4.DigestEntry_Config{MaxTimeoutNs: 1e9, AckTimeoutNs: 1e9})
	for i := range maxPendingDigests + 5 {
		full.add(&p4.P4Data{Data: &p4.P4Data_Bitstring{Bitstring: []byte{byte(i >> 8), byte(i)}}}, now)
	}
	require.Equal(t, uint64(5), full.Dropped)
}
