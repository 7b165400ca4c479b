package launch

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"time"

	"golang.org/x/sys/unix"

	"github.com/p4ce/p4ce/lab"
)

// Events that every process prints.
const (
	Ready = "ready"
	End   = "end"
)

// Options say what to start.
type Options struct {
	Name  string
	Args  []string   // Args[0] is the program
	Host  *lab.Host  // in whose namespace; nil: the switch's
	Files []*os.File // inherited as 3, 4 and so on
	Log   io.Writer  // what it logs goes here, too; nil: nowhere else
	// Event is given every event but End, in the order in which they were printed, by a
	// goroutine of the process's own; nil: nobody asks. It must return when the process
	// has ended.
	Event func(p *Process, line []byte)
}

// Process is a process that has been started.
type Process struct {
	*lab.Proc
	name   string
	proc   process // the same as Proc, but in tests of this package
	stdin  io.WriteCloser
	log    tail
	unread sync.Mutex // held while nobody reads what it prints and logs
	event  func(*Process, []byte)
	ready  chan struct{} // closed when it has said that it is
	gone   chan struct{} // closed when it has ended and all that it printed has been read
	said   bool          // it said that it ends; after gone
	saidAt int64         // when
}

// process is what is asked of a process that may have ended: a lab.Proc.
type process interface {
	Done() <-chan struct{}
	Err() error
	Dying() bool
}

// Start starts a process in a lab, or where we are ourselves if l is nil.
func Start(l *lab.Lab, o Options) (*Process, error) {
	p := newProcess(o)
	inR, inW, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	defer inR.Close()
	outR, outW, err := os.Pipe()
	if err != nil {
		inW.Close()
		return nil, err
	}
	defer outW.Close()
	spec := lab.Spec{Name: o.Name, Args: o.Args, Stdin: inR, Stdout: outW, Stderr: &p.log, Files: o.Files}
	switch {
	case l == nil:
		p.Proc, err = lab.Start(spec)
	case o.Host == nil:
		p.Proc, err = l.StartInSwitch(spec)
	default:
		p.Proc, err = l.StartInHost(o.Host, spec)
	}
	if err != nil {
		inW.Close()
		outR.Close()
		return nil, err
	}
	p.proc, p.stdin = p.Proc, inW
	go p.listen(outR)
	return p, nil
}

func newProcess(o Options) *Process {
	p := &Process{name: o.Name, event: o.Event, ready: make(chan struct{}), gone: make(chan struct{})}
	p.log.also, p.log.unread = o.Log, &p.unread
	return p
}

// listen takes what the process prints, until it has ended.
func (p *Process) listen(out io.ReadCloser) {
	for in := bufio.NewScanner(out); in.Scan(); {
		mayRead(&p.unread)
		var e struct {
			Event string `json:"event"`
			At    int64  `json:"at"`
		}
		if json.Unmarshal(in.Bytes(), &e) != nil {
			continue
		}
		switch e.Event {
		case Ready:
			if !p.isReady() {
				close(p.ready)
			}
		case End:
			p.said, p.saidAt = true, e.At
			continue
		}
		if p.event != nil {
			p.event(p, in.Bytes())
		}
	}
	out.Close()
	<-p.proc.Done()
	if p.stdin != nil {
		p.stdin.Close()
	}
	close(p.gone)
}

// Gone is closed when the process has ended and all that it printed has been read.
func (p *Process) Gone() <-chan struct{} { return p.gone }

// AwaitReady waits until the process has said that it is ready.
func (p *Process) AwaitReady(ctx context.Context) error {
	select {
	case <-p.ready:
		return nil
	case <-p.gone:
		return fmt.Errorf("%s has ended (%s) before it was ready%s", p.name, p.How(), p.Tail())
	case <-ctx.Done():
		return fmt.Errorf("waiting for %s: %w%s", p.name, context.Cause(ctx), p.Tail())
	}
}

// Tell sends a command. Its error is a LostError.
func (p *Process) Tell(command string) error {
	if _, err := fmt.Fprintln(p.stdin, command); err != nil {
		return &LostError{p, err}
	}
	return nil
}

// mayRead waits until somebody reads.
func mayRead(unread *sync.Mutex) {
	unread.Lock()
	defer unread.Unlock()
}

// Unread has nobody read what the process prints and logs, and fills both pipes: whatever writes to them waits, until
// release. Only empty lines are added.
func (p *Process) Unread() (release func(), err error) {
	p.unread.Lock()
	release = sync.OnceFunc(p.unread.Unlock)
	for _, fd := range []int{unix.Stdout, unix.Stderr} {
		if err := fill(fmt.Sprintf("/proc/%d/fd/%d", p.PID(), fd)); err != nil {
			release()
			return nil, fmt.Errorf("%s: %w", p.name, err)
		}
	}
	return release, nil
}

// fill writes to a pipe until it takes nothing more. One that is being read just now takes more later: it is full when it
// has taken nothing for a moment.
func fill(pipe string) error {
	fd, err := unix.Open(pipe, unix.O_WRONLY|unix.O_NONBLOCK|unix.O_CLOEXEC, 0)
	if err != nil {
		return fmt.Errorf("open the pipe: %w", err)
	}
	defer unix.Close(fd)
	lines := bytes.Repeat([]byte{'\n'}, 4096)
	for full := 0; full < fullTimes; {
		switch n, err := unix.Write(fd, lines); {
		case err == unix.EAGAIN && len(lines) > 1:
			lines = lines[:len(lines)/2]
		case err == unix.EAGAIN:
			full++
			time.Sleep(fullPause)
		case err != nil:
			return fmt.Errorf("fill the pipe: %w", err)
		case n > 0:
			full = 0
		}
	}
	return nil
}

// A pipe is full that has taken nothing for so many times, with so long a pause between them.
const (
	fullTimes = 20
	fullPause = time.Millisecond
)

// Tail is the last lines of the process's log, each after a line end and indented: the end
// of an error message.
func (p *Process) Tail() string { return p.log.String() }

// How says how the process has ended; after its end.
func (p *Process) How() string {
	if err := p.proc.Err(); err != nil {
		return err.Error()
	}
	return "exit status 0"
}

// End asks the process to end, and kills it when it has not within a while.
func (p *Process) End(ctx context.Context) { _ = p.Stop(ctx) }

// LostError is what one hears who talks to a process that is gone. It says nothing
// about why that process is gone.
type LostError struct {
	Party *Process
	Err   error
}

// Error implements error.
func (e *LostError) Error() string { return fmt.Sprintf("%s does not answer: %v", e.Party.name, e.Err) }

// Unwrap returns what was heard.
func (e *LostError) Unwrap() error { return e.Err }

// tail keeps the last lines of a log, and passes all of it on.
type tail struct {
	also   io.Writer
	unread *sync.Mutex // held while nothing is to be read

	mu    sync.Mutex
	lines []string
	part  []byte
}

// kept and shown are how many lines a tail keeps and String returns.
const kept, shown = 20, 5

// Write implements io.Writer.
func (t *tail) Write(b []byte) (int, error) {
	mayRead(t.unread)
	t.mu.Lock()
	defer t.mu.Unlock()
	t.part = split(append(t.part, b...), func(line string) {
		if t.lines = append(t.lines, line); len(t.lines) > kept {
			t.lines = t.lines[1:]
		}
	})
	if t.also != nil {
		return t.also.Write(b)
	}
	return len(b), nil
}

func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.lines) == 0 {
		return ""
	}
	return "\n  " + strings.Join(t.lines[max(0, len(t.lines)-shown):], "\n  ")
}

// Prefixed writes lines to w, each behind a name.
func Prefixed(w io.Writer, name string) io.Writer { return &prefixed{w: w, name: name} }

type prefixed struct {
	w    io.Writer
	name string

	mu   sync.Mutex
	part []byte
}

// Write implements io.Writer.
func (p *prefixed) Write(b []byte) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.part = split(append(p.part, b...), func(line string) { fmt.Fprintf(p.w, "%-10s %s\n", p.name, line) })
	return len(b), nil
}

// split passes the whole lines of b on, and returns the rest.
func split(b []byte, each func(string)) []byte {
	for {
		i := bytes.IndexByte(b, '\n')
		if i < 0 {
			return b
		}
		each(string(b[:i]))
		b = b[i+1:]
	}
}

// endTimeout bounds how long a process takes that is about to end.
const endTimeout = 10 * time.Second
