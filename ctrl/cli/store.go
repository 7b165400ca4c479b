package cli

import (
	"crypto/tls"
	"fmt"
	"log/slog"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/p4ce/p4ce/ctrl/store"
	"github.com/p4ce/p4ce/internal/cli"
	"github.com/p4ce/p4ce/link/certs"
)

// What --store begins with when it is no folder.
const (
	storeEtcd     = "etcd:"
	storeEmbedded = "embedded:"
)

// storeFlags say where things are kept, and how etcd is reached.
type storeFlags struct {
	at                    string
	tls                   certs.Files
	tlsName, name, prefix string
	ttl                   time.Duration
}

func (s *storeFlags) add(f *pflag.FlagSet) {
	f.StringVar(&s.at, "store", "", "where to keep the state that a successor controller needs: a FOLDER; embedded:FOLDER, an etcd server in this process (by the program p4etcd); or etcd:ENDPOINT[,ENDPOINT...] (HOST:PORT or unix:PATH), for several controllers (default: keep no state)")
	cli.TLSFlags(f, &s.tls, "store-", "the controller, for etcd", "the certificates of etcd's servers must be signed by one of them")
	f.StringVar(&s.tlsName, "store-tls-name", "", "TLS: the name in etcd's certificates, if it differs from its address")
	f.StringVar(&s.name, "name", "", "name of this controller for others (default: host name and process id)")
	f.StringVar(&s.prefix, "store-prefix", store.DefaultPrefix, "etcd: prefix of all keys")
	f.DurationVar(&s.ttl, "store-ttl", store.DefaultTTL, "etcd: how long a disconnected controller keeps its switches, in whole seconds; etcd may extend it")
}

// Embed starts an etcd server with its data in a folder, and returns where it is served and what ends it.
type Embed func(dir string, log *slog.Logger) (endpoint string, end func(), err error)

// openStore is etcd, and what ends the server if it is ours.
type openStore struct {
	store *store.Store
	end   func()
}

func (o *openStore) close() {
	o.store.Close()
	if o.end != nil {
		o.end()
	}
}

// open opens what --store names; nil when it is a folder, or nothing.
func (s *storeFlags) open(cmd *cobra.Command, embed Embed, insecure bool, log *slog.Logger) (*openStore, error) {
	o := store.Options{Prefix: strings.TrimSuffix(s.prefix, "/"), Name: s.name, TTL: s.ttl, Log: log}
	if o.Name == "" {
		host, err := os.Hostname()
		if err != nil {
			return nil, err
		}
		o.Name = fmt.Sprintf("%s/%d", host, os.Getpid())
	}
	list, isEtcd := strings.CutPrefix(s.at, storeEtcd)
	dir, isEmbedded := strings.CutPrefix(s.at, storeEmbedded)
	if !isEtcd && !isEmbedded {
		for _, name := range []string{"store-cert", "store-key", "store-ca", "store-tls-name", "store-prefix", "store-ttl", "name"} {
			if cmd.Flags().Changed(name) {
				return nil, cli.Usagef("--%s belongs to --store %sENDPOINTS", name, storeEtcd)
			}
		}
		return nil, nil
	}
	if isEmbedded {
		if dir == "" {
			return nil, cli.Usagef("--store %s: want %sFOLDER", s.at, storeEmbedded)
		}
		if s.tls.Given() {
			return nil, cli.Usagef("--store %s: listens on a unix socket in its folder: leave out --store-cert, --store-key and --store-ca", s.at)
		}
		endpoint, end, err := embed(dir, log)
		if err != nil {
			return nil, err
		}
		o.Endpoints = []string{endpoint}
		opened, err := store.Open(cmd.Context(), o)
		if err != nil {
			end()
			return nil, err
		}
		return &openStore{opened, end}, nil
	}
	plain := false
	for _, e := range strings.Split(list, ",") {
		if e == "" || strings.Contains(e, "//") {
			return nil, cli.Usagef("--store %s: %q is not an endpoint [want HOST:PORT or unix:PATH]", s.at, e)
		}
		plain = plain || !strings.HasPrefix(e, "unix:")
		o.Endpoints = append(o.Endpoints, e)
	}
	var conf *tls.Config
	if s.tls.Given() {
		var err error
		if conf, err = s.tls.Client(log, s.tlsName); err != nil {
			return nil, err
		}
	} else if plain && !insecure {
		return nil, cli.Usagef("--store %s: anyone who reaches it could control the switches [give a certificate, its key and the CA of the servers (--store-cert, --store-key, --store-ca), or accept this with --insecure]", s.at)
	}
	o.TLS = conf
	opened, err := store.Open(cmd.Context(), o)
	if err != nil {
		return nil, err
	}
	return &openStore{store: opened}, nil
}
