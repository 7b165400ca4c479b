package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/netip"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"

	ctrlpaxos "github.com/p4ce/p4ce/ctrl/app/paxos"
	"github.com/p4ce/p4ce/host/paxos"
	"github.com/p4ce/p4ce/host/paxos/frames"
	"github.com/p4ce/p4ce/link"
	"github.com/p4ce/p4ce/link/datagram"
	"github.com/p4ce/p4ce/link/packet"
	"github.com/p4ce/p4ce/roce/wire"
)

// paxosHost is the command line of paxos host.
type paxosHost struct {
	deployment, application, link, data string
	once                                bool
}

func paxosHostCommand() *cobra.Command {
	var o paxosHost
	c := &cobra.Command{
		Use:   "host NAME --deployment FILE --link LINK --data FOLDER",
		Short: "Be a host of a deployment: propose lines, print what is decided",
		Long: `Be a host of a deployment that is a replica and a proposer: each line of the standard
input is proposed as a value (64 bytes at most), and each value that is decided, by
whomever, is printed with its instance, in order and once. All replicas print the same.

The folder has what must not be lost: how often this host has begun, and what it has
seen so far. A host that begins again goes on behind what it has printed.`,
		Example: `  echo hello | p4ce paxos host h1 --deployment net.json --link eth1 --data h1
  p4ce paxos host h1 --deployment net.json --link udp:127.0.0.1:6101,127.0.0.1:5101 --data h1`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return o.run(cmd.Context(), args[0], cmd.InOrStdin(), cmd.OutOrStdout())
		},
	}
	f := c.Flags()
	f.StringVar(&o.deployment, "deployment", "", "file (JSON) that says which switches and hosts there are: the controller's")
	f.StringVar(&o.application, "application", "", "which log (default: the only one)")
	f.StringVar(&o.link, "link", "", "how the host is attached: INTERFACE, or a datagram socket: unix:LOCAL,PEER or udp:LOCAL,PEER")
	f.StringVar(&o.data, "data", "", "folder for what must not be lost")
	f.BoolVar(&o.once, "once", false, "end when all lines have been decided")
	for _, name := range []string{"deployment", "link", "data"} {
		_ = c.MarkFlagRequired(name)
	}
	return c
}

// member is a host of an application, and what it must know of the others.
type member struct {
	config paxos.Config
	at     ctrlpaxos.Address
	number uint16 // of the host, from 1
	macs   map[netip.Addr]wire.MAC
}

// member finds a host in a deployment.
func (o *paxosHost) member(name string) (*member, error) {
	text, err := os.ReadFile(o.deployment)
	if err != nil {
		return nil, usageError{fmt.Errorf("--deployment: %w", err)}
	}
	conf, err := ctrlpaxos.ParseConfig(text)
	if err != nil {
		return nil, usageError{fmt.Errorf("--deployment %s: %w", o.deployment, err)}
	}
	app := 0
	switch i, ok := conf.App(o.application); {
	case ok:
		app = i
	case o.application != "":
		return nil, usagef("--application %s: there is no such one in %s", o.application, o.deployment)
	case len(conf.Apps) != 1:
		return nil, usagef("--application says which of the %d logs in %s", len(conf.Apps), o.deployment)
	}
	a := &conf.Apps[app]
	m := &member{macs: map[netip.Addr]wire.MAC{}}
	var ok bool
	if m.at, ok = conf.Hosts[name]; !ok {
		return nil, usagef("host %s: there is no such one in %s", name, o.deployment)
	}
	for _, list := range []struct {
		what string
		all  []string
	}{{"replica", a.Replicas}, {"proposer", a.Proposers}} {
		found := false
		for _, h := range list.all {
			found = found || h == name
		}
		if !found {
			return nil, usagef("host %s is no %s of %s", name, list.what, a.Name)
		}
	}
	for i, h := range conf.Net.Hosts() {
		if h.Name == name {
			m.number = uint16(i + 1)
		}
	}
	at := func(ip wire.Addr, mac wire.MAC) netip.AddrPort {
		addr := netip.AddrFrom4(ip)
		m.macs[addr] = mac
		return netip.AddrPortFrom(addr, ctrlpaxos.Port(app))
	}
	m.config = paxos.Config{
		Leader: at(a.Leader.IP, a.Leader.MAC), Controller: at(conf.Controller.IP, conf.Controller.MAC), Host: uint32(m.number),
		Proposer: paxos.ProposerOptions{Window: 64},
	}
	for _, s := range append(append([]string(nil), a.Acceptors...), a.Spares...) {
		m.config.Acceptors = append(m.config.Acceptors, at(conf.Switches[s].Acceptor, conf.Switches[s].MAC))
	}
	for _, s := range a.Learners {
		m.config.Learners = append(m.config.Learners, at(conf.Switches[s].Learner, conf.Switches[s].MAC))
	}
	return m, nil
}

// openLink opens what --link names.
func (o *paxosHost) openLink() (link.Port, error) {
	if datagram.IsPort(o.link) {
		p, err := datagram.OpenPort(o.link)
		if err != nil {
			return nil, usageError{fmt.Errorf("--link: %w", err)}
		}
		return p, nil
	}
	p, err := packet.OpenPort(o.link)
	if err != nil {
		return nil, fmt.Errorf("--link: %w", err)
	}
	return p, nil
}

func (o *paxosHost) run(ctx context.Context, name string, in io.Reader, out io.Writer) error {
	m, err := o.member(name)
	if err != nil {
		return err
	}
	l, err := o.openLink()
	if err != nil {
		return err
	}
	defer func() {
		if m.config.Wire == nil {
			l.Close()
		}
	}()
	if err := os.MkdirAll(o.data, 0o700); err != nil {
		return fmt.Errorf("--data: %w", err)
	}
	if m.config.Proposer.Client, err = paxos.NextClient(filepath.Join(o.data, "client"), m.number); err != nil {
		return err
	}
	states := filepath.Join(o.data, "state")
	if m.config.State, err = os.ReadFile(states); err != nil && !errors.Is(err, os.ErrNotExist) {
		return fmt.Errorf("--data: %w", err)
	}
	m.config.Wire = frames.New(l, frames.Config{
		Addr: netip.AddrPortFrom(netip.AddrFrom4(m.at.IP), m.config.Leader.Port()), MAC: m.at.MAC,
		Resolve: func(a netip.Addr) (wire.MAC, bool) { mac, ok := m.macs[a]; return mac, ok },
	})

	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var log *paxos.Log
	n := 0
	opened := make(chan struct{})
	printed := bufio.NewWriter(out)
	m.config.Apply = func(e paxos.Entry) {
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
			err = save(states, log, e.Instance, n%checkpointEvery == 0)
		}
		if err != nil {
			cancel(err)
		}
	}
	if log, err = paxos.Open(m.config); err != nil {
		return errors.Join(err, m.config.Wire.Close())
	}
	close(opened)
	defer log.Close()
	return o.propose(ctx, log, in)
}

// checkpointEvery is how many values are between two checkpoints: until then the switches keep them.
const checkpointEvery = 256

// save keeps what a log knows; durably, so that the switches may forget all up to the
// instance, if it is a checkpoint. What was there before stays if it cannot.
func save(path string, log *paxos.Log, instance uint64, checkpoint bool) error {
	f, err := os.CreateTemp(filepath.Dir(path), filepath.Base(path)+".")
	if err != nil {
		return fmt.Errorf("--data: %w", err)
	}
	defer os.Remove(f.Name())
	_, err = f.Write(log.State())
	if checkpoint && err == nil {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		return fmt.Errorf("--data: %w", err)
	}
	if checkpoint {
		log.Checkpoint(instance + 1)
	}
	return nil
}

// propose proposes lines, and waits for the end.
func (o *paxosHost) propose(ctx context.Context, log *paxos.Log, in io.Reader) error {
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
				err := log.Go([]byte(line), func(_ uint64, err error) { under.Done() })
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
		if log.Status().Behind {
			return errors.New("this host was away for so long that the switches have forgotten what comes next [begin with an empty --data folder on a host with another name]")
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
