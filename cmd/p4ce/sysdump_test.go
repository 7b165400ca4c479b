package main

import (
	"archive/tar"
	"compress/gzip"
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestSysdump: the file has what programs say, and of what does not answer the error; nothing of what is in a store, or
// secret.
func TestSysdump(t *testing.T) {
	dir := t.TempDir()
	metrics := filepath.Join(dir, "m")
	server, c := loneStore(t, "dumped", "--metrics", "unix:"+metrics)
	require.NoError(t, c.Set(t.Context(), "a-secret-key", "a-secret-value", 0).Err())
	require.NoError(t, os.WriteFile(filepath.Join(dir, "token"), []byte("4711471147114711"), 0o600))
	settings := filepath.Join(dir, "c.yaml")
	require.NoError(t, os.WriteFile(settings, []byte("kv: {id: 3, token: '@"+dir+"/token'}\n"), 0o600))
	t.Setenv("P4CE_CONFIG", settings)
	name := filepath.Join(dir, "dump.tar.gz")
	args := []string{"sysdump", name, "--metrics", "unix:" + metrics, "--metrics", "127.0.0.1:1", "--server", server, "--controller", "unix:" + dir + "/none"}
	code, out := inProcess(args...)
	require.Zero(t, code, out)
	st, err := os.Stat(name)
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o600), st.Mode().Perm())
	f, err := os.Open(name)
	require.NoError(t, err)
	defer f.Close()
	z, err := gzip.NewReader(f)
	require.NoError(t, err)
	files := map[string]string{}
	for r := tar.NewReader(z); ; {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		require.NoError(t, err)
		text, err := io.ReadAll(r)
		require.NoError(t, err)
		files[h.Name] = string(text)
		for _, secret := range []string{"4711471147114711", "a-secret-key", "a-secret-value"} {
			require.NotContains(t, string(text), secret, h.Name)
		}
	}
	for name, text := range map[string]string{
		"index": "p4ce sysdump of ", "p4ce/version.json": `"objects"`, "p4ce/doctor.json": "{", "p4ce/settings.yaml": "  id: 3 # ",
		"metrics-1/metrics": "p4ce_kv_keys 1", "metrics-1/goroutines": "goroutine profile: ", "metrics-2/metrics": "# error: ",
		"store/status.json": `"well": true`, "controller/status.json": "nobody answers", "system/memory": "MemTotal",
	} {
		require.Contains(t, files["dump/"+name], text, name)
	}
	t.Setenv("P4CE_CONFIG", "")
	code, out = inProcess(args...)
	require.Equal(t, 1, code)
	require.Contains(t, out, "file exists", "it replaces nothing")
}
