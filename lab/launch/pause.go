package launch

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

// Running reports whether the process is there, paused or not.
func (p *Process) Running() bool {
	select {
	case <-p.Done():
		return false
	default:
		return true
	}
}

// pauseTime is how long a process may take to stop.
const pauseTime = 10 * time.Second

// Pause stops the process until Resume. When it returns none of its threads runs any more: on a
// busy machine that is later than the signal.
func (p *Process) Pause() error {
	if err := p.Signal(syscall.SIGSTOP); err != nil {
		return err
	}
	for end := time.Now().Add(pauseTime); !paused(p.PID()); time.Sleep(pauseTime / 5000) {
		if time.Now().After(end) {
			return fmt.Errorf("%s: %w", p.Name, errNotPaused)
		}
	}
	return nil
}

var errNotPaused = errors.New("threads of the process still run after SIGSTOP")

// Resume lets a paused process go on.
func (p *Process) Resume() error { return p.Signal(syscall.SIGCONT) }

// paused reports whether no thread of a process runs.
func paused(pid int) bool {
	files, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/stat", pid))
	if err != nil || len(files) == 0 {
		return false
	}
	for _, f := range files {
		b, err := os.ReadFile(f)
		if err != nil {
			return false
		}
		// The name, in parentheses, may hold anything.
		if at := strings.LastIndexByte(string(b), ')'); at < 0 || !strings.HasPrefix(string(b[at:]), ") T") {
			return false
		}
	}
	return true
}
