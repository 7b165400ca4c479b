package admin

import (
	"bytes"
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"syscall"

	"google.golang.org/grpc/codes"

	"github.com/p4ce/p4ce/link/sock"
)

// Client talks to a controller's admin API.
type Client struct {
	addr string
	url  string
	http *http.Client
}

// NewClient makes a client for "unix:PATH" or "ADDRESS:PORT".
func NewClient(addr string) *Client { return NewTLSClient(addr, nil) }

// NewTLSClient makes a client that connects by TLS, unless conf is nil.
func NewTLSClient(addr string, conf *tls.Config) *Client {
	scheme, host := "http", addr
	if conf != nil {
		scheme = "https"
	}
	network, target := sock.Split(addr)
	var d net.Dialer
	if network == "unix" {
		host = "controller"
	}
	return &Client{addr, scheme + "://" + host, &http.Client{Transport: &http.Transport{
		DisableKeepAlives: true,
		TLSClientConfig:   conf,
		DialContext:       func(ctx context.Context, _, _ string) (net.Conn, error) { return d.DialContext(ctx, network, target) },
	}}}
}

// Status asks what the controller and its switches are doing.
func (c *Client) Status(ctx context.Context) (*Status, error) {
	var out Status
	return &out, c.Get(ctx, "/v1/status", &out)
}

// Get asks for what is at a path, as JSON.
func (c *Client) Get(ctx context.Context, path string, out any) error {
	return c.do(ctx, http.MethodGet, path, out)
}

// Metrics are those of the controller, in the text form of Prometheus.
func (c *Client) Metrics(ctx context.Context) (string, error) {
	b, err := c.read(ctx, http.MethodGet, "/metrics", nil)
	return string(b), err
}

// Health is nil when the controller says that it is well; else the error says what is wrong.
func (c *Client) Health(ctx context.Context) error {
	_, err := c.read(ctx, http.MethodGet, "/healthz", nil)
	return err
}

// Delete removes what is at a path.
func (c *Client) Delete(ctx context.Context, path string) error {
	var out struct{}
	return c.do(ctx, http.MethodDelete, path, &out)
}

// Post orders what is at a path.
func (c *Client) Post(ctx context.Context, path string) error {
	var out struct{}
	return c.do(ctx, http.MethodPost, path, &out)
}

// Put makes what is at a path, which the order describes.
func (c *Client) Put(ctx context.Context, path string, order any) error {
	text, err := json.Marshal(order)
	if err != nil {
		return err
	}
	_, err = c.read(ctx, http.MethodPut, path, text)
	return err
}

// codeOf finds a gRPC code by its name; OK when there is none.
func codeOf(name string) codes.Code {
	for c := codes.OK; c <= codes.Unauthenticated; c++ {
		if c.String() == name {
			return c
		}
	}
	return codes.OK
}

func (c *Client) do(ctx context.Context, method, path string, out any) error {
	body, err := c.read(ctx, method, path, nil)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(body, out); err != nil {
		return fmt.Errorf("controller %s: %w", c.addr, err)
	}
	return nil
}

// read makes a request and returns the answer.
func (c *Client) read(ctx context.Context, method, path string, order []byte) ([]byte, error) {
	req, err := http.NewRequestWithContext(ctx, method, c.url+path, bytes.NewReader(order))
	if err != nil {
		return nil, fmt.Errorf("controller %s: %w", c.addr, err)
	}
	r, err := c.http.Do(req)
	if errors.Is(err, syscall.ECONNREFUSED) || errors.Is(err, syscall.ENOENT) {
		return nil, fmt.Errorf("controller %s: nobody answers [is the controller running, with --admin %s?]", c.addr, c.addr)
	}
	if err != nil {
		return nil, fmt.Errorf("controller %s: %w", c.addr, err)
	}
	defer r.Body.Close()
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, fmt.Errorf("controller %s: %w", c.addr, err)
	}
	if r.StatusCode != http.StatusOK {
		var e struct{ Error, Code string }
		if json.Unmarshal(body, &e) == nil && e.Error != "" {
			return nil, &Error{r.StatusCode, codeOf(e.Code), e.Error}
		}
		if r.TLS == nil && r.StatusCode == http.StatusBadRequest && bytes.Contains(body, []byte("to an HTTPS server")) { // net/http's words
			return nil, fmt.Errorf("controller %s: it wants TLS [--tls-cert, --tls-key, --tls-ca]", c.addr)
		}
		if r.StatusCode == http.StatusServiceUnavailable { // of /healthz
			return nil, fmt.Errorf("controller %s: %s", c.addr, strings.ReplaceAll(strings.TrimSpace(string(body)), "\n", "; "))
		}
		return nil, fmt.Errorf("controller %s: %s", c.addr, r.Status)
	}
	return body, nil
}
