package demo

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"slices"
	"time"

	kvcli "github.com/p4ce/p4ce/host/kv/cli"
	"github.com/p4ce/p4ce/internal/cli/demo"
	"github.com/p4ce/p4ce/internal/units"
	"github.com/p4ce/p4ce/lab"
	"github.com/p4ce/p4ce/lab/launch"
	"github.com/p4ce/p4ce/systems/rdma/mu"
)

// storeServer is a server of the store in the demo.
type storeServer struct {
	*launch.Process
	id     int
	file   *os.File // where it serves clients: a socket of ours, in our namespace
	client string
	member bool // it is a full member of the cluster
}

// storeEvent is what one of them prints, or its end.
type storeEvent struct {
	from *storeServer
	kvcli.Event
	ended bool
}

// restartAfter is how long a server that has ended stays away.
const restartAfter = 2 * time.Second

// firstPort is the first server's, if it is free.
const firstPort = 6379

// serve runs the store until it is interrupted.
func serve(ctx context.Context, dir string, o options, stdout, stderr io.Writer) error {
	d, err := build(o, dir, "", stdout, stderr)
	if err != nil {
		return err
	}
	defer d.close()
	if err := d.serveKV(ctx); err != nil && ctx.Err() == nil {
		return d.watch.Cause(err)
	}
	fmt.Fprintln(stdout, "Taking everything down.")
	return nil
}

// serveKV starts the store and shows what happens until ctx ends.
func (d *network) serveKV(ctx context.Context) error {
	n := d.o.replicas + 1
	setup, cancel := context.WithTimeout(ctx, demo.StartTimeout)
	defer cancel()
	if err := d.startSwitch(setup, n); err != nil {
		return err
	}
	for i := range n {
		file, addr, err := kvSocket(firstPort + i)
		if err != nil {
			return err
		}
		defer file.Close()
		d.kv = append(d.kv, &storeServer{id: i + 1, file: file, client: addr})
	}
	events := make(chan storeEvent)
	for _, s := range d.kv {
		if err := d.startKV(ctx, s, events); err != nil {
			return err
		}
		d.watch.Add(s.Process) // until the store is one
	}
	var leads *storeServer
	leader, said := "", false // what was said last of who leads; whether sayHow was called
	restart := make(chan *storeServer)
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-setup.Done():
			if !said && ctx.Err() == nil {
				return errors.New("the servers have not come together" + d.kv[0].Tail())
			}
			setup = context.WithoutCancel(ctx) // it has done its work
		case <-d.watch.Failed(): // the switch or its controller, or a server before the store is one
			return launch.ErrEnded
		case s := <-restart:
			if err := d.startKV(ctx, s, events); err != nil {
				return err
			}
			fmt.Fprintf(d.stdout, "Server %d is back, as process %d.\n", s.id, s.PID())
		case e := <-events:
			switch {
			case e.ended && !said:
				return launch.ErrEnded
			case e.ended:
				fmt.Fprintf(d.stdout, "Server %d has ended (%s).\n", e.from.id, e.from.How())
				go func() {
					select {
					case <-time.After(restartAfter):
						restart <- e.from
					case <-ctx.Done():
					}
				}()
			case e.Event.Event == "status":
				e.from.member = e.State == mu.Full.String()
				if e.Role == mu.Leader.String() {
					leads = e.from
					if now := fmt.Sprintf("Server %d leads, in %s mode.", e.from.id, e.Mode); now != leader {
						leader = now
						fmt.Fprintln(d.stdout, leader)
					}
				}
				if !said && leads != nil && !slices.ContainsFunc(d.kv, func(s *storeServer) bool { return !s.member }) {
					said = true
					for _, s := range d.kv {
						d.watch.Remove(s.Process)
					}
					d.sayHow(leads)
				}
			}
		}
	}
}

// startKV starts a server, whose data is still there if it ran before.
func (d *network) startKV(ctx context.Context, s *storeServer, events chan<- storeEvent) error {
	args := []string{"kv", "--id", fmt.Sprint(s.id), "--data", filepath.Join(d.dir, fmt.Sprintf("data%d", s.id)),
		"--listen", "fd:3", "--switch", lab.SwitchIP.String()}
	for i, m := range d.kv {
		args = append(args, "--member", fmt.Sprintf("%d=%s,%s", m.id, d.address(i), m.client))
	}
	send := func(e storeEvent) {
		select {
		case events <- e:
		case <-ctx.Done():
		}
	}
	took := func(_ *launch.Process, line []byte) {
		var e kvcli.Event
		if json.Unmarshal(line, &e) == nil {
			send(storeEvent{from: s, Event: e})
		}
	}
	proc, err := d.launch(fmt.Sprintf("server %d", s.id), s.id-1, []*os.File{s.file}, took, append(args, d.nodeWire(s.id-1)...)...)
	if err != nil {
		return err
	}
	s.Process = proc
	go func() {
		<-proc.Gone()
		send(storeEvent{from: s, ended: true})
	}()
	return nil
}

// kvSocket listens on a port of this machine, or on another if it is in use, and
// returns the socket for a process to inherit.
func kvSocket(port int) (*os.File, string, error) {
	l, err := net.Listen("tcp", fmt.Sprintf("127.0.0.1:%d", port))
	if err != nil {
		l, err = net.Listen("tcp", "127.0.0.1:0")
	}
	if err != nil {
		return nil, "", fmt.Errorf("listen: %w", err)
	}
	defer l.Close()
	f, err := l.(*net.TCPListener).File()
	return f, l.Addr().String(), err
}

// sayHow tells how to use the store.
func (d *network) sayHow(leader *storeServer) {
	_, port, _ := net.SplitHostPort(leader.client)
	fmt.Fprintf(d.stdout, "\nA store of %s. Talk to the leader, with any client of Redis:\n", units.Count(len(d.kv), "server"))
	fmt.Fprintf(d.stdout, "  redis-cli -p %s SET greeting hello\n  redis-cli -p %s\n  redis-benchmark -p %s -q -t set,get,incr -P 16\n", port, port, port)
	fmt.Fprintln(d.stdout, "The others name the leader. Stop one, or the leader, and see:")
	for _, s := range d.kv {
		fmt.Fprintf(d.stdout, "  kill -9 %-7d  server %d, %s\n", s.PID(), s.id, s.client)
	}
	fmt.Fprint(d.stdout, "Ctrl-C ends it.\n\n")
}
