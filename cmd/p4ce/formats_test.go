package main

import (
	"archive/tar"
	"compress/gzip"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/stretchr/testify/require"
)

// formats are what earlier builds have left on disks, each of one server with the same keys: a data folder without and one with
// --fsync, and a backup. A build that changes a format adds what it leaves, and goes on to read the others.
const formats = "testdata/formats/"

// requireFormat: everything that the earlier build had is there.
func requireFormat(t *testing.T, c *redis.Client) {
	t.Helper()
	for key, want := range map[string]string{"key1": "value1more", "key2": "value2", "key5": "value5", "n": "42"} {
		got, err := c.Get(t.Context(), key).Result()
		require.NoError(t, err)
		require.Equal(t, want, got)
	}
	require.ErrorIs(t, c.Get(t.Context(), "gone").Err(), redis.Nil)
}

// extract puts a folder from an archive into dir.
func extract(t *testing.T, archive, dir string) {
	t.Helper()
	f, err := os.Open(archive)
	require.NoError(t, err)
	defer f.Close()
	z, err := gzip.NewReader(f)
	require.NoError(t, err)
	for r := tar.NewReader(z); ; {
		h, err := r.Next()
		if err == io.EOF {
			return
		}
		require.NoError(t, err)
		name := filepath.Join(dir, h.Name)
		if h.Typeflag == tar.TypeDir {
			require.NoError(t, os.MkdirAll(name, 0o700))
			continue
		}
		out, err := os.OpenFile(name, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
		require.NoError(t, err)
		_, err = io.Copy(out, r)
		require.NoError(t, err)
		require.NoError(t, out.Close())
	}
}

// TestFormats: this build continues with what earlier builds have left on disks.
func TestFormats(t *testing.T) {
	folders, err := filepath.Glob(formats + "*.tar.gz")
	require.NoError(t, err)
	require.GreaterOrEqual(t, len(folders), 4)
	for _, f := range folders {
		t.Run(filepath.Base(f), func(t *testing.T) {
			dir := t.TempDir()
			extract(t, f, dir)
			args := []string{"--data", filepath.Join(dir, "data")}
			if strings.HasSuffix(f, "-fsync.tar.gz") {
				require.DirExists(t, filepath.Join(dir, "data", "journal"))
				args = append(args, "--fsync")
			}
			_, c := loneStore(t, "old", args...)
			requireFormat(t, c)
			require.NoError(t, c.Incr(t.Context(), "n").Err())
		})
	}
	t.Run("backup", func(t *testing.T) {
		backups, err := filepath.Glob(formats + "*.backup")
		require.NoError(t, err)
		require.NotEmpty(t, backups)
		for _, b := range backups {
			addr, c := loneStore(t, "restored")
			out, err := exec.Command(os.Args[0], "kv", "restore", "--server", addr, b).CombinedOutput()
			require.NoError(t, err, "%s", out)
			requireFormat(t, c)
			left, err := c.ExpireTime(t.Context(), "expires").Result()
			require.NoError(t, err)
			require.Greater(t, left, 100*365*24*time.Hour)
		}
	})
}

// TestLaterFormat: what a later build has left is refused, and stays as it is.
func TestLaterFormat(t *testing.T) {
	t.Setenv(asCommand, "1")
	dir := t.TempDir()
	extract(t, formats+"v0.4.0-plain.tar.gz", dir)
	data := filepath.Join(dir, "data")
	marker, err := filepath.Glob(filepath.Join(data, "db-1", "marker.format-version.*"))
	require.NoError(t, err)
	require.Len(t, marker, 1)
	later := strings.TrimSuffix(marker[0], filepath.Ext(marker[0])) + ".999"
	require.NoError(t, os.Rename(marker[0], later))
	out, err := exec.Command(os.Args[0], "kv", "--id", "1", "--data", data, "--wire", "unix:"+dir+"/a,"+dir+"/b", "--address", "10.0.0.2",
		"--mac", "02:00:00:00:00:02", "--gateway-mac", "02:00:00:00:00:01", "--listen", "unix:"+dir+"/s", "--member", "1=10.0.0.2").CombinedOutput()
	var exit *exec.ExitError
	require.ErrorAs(t, err, &exit)
	require.Contains(t, string(out), "unknown format major version 999")
	require.FileExists(t, later)
}
