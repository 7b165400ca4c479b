package store

import (
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"strings"
	"time"

	"go.etcd.io/etcd/api/v3/v3rpc/rpctypes"
	clientv3 "go.etcd.io/etcd/client/v3"
	"go.uber.org/zap"
	"golang.org/x/sys/unix"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/p4ce/p4ce/link/sock"
)

// DefaultPrefix is what all keys begin with.
const DefaultPrefix = "/p4ce"

// DefaultTTL is how long a lease holds that is not renewed. (etcd with its default settings gives no
// shorter ones.)
const DefaultTTL = 2 * time.Second

// version is that of the keys and records.
const version = "1"

// openTimeout bounds Open.
const openTimeout = 5 * time.Second

// probeTimeout bounds the search for the reason why Open failed.
const probeTimeout = time.Second

// Options of a Store. Endpoints are needed.
type Options struct {
	// Endpoints are where etcd's clients are served: "HOST:PORT" or "unix:PATH".
	Endpoints []string
	// TLS is how to connect; nil: in plain text.
	TLS *tls.Config
	// Prefix is what all keys begin with; default DefaultPrefix. Other controllers with other switches
	// may have another.
	Prefix string
	// Name is what this controller is called by the others.
	Name string
	// TTL is how long a lease holds that is not renewed, whole seconds; default DefaultTTL. etcd may
	// give longer ones.
	TTL time.Duration
	Log *slog.Logger
}

// Store is a connection to etcd.
type Store struct {
	o   Options
	etc *clientv3.Client
	now func() time.Duration // goes on while the process, or the machine, sleeps
}

// Record is a key, without what Records begin with, and its value.
type Record struct {
	Key   string
	Value []byte
}

// Open connects, and looks whether a majority of etcd answers and has keys of this version.
func Open(ctx context.Context, o Options) (*Store, error) {
	if len(o.Endpoints) == 0 {
		return nil, errors.New("etcd: no endpoint")
	}
	o.Prefix = cmp.Or(o.Prefix, DefaultPrefix)
	o.TTL = cmp.Or(o.TTL, DefaultTTL)
	if o.TTL < time.Second || o.TTL%time.Second != 0 {
		return nil, fmt.Errorf("etcd: a lease of %v: want whole seconds", o.TTL)
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	var at []string
	for _, e := range o.Endpoints {
		if strings.HasPrefix(e, "unix:") {
			at = append(at, e)
			continue
		}
		scheme := "http://"
		if o.TLS != nil {
			scheme = "https://"
		}
		at = append(at, scheme+e)
	}
	c, err := clientv3.New(clientv3.Config{
		Endpoints: at, TLS: o.TLS, Logger: zap.NewNop(), DialTimeout: openTimeout,
		DialKeepAliveTime: 2 * time.Second, DialKeepAliveTimeout: 2 * time.Second,
		BackoffWaitBetween: 20 * time.Millisecond,
	})
	if err != nil {
		return nil, fmt.Errorf("etcd %s: %w", strings.Join(o.Endpoints, ","), err)
	}
	s := &Store{o: o, etc: c, now: sinceBoot}
	ctx, cancel := context.WithTimeout(ctx, openTimeout)
	defer cancel()
	if err := s.checkVersion(ctx); err != nil {
		if why := s.probe(); why != nil {
			err = fmt.Errorf("%w: %w", err, why)
		}
		err = s.explain(err)
		c.Close()
		return nil, err
	}
	return s, nil
}

// probe asks the first endpoint that does not take a connection why, which the client does not say.
func (s *Store) probe() error {
	for _, e := range s.o.Endpoints {
		network, addr := sock.Split(e)
		c, err := net.DialTimeout(network, addr, probeTimeout)
		if err != nil {
			return err
		}
		defer c.Close()
		if s.o.TLS == nil || network == "unix" {
			continue
		}
		conf := s.o.TLS.Clone()
		if conf.ServerName == "" {
			conf.ServerName, _, _ = net.SplitHostPort(addr) // an error shows in the name
		}
		t := tls.Client(c, conf)
		if err := t.SetDeadline(time.Now().Add(probeTimeout)); err != nil {
			return err
		}
		// A server says with its first bytes what it thinks of a certificate.
		if err := t.Handshake(); err != nil {
			return err
		}
		var timeout net.Error
		if _, err := t.Read(make([]byte, 1)); err != nil && !(errors.As(err, &timeout) && timeout.Timeout()) {
			return err
		}
	}
	return nil
}

// checkVersion reads the version of what is there, by a majority, and says ours if nothing is.
func (s *Store) checkVersion(ctx context.Context) error {
	key := s.o.Prefix + "/version"
	// What may put something is refused by an etcd without space, also when it puts nothing.
	if g, err := s.etc.Get(ctx, key); err == nil && len(g.Kvs) == 1 {
		return s.knows(string(g.Kvs[0].Value))
	}
	r, err := s.etc.Txn(ctx).If(clientv3.Compare(clientv3.CreateRevision(key), "=", 0)).
		Then(clientv3.OpPut(key, version)).Else(clientv3.OpGet(key)).Commit()
	if err != nil {
		return err
	}
	if r.Succeeded {
		return nil
	}
	return s.knows(string(r.Responses[0].GetResponseRange().Kvs[0].Value))
}

// knows compares versions.
func (s *Store) knows(have string) error {
	if have != version {
		return fmt.Errorf("the data under %s has version %q, and this program reads only %s [was it written by a newer p4ce?]", s.o.Prefix, have, version)
	}
	return nil
}

// explain says of an error whose it is, and what may be the cause.
func (s *Store) explain(err error) error {
	hint := ""
	switch {
	case errors.Is(err, rpctypes.ErrNoSpace):
		err = ErrNoSpace
	case errors.Is(err, context.DeadlineExceeded) || status.Code(err) == codes.Unavailable || status.Code(err) == codes.DeadlineExceeded:
		hint = " [is it running, with a majority of its servers? does it need, or lack, TLS?]"
	case status.Code(err) == codes.Unauthenticated || status.Code(err) == codes.PermissionDenied:
		hint = " [etcd's users are not supported: use certificates]"
	}
	return fmt.Errorf("etcd %s: %w%s", strings.Join(s.o.Endpoints, ","), err, hint)
}

// Name is what this controller is called.
func (s *Store) Name() string { return s.o.Name }

// Close ends the connection. Candidates must have been closed.
func (s *Store) Close() error { return s.etc.Close() }

// sinceBoot is the time since the machine was started, also that in which it slept.
func sinceBoot() time.Duration {
	var t unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_BOOTTIME, &t); err != nil {
		panic(err) // every Linux since 2.6.39 has it
	}
	return time.Duration(t.Nano())
}
