package cli

import (
	"context"
	"fmt"
	"net"
	"os"
	"os/signal"
	"syscall"

	"github.com/p4ce/p4ce/host/kv"
	"github.com/p4ce/p4ce/internal/cli"
	"github.com/p4ce/p4ce/link/files"
)

// minClientMemory is the lowest --client-memory: room for a few long requests.
const minClientMemory = 16 << 20

// access reads the flags that say who may connect, and do what.
func (s *server) access() (c kv.Config, err error) {
	o := &s.o
	if err := cli.CheckTLS(&o.tls, "tls-", true); err != nil {
		return c, err
	}
	if o.tls.Given() {
		if c.TLS, err = o.tls.Server(s.log); err != nil {
			return c, err
		}
	}
	if o.users != "" {
		c.Users = func() (*kv.Users, error) {
			text, err := files.Read(o.users, files.Settings)
			if err != nil {
				return nil, fmt.Errorf("--users: %w", err)
			}
			u, err := kv.ParseUsers(text)
			if err != nil {
				return nil, fmt.Errorf("--users %s: %w", o.users, err)
			}
			return u, nil
		}
		_, err = c.Users()
	}
	return c, err
}

// protected is Protected.
func (s *server) protected(at net.Addr) error {
	o := &s.o
	return Protected(at, o.listen, o.insecure || o.users != "" || o.tls.CA != "", "--users FILE or --tls-ca FILE")
}

// Protected refuses to serve other machines at an address, that of --listen, unless it is secured, or may be insecure: like
// Redis's protected mode. by says which flags secure it.
func Protected(at net.Addr, listen string, secured bool, by string) error {
	t, ok := at.(*net.TCPAddr)
	if !ok || t.IP.IsLoopback() || secured {
		return nil
	}
	return cli.Usagef("--listen %s can be reached from other machines, and clients need not authenticate [give %s, listen on 127.0.0.1 or unix:PATH, or accept this with --insecure]", listen, by)
}

// reloads reads the users again at each SIGHUP.
func (s *server) reloads(ctx context.Context, store *kv.Server) (stop func()) {
	hups := make(chan os.Signal, 1)
	signal.Notify(hups, syscall.SIGHUP)
	ctx, cancel := context.WithCancel(ctx)
	done := make(chan struct{})
	go func() {
		defer close(done)
		for {
			select {
			case <-ctx.Done():
				return
			case <-hups:
			}
			if err := store.Reload(); err != nil {
				s.log.Error("the users could not be reloaded; the previous ones stay in force", "error", err)
			} else {
				s.log.Info("the users were read again")
			}
		}
	}()
	return func() {
		signal.Stop(hups)
		cancel()
		<-done
	}
}
