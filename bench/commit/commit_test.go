package commit

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime/debug"
	"testing"

	"github.com/stretchr/testify/require"
)

func info(settings ...debug.BuildSetting) *debug.BuildInfo {
	return &debug.BuildInfo{Settings: settings}
}

// What Go has stamped is what counts, wherever the program runs.
func TestStamped(t *testing.T) {
	rev := debug.BuildSetting{Key: "vcs.revision", Value: "0123456789abcdef"}
	nowhere := t.TempDir()
	require.Equal(t, "0123456789ab", of(info(rev, debug.BuildSetting{Key: "vcs.modified", Value: "false"}), nowhere))
	require.Equal(t, "0123456789ab+", of(info(rev, debug.BuildSetting{Key: "vcs.modified", Value: "true"}), nowhere))
	require.Equal(t, "unknown", of(info(), nowhere))
	require.Equal(t, "unknown", of(nil))
}

// A program that was not stamped is taken for one of the repository in which it runs, or lies.
func TestFolder(t *testing.T) {
	repo, nowhere := t.TempDir(), t.TempDir()
	git := func(args ...string) string {
		c := exec.Command("git", append([]string{"-c", "user.name=n", "-c", "user.email=e@example.org"}, args...)...)
		c.Dir = repo
		out, err := c.CombinedOutput()
		require.NoError(t, err, string(out))
		return string(out)
	}
	git("init", "-q")
	git("commit", "-q", "--allow-empty", "-m", "one")
	want := git("rev-parse", "HEAD")[:digits] + "?"
	bin := filepath.Join(repo, "bin")
	require.NoError(t, os.Mkdir(bin, 0o755))
	require.Equal(t, want, of(nil, nowhere, bin))
	require.Equal(t, want, of(info(), repo, nowhere))
}
