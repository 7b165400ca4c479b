package agent

import (
	"crypto/sha256"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/p4ce/p4ce/bpf"
)

// TestTrust: what is part of the binary is trusted, and what the operator names, and nothing else.
func TestTrust(t *testing.T) {
	own, err := bpf.Object("rdma")
	require.NoError(t, err)
	file := filepath.Join(t.TempDir(), "mine.o")
	require.NoError(t, os.WriteFile(file, []byte("mine"), 0o600))
	trusted, err := newTrust([]string{file, fmt.Sprintf("sha256:%x", sha256.Sum256([]byte("theirs")))})
	require.NoError(t, err)
	for _, o := range []string{string(own), "mine", "theirs"} {
		require.NoError(t, trusted.check([]byte(o)))
	}
	changed := append([]byte(nil), own...)
	changed[len(changed)/2] ^= 1
	for _, o := range [][]byte{changed, own[:len(own)-1], []byte("other"), nil} {
		err := trusted.check(o)
		require.ErrorIs(t, err, fs.ErrPermission)
		require.ErrorContains(t, err, fmt.Sprintf("--trust sha256:%x", sha256.Sum256(o)))
	}
}
