package agent

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"syscall"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"google.golang.org/grpc"

	"github.com/p4ce/p4ce/dataplane"
	"github.com/p4ce/p4ce/dataplane/halves"
	"github.com/p4ce/p4ce/dataplane/interp"
	"github.com/p4ce/p4ce/dataplane/p4rt"
	"github.com/p4ce/p4ce/dataplane/xdp"
	"github.com/p4ce/p4ce/internal/metrics"
	"github.com/p4ce/p4ce/link/sock"
)

// shutdownTime is how long clients may take to finish their calls when the
// agent stops; streams are ended at once.
const shutdownTime = 2 * time.Second

// Run runs a switch until ctx ends, which is not an error.
func Run(ctx context.Context, c Config) error {
	if err := c.setDefaults(); err != nil {
		return fmt.Errorf("switch: %w", err)
	}
	access, err := c.access()
	if err != nil {
		return fmt.Errorf("switch: %w", err)
	}
	trusted, err := newTrust(c.Trust)
	if err != nil {
		return fmt.Errorf("switch: %w", err)
	}
	// Addresses first: they are what is most often wrong, and nothing has been
	// set up yet.
	l, err := listen("p4runtime", c.Listen, c.ListenFlag)
	if err != nil {
		return fmt.Errorf("switch: %w", err)
	}
	defer l.Close()
	var ml net.Listener
	if c.Metrics != "" {
		if ml, err = listen("metrics", c.Metrics, "--metrics"); err != nil {
			return fmt.Errorf("switch: %w", err)
		}
		defer ml.Close()
	}
	if c.Capture != "" {
		if c.Target != "xdp" {
			return fmt.Errorf("switch: capture: target %s cannot record packets (xdp can)", c.Target)
		}
		f, err := os.Create(c.Capture)
		if err != nil {
			return fmt.Errorf("switch: capture: %w", err)
		}
		defer f.Close()
		c.capture = f
	}
	t, err := newTarget(c)
	if err != nil {
		return fmt.Errorf("switch: target %s: %w", c.Target, err)
	}
	if c.Halves != nil {
		h := halves.New(t, interp.New(interp.Options{CPUPort: c.CPUPort, Log: c.Log}), *c.Halves)
		h.Start(c.HalvesInterval)
		t = h
	}
	defer t.Close()
	for _, p := range c.Ports {
		if err := t.AddPort(p.Number, p.Interface); err != nil {
			return fmt.Errorf("switch: %w", err)
		}
		c.Log.Info("port added", "port", p.Number, "interface", p.Interface)
	}
	options := p4rt.Options{Target: t, Compile: c.Compile, DeviceID: c.DeviceID, Log: c.Log}
	if c.Target == "xdp" {
		options.Trust = trusted.check
	}
	s, err := p4rt.New(options)
	if err != nil {
		return fmt.Errorf("switch: %w", err)
	}
	defer s.Close()
	if c.Start != nil {
		if err := c.Start(s, t); err != nil {
			return err
		}
	}
	h := newHealth()
	w, unwatch, err := watch(c, t, s, h)
	if err != nil {
		return fmt.Errorf("switch: %w", err)
	}
	defer unwatch()
	g := s.GRPC(access)
	reg := prometheus.NewRegistry()
	reg.MustRegister(newCollector(t, s, w))
	failed := make(chan error, 2)
	addrs := Addresses{P4Runtime: l.Addr()}
	if ml != nil {
		addrs.Metrics = ml.Addr()
		defer metrics.Serve(ml, reg, h.look, failed).Close()
	}
	return serve(ctx, c, s, g, l, addrs, failed)
}

// serve serves P4Runtime until ctx ends, or something fails.
func serve(ctx context.Context, c Config, s *p4rt.Server, g *grpc.Server, l net.Listener, addrs Addresses, failed chan error) error {
	go func() { failed <- g.Serve(l) }()
	c.Log.Info("switch runs", "target", c.Target, "device_id", s.DeviceID(), "p4runtime", l.Addr().String(), "ports", len(c.Ports))
	if c.Ready != nil {
		c.Ready(addrs)
	}
	var err error
	select {
	case <-ctx.Done():
	case err = <-failed:
		err = fmt.Errorf("switch: serve: %w", err)
	}
	s.Close() // ends the streams, which GracefulStop would wait for
	stop := time.AfterFunc(shutdownTime, g.Stop)
	defer stop.Stop()
	g.GracefulStop()
	c.Log.Info("switch stopped")
	return err
}

// Detach detaches a data plane that is kept under a folder from its interfaces.
func Detach(pins string) error {
	if err := xdp.Detach(pins); err != nil {
		return fmt.Errorf("switch: %w", err)
	}
	return nil
}

func newTarget(c Config) (dataplane.Target, error) {
	if err := c.CPUPort.Check(); err != nil {
		return nil, fmt.Errorf("CPU %w", err)
	}
	switch c.Target {
	case "interp":
		return interp.New(interp.Options{CPUPort: c.CPUPort, Log: c.Log}), nil
	case "xdp":
		return xdp.New(xdp.Config{CPUPort: c.CPUPort, CPUInterface: c.CPUInterface, Pins: c.Pins, Capture: c.capture, Log: c.Log})
	}
	return nil, errors.New("does not exist: choose xdp or interp")
}

// listen opens a listener on HOST:PORT, or on the socket of unix:PATH; flag is
// what the user can change.
func listen(what, addr, flag string) (net.Listener, error) {
	l, err := sock.Open(addr)
	switch {
	case errors.Is(err, syscall.EADDRINUSE):
		return nil, fmt.Errorf("%s: address %s is in use [is another switch running? choose another with %s]: %w", what, addr, flag, err)
	case errors.Is(err, syscall.EACCES):
		return nil, fmt.Errorf("%s: address %s needs more rights [ports below 1024 need root; choose another with %s]: %w", what, addr, flag, err)
	case errors.Is(err, syscall.EADDRNOTAVAIL):
		return nil, fmt.Errorf("%s: address %s is not one of this machine's [choose another with %s]: %w", what, addr, flag, err)
	case err != nil:
		return nil, fmt.Errorf("%s: address %q: %w", what, addr, err)
	}
	return l, nil
}
