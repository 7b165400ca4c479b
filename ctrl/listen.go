package ctrl

import (
	"crypto/tls"
	"errors"
	"fmt"
	"log"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"syscall"
	"time"

	"github.com/p4ce/p4ce/link/certs"
	"github.com/p4ce/p4ce/link/sock"
)

// servers are what a controller listens with.
type servers []server

type server struct {
	what string
	l    net.Listener
	h    *http.Server
}

// listen opens the listeners of the admin API and of the metrics.
func (c *Controller) listen() (all servers, err error) {
	defer func() {
		if err != nil {
			all.close()
		}
	}()
	var errs *log.Logger // of what is wrong with connections
	if c.conf.Log != nil {
		errs = slog.NewLogLogger(c.conf.Log.Handler(), slog.LevelWarn)
	}
	add := func(what string, l net.Listener, h http.Handler) {
		all = append(all, server{what, l, &http.Server{Handler: h, ErrorLog: errs, ReadHeaderTimeout: 5 * time.Second, ReadTimeout: 30 * time.Second, MaxHeaderBytes: 1 << 16}})
	}
	if c.conf.Admin != "" {
		h := c.handler()
		if c.conf.AdminRights != "" {
			if c.conf.AdminTLS.CA == "" {
				return all, errors.New("admin: rights need a CA [clients are identified by their certificates]")
			}
			rights, err := certs.ReadRights(c.conf.AdminRights, c.conf.Log)
			if err != nil {
				return all, fmt.Errorf("admin: %w", err)
			}
			h = guard(h, rights)
		}
		l, err := listenAdmin(&c.conf)
		if err != nil {
			return all, err
		}
		add("admin", l, h)
	}
	if c.conf.Metrics != "" {
		l, err := net.Listen("tcp", c.conf.Metrics)
		if err != nil {
			return all, fmt.Errorf("metrics: listen on %s: %w [choose another with --metrics]", c.conf.Metrics, err)
		}
		mux := http.NewServeMux()
		c.observe(mux)
		add("metrics", l, mux)
	}
	return all, nil
}

// guard lets clients do what they may.
func guard(next http.Handler, rights *certs.Rights) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		name := certs.NameOf(r.TLS)
		read := r.Method == http.MethodGet || r.Method == http.MethodHead
		what := strings.Trim(strings.TrimPrefix(r.URL.Path, "/v1/"), "/")
		if rest, ok := strings.CutPrefix(what, "switches/"); ok {
			_, what, _ = strings.Cut(rest, "/")
		}
		if read && !rights.MayRead(name) || !read && !rights.May(name, what) {
			w.Header().Set("Content-Type", "application/json")
			w.WriteHeader(http.StatusForbidden)
			fmt.Fprintf(w, "{\"error\": %q, \"code\": \"PermissionDenied\"}\n", fmt.Sprintf("client %q may not %s %s", name, strings.ToLower(r.Method), r.URL.Path))
			return
		}
		next.ServeHTTP(w, r)
	})
}

// serve begins to serve. What fails is sent, and nothing when they are closed.
func (s servers) serve() <-chan error {
	errs := make(chan error, len(s))
	for _, x := range s {
		go func() {
			if err := x.h.Serve(x.l); !errors.Is(err, http.ErrServerClosed) {
				errs <- fmt.Errorf("%s: %w", x.what, err)
			}
		}()
	}
	return errs
}

func (s servers) close() {
	for _, x := range s {
		_ = x.h.Close()
		_ = x.l.Close()
	}
}

// listenAdmin opens "unix:PATH" or "ADDRESS:PORT". A socket that a killed
// process left behind is replaced.
func listenAdmin(c *Config) (net.Listener, error) {
	network, _ := sock.Split(c.Admin)
	if network != "unix" && c.AdminTLS.CA == "" && !c.Insecure {
		return nil, fmt.Errorf("admin: anyone who reaches %s could control the switches [give a certificate, its key and the CA of the clients (--admin-tls-cert, --admin-tls-key, --admin-tls-ca), listen on unix:PATH, or accept this with --insecure]", c.Admin)
	}
	var conf *tls.Config
	if c.AdminTLS.Given() {
		var err error
		if conf, err = c.AdminTLS.Server(c.Log, "http/1.1"); err != nil {
			return nil, fmt.Errorf("admin: %w", err)
		}
	}
	l, err := sock.Open(c.Admin)
	switch {
	case errors.Is(err, syscall.EADDRINUSE):
		return nil, fmt.Errorf("admin: address %s is in use [is another controller running? choose another with --admin]: %w", c.Admin, err)
	case err != nil:
		return nil, fmt.Errorf("admin: address %q: %w", c.Admin, err)
	case conf != nil:
		l = tls.NewListener(l, conf)
	}
	return l, nil
}
