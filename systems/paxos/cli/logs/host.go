package logs

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"github.com/p4ce/p4ce/host/durable"
	"github.com/p4ce/p4ce/internal/cli"
	"github.com/p4ce/p4ce/link/files"
	"github.com/p4ce/p4ce/systems/paxos"
	"github.com/p4ce/p4ce/systems/paxos/cli/place"
)

// host is the command line of paxos host.
type host struct {
	place.Flags
	data    string
	once    bool
	recover uint64
	noop    string
}

func hostCommand() *cobra.Command {
	var o host
	c := &cobra.Command{
		Use:   "host NAME --deployment FILE --link LINK --data FOLDER",
		Short: "Run a host of a deployment: propose lines, and print decided values",
		Long: `Run a host of a deployment, as a replica and a proposer. It proposes each line of the
standard input as a value (at most 64 bytes), and prints each decided value of any host
with its instance, in order and once. All replicas print the same.

A host that is among the proposers, and not among the replicas, only proposes. It prints
each line, with its instance, when a replica has answered that the value was applied. The
instance is 0 if a repeated answer came, which does not have it.

The folder keeps the durable state: the number of starts of this host, and the values that
it has delivered. A host that restarts continues after the last value that it has printed.

With --recover, the host first finds out what was decided in an instance, and prints it to the
standard error. If nothing was decided there, the text of --noop is decided. No host prints it
as a value.`,
		Example: `  echo hello | p4ce paxos host h1 --deployment net.json --link eth1 --data h1
  p4ce paxos host h1 --deployment net.json --link udp:127.0.0.1:6101,127.0.0.1:5101 --data h1
  p4ce paxos host h1 --deployment net.json --link eth1 --data h1 --recover 17 --noop nothing`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if cmd.Flags().Changed("noop") && !cmd.Flags().Changed("recover") {
				return cli.Usagef("--noop needs --recover")
			}
			if cmd.Flags().Changed("recover") && o.recover == 0 {
				return cli.Usagef("--recover 0: the first instance is 1")
			}
			if len(o.noop) > paxos.MaxValue {
				return cli.Usagef("--noop: %d bytes (a value has %d at most)", len(o.noop), paxos.MaxValue)
			}
			return o.run(cmd.Context(), args[0], cmd.InOrStdin(), cmd.OutOrStdout(), cmd.ErrOrStderr())
		},
	}
	f := c.Flags()
	o.Add(f)
	f.StringVar(&o.data, "data", "", "folder for durable state")
	f.BoolVar(&o.once, "once", false, "exit once all lines have been decided")
	f.Uint64Var(&o.recover, "recover", 0, "first print what was decided in this `instance`, or have --noop decided there")
	f.StringVar(&o.noop, "noop", "", "no-op for --recover: at most 64 bytes")
	for _, name := range []string{"deployment", "link", "data"} {
		_ = c.MarkFlagRequired(name)
	}
	return c
}

func (o *host) run(ctx context.Context, name string, in io.Reader, out, errs io.Writer) error {
	h, err := o.Host(name)
	if err != nil {
		return err
	}
	if !h.Replica && o.recover != 0 {
		return cli.Usagef("--recover: host %s is not a replica", name)
	}
	wire, err := o.Attach(h, cli.Logger(errs, false))
	if err != nil {
		return err
	}
	opened := false
	defer func() {
		if !opened {
			wire.Close()
		}
	}()
	if err := durable.MakeDir(durable.Disk, o.data); err != nil {
		return fmt.Errorf("--data: %w", err)
	}
	if err := files.Private(o.data); err != nil {
		return fmt.Errorf("--data: %w", err)
	}
	client, err := h.NextClient(o.data)
	if err != nil {
		return err
	}
	proposer := paxos.ProposerOptions{Client: client, Window: 64}
	h.Config.Wire, h.Guest.Wire = wire, wire
	h.Config.Proposer, h.Guest.Proposer = proposer, proposer
	if !h.Replica {
		return o.guest(ctx, h.Guest, &opened, in, out)
	}
	return o.replica(ctx, h.Config, &opened, in, out, errs)
}

// guest runs a host that only proposes.
func (o *host) guest(ctx context.Context, c paxos.GuestConfig, opened *bool, in io.Reader, out io.Writer) error {
	g, err := paxos.OpenGuest(c)
	if err != nil {
		return err
	}
	*opened = true
	defer g.Close()
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	submit := func(line []byte, done func(uint64, error)) error {
		return g.Go(line, func(instance uint64, err error) {
			if err == nil {
				if _, err := fmt.Fprintf(out, "%d %s\n", instance, line); err != nil {
					cancel(err)
				}
			}
			done(instance, err)
		})
	}
	return o.propose(ctx, submit, in, func() error { return nil })
}

// replica runs a host that is a replica, too.
func (o *host) replica(ctx context.Context, c paxos.Config, isOpen *bool, in io.Reader, out, errs io.Writer) error {
	var err error
	var log *paxos.Log
	states := filepath.Join(o.data, "state")
	if c.State, err = durable.Get(durable.Disk, states); errors.Is(err, durable.ErrDamaged) {
		return fmt.Errorf("--data: this host's delivered values are unknown: %w [start with an empty --data folder on a host with another name]", err)
	} else if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("--data: %w", err)
	}
	if err := durable.Tidy(durable.Disk, o.data); err != nil {
		return fmt.Errorf("--data: %w", err)
	}

	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	n := 0
	dirty, last := false, time.Now() // whether there is something that is not in a checkpoint; when that was made
	opened := make(chan struct{})
	printed := bufio.NewWriter(out)
	c.Apply = func(e paxos.Entry) {
		if e.Client == 0 {
			return // nothing was decided there
		}
		fmt.Fprintf(printed, "%d %s\n", e.Instance, e.Value)
		// What was printed and what is known of it go together: a process that begins again
		// does not print it again.
		err := printed.Flush()
		if err == nil {
			<-opened
			n++
			if dirty = n%checkpointEvery != 0; !dirty {
				last = time.Now()
			}
			err = save(states, log, e.Instance+1, !dirty)
		}
		if err != nil {
			cancel(err)
		}
	}
	c.Turn = func() {
		// The ring may be shorter than checkpointEvery.
		if dirty && time.Since(last) >= checkpointAfter {
			c.CheckpointWanted()
		}
	}
	c.CheckpointWanted = func() {
		<-opened
		if !dirty {
			return
		}
		dirty, last = false, time.Now()
		if err := save(states, log, log.Status().Position, true); err != nil {
			cancel(err)
		}
	}
	if log, err = paxos.Open(c); err != nil {
		return err
	}
	*isOpen = true
	close(opened)
	defer log.Close()
	if o.recover != 0 {
		if err := o.find(ctx, log, errs); err != nil {
			return err
		}
	}
	return o.propose(ctx, log.Go, in, func() error {
		// Acceptors refuse the next instance of a full ring in the same way; but nobody knows it then.
		if st := log.Status(); st.Behind && st.Heard > st.Position {
			return errors.New("this host was away for so long that the switches have forgotten the next values [start with an empty --data folder on a host with another name]")
		}
		return nil
	})
}

// find prints what was decided in the instance of --recover.
func (o *host) find(ctx context.Context, log *paxos.Log, w io.Writer) error {
	entries, err := log.Recover(ctx, o.recover, []byte(o.noop))
	if err != nil {
		if cause := context.Cause(ctx); cause != nil && !errors.Is(cause, context.Canceled) {
			return cause
		}
		return err
	}
	for _, e := range entries {
		format := "instance %d: %s\n"
		if e.Client == 0 {
			format = "instance %d: no value was decided; its no-op is %q\n"
		}
		if _, err := fmt.Fprintf(w, format, e.Instance, e.Value); err != nil {
			return err
		}
	}
	return nil
}

// There are at most this many values, and about this time, between two checkpoints: until then the
// switches keep them.
const (
	checkpointEvery = 256
	checkpointAfter = time.Second
)

// save keeps what a log knows; durably, so that the switches may forget all below the position,
// if it is a checkpoint. What was there before stays if it cannot.
func save(path string, log *paxos.Log, position uint64, checkpoint bool) error {
	put := durable.PutLazily
	if checkpoint {
		put = durable.Put
	}
	if err := put(durable.Disk, path, log.State()); err != nil {
		return fmt.Errorf("--data: %w", err)
	}
	if checkpoint {
		log.Checkpoint(position)
	}
	return nil
}

// propose proposes lines, and waits for the end. look says from time to time what is wrong.
func (o *host) propose(ctx context.Context, submit func([]byte, func(uint64, error)) error, in io.Reader, look func() error) error {
	var under sync.WaitGroup
	read := make(chan error, 1)
	go func() {
		lines := bufio.NewScanner(in)
		for n := 1; lines.Scan() && ctx.Err() == nil; n++ {
			line := strings.TrimRight(lines.Text(), "\r")
			if len(line) > paxos.MaxValue {
				read <- fmt.Errorf("line %d: %d bytes (a value has %d at most)", n, len(line), paxos.MaxValue)
				return
			}
			for {
				under.Add(1)
				err := submit([]byte(line), func(_ uint64, err error) { under.Done() })
				if err == nil {
					break
				}
				under.Done()
				if !errors.Is(err, paxos.ErrWindow) {
					read <- err
					return
				}
				under.Wait()
			}
		}
		err := lines.Err()
		if err == nil && o.once {
			under.Wait()
			err = io.EOF
		}
		if err != nil {
			read <- err
		}
	}()
	for {
		if err := look(); err != nil {
			return err
		}
		done, err := wait(ctx, read)
		if done {
			return err
		}
	}
}

// wait waits a moment for the end.
func wait(ctx context.Context, read <-chan error) (done bool, err error) {
	select {
	case <-time.After(time.Second):
		return false, nil
	case <-ctx.Done():
		if err := context.Cause(ctx); !errors.Is(err, context.Canceled) && !errors.Is(err, net.ErrClosed) {
			return true, err
		}
		return true, nil
	case err := <-read:
		if errors.Is(err, io.EOF) {
			return true, nil
		}
		return true, err
	}
}
