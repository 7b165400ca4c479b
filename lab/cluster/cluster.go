// Package cluster runs a switch and its controller, as processes of the built
// binary, in the switch's namespace of a lab: what the end-to-end tests and the
// tests with guests have in common. It needs what package lab needs.
package cluster

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"

	"github.com/p4ce/p4ce/ctrl/app/rdma"
	"github.com/p4ce/p4ce/ctrl/p4rtclient"
	"github.com/p4ce/p4ce/lab"
	"github.com/p4ce/p4ce/p4"
)

// Build builds the binary into a folder and returns its path. flags are flags of
// go build.
func Build(dir string, flags ...string) (string, error) {
	binary := filepath.Join(dir, "p4ce")
	args := append([]string{"build", "-o", binary}, flags...)
	if out, err := exec.Command("go", append(args, "github.com/p4ce/p4ce/cmd/p4ce")...).CombinedOutput(); err != nil {
		return "", fmt.Errorf("build p4ce: %w\n%s", err, out)
	}
	return binary, nil
}

// Pin is the folder where a switch keeps its data plane (Options.Pin).
const Pin = lab.Pins + "/p4ce"

// Port is a port of the switch.
type Port struct {
	Number    uint16
	Interface string
}

// Options says what to run.
type Options struct {
	Lab        *lab.Lab
	Binary     string
	Dir        string // for sockets; must have a short path
	Ports      []Port
	Program    string    // of the switch; default rdma
	Pin        bool      // keep the data plane when the switch is killed
	Switch     []string  // more flags of p4ce switch
	Controller []string  // more flags of p4ce controller
	Log        io.Writer // what both log
}

func (o *Options) program() string {
	if o.Program == "" {
		return rdma.Program
	}
	return o.Program
}

// Cluster is a switch with its controller. The processes belong to the lab and
// end with it; Close closes the clients.
type Cluster struct {
	Admin *rdma.AdminClient
	P4RT  *p4rtclient.Client // reads the switch
	Info  *p4rtclient.Info   // of the program

	Switch, Controller *lab.Proc

	opts        Options
	p4rt, admin string
}

// Start starts the switch and then the controller, and waits until both are
// ready.
func Start(ctx context.Context, o Options) (*Cluster, error) {
	c := &Cluster{opts: o, p4rt: "unix:" + filepath.Join(o.Dir, "p4rt.sock"), admin: "unix:" + filepath.Join(o.Dir, "admin.sock")}
	if err := c.StartSwitch(ctx); err != nil {
		return nil, err
	}
	if err := c.StartController(ctx); err != nil {
		return nil, err
	}
	c.Admin = rdma.NewAdminClient(c.admin)
	info, err := p4.Info(c.opts.program())
	if err != nil {
		return nil, err
	}
	c.Info = p4rtclient.NewInfo(info)
	if c.P4RT, err = p4rtclient.New(p4rtclient.Options{Address: c.p4rt}); err != nil {
		return nil, err
	}
	return c, nil
}

// Close closes the clients.
func (c *Cluster) Close() { c.P4RT.Close() }

// StartSwitch starts the switch; also again, after its end.
func (c *Cluster) StartSwitch(ctx context.Context) (err error) {
	args := []string{"switch", "--listen", c.p4rt}
	for _, p := range c.opts.Ports {
		args = append(args, "--port", fmt.Sprintf("%d=%s", p.Number, p.Interface))
	}
	if c.opts.Pin {
		args = append(args, "--pin", Pin)
	}
	c.Switch, err = c.start(ctx, "switch", append(args, c.opts.Switch...))
	return err
}

// StartController starts the controller; also again, after its end.
func (c *Cluster) StartController(ctx context.Context) (err error) {
	args := []string{"controller", "--switch", c.p4rt + "=" + c.opts.program(), "--admin", c.admin}
	if c.opts.program() == rdma.Program {
		args = append(args, "--address", lab.SwitchIP.String(), "--mac", lab.SwitchMAC.String())
	}
	for _, p := range c.opts.Ports {
		args = append(args, "--ports", fmt.Sprint(p.Number))
	}
	c.Controller, err = c.start(ctx, "controller", append(args, c.opts.Controller...))
	return err
}

// start starts a process of the binary and waits until it says that it is ready.
func (c *Cluster) start(ctx context.Context, name string, args []string) (*lab.Proc, error) {
	r, w, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	proc, err := c.opts.Lab.StartInSwitch(lab.Spec{Name: name, Args: append([]string{c.opts.Binary}, args...), Stdout: w, Stderr: c.opts.Log})
	w.Close()
	if err != nil {
		r.Close()
		return nil, err
	}
	ready := make(chan struct{})
	go func() {
		defer r.Close()
		up := false
		for s := bufio.NewScanner(r); s.Scan(); {
			var e struct{ Event string }
			if json.Unmarshal(s.Bytes(), &e) == nil && e.Event == "ready" && !up {
				up = true
				close(ready)
			}
		}
	}()
	select {
	case <-ready:
		return proc, nil
	case <-proc.Done():
		return nil, fmt.Errorf("%s has ended before it was ready: %v", name, proc.Err())
	case <-ctx.Done():
		return nil, fmt.Errorf("%s is not ready: %w", name, ctx.Err())
	}
}

// Counter reads one cell of a counter of the switch, in packets.
func (c *Cluster) Counter(ctx context.Context, name string, index int) (uint64, error) {
	v, err := c.P4RT.ReadCounter(ctx, c.Info, name, index)
	if err != nil {
		return 0, err
	}
	if len(v) != 1 {
		return 0, fmt.Errorf("counter %s[%d]: %d values", name, index, len(v))
	}
	return v[0].Packets, nil
}
