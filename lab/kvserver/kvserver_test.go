package kvserver

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestTerm: terms are in the order in which they are led.
func TestTerm(t *testing.T) {
	for text, want := range map[string]Term{"0": 0, "1.1": 0x101, "7.3": 0x703, "300.63": 300<<8 | 63} {
		var e Event
		require.NoError(t, json.Unmarshal([]byte(`{"event":"status","term":"`+text+`"}`), &e))
		require.Equal(t, want, e.Term)
	}
	for _, text := range []string{"", "7", "7.", ".3", "7.256", "x.1", "-1.1", "1.1.1"} {
		require.Error(t, new(Term).UnmarshalText([]byte(text)), text)
	}
}
