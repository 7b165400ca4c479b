package docs

import (
	"bufio"
	"bytes"
	"context"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/p4ce/p4ce/doctor/needs"
)

// tree copies what is in the repository, without what was made of it.
func tree(t *testing.T) string {
	dir, root := t.TempDir(), filepath.Join("..", "..")
	require.NoError(t, filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(root, path)
		if err != nil {
			return err
		}
		to := filepath.Join(dir, rel)
		switch {
		case d.IsDir() && (rel == ".git" || rel == "bin" || rel == "out"):
			return filepath.SkipDir
		case d.IsDir():
			return os.MkdirAll(to, 0o755)
		case !d.Type().IsRegular():
			return nil
		}
		b, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		return os.WriteFile(to, b, info.Mode())
	}))
	return dir
}

// reader does what a page says, in a tree.
type reader struct {
	*testing.T
	ctx context.Context
	dir string
	out string // of the last commands
}

// shell runs the lines of a block. A line that ends with & goes on while those behind it
// run: it has said that it is ready.
func (r *reader) shell(b Block) {
	r.out = ""
	for line := range strings.Lines(b.Text) {
		line = strings.TrimSpace(line)
		if rest, ok := strings.CutPrefix(line, "sudo "); ok {
			if line = rest; os.Geteuid() != 0 {
				r.Logf("left out, for want of root: %s", rest)
				continue
			}
		}
		if line, ok := strings.CutSuffix(line, " &"); ok {
			r.background(line)
			continue
		}
		cmd := exec.CommandContext(r.ctx, "bash", "-c", line)
		cmd.Dir = r.dir
		out, err := cmd.CombinedOutput()
		require.NoError(r, err, "line %d: %s\n%s", b.Line, line, out)
		r.out += string(out)
	}
}

func (r *reader) background(line string) {
	cmd := exec.CommandContext(r.ctx, "bash", "-c", "exec "+line)
	cmd.Dir = r.dir
	var log bytes.Buffer
	cmd.Stderr = &log
	out, err := cmd.StdoutPipe()
	require.NoError(r, err)
	require.NoError(r, cmd.Start())
	done := make(chan struct{})
	r.Cleanup(func() {
		_ = cmd.Process.Signal(syscall.SIGTERM)
		<-done
		_ = cmd.Wait()
		if r.Failed() {
			r.Logf("%s:\n%s", line, log.String())
		}
	})
	ready := make(chan bool, 1)
	go func() {
		defer close(done)
		lines := bufio.NewScanner(out)
		for lines.Scan() {
			if strings.Contains(lines.Text(), `"event":"ready"`) {
				ready <- true
			}
		}
		close(ready)
	}()
	require.True(r, <-ready, "%s: it has ended before it was ready", line)
}

// TestProgram adds a program as docs/program.md says.
func TestProgram(t *testing.T) {
	needs.Tool(t, "git", "git")
	needs.Tool(t, "clang-19", "clang-19 llvm-19")
	needs.Time(t, "p4xc, p4ce and tests are built in a copy of the tree")
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Minute)
	t.Cleanup(cancel)
	// The copy has nothing in the cache: vet would look at all that is imported once more.
	t.Setenv("GOFLAGS", strings.TrimSpace(os.Getenv("GOFLAGS")+" -vet=off"))
	r := &reader{T: t, ctx: ctx, dir: tree(t)}
	done := map[string]int{}
	blocks, err := Blocks("../../docs/program.md")
	require.NoError(t, err)
	for _, b := range blocks {
		done[b.Kind]++
		switch {
		case b.Of != "":
			to := filepath.Join(r.dir, b.Of)
			require.NoFileExists(t, to)
			require.NoError(t, os.MkdirAll(filepath.Dir(to), 0o755))
			require.NoError(t, os.WriteFile(to, []byte(b.Text), 0o644))
		case b.Kind == "sh":
			r.shell(b)
		case b.Kind == "text":
			require.Contains(t, r.out, strings.TrimSpace(b.Text), "line %d", b.Line)
		case b.Kind == "diff":
			cmd := exec.Command("git", "apply", "-")
			cmd.Dir, cmd.Stdin = r.dir, strings.NewReader(b.Text)
			out, err := cmd.CombinedOutput()
			require.NoError(t, err, "line %d: %s", b.Line, out)
		default:
			t.Fatalf("line %d: nobody knows what to do with a block of %q", b.Line, b.Kind)
		}
	}
	require.GreaterOrEqual(t, done["sh"], 6)
	require.GreaterOrEqual(t, done["text"], 3)

	// The new program is one like the others: these look at all programs.
	cmd := exec.CommandContext(ctx, "go", "test", "-skip", "^TestProgramFiles$", "./p4/gonames", "./p4/lang", "./p4/p4info", "./bpf/gen", "./test/house")
	cmd.Dir = r.dir
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, "%s", out)
}
