package control

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

const oneGroup = `{
  "switches": [
    {"name": "leaf", "p4runtime": "unix:leaf", "mac": "02:00:00:00:01:01", "address": "10.0.1.1"},
    {"name": "spine", "p4runtime": "unix:spine", "mac": "02:00:00:00:01:02", "address": "10.0.1.2"}
  ],
  "links": [["leaf:1", "spine:1"]],
  "hosts": [{"name": "h1", "at": "leaf:11", "address": "10.0.3.1", "mac": "02:00:00:00:03:01"}],
  "groups": [{"number": 1, "members": ["spine"], "replicas": ["h1"]}]
}`

// The core looks at the time as often as it says, however much happens in between: each host says again and again that it is
// there, and that must not keep the core from noticing that another one does not.
func TestTimeIsLookedAt(t *testing.T) {
	conf, err := ParseConfig([]byte(oneGroup))
	require.NoError(t, err)
	s, err := NewSimulated(conf, func() time.Duration { return time.Hour }, nil)
	require.NoError(t, err)
	c := s.core
	at := c.Deadline()
	require.Greater(t, at, time.Hour)
	for now := time.Hour; now < at; now += time.Millisecond {
		c.Synced(now, "spine", &Image{})
		c.Lost(now, "spine")
		require.Equal(t, at, c.Deadline())
	}
	c.Tick(at)
	require.Greater(t, c.Deadline(), at)
}
