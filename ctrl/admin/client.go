package admin

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"syscall"
)

// Client talks to a controller's admin API.
type Client struct {
	addr string
	http *http.Client
}

// NewClient makes a client for "unix:PATH" or "ADDRESS:PORT".
func NewClient(addr string) *Client {
	network, target := "tcp", addr
	if path, ok := strings.CutPrefix(addr, "unix:"); ok {
		network, target = "unix", path
	}
	var d net.Dialer
	return &Client{addr, &http.Client{Transport: &http.Transport{
		DisableKeepAlives: true,
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
	b, err := c.read(ctx, http.MethodGet, "/metrics")
	return string(b), err
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

func (c *Client) do(ctx context.Context, method, path string, out any) error {
	body, err := c.read(ctx, method, path)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(body, out); err != nil {
		return fmt.Errorf("controller %s: %w", c.addr, err)
	}
	return nil
}

// read makes a request and returns the answer.
func (c *Client) read(ctx context.Context, method, path string) ([]byte, error) {
	req, err := http.NewRequestWithContext(ctx, method, "http://controller"+path, nil)
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
		var e struct{ Error string }
		if json.Unmarshal(body, &e) == nil && e.Error != "" {
			return nil, errors.New(e.Error)
		}
		return nil, fmt.Errorf("controller %s: %s", c.addr, r.Status)
	}
	return body, nil
}
