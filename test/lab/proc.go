package lab

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"sync"
	"syscall"
	"time"

	"github.com/vishvananda/netns"
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
// the parent-death signal follows the thread, not the process.
var starter = sync.OnceValue(func() chan func() {
	jobs := make(chan func())
	go func() {
		runtime.LockOSThread()
		for f := range jobs {
			f()
		}
	}()
	return jobs
})

// StartInSwitch starts a process in the switch's namespace.
func (l *Lab) StartInSwitch(s Spec) (*Proc, error) { return l.start(l.sw, s) }

// StartInHost starts a process in a host's namespace.
func (l *Lab) StartInHost(h *Host, s Spec) (*Proc, error) { return l.start(h.ns, s) }

func (l *Lab) start(ns netns.NsHandle, s Spec) (*Proc, error) {
	p := &Proc{Name: s.Name, done: make(chan struct{})}
	p.cmd = exec.Command(s.Args[0], s.Args[1:]...)
	p.cmd.Env, p.cmd.Stdin, p.cmd.Stdout, p.cmd.Stderr = s.Env, s.Stdin, s.Stdout, s.Stderr
	p.cmd.ExtraFiles = s.Files
	p.cmd.SysProcAttr = &syscall.SysProcAttr{
		Pdeathsig: syscall.SIGKILL,
		Setpgid:   true, // a Ctrl-C at the terminal is ours to handle
	}
	p.cmd.WaitDelay = time.Second
	res := make(chan error)
	starter() <- func() {
		if ns < 0 {
			res <- p.cmd.Start()
			return
		}
		back, err := netns.Get()
		if err != nil {
			res <- err
			return
		}
		defer back.Close()
		if err := netns.Set(ns); err != nil {
			res <- fmt.Errorf("enter network namespace: %w", err)
			return
		}
		err = p.cmd.Start()
		if e := netns.Set(back); err == nil && e != nil {
			err = e
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
	return l.start(-1, s)
}

// Done is closed when the process has ended.
func (p *Proc) Done() <-chan struct{} { return p.done }

// Err is how the process ended; call it after Done.
func (p *Proc) Err() error { return p.err }

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
		p.Kill()
		return errors.Join(fmt.Errorf("%s did not end on SIGTERM", p.Name), ctx.Err())
	}
}

// Kill kills the process and waits for its end.
func (p *Proc) Kill() {
	_ = p.Signal(syscall.SIGKILL)
	<-p.done
}
