package pages

import (
	"errors"
	"os"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
	"pgregory.net/rapid"
)

// set is a Set whose device counts what it knows.
func set(known *int) *Set {
	return &Set{
		Register: func(a *Area) error { *known++; a.LKey = uint32(len(a.Mem)); a.Data = true; return nil },
		Forget: func(a *Area) error {
			if a.Data != nil {
				*known--
				a.Data = nil
			}
			return nil
		},
	}
}

func TestSet(t *testing.T) {
	known := 0
	s := set(&known)
	a, err := s.Alloc(100)
	require.NoError(t, err)
	b, err := s.Alloc(3 * os.Getpagesize())
	require.NoError(t, err)
	require.Equal(t, 2, known)
	for _, a := range []*Area{a, b} {
		require.Zero(t, address(a.Mem)%uintptr(os.Getpagesize()), "page-aligned")
		require.Same(t, a, s.Find(a.Mem))
		require.Same(t, a, s.Find(a.Mem[50:51]))
		require.Same(t, a, s.Find(a.Mem[len(a.Mem)-1:]))
	}
	require.Len(t, a.Mem, 100)
	require.Equal(t, 100, cap(a.Mem), "nothing beyond what was asked for")
	require.Nil(t, s.Find(make([]byte, 10)), "Go's memory")

	found, err := s.Free(make([]byte, 10))
	require.NoError(t, err)
	require.False(t, found)
	found, err = s.Free(a.Mem)
	require.NoError(t, err)
	require.True(t, found)
	require.Nil(t, s.Find(a.Mem))
	require.Same(t, b, s.Find(b.Mem))
	require.Equal(t, 1, known)

	// Memory outlives the device, until it is freed.
	require.NoError(t, s.Forgotten())
	require.Zero(t, known)
	b.Mem[0] = 1
	found, err = s.Free(b.Mem)
	require.NoError(t, err)
	require.True(t, found)
	require.Zero(t, known)
}

func TestAllocFails(t *testing.T) {
	_, err := set(new(int)).Alloc(0)
	require.ErrorContains(t, err, "memory of 0 bytes")
	_, err = set(new(int)).Alloc(1 << 60)
	require.ErrorIs(t, err, unix.ENOMEM)
	refused := errors.New("refused")
	s := &Set{Register: func(*Area) error { return refused }}
	_, err = s.Alloc(10)
	require.ErrorIs(t, err, refused)
	require.Empty(t, s.list())
}

// TestFindModel: Find agrees with a look at every area.
func TestFindModel(t *testing.T) {
	known := 0
	s := set(&known)
	var mems [][]byte
	for i := range 20 {
		a, err := s.Alloc(1 + i*1000)
		require.NoError(t, err)
		mems = append(mems, a.Mem)
	}
	defer func() {
		for _, m := range mems {
			_, err := s.Free(m)
			require.NoError(t, err)
		}
	}()
	rapid.Check(t, func(t *rapid.T) {
		m := mems[rapid.IntRange(0, len(mems)-1).Draw(t, "area")]
		from := rapid.IntRange(0, len(m)-1).Draw(t, "from")
		to := rapid.IntRange(from+1, len(m)).Draw(t, "to")
		a := s.Find(m[from:to])
		require.NotNil(t, a)
		require.Equal(t, address(m), a.first)
		require.EqualValues(t, len(m), a.LKey)
	})
}

func TestPool(t *testing.T) {
	known := 0
	p := &Pool{Set: set(&known)}
	rapid.Check(t, func(t *rapid.T) {
		sizes := rapid.SliceOfN(rapid.IntRange(1, 1<<20), 1, 20).Draw(t, "sizes")
		var bufs [][]byte
		for i, n := range sizes {
			b, err := p.Get(n)
			require.NoError(t, err)
			require.Len(t, b, n)
			require.NotNil(t, p.Set.Find(b), "the device reaches all of it")
			for j := range b {
				b[j] = byte(i)
			}
			bufs = append(bufs, b)
		}
		for i, b := range bufs {
			require.Equal(t, byte(i), b[0], "buffers do not overlap")
			require.Equal(t, byte(i), b[len(b)-1], "buffers do not overlap")
			p.Put(b)
		}
	})
	before := known
	for range 100 {
		b, err := p.Get(1 << 20)
		require.NoError(t, err)
		p.Put(b)
	}
	require.LessOrEqual(t, known, before+1, "buffers are used again")
}
