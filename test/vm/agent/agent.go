// Package agent runs the commands that a test sends to its guest (package proto),
// and sends their output and their end back.
package agent

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"sync"
	"syscall"

	"golang.org/x/sys/unix"

	"github.com/p4ce/p4ce/test/vm/proto"
)

// server runs the commands of one port.
type server struct {
	out sync.Mutex
	w   io.Writer

	mu    sync.Mutex
	procs map[uint32]*process
}

type process struct {
	cmd   *exec.Cmd
	stdin chan []byte   // closed at the end of input
	ended bool          // stdin is closed
	done  chan struct{} // closed when the command has ended
}

// inputQueue is how many frames of input wait for a command that does not read;
// after that the port stands still.
const inputQueue = 1024

// Serve runs the commands that come through a port, until it is closed; the error
// says how. Commands that run then are left alone.
func Serve(port io.ReadWriter) error {
	s := &server{w: port, procs: map[uint32]*process{}}
	s.send(proto.Frame{Kind: proto.Ready})
	for {
		f, err := proto.Read(port)
		if err != nil {
			return fmt.Errorf("port: %w", err)
		}
		if f.Kind == proto.Start {
			s.start(f)
			continue
		}
		s.mu.Lock()
		p := s.procs[f.ID]
		s.mu.Unlock()
		if p == nil {
			continue // it has ended in the meantime
		}
		switch f.Kind {
		case proto.Stdin:
			if !p.ended {
				select {
				case p.stdin <- f.Data:
				case <-p.done:
				}
			}
		case proto.StdinEnd:
			if !p.ended {
				p.ended = true
				close(p.stdin)
			}
		case proto.Signal:
			if len(f.Data) == 1 {
				_ = p.cmd.Process.Signal(unix.Signal(f.Data[0]))
			}
		}
	}
}

// send writes a frame. A port that cannot be written to ends the guest by its
// reader.
func (s *server) send(f proto.Frame) {
	s.out.Lock()
	defer s.out.Unlock()
	_ = proto.Write(s.w, f)
}

func (s *server) exit(id uint32, st proto.Status) {
	b, err := json.Marshal(st)
	if err != nil {
		panic(err) // plain strings and a number
	}
	s.send(proto.Frame{Kind: proto.Exit, ID: id, Data: b})
}

func (s *server) start(f proto.Frame) {
	var c proto.Command
	if err := json.Unmarshal(f.Data, &c); err != nil || len(c.Args) == 0 {
		s.exit(f.ID, proto.Status{Code: -1, Error: fmt.Sprintf("no command: %v", err)})
		return
	}
	p := &process{cmd: exec.Command(c.Args[0], c.Args[1:]...), stdin: make(chan []byte, inputQueue), done: make(chan struct{})}
	p.cmd.Env = append(os.Environ(), c.Env...)
	p.cmd.Stdout = stream{s, f.ID, proto.Stdout}
	p.cmd.Stderr = stream{s, f.ID, proto.Stderr}
	in, err := p.cmd.StdinPipe()
	if err == nil {
		err = p.cmd.Start()
	}
	if err != nil {
		s.exit(f.ID, proto.Status{Code: -1, Error: err.Error()})
		return
	}
	s.mu.Lock()
	s.procs[f.ID] = p
	s.mu.Unlock()
	go func() {
		defer in.Close()
		for {
			select {
			case b, ok := <-p.stdin:
				if !ok {
					return
				}
				// A command that has closed its input does not want the rest.
				_, _ = in.Write(b)
			case <-p.done:
				return
			}
		}
	}()
	go func() {
		err := p.cmd.Wait()
		close(p.done)
		s.mu.Lock()
		delete(s.procs, f.ID)
		s.mu.Unlock()
		st := proto.Status{Code: p.cmd.ProcessState.ExitCode()}
		if ws, ok := p.cmd.ProcessState.Sys().(syscall.WaitStatus); ok && ws.Signaled() {
			st.Signal = ws.Signal().String()
		} else if st.Code < 0 && err != nil {
			st.Error = err.Error()
		}
		s.exit(f.ID, st)
	}()
}

// stream sends what a command prints.
type stream struct {
	s    *server
	id   uint32
	kind proto.Kind
}

func (w stream) Write(b []byte) (int, error) {
	for at := 0; at < len(b); at += proto.MaxData {
		w.s.send(proto.Frame{Kind: w.kind, ID: w.id, Data: b[at:min(at+proto.MaxData, len(b))]})
	}
	return len(b), nil
}
