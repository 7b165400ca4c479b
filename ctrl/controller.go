package ctrl

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/p4ce/p4ce/ctrl/session"
)

// Controller serves its switches.
type Controller struct {
	conf     Config
	switches []*session.Session
}

// New makes a controller; nothing is sent before Run.
func New(conf Config) (*Controller, error) {
	switches, err := conf.sessions()
	if err != nil {
		return nil, err
	}
	return &Controller{conf, switches}, nil
}

// Run makes a controller and runs it until ctx ends, which is not an error.
func Run(ctx context.Context, conf Config) error {
	c, err := New(conf)
	if err != nil {
		return err
	}
	return c.Run(ctx)
}

// Run serves all switches until ctx ends, which is not an error. A Controller
// runs once.
func (c *Controller) Run(ctx context.Context) error {
	var l net.Listener
	if c.conf.Admin != "" {
		var err error
		if l, err = listenAdmin(c.conf.Admin); err != nil {
			closeAll(c.switches)
			return fmt.Errorf("controller: %w", err)
		}
		defer l.Close()
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	var all, ready sync.WaitGroup
	for _, s := range c.switches {
		ready.Add(1)
		s.OnReady(ready.Done)
		all.Add(1)
		go func() {
			defer all.Done()
			_ = s.Run(ctx) // ctx's error
		}()
	}
	if c.conf.Ready != nil {
		go func() { // ends with the process at the latest: a switch may never come
			ready.Wait()
			if ctx.Err() == nil {
				c.conf.Ready()
			}
		}()
	}
	var failed error
	if l != nil {
		h := &http.Server{Handler: c.handler(), ReadHeaderTimeout: 5 * time.Second}
		errs := make(chan error, 1)
		go func() { errs <- h.Serve(l) }()
		select {
		case <-ctx.Done():
		case failed = <-errs:
			failed = fmt.Errorf("controller: admin: %w", failed)
		}
		h.Close()
	} else {
		<-ctx.Done()
	}
	cancel()
	all.Wait()
	return failed
}

// listenAdmin opens "unix:PATH" or "ADDRESS:PORT". A socket that a killed
// process left behind is replaced.
func listenAdmin(addr string) (net.Listener, error) {
	path, isUnix := strings.CutPrefix(addr, "unix:")
	if !isUnix {
		l, err := net.Listen("tcp", addr)
		if errors.Is(err, syscall.EADDRINUSE) {
			return nil, fmt.Errorf("admin: address %s is in use [is another controller running? choose another with --admin]: %w", addr, err)
		}
		if err != nil {
			return nil, fmt.Errorf("admin: address %q: %w", addr, err)
		}
		return l, nil
	}
	if c, err := net.DialTimeout("unix", path, time.Second); err == nil {
		c.Close()
		return nil, fmt.Errorf("admin: socket %s is in use [is another controller running? choose another with --admin]", path)
	}
	if st, err := os.Lstat(path); err == nil && st.Mode()&os.ModeSocket != 0 {
		if err := os.Remove(path); err != nil {
			return nil, fmt.Errorf("admin: stale socket: %w", err)
		}
	}
	l, err := net.Listen("unix", path)
	if err != nil {
		return nil, fmt.Errorf("admin: socket %s: %w", path, err)
	}
	if err := os.Chmod(path, 0o600); err != nil {
		l.Close()
		return nil, fmt.Errorf("admin: socket %s: %w", path, err)
	}
	return l, nil
}
