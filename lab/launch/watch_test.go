package launch

import (
	"encoding/json"
	"errors"
	"io"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"
)

// fakeProcess ends when the test says so.
type fakeProcess struct {
	done  chan struct{}
	err   error
	dying bool
}

func (p *fakeProcess) Done() <-chan struct{} { return p.done }
func (p *fakeProcess) Err() error            { return p.err }
func (p *fakeProcess) Dying() bool           { return p.dying }

// fakeServer is a server, with what it writes to its standard output.
type fakeServer struct {
	*Process
	proc *fakeProcess
	out  io.WriteCloser
}

// end lets the process end, after it has said so at a time (0: it says nothing).
func (f *fakeServer) end(at int64, err error) {
	if at != 0 {
		b, _ := json.Marshal(map[string]any{"event": End, "at": at})
		_, _ = f.out.Write(append(b, '\n'))
	}
	f.proc.err, f.proc.dying = err, true
	f.out.Close()
	close(f.proc.done)
}

func fakeServers(names ...string) (*Watch, map[string]*fakeServer) {
	w := NewWatch()
	all := map[string]*fakeServer{}
	for _, name := range names {
		out, in := io.Pipe()
		f := &fakeServer{newProcess(Options{Name: name}), &fakeProcess{done: make(chan struct{})}, in}
		f.Process.proc, f.Process.stdin = f.proc, brokenPipe{}
		_, _ = f.log.Write([]byte("last words of " + name + "\n"))
		go f.listen(out)
		if !strings.HasPrefix(name, "new ") {
			_, _ = in.Write([]byte(`{"event":"ready"}` + "\n"))
			<-f.ready
		}
		w.Add(f.Process)
		all[name] = f
	}
	return w, all
}

type brokenPipe struct{}

func (brokenPipe) Write([]byte) (int, error) { return 0, syscall.EPIPE }
func (brokenPipe) Close() error              { return nil }

var errKilled = errors.New("signal: killed")

// TestCause: whoever ends first is the cause, in whichever order one hears of it.
func TestCause(t *testing.T) {
	gaveUp := errors.New("exit status 1")
	for _, tt := range []struct {
		name string
		// before is what has happened when one hears of an error, and after what
		// happens later.
		before, after func(map[string]*fakeServer)
		err           func(map[string]*fakeServer) error
		want          string
	}{
		{
			name:   "a server cannot start without one that has ended",
			before: func(s map[string]*fakeServer) { s["new server"].end(0, gaveUp); s["replica"].end(7, gaveUp) },
			err:    func(map[string]*fakeServer) error { return ErrEnded },
			want:   "replica has ended (exit status 1)\n  last words of replica",
		},
		{
			name:  "a broken pipe is heard of before the end of the process behind it",
			err:   func(s map[string]*fakeServer) error { return s["leader"].Tell("go") },
			after: func(s map[string]*fakeServer) { s["leader"].end(0, errKilled) },
			want:  "leader has ended (signal: killed)\n  last words of leader",
		},
		{
			name:   "a server gives up because of one that the kernel is still taking down",
			before: func(s map[string]*fakeServer) { s["switch"].proc.dying = true; s["leader"].end(7, gaveUp) },
			err:    func(map[string]*fakeServer) error { return ErrEnded },
			after:  func(s map[string]*fakeServer) { s["switch"].end(0, errKilled) },
			want:   "switch has ended (signal: killed)\n  last words of switch",
		},
		{
			name:   "a server that gave up is gone before the one that gave up first",
			before: func(s map[string]*fakeServer) { s["replica"].proc.dying = true; s["leader"].end(7, gaveUp) },
			err:    func(map[string]*fakeServer) error { return ErrEnded },
			after:  func(s map[string]*fakeServer) { s["replica"].end(5, gaveUp) },
			want:   "replica has ended (exit status 1)\n  last words of replica",
		},
		{
			name:   "the later of two who gave up is listed first",
			before: func(s map[string]*fakeServer) { s["switch"].end(9, gaveUp); s["leader"].end(7, gaveUp) },
			err:    func(map[string]*fakeServer) error { return ErrEnded },
			want:   "leader has ended (exit status 1)\n  last words of leader",
		},
		{
			name:   "what one who lives says does not matter when another is gone",
			before: func(s map[string]*fakeServer) { s["replica"].end(0, errKilled) },
			err:    func(map[string]*fakeServer) error { return errors.New("waiting for leader: deadline") },
			want:   "replica has ended (signal: killed)\n  last words of replica",
		},
		{
			name: "nobody has ended",
			err:  func(map[string]*fakeServer) error { return errors.New("counter has no cell") },
			want: "counter has no cell",
		},
		{
			name: "who does not answer may also live on",
			err:  func(s map[string]*fakeServer) error { return s["leader"].Tell("go") },
			want: "leader does not answer: broken pipe",
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w, s := fakeServers("switch", "leader", "new server", "replica")
				if tt.before != nil {
					tt.before(s)
					synctest.Wait()
				}
				got := make(chan error, 1)
				go func() { got <- w.Cause(tt.err(s)) }()
				synctest.Wait()
				if tt.after != nil {
					require.Empty(t, got, "no cause is named while somebody is dying")
					tt.after(s)
				}
				require.EqualError(t, <-got, tt.want)
				for _, s := range s {
					if !s.isGone() {
						s.end(0, nil)
					}
				}
			})
		})
	}
}
