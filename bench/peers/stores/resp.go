package stores

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"strconv"
	"strings"
	"time"
)

// timeout bounds one request.
const timeout = 10 * time.Second

// respConn is a connection by the Redis protocol (RESP2).
type respConn struct {
	net.Conn
	in   *bufio.Reader
	bulk []byte // of the last reply
}

// readAhead is how much is read at once: the replies to a pipeline.
const readAhead = 16 << 10

func dialRESP(ctx context.Context, address string) (*respConn, error) {
	c, err := (&net.Dialer{Timeout: time.Second}).DialContext(ctx, "tcp", address)
	if err != nil {
		return nil, err
	}
	return &respConn{Conn: c, in: bufio.NewReaderSize(c, readAhead)}, nil
}

// appendCommand appends a command as an array of bulk strings.
func appendCommand(b []byte, args ...string) []byte {
	b = fmt.Appendf(b, "*%d\r\n", len(args))
	for _, a := range args {
		b = fmt.Appendf(b, "$%d\r\n", len(a))
		b = append(append(b, a...), "\r\n"...)
	}
	return b
}

// reply reads one reply: a status or an integer as text, or a bulk string. nil is none. It
// is good until the next.
func (c *respConn) reply() ([]byte, error) {
	line, err := c.in.ReadSlice('\n')
	if err != nil {
		return nil, err
	}
	line = bytes.TrimSuffix(line, []byte("\r\n"))
	if len(line) == 0 {
		return nil, errors.New("an empty reply")
	}
	switch line[0] {
	case '+', ':':
		return line[1:], nil
	case '-':
		return nil, errors.New(string(line[1:]))
	case '$':
		n, err := strconv.Atoi(string(line[1:]))
		if err != nil || n < -1 || n > 1<<26 {
			return nil, fmt.Errorf("reply %q", line)
		}
		if n < 0 {
			return nil, nil
		}
		if cap(c.bulk) < n+2 {
			c.bulk = make([]byte, n+2)
		}
		b := c.bulk[:n+2]
		_, err = io.ReadFull(c.in, b)
		return b[:n], err
	}
	return nil, fmt.Errorf("reply %q", line)
}

// send sends requests in one write.
func (c *respConn) send(b []byte) error {
	if err := c.SetDeadline(time.Now().Add(timeout)); err != nil {
		return err
	}
	_, err := c.Write(b)
	return err
}

// requests are of one client: each has so many commands, of keys that follow each other.
type requests struct {
	client, pipeline int
	command          func(b []byte, key string) []byte
	n                int // the next key's number
	made             [keysPerClient][]byte
}

func (r *requests) next() []byte {
	b := &r.made[r.n]
	if *b == nil {
		for k := range r.pipeline {
			*b = r.command(*b, key(r.client, r.n+k))
		}
	}
	r.n = (r.n + r.pipeline) % keysPerClient
	return *b
}

func (s *Store) respClient(ctx context.Context, i int, op string, size, pipeline int) (func(context.Context) error, error) {
	c, err := dialRESP(ctx, s.leader)
	if err != nil {
		return nil, err
	}
	s.clients = append(s.clients, c)
	replicas := 0 // that a SET waits for
	if s.t.Kind == Redis {
		replicas = len(s.t.Addresses) / 2
	}
	value := strings.Repeat("x", size)
	sets := &requests{client: i, pipeline: pipeline, command: func(b []byte, key string) []byte {
		b = appendCommand(b, "SET", key, value)
		if replicas > 0 {
			b = appendCommand(b, "WAIT", fmt.Sprint(replicas), fmt.Sprint(timeout.Milliseconds()))
		}
		return b
	}}
	set := func(context.Context) error {
		if err := c.send(sets.next()); err != nil {
			return err
		}
		for range pipeline {
			if err := c.stored(replicas); err != nil {
				return err
			}
		}
		return nil
	}
	if op == Set {
		return set, nil
	}
	for n := 0; n < keysPerClient; n += pipeline {
		if err := set(ctx); err != nil {
			return nil, err
		}
	}
	gets := &requests{client: i, pipeline: pipeline, command: func(b []byte, key string) []byte { return appendCommand(b, "GET", key) }}
	return func(context.Context) error {
		if err := c.send(gets.next()); err != nil {
			return err
		}
		for range pipeline {
			v, err := c.reply()
			if err != nil {
				return fmt.Errorf("GET: %w", err)
			}
			if len(v) != size {
				return fmt.Errorf("GET: %d bytes, not %d", len(v), size)
			}
		}
		return nil
	}, nil
}

// stored reads the reply to a SET, and to the WAIT behind it if there is one.
func (c *respConn) stored(replicas int) error {
	if ok, err := c.reply(); err != nil {
		return fmt.Errorf("SET: %w", err)
	} else if string(ok) != "OK" {
		return fmt.Errorf("SET: the reply is %q", ok)
	}
	if replicas == 0 {
		return nil
	}
	got, err := c.reply()
	if err != nil {
		return fmt.Errorf("WAIT: %w", err)
	}
	if have, err := strconv.Atoi(string(got)); err != nil || have < replicas {
		return fmt.Errorf("WAIT: %q replicas have it, not %d", got, replicas)
	}
	return nil
}

// info asks a server for a section of INFO.
func info(ctx context.Context, address string) (map[string]string, error) {
	c, err := dialRESP(ctx, address)
	if err != nil {
		return nil, err
	}
	defer c.Close()
	if err := c.send(appendCommand(nil, "INFO", "replication")); err != nil {
		return nil, err
	}
	text, err := c.reply()
	if err != nil {
		return nil, err
	}
	out := map[string]string{}
	for line := range strings.Lines(string(text)) {
		if k, v, ok := strings.Cut(strings.TrimSpace(line), ":"); ok {
			out[k] = v
		}
	}
	return out, nil
}

// kvLeader finds the leader of p4ce kv, in the mode that is wanted, with all servers.
func kvLeader(ctx context.Context, t Target) (string, error) {
	leader := ""
	for _, a := range t.Addresses {
		i, err := info(ctx, a)
		if err != nil {
			return "", fmt.Errorf("%s: %w", a, err)
		}
		if i["server_state"] != "full" {
			return "", fmt.Errorf("%s is %s", a, i["server_state"])
		}
		if i["server_role"] != "leader" {
			continue
		}
		if i["mode"] != t.Mode || i["confirmed_peers"] != fmt.Sprint(len(t.Addresses)-1) {
			return "", fmt.Errorf("%s leads in %s mode, with %s peers", a, i["mode"], i["confirmed_peers"])
		}
		leader = a
	}
	if leader == "" {
		return "", errors.New("nobody leads")
	}
	return leader, nil
}

// redisLeader is the first server, when the others follow it.
func redisLeader(ctx context.Context, t Target) (string, error) {
	a := t.Addresses[0]
	i, err := info(ctx, a)
	if err != nil {
		return "", fmt.Errorf("%s: %w", a, err)
	}
	online := 0
	for k, v := range i {
		if strings.HasPrefix(k, "slave") && strings.Contains(v, "state=online") {
			online++
		}
	}
	if i["role"] != "master" || online != len(t.Addresses)-1 {
		return "", fmt.Errorf("%s is %s, with %d replicas", a, i["role"], online)
	}
	if online == 0 {
		return a, nil
	}
	// A replica that has just come is online before it is sent anything: that begins with
	// its first acknowledgement, up to a second later.
	c, err := dialRESP(ctx, a)
	if err != nil {
		return "", err
	}
	defer c.Close()
	if err := c.send(appendCommand(appendCommand(nil, "SET", "ready", "yes"), "WAIT", fmt.Sprint(online), "2000")); err != nil {
		return "", err
	}
	if _, err := c.reply(); err != nil {
		return "", fmt.Errorf("SET: %w", err)
	}
	if n, err := c.reply(); err != nil || string(n) != fmt.Sprint(online) {
		return "", fmt.Errorf("%q of %d replicas answer (%v)", n, online, err)
	}
	return a, nil
}
