package mu

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestEntryCodec(t *testing.T) {
	geo, err := NewGeometry(MinLogSize)
	require.NoError(t, err)
	region := make([]byte, MinLogSize)
	e := Entry{Position: 8 * 1234, Index: 7, Commit: 5, Term: 3, Record: []byte("record")}
	require.Equal(t, e.Position+entrySize(6), geo.Append(region, e))
	_, data := geo.Span(region, e.Position)
	got, ok := geo.Decode(region, e.Position)
	require.True(t, ok)
	require.Equal(t, e.Record, got.Record)
	e.Record, got.Record = nil, nil
	e.Size = entrySize(6)
	require.Equal(t, e, got)

	// Every bit is covered, and so is the place.
	at := geo.Slot(e.Position)
	for i := range data {
		region[at+uint64(i)] ^= 0x10
		_, ok := geo.Decode(region, e.Position)
		require.False(t, ok, "byte %d", i)
		region[at+uint64(i)] ^= 0x10
	}
	_, ok = geo.Decode(region, e.Position+geo.ring)
	require.False(t, ok, "an entry of an earlier round")
	_, ok = geo.Decode(region, 0)
	require.False(t, ok)
}
