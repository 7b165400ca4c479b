package event

import (
	"os"
	"regexp"
	"testing"

	"github.com/stretchr/testify/require"
)

// docs/events.md has a row for each kind, and no other.
func TestPage(t *testing.T) {
	page, err := os.ReadFile("../../docs/events.md")
	require.NoError(t, err)
	var rows []Kind
	for _, m := range regexp.MustCompile("(?m)^\\| `([a-z_]+)` \\|").FindAllSubmatch(page, -1) {
		rows = append(rows, Kind(m[1]))
	}
	require.ElementsMatch(t, Kinds, rows)
}
