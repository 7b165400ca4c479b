package rate

import (
	"testing"

	"github.com/google/pprof/profile"
	"github.com/stretchr/testify/require"
)

// stack is a sample of functions, the innermost first.
func stack(n int64, names ...string) *profile.Sample {
	s := &profile.Sample{Value: []int64{n, 0}}
	for _, name := range names {
		s.Location = append(s.Location, &profile.Location{Line: []profile.Line{{Function: &profile.Function{Name: name}}}})
	}
	return s
}

func TestFunctions(t *testing.T) {
	p := &profile.Profile{Sample: []*profile.Sample{
		stack(5, "internal/runtime/syscall/linux.Syscall6", "golang.org/x/sys/unix.Syscall6", "github.com/asavie/xdp.(*Socket).Transmit", "main.main"),
		stack(2, "hash/crc32.update", "a/b.C"),
		stack(1, "hash/crc32.update"),
		stack(2),
	}}
	require.Equal(t, "system call of xdp.(*Socket).Transmit 50 %, crc32.update 30 %, unknown 20 % (10 samples)", functions(p))
	require.Equal(t, "no samples: too short a run", functions(&profile.Profile{}))
}

func TestTop(t *testing.T) {
	_, err := top("missing.pprof")
	require.ErrorContains(t, err, "missing.pprof")
	_, err = top("profile_test.go")
	require.ErrorContains(t, err, "profile_test.go")
}
