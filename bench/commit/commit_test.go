package commit

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/p4ce/p4ce/internal/build"
)

// What Go has stamped is what counts, wherever the program runs.
func TestStamped(t *testing.T) {
	nowhere := t.TempDir()
	require.Equal(t, "0123456789ab", of(build.Info{Commit: "0123456789abcdef"}, nowhere))
	require.Equal(t, "0123456789ab+", of(build.Info{Commit: "0123456789abcdef", Modified: true}, nowhere))
	require.Equal(t, "unknown", of(build.Info{}, nowhere))
	require.Equal(t, "unknown", of(build.Info{}))
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
	require.Equal(t, want, of(build.Info{}, nowhere, bin))
	require.Equal(t, want, of(build.Info{}, repo, nowhere))
}
