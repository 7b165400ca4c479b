package ctrl

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/p4ce/p4ce/ctrl/admin"
)

// TestAdminSocket: a controller replaces the socket of one that was killed, not
// that of one that runs; a client says what is wrong when there is none.
func TestAdminSocket(t *testing.T) {
	path := filepath.Join(t.TempDir(), "admin.sock")
	_, err := admin.NewClient("unix:" + path).Status(context.Background())
	require.ErrorContains(t, err, "nobody answers [is the controller running, with --admin unix:"+path)
	l, err := listenAdmin("unix:" + path)
	require.NoError(t, err)
	_, err = listenAdmin("unix:" + path)
	require.ErrorContains(t, err, "is in use [is another controller running?")
	st, err := os.Stat(path)
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o600), st.Mode().Perm())
	require.NoError(t, l.Close())
	_, err = listenAdmin("nonsense")
	require.ErrorContains(t, err, `admin: address "nonsense"`)
}
