package replicated_test

import (
	"bytes"
	"errors"
	"io"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/require"

	"github.com/p4ce/p4ce/host/replicated"
)

// words counts words.
type words struct{ Count map[string]int }

func newWords() *replicated.Memory[words] {
	return replicated.NewMemory(func(w *words, record []byte) any {
		if w.Count == nil {
			w.Count = map[string]int{}
		}
		w.Count[string(record)]++
		return w.Count[string(record)]
	})
}

func count(m *replicated.Memory[words], word string) (n int) {
	m.Read(func(w *words) { n = w.Count[word] })
	return n
}

func TestMemory(t *testing.T) {
	m := newWords()
	state, err := m.Load()
	require.NoError(t, err)
	require.Nil(t, state, "new")
	own := []byte("state 1")
	results, err := m.Apply([]replicated.Entry{{Index: 0, Record: []byte("a")}, {Index: 1, Record: []byte("b")}, {Index: 2, Record: []byte("a")}}, own)
	require.NoError(t, err)
	require.Equal(t, []any{1, 1, 2}, results)
	own[0] = 'X' // it is the log's
	state, err = m.Load()
	require.NoError(t, err)
	require.Equal(t, "state 1", string(state))

	// An image is of the moment.
	image, err := m.Snapshot()
	require.NoError(t, err)
	_, err = m.Apply([]replicated.Entry{{Index: 3, Record: []byte("a")}}, []byte("state 2"))
	require.NoError(t, err)
	var b bytes.Buffer
	_, err = image.WriteTo(&b)
	require.NoError(t, err)
	require.NoError(t, image.Close())

	other := newWords()
	_, err = other.Apply([]replicated.Entry{{Index: 0, Record: []byte("c")}}, []byte("old"))
	require.NoError(t, err)
	for name, r := range map[string]io.Reader{
		"cut short": bytes.NewReader(b.Bytes()[:b.Len()-1]), "damaged": bytes.NewReader(append([]byte("x"), b.Bytes()...)),
		"broken off": io.MultiReader(bytes.NewReader(b.Bytes()), iotest.ErrReader(errors.New("gone"))),
	} {
		require.Error(t, other.Restore(r), name)
		require.Equal(t, []int{0, 1}, []int{count(other, "a"), count(other, "c")}, name)
	}
	require.NoError(t, other.Restore(&b))
	require.Equal(t, []int{2, 1, 0}, []int{count(other, "a"), count(other, "b"), count(other, "c")})
	state, err = other.Load()
	require.NoError(t, err)
	require.Equal(t, "state 1", string(state))
	require.Equal(t, 3, count(m, "a"))
}
