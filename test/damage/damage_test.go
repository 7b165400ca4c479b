package damage_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/p4ce/p4ce/test/damage"
)

// Each fault changes one file, and all kinds are drawn.
func TestOf(t *testing.T) {
	img := damage.Image{"a.log": []byte("something that is long enough"), "b.log": []byte("else"), "sub/c": []byte("more")}
	older := damage.Image{"a.log": []byte("some"), "sub/c": []byte("less")}
	kinds := map[string]int{}
	var first []string
	for d := range damage.Of(1, img, older, 500) {
		kinds[d.Kind]++
		first = append(first, d.String())
		differ := 0
		for name, b := range img {
			got, ok := d.Image[name]
			if !ok || string(got) != string(b) {
				differ++
				require.Equal(t, d.File, name)
			}
		}
		require.Equal(t, 1, differ, d)
		got := damage.Read(t, d.FS(t, "/x/y"), "/x/y")
		require.Len(t, got, len(d.Image))
		for name, b := range d.Image {
			require.Equal(t, string(b), string(got[name]))
		}
	}
	require.Equal(t, 500, len(first))
	for _, k := range damage.Kinds {
		require.NotZero(t, kinds[k], k)
	}
	i := 0
	for d := range damage.Of(1, img, older, 500) {
		require.Equal(t, first[i], d.String(), "the same seed, the same faults")
		i++
	}
}
