// Package kvserver runs a server of a replicated store, p4ce kv, as a process, whatever its log is: it
// reads what the server prints, and asks it as a client does.
package kvserver

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/p4ce/p4ce/lab"
	"github.com/p4ce/p4ce/lab/launch"
	"github.com/p4ce/p4ce/link/sock"
)

// Place is what a server is called, and the socket at which it serves clients, or how to connect to it otherwise.
type Place struct {
	ID     int
	Name   string
	Socket string
	// Connect, if it is not nil, makes the connections of clients.
	Connect func(ctx context.Context) (net.Conn, error)
}

// Dial connects to it as a client.
func (v Place) Dial(ctx context.Context) (net.Conn, error) {
	if v.Connect != nil {
		return v.Connect(ctx)
	}
	return (&net.Dialer{}).DialContext(ctx, "unix", v.Socket)
}

// Metrics is where it serves /metrics and /healthz.
func (v Place) Metrics() string { return "unix:" + v.Socket + ".metrics" }

// Server is one life of a server.
type Server struct {
	Place
	Proc *launch.Process

	mu      sync.Mutex
	events  []Event
	changed chan struct{}
}

// Event is what a server prints.
type Event struct {
	At      time.Time `json:"-"`
	Event   string    `json:"event"`
	Role    string    `json:"role"`
	Mode    string    `json:"mode"`
	State   string    `json:"state"`
	Term    Term      `json:"term"`
	Records uint64    `json:"records"`
	SHA256  string    `json:"sha256"`
	Error   string    `json:"error"`
	Metrics string    `json:"metrics"`
}

// Term is a term of a log that has leaders. Later terms are larger.
type Term uint64

// UnmarshalText takes a term as servers print it: ROUND.ID, or 0.
func (t *Term) UnmarshalText(text []byte) error {
	round, id, both := strings.Cut(string(text), ".")
	r, err := strconv.ParseUint(round, 10, 56)
	n := uint64(0)
	if err == nil && both {
		n, err = strconv.ParseUint(id, 10, 8)
	}
	if err != nil || !both && r != 0 {
		return fmt.Errorf("%q is no term", text)
	}
	*t = Term(r<<8 | n)
	return nil
}

// Start starts a process of p4ce kv, on a host of the lab, or in the switch's namespace.
func Start(l *lab.Lab, host *lab.Host, at Place, args []string, log io.Writer) (*Server, error) {
	if err := os.Remove(at.Socket); err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, err
	}
	v := &Server{Place: at, changed: make(chan struct{})}
	var err error
	v.Proc, err = launch.Start(l, launch.Options{Name: at.Name, Args: args, Host: host, Log: log, Event: v.took})
	if err != nil {
		return nil, err
	}
	return v, nil
}

// took takes what the server prints.
func (v *Server) took(_ *launch.Process, line []byte) {
	var e Event
	if json.Unmarshal(line, &e) != nil {
		return
	}
	e.At = time.Now()
	v.mu.Lock()
	defer v.mu.Unlock()
	v.events = append(v.events, e)
	close(v.changed)
	v.changed = make(chan struct{})
}

// Events is what the server has printed in this life.
func (v *Server) Events() []Event {
	v.mu.Lock()
	defer v.mu.Unlock()
	return append([]Event(nil), v.events...)
}

// Await waits for an event, from the n-th on.
func (v *Server) Await(ctx context.Context, n int, match func(Event) bool) (Event, error) {
	for {
		v.mu.Lock()
		events, changed := v.events, v.changed
		v.mu.Unlock()
		for ; n < len(events); n++ {
			if match(events[n]) {
				return events[n], nil
			}
		}
		select {
		case <-changed:
		case <-v.Proc.Done():
			return Event{}, fmt.Errorf("%s has ended: %w", v.Proc.Name, errors.Join(v.Proc.Err(), io.ErrUnexpectedEOF))
		case <-ctx.Done():
			return Event{}, fmt.Errorf("%s: %w", v.Proc.Name, context.Cause(ctx))
		}
	}
}

// Client makes a client that tries everything once. The caller closes it.
func (v Place) Client() *redis.Client {
	return redis.NewClient(&redis.Options{
		Dialer:     func(ctx context.Context, _, _ string) (net.Conn, error) { return v.Dial(ctx) },
		MaxRetries: -1, DialerRetries: 1, ContextTimeoutEnabled: true,
	})
}

// Digest returns the digest of the server's state, and the number of records in it.
func (v *Server) Digest(ctx context.Context) (records uint64, sum string, err error) {
	n := len(v.Events())
	if err := v.Proc.Tell("digest"); err != nil {
		return 0, "", err
	}
	e, err := v.Await(ctx, n, func(e Event) bool { return e.Event == "digest" })
	return e.Records, e.SHA256, err
}

// Info returns a section of the server's INFO.
func (v Place) Info(section string) (map[string]string, error) {
	conn, err := v.Dial(context.Background())
	if err != nil {
		return nil, err
	}
	defer conn.Close()
	_ = conn.SetDeadline(time.Now().Add(5 * time.Second))
	if _, err := fmt.Fprintf(conn, "INFO %s\r\n", section); err != nil {
		return nil, err
	}
	in := bufio.NewReader(conn)
	head, err := in.ReadString('\n')
	if err != nil {
		return nil, err
	}
	var n int
	if _, err := fmt.Sscanf(head, "$%d", &n); err != nil {
		return nil, fmt.Errorf("INFO: %q", strings.TrimSpace(head))
	}
	info := map[string]string{}
	for n > 0 {
		line, err := in.ReadString('\n')
		if err != nil {
			return nil, err
		}
		n -= len(line)
		if k, v, ok := strings.Cut(strings.TrimSpace(line), ":"); ok {
			info[k] = v
		}
	}
	return info, nil
}

// Health is what /healthz says: "ok", or what is wrong.
func (v Place) Health(ctx context.Context) string {
	network, at := sock.Split(v.Metrics())
	c := &http.Client{Transport: &http.Transport{DisableKeepAlives: true, DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return (&net.Dialer{}).DialContext(ctx, network, at)
	}}}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://server/healthz", nil)
	if err != nil {
		return err.Error()
	}
	r, err := c.Do(req)
	if err != nil {
		return err.Error()
	}
	defer r.Body.Close()
	text, err := io.ReadAll(r.Body)
	if err != nil {
		return err.Error()
	}
	return strings.TrimSpace(string(text))
}

// Equal waits until servers have the same state. Meanwhile, nobody may write to them, nor read from
// those for which a read is a record.
func Equal(ctx context.Context, servers []*Server) error {
	for {
		var states []string
		equal := true
		for _, v := range servers {
			records, sum, err := v.Digest(ctx)
			if err != nil {
				return errors.Join(err, fmt.Errorf("states so far: %v", states))
			}
			states = append(states, fmt.Sprintf("%d records, %s", records, sum))
			equal = equal && states[0] == states[len(states)-1]
		}
		if equal {
			return nil
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("states differ: %v: %w", states, context.Cause(ctx))
		case <-time.After(20 * time.Millisecond):
		}
	}
}
