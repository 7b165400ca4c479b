package p4rt

import (
	"context"
	"fmt"
	"time"

	p4config "github.com/p4lang/p4runtime/go/p4/config/v1"
	p4 "github.com/p4lang/p4runtime/go/p4/v1"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/p4ce/p4ce/dataplane"
	"github.com/p4ce/p4ce/p4/lang/ir"
)

// Local is the part of a server that a controller in the same process needs: updates, and in simulated time (package sim/fabric) the
// headers of packets and digests. It takes part in no arbitration. One of NewLocal has no idle timeouts and no goroutine, one goroutine
// at a time may use it, and its owner handles the target's events. One of Server.Local may be used from any goroutine.
type Local struct{ s *Server }

// Local is for the process that has the server: what it writes needs no primary.
func (s *Server) Local() *Local { return &Local{s} }

// LocalError is why something failed.
type LocalError struct {
	Code codes.Code
	error
}

// Error is the reason, without the words of gRPC.
func (e *LocalError) Error() string { return status.Convert(e.error).Message() }

// LocalProgram is a program for several Locals, which share what nobody changes of it: the p4info's index, and const entries.
type LocalProgram struct {
	sch  *schema
	info *p4config.P4Info
}

// NewLocalProgram reads a program and its p4info. An error says where they are not of one program.
func NewLocalProgram(prog *ir.Program, info *p4config.P4Info) (*LocalProgram, error) {
	sch, err := newSchema(prog, info)
	return &LocalProgram{sch, info}, err
}

// NewLocal starts a program on a target.
func NewLocal(target dataplane.Target, prog *ir.Program, info *p4config.P4Info) (*Local, error) {
	p, err := NewLocalProgram(prog, info)
	if err != nil {
		return nil, err
	}
	return p.Start(target)
}

// Start starts the program on a target. One goroutine at a time may use all Locals of a LocalProgram.
func (p *LocalProgram) Start(target dataplane.Target) (*Local, error) {
	sch, prog := p.sch, p.sch.prog
	pl := &dataplane.Pipeline{Program: prog}
	st, err := newState(sch, pl, &p4.ForwardingPipelineConfig{P4Info: p.info})
	if err != nil {
		return nil, err
	}
	if err := target.Load(pl); err != nil {
		return nil, fmt.Errorf("program %q: %w", prog.Name, err)
	}
	s := &Server{
		target: target, now: func() time.Time { return time.Time{} }, st: st,
		digesters: map[*ir.Digest]*digester{}, wake: make(chan struct{}, 1), wakeAges: make(chan struct{}, 1),
	}
	s.live.Store(sch)
	return &Local{s}, nil
}

// Write applies an update.
func (l *Local) Write(u *p4.Update) error {
	l.s.mu.Lock()
	defer l.s.mu.Unlock()
	if err := l.s.update(u); err != nil {
		return &LocalError{code(err), err}
	}
	return nil
}

// Load verifies and commits a pipeline, whoever may load its object.
func (l *Local) Load(config *p4.ForwardingPipelineConfig) error {
	p, err := l.s.compiled(config)
	if err != nil {
		return &LocalError{code(err), err}
	}
	defer p.discard() // unless it is used
	if err := l.s.stage(p); err != nil {
		return &LocalError{code(err), err}
	}
	l.s.mu.Lock()
	defer l.s.mu.Unlock()
	if err := l.s.commit(p); err != nil {
		return &LocalError{code(err), err}
	}
	return nil
}

// Read returns the entities that a request names.
func (l *Local) Read(ctx context.Context, entities ...*p4.Entity) (out []*p4.Entity, err error) {
	err = l.s.read(ctx, &p4.ReadRequest{Entities: entities}, func(list []*p4.Entity) error {
		out = append(out, list...)
		return nil
	})
	if err != nil {
		return nil, &LocalError{code(err), err}
	}
	return out, nil
}

// Entries is how many table entries there are, but for those of tables whose entries are const: what takes room of a switch's.
func (l *Local) Entries() (n int) {
	l.s.mu.Lock()
	defer l.s.mu.Unlock()
	for t, entries := range l.s.st.entries {
		if !t.src.ConstEntries {
			n += len(entries)
		}
	}
	return n
}

// PacketIn reads a frame that has left through the CPU port; nil if it is shorter than the header.
func (l *Local) PacketIn(frame []byte) *p4.PacketIn { return l.s.live.Load().packetIn.decode(frame) }

// PacketOut makes the frame that enters through the CPU port.
func (l *Local) PacketOut(p *p4.PacketOut) ([]byte, error) {
	return l.s.live.Load().packetOut.encode(p)
}

// Digest makes a list of one message, nil when no client has asked for it.
func (l *Local) Digest(d dataplane.Digest) *p4.DigestList {
	dg := l.s.digesters[d.Digest]
	if dg == nil {
		return nil
	}
	msg := structOf(d)
	return &p4.DigestList{DigestId: dg.id, Data: []*p4.P4Data{{Data: &p4.P4Data_Struct{Struct: msg}}}}
}
