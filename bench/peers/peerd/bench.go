package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"github.com/p4ce/p4ce/bench/peers/stores"
	"github.com/p4ce/p4ce/lab"
)

// benchOptions is the command line of bench.
type benchOptions struct {
	loadOptions
	piped             pipelineOptions
	servers           numbers
	systems           []string
	reps              int
	p4ce, etcd, redis string
	out, tmp          string
	verbose           bool
}

func (o *benchOptions) flags(f *flag.FlagSet) {
	o.loadOptions.flags(f)
	o.piped.flags(f, 16)
	o.servers = numbers{3, 5}
	f.Var(&o.servers, "servers", "numbers of servers")
	f.Func("systems", "systems to compare (default all): "+strings.Join(names(), ","), func(s string) error {
		o.systems = strings.Split(s, ",")
		return nil
	})
	f.IntVar(&o.reps, "reps", 5, "repetitions; in each, every system runs once")
	f.StringVar(&o.p4ce, "p4ce", "bin/p4ce", "the program p4ce")
	f.StringVar(&o.etcd, "etcd", "etcd", "the program etcd (3.4.19 or later)")
	f.StringVar(&o.redis, "redis-server", "redis-server", "the program redis-server")
	f.StringVar(&o.out, "out", "out/peers", "folder for peers.csv and peers.json")
	f.StringVar(&o.tmp, "tmp", "/dev/shm", "folder in memory (tmpfs) for the servers' data")
	f.BoolVar(&o.verbose, "v", false, "show what all processes log")
}

func names() []string {
	var out []string
	for _, s := range systems {
		out = append(out, s.name)
	}
	return out
}

// check says what is wrong with the options, and returns the systems that are to run.
func (o *benchOptions) check() ([]system, error) {
	if _, err := o.all(); err != nil {
		return nil, err
	}
	if _, err := o.piped.all(o.loadOptions); err != nil {
		return nil, err
	}
	if err := (stores.Target{Kind: stores.KV}).CheckPipeline(o.piped.pipeline); err != nil {
		return nil, usagef("-pipeline: %w", err)
	}
	for _, n := range o.servers {
		if n < 3 || n > 9 {
			return nil, usagef("-servers %d: 3 to 9 (two cannot lose one)", n)
		}
	}
	if o.reps < 1 {
		return nil, usagef("-reps %d: at least one", o.reps)
	}
	if o.systems == nil {
		return systems, nil
	}
	var out []system
	for _, name := range o.systems {
		i := slices.IndexFunc(systems, func(s system) bool { return s.name == name })
		if i < 0 {
			return nil, usagef("-systems: unknown %q; there are %s", name, strings.Join(names(), ", "))
		}
		out = append(out, systems[i])
	}
	return out, nil
}

// programs are what systems need, and where they come from.
func (o *benchOptions) programs() map[string]*string {
	return map[string]*string{"p4ce": &o.p4ce, "etcd": &o.etcd, "redis-server": &o.redis}
}

// find makes paths of programs absolute, and returns the systems whose programs are there.
// Ours must be there, and those of systems that were asked for by name.
func (o *benchOptions) find(all []system) (have []system, missing []string, err error) {
	for _, s := range all {
		if program := o.programs()[s.needs]; program != nil {
			path, err := exec.LookPath(*program)
			if err == nil {
				path, err = filepath.Abs(path)
			}
			switch {
			case err == nil:
				*program = path
			case s.needs == "p4ce":
				return nil, nil, fmt.Errorf("%s needs the program p4ce (make build; -p4ce says where it is): %w", s.name, err)
			case o.systems != nil:
				return nil, nil, fmt.Errorf("%s needs %s (a package of the distribution; -%s says where it is): %w", s.name, s.needs, s.needs, err)
			default:
				missing = append(missing, fmt.Sprintf("%s is left out: there is no %s (a package of the distribution; -%s says where it is)", s.name, s.needs, s.needs))
				continue
			}
		}
		have = append(have, s)
	}
	return have, missing, nil
}

// runTimeout bounds how long a system takes beside what is measured.
const runTimeout = 3 * time.Minute

func runBench(ctx context.Context, args []string) error {
	var o benchOptions
	f := flag.NewFlagSet("peerd bench", flag.ContinueOnError)
	o.flags(f)
	if err := parse(f, args); err != nil {
		return err
	}
	asked, err := o.check()
	if err != nil {
		return err
	}
	if os.Geteuid() != 0 {
		return errors.New("servers run in network namespaces, which needs root")
	}
	have, missing, err := o.find(asked)
	if err != nil {
		return err
	}
	for _, m := range missing {
		fmt.Fprintln(os.Stderr, m)
	}
	if err := inMemory(o.tmp); err != nil {
		return err
	}
	if err := os.MkdirAll(o.out, 0o755); err != nil {
		return fmt.Errorf("-out: %w", err)
	}
	rep := newReport(&o, missing)
	for n := range o.reps {
		for _, servers := range o.servers {
			for _, s := range have {
				fmt.Fprintf(os.Stderr, "repetition %d of %d: %d servers, %s\n", n+1, o.reps, servers, s.name)
				if err := o.measure(ctx, s, servers, n, rep); err != nil {
					rep.failed(fmt.Sprintf("%s, %d servers", s.name, servers), err)
				}
				if ctx.Err() != nil {
					return ctx.Err()
				}
			}
		}
	}
	if err := rep.write(os.Stdout, o.out); err != nil {
		return err
	}
	if n := len(rep.Failures); n > 0 {
		return fmt.Errorf("%d loads have failed: the report says which", n)
	}
	return nil
}

// measure runs one system once.
func (o *benchOptions) measure(ctx context.Context, s system, servers, rep int, out *report) error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp(o.tmp, "p4ce-peers-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	busy, err := busy(ctx)
	if err != nil {
		return err
	}
	loads := time.Duration((len(o.clients) + len(o.piped.clients)) * len(o.sizes) * 2) // two operations
	ctx, cancel := context.WithTimeout(ctx, runTimeout+loads*(o.warmup+o.duration+time.Second))
	defer cancel()
	l, err := lab.New(servers + 1)
	if err != nil {
		return err
	}
	defer l.Close()
	if err := l.AddNetwork(); err != nil {
		return err
	}
	got := 0
	r := &runner{o: o, self: self, servers: servers, lab: l, dir: dir, result: func(e event) {
		got++
		if e.Event == "failed" {
			out.failed(fmt.Sprintf("%s, %d servers, %s, %d clients, %d bytes", s.name, servers, e.name(), e.Clients, e.Size), errors.New(e.Error))
			return
		}
		out.add(sample{System: s.name, Servers: servers, Rep: rep, Busy: busy, event: e})
	}}
	if err := s.run(ctx, r); err != nil {
		return err
	}
	if got == 0 {
		return errors.New("the load has ended without a result")
	}
	return nil
}

// inMemory says whether a folder is on tmpfs.
func inMemory(dir string) error {
	var fs unix.Statfs_t
	if err := unix.Statfs(dir, &fs); err != nil {
		return fmt.Errorf("-tmp %s: %w", dir, err)
	}
	if fs.Type != unix.TMPFS_MAGIC {
		return fmt.Errorf("-tmp %s is not on tmpfs: a disk would be measured", dir)
	}
	return nil
}
