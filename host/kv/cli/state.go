package cli

import (
	"context"
	"crypto/tls"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"slices"

	"github.com/p4ce/p4ce/internal/cli"
	"github.com/p4ce/p4ce/link/certs"
	"github.com/p4ce/p4ce/link/sock"
)

// Servers of a store give one another their state, which is everything that
// the store holds. On unix sockets only the same user reaches it. On addresses both sides have
// certificates, and it is given to those only whose certificate is for an address of the
// deployment's servers: a client of the store has one of the same authority.

// ListenState opens where a server gives its state.
func ListenState(at string, files certs.Files, insecure bool, log *slog.Logger) (net.Listener, error) {
	l, err := sock.Open(at)
	if err != nil || l.Addr().Network() == "unix" || files.CA == "" && (insecure || l.Addr().(*net.TCPAddr).IP.IsLoopback()) {
		return l, err
	}
	if files.CA == "" {
		l.Close()
		return nil, cli.Usagef("the deployment has this server give its state at %s, where others than its servers could ask for it: give --tls-cert, --tls-key and --tls-ca, or say --insecure", at)
	}
	config, err := files.Server(log)
	if err != nil {
		l.Close()
		return nil, err
	}
	return tls.NewListener(l, config), nil
}

// OnlyServers lets in who has a certificate for the host of one of these addresses, and on a unix socket
// everybody.
func OnlyServers(addresses []string, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.TLS != nil && !slices.ContainsFunc(addresses, func(a string) bool {
			host, _, err := net.SplitHostPort(a)
			return err == nil && len(r.TLS.PeerCertificates) > 0 && r.TLS.PeerCertificates[0].VerifyHostname(host) == nil
		}) {
			http.Error(w, "the state is for servers of the deployment", http.StatusForbidden)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// DialState connects to another server.
func DialState(files certs.Files, log *slog.Logger) (func(context.Context, string) (net.Conn, error), error) {
	var config *tls.Config
	if files.CA != "" {
		var err error
		if config, err = files.Client(log, ""); err != nil {
			return nil, err
		}
	}
	return func(ctx context.Context, at string) (net.Conn, error) {
		network, address := sock.Split(at)
		if config == nil || network == "unix" {
			return (&net.Dialer{}).DialContext(ctx, network, address)
		}
		c, err := (&tls.Dialer{Config: config}).DialContext(ctx, "tcp", at)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", at, err)
		}
		return c, nil
	}, nil
}
