package explore

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// A row happens as often as there is something left, to those that can, under its name.
func TestRows(t *testing.T) {
	type world struct{ left, sum int }
	left := func(w *world) *int { return &w.left }
	rows := Rows[*world]{
		{Name: "add %d", Left: left,
			Can: func(_ *world, can func(a, b, c int)) { can(7, 0, 0); can(9, 1, 2) },
			Do:  func(w *world, a, _, _ int) error { w.sum += a; return nil }},
		{Name: "never", Do: func(*world, int, int, int) error { return nil }},
		{Name: "of %d: %d %d, %d", Args: func(w *world, a, b, c int) []any { return []any{w.sum, a, b, c} },
			Can: func(w *world, can func(a, b, c int)) { can(1, 2, 255) },
			Do:  func(w *world, _, _, _ int) error { w.sum = 0; return nil }},
		{Name: "once", Left: left, Do: func(*world, int, int, int) error { return nil }},
	}
	w := &world{left: 2}
	names := func() (all []string) {
		for _, x := range rows.Actions(w, nil) {
			all = append(all, rows.Title(w, x))
		}
		return all
	}
	require.Equal(t, []string{"add 7", "add 9", "of 0: 1 2, 255", "once"}, names())
	require.NoError(t, rows.Do(w, rows.Actions(w, nil)[1]))
	require.Equal(t, world{1, 9}, *w)
	require.NoError(t, rows.Do(w, Act(3, 0, 0, 0)))
	require.Equal(t, []string{"of 9: 1 2, 255"}, names())
	row, a, b, c := rows.Actions(w, nil)[0].Parts()
	require.Equal(t, []int{2, 1, 2, 255}, []int{row, a, b, c})
	require.Panics(t, func() { Act(0, 0, 256, 0) })
}
