package p4xc

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"time"

	p4config "github.com/p4lang/p4runtime/go/p4/config/v1"
	p4 "github.com/p4lang/p4runtime/go/p4/v1"
	"github.com/spf13/cobra"
	"google.golang.org/grpc/codes"

	"github.com/p4ce/p4ce/bpf/bundle"
	"github.com/p4ce/p4ce/dataplane"
	"github.com/p4ce/p4ce/dataplane/agent"
	"github.com/p4ce/p4ce/dataplane/interp"
	"github.com/p4ce/p4ce/dataplane/p4rt"
	"github.com/p4ce/p4ce/internal/cli"
	"github.com/p4ce/p4ce/link/files"
	"github.com/p4ce/p4ce/link/sock"
	"github.com/p4ce/p4ce/p4/entries"
	"github.com/p4ce/p4ce/p4/lang/ir"
	"github.com/p4ce/p4ce/p4/p4info"
)

// runFlags are those of the command run.
type runFlags struct {
	sourceFlags
	cfg     agent.Config
	ports   []string
	cpu     uint16
	entries string
	watch   bool
	every   time.Duration
	verbose bool
}

func runCommand() *cobra.Command {
	var f runFlags
	c := &cobra.Command{
		Use:   "run PROGRAM.p4 --port N=INTERFACE...",
		Short: "Run a program on network interfaces of this machine",
		Long: `Compile a program, load it, and forward packets between network interfaces until it is
interrupted (Ctrl-C). The interfaces are then as they were.

--entries names a file with what the tables hold, one statement per line:

  l2 dst=02:00:00:00:00:02 -> forward(port=2)
  routes dst=10.0.0.0/8 -> route(port=3, mac=02:00:00:00:00:03)
  acl src=10.1.0.0/16, dport=80..443 -> drop() priority 10
  acl default -> allow()
  multicast 1 -> 1, 2, 3:7              # copies: ports, the last one with instance 7
  register limit[2] 100

docs/run.md has all of it. p4xc dump shows what the switch holds, in the same form, and p4xc write
changes it, from another terminal or, with --p4runtime HOST:PORT, another machine.

Target xdp runs the program in the kernel. It needs root, and clang for a program that is not one of
p4ce's own. Target interp runs it in this process, slower, and takes more programs (p4xc check says
which). A port of it may also be a datagram socket: N=udp:LOCAL,PEER or N=unix:LOCAL,PEER.`,
		Example: `  p4xc run router.p4 --port 1=veth0 --port 2=veth1 --entries router.entries --watch
  p4xc run router.p4 --target interp --port 1=udp:127.0.0.1:5001,127.0.0.1:6001`,
		Args: exactly(1, "the program"),
		RunE: func(c *cobra.Command, args []string) error { return f.run(c, args[0]) },
	}
	f.add(c)
	fl := c.Flags()
	fl.StringVar(&f.cfg.Target, "target", "xdp", "what runs the program: xdp or interp")
	fl.StringArrayVar(&f.ports, "port", nil, "a port: NUMBER=INTERFACE (repeat for each)")
	fl.StringVar(&f.entries, "entries", "", "file with table entries, multicast groups and the like")
	fl.BoolVar(&f.watch, "watch", false, "show ports, counters and entries, live")
	fl.DurationVar(&f.every, "every", time.Second, "with --watch: time between two looks")
	fl.StringVar(&f.cfg.Listen, "p4runtime", sock.P4Runtime(), "address of the P4Runtime server: HOST:PORT or unix:PATH")
	fl.Uint16Var(&f.cpu, "cpu-port", 64, "number of the port that leads to the controller")
	fl.StringVar(&f.cfg.CPUInterface, "cpu-interface", "p4cpu", "name of the interface that is created for the CPU port (xdp)")
	fl.StringVar(&f.cfg.Metrics, "metrics", "", "address of /metrics for Prometheus, for example 127.0.0.1:9560")
	cli.TLSFlags(fl, &f.cfg.TLS, "tls-", "the switch", "the clients' certificates must be signed by one of them")
	fl.BoolVar(&f.cfg.Insecure, "insecure", false, "accept unauthenticated clients on HOST:PORT")
	fl.BoolVarP(&f.verbose, "verbose", "v", false, "log what is done, not only what goes wrong")
	return c
}

// setup reads the flags.
func (f *runFlags) setup(c *cobra.Command) error {
	if f.cfg.Target != "xdp" && f.cfg.Target != "interp" {
		return cli.Usagef("--target %q: xdp or interp", f.cfg.Target)
	}
	for _, s := range f.ports {
		p, err := agent.ParsePort(s)
		if err != nil {
			return cli.Usage(err)
		}
		f.cfg.Ports = append(f.cfg.Ports, p)
	}
	if len(f.ports) == 0 {
		return cli.Usagef("a program needs ports (--port 1=INTERFACE --port 2=INTERFACE ...)")
	}
	if err := sock.Check(f.cfg.Listen); err != nil {
		return cli.Usagef("--p4runtime: %w", err)
	}
	if err := cli.CheckTLS(&f.cfg.TLS, "tls-", true); err != nil {
		return err
	}
	if err := cli.CheckEvery(f.every); err != nil {
		return err
	}
	f.cfg.CPUPort = dataplane.Port(f.cpu)
	f.cfg.ListenFlag = "--p4runtime"
	f.cfg.Log = cli.Logger(c.ErrOrStderr(), f.verbose)
	if !f.verbose {
		f.cfg.Log = slog.New(quiet{f.cfg.Log.Handler()})
	}
	return nil
}

// quiet leaves out what is no warning.
type quiet struct{ slog.Handler }

func (q quiet) Enabled(ctx context.Context, l slog.Level) bool {
	return l >= slog.LevelWarn && q.Handler.Enabled(ctx, l)
}
func (q quiet) WithAttrs(a []slog.Attr) slog.Handler { return quiet{q.Handler.WithAttrs(a)} }
func (q quiet) WithGroup(name string) slog.Handler   { return quiet{q.Handler.WithGroup(name)} }

func (f *runFlags) run(c *cobra.Command, path string) error {
	if err := f.setup(c); err != nil {
		return err
	}
	prog, config, err := f.pipeline(path, c.ErrOrStderr())
	if err != nil {
		return err
	}
	names := entries.New(config.GetP4Info(), prog)
	changes, err := f.changes(names)
	if err != nil {
		return told(c, err)
	}
	r := &running{name: prog.Name, target: f.cfg.Target}
	f.cfg.Start = func(s *p4rt.Server, t dataplane.Target) error {
		r.ports, r.local = t, s.Local()
		if err := r.local.Load(config); err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
		return r.apply(f.entries, changes)
	}
	ctx, cancel := context.WithCancel(c.Context())
	defer cancel()
	var shown sync.WaitGroup
	var failed error
	f.cfg.Ready = func(a agent.Addresses) {
		if !f.watch {
			r.introduce(c.OutOrStdout(), f.cfg.Listen, len(changes))
			return
		}
		shown.Go(func() {
			failed = r.watch(ctx, c.OutOrStdout(), names, f.every)
			cancel()
		})
	}
	err = agent.Run(ctx, f.cfg)
	cancel()
	shown.Wait()
	return told(c, errors.Join(err, failed))
}

// told prints errors about lines of files, which name their place and need no more, and ends the command.
func told(c *cobra.Command, err error) error {
	var place *entries.Error
	if !errors.As(err, &place) {
		return err
	}
	fmt.Fprintln(c.ErrOrStderr(), err)
	return cli.ErrFailed
}

// pipeline compiles a program for the target.
func (f *runFlags) pipeline(path string, stderr io.Writer) (*ir.Program, *p4.ForwardingPipelineConfig, error) {
	prog, _, err := f.compile(path, stderr)
	if err != nil {
		return nil, nil, err
	}
	o, err := f.options(path)
	if err != nil {
		return nil, nil, err
	}
	b := bundle.Bundle{Program: prog.Name, Source: prog.Source}
	if f.cfg.Target == "interp" {
		err = interp.Check(prog)
	} else if b.Object, err = Object(prog, stderr); err == nil {
		sum := sha256.Sum256(b.Object)
		f.cfg.Trust = []string{"sha256:" + hex.EncodeToString(sum[:])} // a controller may load it again
	}
	if err != nil {
		return nil, nil, f.report(path, o, err, stderr)
	}
	info, err := p4info.Build(prog, p4info.Options{})
	if err != nil {
		return nil, nil, err
	}
	config, err := configOf(info, b)
	return prog, config, err
}

func configOf(info *p4config.P4Info, b bundle.Bundle) (*p4.ForwardingPipelineConfig, error) {
	dev, err := b.Marshal()
	return &p4.ForwardingPipelineConfig{P4Info: info, P4DeviceConfig: dev}, err
}

// changes reads the file of entries.
func (f *runFlags) changes(names *entries.Program) ([]entries.Change, error) {
	if f.entries == "" {
		return nil, nil
	}
	text, err := files.Read(f.entries, files.Settings)
	if err != nil {
		return nil, cli.Usagef("--entries: %w", err)
	}
	list, err := entries.Parse(f.entries, text)
	if err != nil {
		return nil, err
	}
	return names.Changes(f.entries, list)
}

// running is a program that runs.
type running struct {
	name, target string
	ports        interface{ Ports() []dataplane.PortInfo }
	local        *p4rt.Local
}

// most is how many errors of a file are told.
const most = 10

// apply writes what the file says. An entry of the program is replaced by that of the file.
func (r *running) apply(file string, changes []entries.Change) error {
	var errs []error
	for _, c := range changes {
		err := r.local.Write(c.Update)
		if le := (*p4rt.LocalError)(nil); errors.As(err, &le) && le.Code == codes.AlreadyExists {
			err = r.local.Write(&p4.Update{Type: p4.Update_MODIFY, Entity: c.Update.GetEntity()})
		}
		if err != nil && len(errs) < most {
			errs = append(errs, &entries.Error{File: file, Line: c.Statement.Line, Err: err})
		}
	}
	return errors.Join(errs...)
}

// introduce says what runs, and how to talk to it.
func (r *running) introduce(w io.Writer, address string, statements int) {
	var ports []string
	for _, p := range r.ports.Ports() {
		if !p.CPU {
			ports = append(ports, fmt.Sprintf("port %d is %s", p.Port, p.Interface))
		}
	}
	at := ""
	if address != sock.P4Runtime() {
		at = " --p4runtime " + address
	}
	fmt.Fprintf(w, "%s runs (%s): %s\n", r.name, r.target, strings.Join(ports, ", "))
	if statements > 0 {
		fmt.Fprintf(w, "statements written: %d\n", statements)
	}
	fmt.Fprintf(w, "p4xc dump%s shows its tables; Ctrl-C ends it\n", at)
}

// watch shows ports, counters and entries until ctx ends: what is last may not fit on the screen.
func (r *running) watch(ctx context.Context, w io.Writer, names *entries.Program, every time.Duration) error {
	counters := names.Watch(r.local.Read, entries.What{Of: []entries.Subject{entries.Counter}})
	tables := names.Watch(r.local.Read, entries.What{Of: []entries.Subject{entries.Member, entries.MemberGroup, entries.Entry, entries.Default, entries.Group}, Variable: true})
	return cli.Live(ctx, w, every, func(ctx context.Context) ([]byte, error) {
		counted, err := counters(ctx)
		if err != nil {
			return nil, err
		}
		held, err := tables(ctx)
		return slices.Concat(r.head(), counted, []byte("\n"), held), err
	})
}

// head says what ports and target have seen.
func (r *running) head() []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "# %s on %s\n", r.name, r.target)
	for _, p := range r.ports.Ports() {
		state := "up"
		if !p.Up {
			state = "down"
		}
		name := p.Interface
		if p.CPU {
			name = "the controller"
		}
		fmt.Fprintf(&b, "# port %d, %s: %s, packets in %d, out %d\n", p.Port, name, state, p.RX.Packets, p.TX.Packets)
	}
	if d, ok := r.ports.(dataplane.DropCounter); ok {
		drops := d.Drops()
		var reasons []string
		for reason, n := range drops {
			if n > 0 {
				reasons = append(reasons, fmt.Sprintf("%s %d", reason, n))
			}
		}
		if slices.Sort(reasons); len(reasons) > 0 {
			fmt.Fprintf(&b, "# dropped: %s\n", strings.Join(reasons, ", "))
		}
	}
	b.WriteByte('\n')
	return b.Bytes()
}
