package cli

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"strings"
	"time"

	"github.com/gomodule/redigo/redis"
	"github.com/spf13/cobra"

	"github.com/p4ce/p4ce/internal/cli"
	"github.com/p4ce/p4ce/link/certs"
	"github.com/p4ce/p4ce/link/sock"
)

// remote is how a command reaches the servers of a store.
type remote struct {
	user, password string
	tls            certs.Files
	name           string
	conf           *tls.Config
}

// dialTime limits how long a server may take to accept a connection, and to answer the first commands.
const dialTime = 5 * time.Second

func (r *remote) flags(c *cobra.Command) {
	f := c.Flags()
	f.StringVar(&r.user, "user", "default", "user, if servers have users")
	cli.PasswordVar(f, &r.password, "the user's password")
	cli.TLSFlags(f, &r.tls, "tls-", "the client", "the servers' certificates must be signed by one of them")
	f.StringVar(&r.name, "tls-name", "", "TLS: the name in the servers' certificates, if it differs from their addresses")
}

// prepare reads the files of certificates.
func (r *remote) prepare() (err error) {
	if err := cli.CheckTLS(&r.tls, "tls-", false); err != nil {
		return err
	}
	if r.tls.Given() {
		r.conf, err = r.tls.Client(slog.New(slog.DiscardHandler), r.name)
	}
	return err
}

// dial connects to a server: HOST:PORT or unix:PATH.
func (r *remote) dial(ctx context.Context, addr string) (redis.Conn, error) {
	network, target := sock.Split(addr)
	if network != "unix" {
		if _, _, err := net.SplitHostPort(target); err != nil {
			return nil, fmt.Errorf("server %s: want HOST:PORT or unix:PATH", addr)
		}
	}
	o := []redis.DialOption{redis.DialConnectTimeout(dialTime)}
	if r.password != "" {
		o = append(o, redis.DialUsername(r.user), redis.DialPassword(r.password))
	}
	if r.conf != nil {
		o = append(o, redis.DialUseTLS(true), redis.DialTLSConfig(r.conf))
	}
	c, err := redis.DialContext(ctx, network, target, o...)
	if err != nil {
		return nil, fmt.Errorf("server %s: %w", addr, err)
	}
	return c, nil
}

// leader connects to a server, and to the leader if it names one: redirections are followed a few times, and for a few
// seconds while there is no leader.
func (r *remote) leader(ctx context.Context, addr string) (redis.Conn, string, error) {
	from, until := addr, time.Now().Add(dialTime)
	for hops := 0; ; {
		c, err := r.dial(ctx, addr)
		if err != nil {
			return nil, "", err
		}
		_, err = redis.DoWithTimeout(c, dialTime, "EXISTS", "") // a key has a slot, and who does not have the slot says who has
		if err == nil {
			return c, addr, nil
		}
		_ = c.Close()
		var said redis.Error
		words := []string{}
		if errors.As(err, &said) {
			words = strings.Fields(string(said))
		}
		switch {
		case len(words) == 3 && words[0] == "MOVED" && hops < 3:
			addr = words[2]
			hops++
		case len(words) > 0 && (words[0] == "CLUSTERDOWN" || words[0] == "MOVED") && time.Now().Before(until):
			addr, hops = from, 0
			select {
			case <-time.After(200 * time.Millisecond):
			case <-ctx.Done():
				return nil, "", ctx.Err()
			}
		default:
			return nil, "", fmt.Errorf("server %s: %w", addr, err)
		}
	}
}
