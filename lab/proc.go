package lab

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/vishvananda/netns"
	"golang.org/x/sys/unix"
)

// Proc is a process of the lab. It is killed when the process that started it
// dies, however it dies.
type Proc struct {
	Name string
	cmd  *exec.Cmd
	done chan struct{}
	err  error
}

// Spec says what to start.
type Spec struct {
	Name           string
	Args           []string // Args[0] is the program
	Env            []string // nil: like ours
	Stdin          io.Reader
	Stdout, Stderr io.Writer
	Files          []*os.File // inherited as 3, 4 and so on
}

// starter is one thread that starts all processes and lives as long as ours:
// the parent-death signal follows the thread, not the process. What it is given
// runs there, with the mount namespace that is ours, or an error.
var starter = sync.OnceValue(func() chan func(mounts *os.File, err error) {
	jobs := make(chan func(*os.File, error))
	go func() {
		runtime.LockOSThread()
		// A thread that shares its view of files with others cannot change it.
		err := unix.Unshare(unix.CLONE_FS)
		var mounts *os.File
		if err == nil {
			mounts, err = os.Open("/proc/thread-self/ns/mnt")
		}
		for f := range jobs {
			f(mounts, err)
		}
	}()
	return jobs
})

// StartInSwitch starts a process in the switch's namespace, with its BPF file system.
func (l *Lab) StartInSwitch(s Spec) (*Proc, error) { return l.start(l.sw, l.mnt, s) }

// StartInHost starts a process in a host's namespace.
func (l *Lab) StartInHost(h *Host, s Spec) (*Proc, error) { return l.start(h.ns, nil, s) }

// start starts a process in a network namespace (ours if it is negative) and a
// mount namespace (ours if it is nil).
func (l *Lab) start(ns netns.NsHandle, mnt *os.File, s Spec) (*Proc, error) {
	p := &Proc{Name: s.Name, done: make(chan struct{})}
	p.cmd = exec.Command(s.Args[0], s.Args[1:]...)
	p.cmd.Env, p.cmd.Stdin, p.cmd.Stdout, p.cmd.Stderr = s.Env, s.Stdin, s.Stdout, s.Stderr
	p.cmd.ExtraFiles = s.Files
	p.cmd.SysProcAttr = &syscall.SysProcAttr{
		Pdeathsig: syscall.SIGKILL,
		Setpgid:   true, // a Ctrl-C at the terminal is ours to handle
	}
	p.cmd.WaitDelay = time.Second
	var err error
	if p.cmd.Dir, err = os.Getwd(); err != nil { // entering a mount namespace leaves it
		return nil, err
	}
	res := make(chan error)
	starter() <- func(mounts *os.File, err error) {
		if ns < 0 {
			res <- p.cmd.Start()
			return
		}
		var back netns.NsHandle
		if err == nil {
			back, err = netns.Get()
		}
		if err != nil {
			res <- err
			return
		}
		defer back.Close()
		if mnt != nil {
			if err := unix.Setns(int(mnt.Fd()), unix.CLONE_NEWNS); err != nil {
				res <- fmt.Errorf("enter mount namespace: %w", err)
				return
			}
		}
		if err = netns.Set(ns); err == nil {
			err = p.cmd.Start()
			err = errors.Join(err, netns.Set(back))
		} else {
			err = fmt.Errorf("enter network namespace: %w", err)
		}
		if mnt != nil {
			err = errors.Join(err, unix.Setns(int(mounts.Fd()), unix.CLONE_NEWNS))
		}
		res <- err
	}
	if err := <-res; err != nil {
		return nil, fmt.Errorf("start %s: %w", s.Name, err)
	}
	go func() {
		p.err = p.cmd.Wait()
		close(p.done)
	}()
	l.mu.Lock()
	l.procs = append(l.procs, p)
	l.mu.Unlock()
	return p, nil
}

// Start starts a process in the namespace that we are in ourselves.
func Start(s Spec) (*Proc, error) {
	l := &Lab{sw: -1, second: -1}
	return l.start(-1, nil, s)
}

// Done is closed when the process has ended.
func (p *Proc) Done() <-chan struct{} { return p.done }

// Err is how the process ended; call it after Done.
func (p *Proc) Err() error { return p.err }

// Dying reports that the process has ended, or is on its way out of the kernel. Whoever
// finds a pipe or a socket of it closed sees it dying; Done is closed later, last of all.
func (p *Proc) Dying() bool {
	select {
	case <-p.done:
		return true
	default:
		return dying(p.PID())
	}
}

// dying looks at the main thread of a process, which is marked before its files are
// closed: these belong to all threads, and close with the last.
func dying(pid int) bool {
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return true // waited for just now
	}
	// The name in parentheses may hold anything: proc(5), fields 3 and 9.
	f := strings.Fields(string(b[bytes.LastIndexByte(b, ')')+1:]))
	const exiting = 0x4 // PF_EXITING
	flags, err := strconv.ParseUint(f[6], 10, 64)
	return err != nil || flags&exiting != 0
}

// PID is the process id.
func (p *Proc) PID() int { return p.cmd.Process.Pid }

// Signal sends a signal.
func (p *Proc) Signal(s syscall.Signal) error { return p.cmd.Process.Signal(s) }

// Stop asks the process to end (SIGTERM) and waits; when the context ends
// first, it is killed.
func (p *Proc) Stop(ctx context.Context) error {
	_ = p.Signal(syscall.SIGTERM)
	select {
	case <-p.done:
		return p.err
	case <-ctx.Done():
		p.Dump()
		return errors.Join(fmt.Errorf("%s did not end on SIGTERM", p.Name), ctx.Err())
	}
}

// Dump ends a process that should have ended by itself. A Go program prints the stacks of its goroutines
// first, and the log has them.
func (p *Proc) Dump() {
	_ = p.Signal(syscall.SIGQUIT)
	select {
	case <-p.done:
	case <-time.After(5 * time.Second):
		p.Kill()
	}
}

// Kill kills the process and waits for its end.
func (p *Proc) Kill() {
	_ = p.Signal(syscall.SIGKILL)
	<-p.done
}
