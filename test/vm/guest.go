package vm

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"

	"github.com/p4ce/p4ce/lab"
	"github.com/p4ce/p4ce/test/vm/proto"
)

const qemu = "qemu-system-x86_64"

// NIC is a guest's network interface: eth0, eth1... in the order given.
type NIC struct {
	Tap string // in the namespace that QEMU is started in
	MAC net.HardwareAddr
	// Queues is how many pairs of queues a virtio device has, on a tap of lab.QueuesTap; 0: one, on an ordinary tap.
	Queues int
	Model  string // QEMU's, without options; "": virtio
}

// Config says what to boot.
type Config struct {
	Name   string // for errors and the console
	Image  *Image
	NICs   []NIC
	Memory int // MiB; default 256
	CPUs   int // default 1
	// Start starts QEMU, in the namespace of its taps; the process must die with
	// ours. Default lab.Start.
	Start func(lab.Spec) (*lab.Proc, error)
}

// Guest is a running guest. Methods may be called from any goroutine. Kill
// releases everything.
type Guest struct {
	Name    string
	proc    *lab.Proc
	console *lab.Log
	port    net.Conn
	ready   chan struct{}
	gone    chan struct{} // closed when the port is closed: nothing more comes
	dir     string

	out    sync.Mutex // one frame at a time
	mu     sync.Mutex
	nextID uint32
	procs  map[uint32]*Process
	closed bool // gone, as seen under mu
}

// arguments of QEMU. The clock is the HPET: calibrating the TSC under load has
// made guests run three times too fast; and the check whether the timer works at all
// has failed under load. Offloads of the network interface are off:
// the switch sees packets as they are on a wire.
func arguments(c Config, socket string) []string {
	first := ""
	if c.Image.First != "" {
		first = " rdinit=" + c.Image.First
	}
	args := []string{
		qemu, "-nodefaults", "-no-user-config", "-no-reboot", "-nographic",
		"-machine", "q35", "-cpu", "qemu64", "-accel", "tcg,thread=multi,tb-size=128", "-m", fmt.Sprint(c.Memory),
		"-kernel", c.Image.Kernel, "-initrd", c.Image.Initrd,
		"-append", "console=ttyS0 quiet panic=-1 no_timer_check clocksource=hpet tsc=unstable net.ifnames=0 mitigations=off ipv6.disable_ipv6=1" + first,
		"-serial", "stdio",
		"-device", "virtio-serial-pci", "-chardev", "socket,id=agent,path=" + socket,
		"-device", "virtserialport,chardev=agent,name=" + proto.Port,
	}
	if c.CPUs > 1 {
		args = append(args, "-smp", fmt.Sprint(c.CPUs))
	}
	for i, n := range c.NICs {
		tap := fmt.Sprintf("tap,id=n%d,ifname=%s,script=no,downscript=no,vnet_hdr=off", i, n.Tap)
		device := fmt.Sprintf("virtio-net-pci,netdev=n%d,mac=%s,romfile=,csum=off,gso=off,guest_csum=off,mrg_rxbuf=on", i, n.MAC)
		switch {
		case n.Model != "":
			device = fmt.Sprintf("%s,netdev=n%d,mac=%s,romfile=", n.Model, i, n.MAC)
		case n.Queues > 1:
			tap += fmt.Sprintf(",queues=%d", n.Queues)
			device += fmt.Sprintf(",mq=on,vectors=%d", 2*n.Queues+2)
		}
		args = append(args, "-netdev", tap, "-device", device)
	}
	return args
}

// Boot starts a guest and waits until it takes commands, its interfaces still
// down. When ctx ends before, the guest is killed.
func Boot(ctx context.Context, c Config) (_ *Guest, err error) {
	if c.Memory == 0 {
		c.Memory = 256
	}
	if c.Start == nil {
		c.Start = lab.Start
	}
	g := newGuest(c.Name)
	defer func() {
		if err != nil {
			g.Kill()
			err = fmt.Errorf("guest %s: %w%s", c.Name, err, g.consoleTail())
		}
	}()
	// Socket paths are short; those of tests' folders need not be.
	if g.dir, err = os.MkdirTemp("", "p4ce-vm-"); err != nil {
		return nil, err
	}
	socket := filepath.Join(g.dir, "agent")
	l, err := net.Listen("unix", socket)
	if err != nil {
		return nil, err
	}
	defer l.Close()
	if g.proc, err = c.Start(lab.Spec{Name: "guest " + c.Name, Args: arguments(c, socket), Stdout: g.console, Stderr: g.console}); err != nil {
		return nil, err
	}
	// QEMU connects when it starts, or ends before it does.
	accepted := make(chan net.Conn, 1)
	go func() {
		if conn, err := l.Accept(); err == nil {
			accepted <- conn
		}
		close(accepted)
	}()
	ended := func() error { return fmt.Errorf("QEMU has ended: %v", g.proc.Err()) }
	select {
	case g.port = <-accepted:
	case <-g.proc.Done():
		return nil, ended()
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	go g.receive()
	select {
	case <-g.ready:
		return g, nil
	case <-g.proc.Done():
		return nil, ended()
	case <-ctx.Done():
		return nil, fmt.Errorf("is not up: %w", ctx.Err())
	}
}

func newGuest(name string) *Guest {
	return &Guest{Name: name, console: &lab.Log{}, ready: make(chan struct{}), gone: make(chan struct{}), procs: map[uint32]*Process{}}
}

// Console returns what the guest's kernel and agent have printed.
func (g *Guest) Console() string { return g.console.String() }

func (g *Guest) consoleTail() string {
	const most = 2000
	s := strings.TrimSpace(g.Console())
	if len(s) > most {
		s = "..." + s[len(s)-most:]
	}
	if s != "" {
		s = "\nconsole: " + s
	}
	return s
}

// Kill cuts the guest's power. Commands that run end with ErrGone. Killing twice
// is harmless.
func (g *Guest) Kill() {
	if g.proc != nil {
		g.proc.Kill()
	}
	if g.port != nil {
		g.port.Close()
		<-g.gone
	}
	if g.dir != "" {
		os.RemoveAll(g.dir)
	}
}

// Done is closed when the guest has ended.
func (g *Guest) Done() <-chan struct{} { return g.proc.Done() }

// ErrGone is the end of commands whose guest was killed or has died.
var ErrGone = errors.New("the guest is gone")

// receive hands out what the guest sends.
func (g *Guest) receive() {
	defer func() {
		g.mu.Lock()
		g.closed = true
		procs := g.procs
		g.procs = nil
		g.mu.Unlock()
		for _, p := range procs {
			p.err = ErrGone
			close(p.done)
		}
		close(g.gone)
	}()
	up := false
	for {
		f, err := proto.Read(g.port)
		if err != nil {
			return
		}
		if f.Kind == proto.Ready && !up {
			up = true
			close(g.ready)
			continue
		}
		g.mu.Lock()
		p := g.procs[f.ID]
		g.mu.Unlock()
		if p == nil {
			continue
		}
		switch f.Kind {
		case proto.Stdout:
			_, _ = p.spec.Stdout.Write(f.Data)
		case proto.Stderr:
			_, _ = p.spec.Stderr.Write(f.Data)
		case proto.Exit:
			g.mu.Lock()
			delete(g.procs, f.ID)
			g.mu.Unlock()
			p.err = ended(f.Data)
			close(p.done)
		}
	}
}

// ExitError is how a command failed.
type ExitError struct{ proto.Status }

func (e *ExitError) Error() string {
	switch {
	case e.Status.Error != "":
		return e.Status.Error
	case e.Signal != "":
		return "ended by signal: " + e.Signal
	}
	return fmt.Sprintf("exit code %d", e.Code)
}

func ended(data []byte) error {
	var st proto.Status
	if err := json.Unmarshal(data, &st); err != nil {
		return fmt.Errorf("guest's agent: %w", err)
	}
	if st.Code == 0 && st.Signal == "" && st.Error == "" {
		return nil
	}
	return &ExitError{st}
}

func (g *Guest) send(f proto.Frame) error {
	g.out.Lock()
	defer g.out.Unlock()
	if err := proto.Write(g.port, f); err != nil {
		return fmt.Errorf("guest %s: %w", g.Name, errors.Join(ErrGone, err))
	}
	return nil
}

// Spec is a command to run in a guest.
type Spec struct {
	Args           []string // Args[0] is looked for in the guest's PATH
	Env            []string // added to the guest's
	Stdout, Stderr io.Writer
}

// Process is a command that runs in a guest.
type Process struct {
	guest *Guest
	id    uint32
	spec  Spec
	done  chan struct{}
	err   error
}

// Start starts a command. Its output is written by one goroutine for all
// commands of the guest: the writers must not wait for other commands.
func (g *Guest) Start(s Spec) (*Process, error) {
	if s.Stdout == nil {
		s.Stdout = io.Discard
	}
	if s.Stderr == nil {
		s.Stderr = io.Discard
	}
	data, err := json.Marshal(proto.Command{Args: s.Args, Env: s.Env})
	if err != nil {
		return nil, err
	}
	p := &Process{guest: g, spec: s, done: make(chan struct{})}
	g.mu.Lock()
	if g.closed {
		g.mu.Unlock()
		return nil, fmt.Errorf("guest %s: %s: %w", g.Name, s.Args[0], ErrGone)
	}
	g.nextID++
	p.id = g.nextID
	g.procs[p.id] = p
	g.mu.Unlock()
	if err := g.send(proto.Frame{Kind: proto.Start, ID: p.id, Data: data}); err != nil {
		g.mu.Lock()
		delete(g.procs, p.id)
		g.mu.Unlock()
		return nil, err
	}
	return p, nil
}

// Write sends input to the command.
func (p *Process) Write(b []byte) (int, error) {
	for at := 0; at < len(b); at += proto.MaxData {
		if err := p.guest.send(proto.Frame{Kind: proto.Stdin, ID: p.id, Data: b[at:min(at+proto.MaxData, len(b))]}); err != nil {
			return at, err
		}
	}
	return len(b), nil
}

// CloseInput lets the command see the end of its input.
func (p *Process) CloseInput() error {
	return p.guest.send(proto.Frame{Kind: proto.StdinEnd, ID: p.id})
}

// Signal sends a signal to the command.
func (p *Process) Signal(s syscall.Signal) error {
	return p.guest.send(proto.Frame{Kind: proto.Signal, ID: p.id, Data: []byte{byte(s)}})
}

// Done is closed when the command has ended and all its output been written.
func (p *Process) Done() <-chan struct{} { return p.done }

// Err returns how the command ended, once Done is closed: nil, an ExitError or
// ErrGone.
func (p *Process) Err() error { return p.err }

// Wait waits for the end of the command and returns how it ended. When ctx ends
// first, the command is killed.
func (p *Process) Wait(ctx context.Context) error {
	select {
	case <-p.done:
		return p.err
	case <-ctx.Done():
	}
	_ = p.Signal(syscall.SIGKILL)
	return fmt.Errorf("guest %s: %s: %w", p.guest.Name, p.spec.Args[0], ctx.Err())
}

// Run runs a command to its end, with input and output closed, and returns what
// it printed, standard output and error together.
func (g *Guest) Run(ctx context.Context, args ...string) (string, error) {
	return g.run(ctx, nil, args...)
}

// Shell runs a script in a POSIX shell that stops at the first command that
// fails.
func (g *Guest) Shell(ctx context.Context, script string) (string, error) {
	return g.Run(ctx, "sh", "-ec", script)
}

// WriteFile puts a file into the guest.
func (g *Guest) WriteFile(ctx context.Context, path string, data []byte, mode os.FileMode) error {
	_, err := g.run(ctx, data, "sh", "-ec", `cat >"$1"; chmod "$2" "$1"`, "sh", path, fmt.Sprintf("%o", mode.Perm()))
	return err
}

func (g *Guest) run(ctx context.Context, input []byte, args ...string) (string, error) {
	out := &lab.Log{}
	p, err := g.Start(Spec{Args: args, Stdout: out, Stderr: out})
	if err != nil {
		return "", err
	}
	if _, err := p.Write(input); err != nil {
		return "", err
	}
	if err := p.CloseInput(); err != nil {
		return "", err
	}
	if err := p.Wait(ctx); err != nil {
		return out.String(), fmt.Errorf("guest %s: %s: %w\n%s", g.Name, strings.Join(args, " "), err, out)
	}
	return out.String(), nil
}
