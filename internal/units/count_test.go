package units

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestCount(t *testing.T) {
	require.Equal(t, "1 host", Count(1, "host"))
	require.Equal(t, "0 hosts", Count(0, "host"))
	require.Equal(t, "2 hosts", Count(uint64(2), "host"))
	require.Equal(t, "3 switches", Count(3, "switch", "switches"))
	require.Equal(t, "1 switch", Count(1, "switch", "switches"))
}
