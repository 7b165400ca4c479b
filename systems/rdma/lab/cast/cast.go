// Package cast runs p4ce cast in network namespaces behind a switch on XDP: receivers, and a sender
// for each file. It has the requirements of package lab.
package cast

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/p4ce/p4ce/lab"
	"github.com/p4ce/p4ce/lab/launch"
	"github.com/p4ce/p4ce/lab/runner"
	"github.com/p4ce/p4ce/systems/rdma/cast"
	"github.com/p4ce/p4ce/systems/rdma/lab/cluster"
)

// Options say what to run.
type Options struct {
	Binary    string
	Dir       string // for sockets, and the receivers' folders; must have a short path
	Receivers int
	Wire      string   // as p4ce cast --wire takes it
	Receive   []string // more flags of receivers
	Log       io.Writer
}

// Event is what a sender prints.
type Event struct {
	Event   string        `json:"event"`
	Bytes   int64         `json:"bytes"` // that have got to receivers
	Seconds float64       `json:"seconds"`
	Results []cast.Result `json:"results"`
}

// Hosts are a sender's place, host 0 of the lab, and receivers.
type Hosts struct {
	Lab     *lab.Lab
	Folders []string // of the receivers
	Names   []string // their addresses

	o         Options
	cluster   *cluster.Cluster
	receivers []*launch.Process
}

// Start starts the switch and the receivers.
func Start(ctx context.Context, o Options) (*Hosts, error) {
	l, err := lab.New(o.Receivers + 1)
	if err != nil {
		return nil, err
	}
	h := &Hosts{Lab: l, o: o, receivers: make([]*launch.Process, o.Receivers)}
	if err := h.start(ctx); err != nil {
		h.Close()
		return nil, err
	}
	return h, nil
}

func (h *Hosts) start(ctx context.Context) (err error) {
	h.cluster, err = cluster.Start(ctx, cluster.Options{
		Options: runner.Options{Lab: h.Lab, Binary: h.o.Binary, Dir: h.o.Dir, Logs: runner.Prefixed(h.o.Log)}, Switch: []string{"--target", "xdp"},
	})
	if err != nil {
		return err
	}
	for i := range h.o.Receivers {
		dir := filepath.Join(h.o.Dir, fmt.Sprintf("receiver-%d", i))
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return err
		}
		h.Folders, h.Names = append(h.Folders, dir), append(h.Names, h.Lab.Hosts[1+i].IP.String())
		if err := h.Receive(ctx, i); err != nil {
			return err
		}
	}
	return nil
}

// command is p4ce cast on a host.
func (h *Hosts) command(name string, host int, event func(*launch.Process, []byte), args ...string) (*launch.Process, error) {
	args = append([]string{"cast", "--json", "--interface", lab.Interface, "--wire", h.o.Wire}, args...)
	return h.cluster.Start(launch.Options{Name: name, Host: h.Lab.Hosts[host], Args: args, Event: event})
}

// Receive starts a receiver, the first time or again.
func (h *Hosts) Receive(ctx context.Context, i int) error {
	p, err := h.command(fmt.Sprintf("receiver %d", i), 1+i, nil, append([]string{"--receive", h.Folders[i]}, h.o.Receive...)...)
	if err != nil {
		return err
	}
	h.receivers[i] = p
	return p.AwaitReady(ctx)
}

// Kill ends a receiver without a word.
func (h *Hosts) Kill(i int) {
	h.receivers[i].Kill()
	<-h.receivers[i].Gone()
}

// Sender is a process that copies a file to all receivers.
type Sender struct {
	*launch.Process
	events chan Event
}

// Sender starts one.
func (h *Hosts) Sender(file string, args ...string) (*Sender, error) {
	s := &Sender{events: make(chan Event, 1024)}
	all := append(append([]string{"--switch", lab.SwitchIP.String(), file}, h.Names...), args...)
	p, err := h.command("sender", 0, func(p *launch.Process, line []byte) {
		var e Event
		if json.Unmarshal(line, &e) == nil {
			s.events <- e
		}
	}, all...)
	s.Process = p
	return s, err
}

// Done waits until the sender has said how it ended for each receiver.
func (s *Sender) Done(ctx context.Context) (Event, error) {
	select {
	case <-s.Gone():
	case <-ctx.Done():
		return Event{}, fmt.Errorf("waiting for the sender: %w%s", context.Cause(ctx), s.Tail())
	}
	for {
		select {
		case e := <-s.events:
			if e.Event == "done" {
				return e, nil
			}
		default:
			return Event{}, fmt.Errorf("the sender has ended (%s)%s", s.How(), s.Tail())
		}
	}
}

// Close takes everything down.
func (h *Hosts) Close() {
	if h.cluster != nil {
		h.cluster.Close()
	}
	h.Lab.Close()
}
