package ctrl

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"syscall"
)

// AdminClient talks to a controller's admin API.
type AdminClient struct {
	addr string
	http *http.Client
}

// NewAdminClient makes a client for "unix:PATH" or "ADDRESS:PORT".
func NewAdminClient(addr string) *AdminClient {
	network, target := "tcp", addr
	if path, ok := strings.CutPrefix(addr, "unix:"); ok {
		network, target = "unix", path
	}
	var d net.Dialer
	return &AdminClient{addr, &http.Client{Transport: &http.Transport{
		DisableKeepAlives: true,
		DialContext:       func(ctx context.Context, _, _ string) (net.Conn, error) { return d.DialContext(ctx, network, target) },
	}}}
}

// Status asks what the controller and its switches are doing.
func (c *AdminClient) Status(ctx context.Context) (*Status, error) {
	var out Status
	return &out, c.do(ctx, http.MethodGet, "/v1/status", &out)
}

// Groups lists the groups of all switches.
func (c *AdminClient) Groups(ctx context.Context) ([]GroupInfo, error) {
	var out []GroupInfo
	return out, c.do(ctx, http.MethodGet, "/v1/groups", &out)
}

// Group describes one group, with the switch's counters. The switch may be "-"
// when the controller has only one.
func (c *AdminClient) Group(ctx context.Context, sw string, index int) (*GroupInfo, error) {
	var out GroupInfo
	return &out, c.do(ctx, http.MethodGet, groupPath(sw, index), &out)
}

// RemoveGroup dissolves a group.
func (c *AdminClient) RemoveGroup(ctx context.Context, sw string, index int) error {
	var out struct{}
	return c.do(ctx, http.MethodDelete, groupPath(sw, index), &out)
}

func groupPath(sw string, index int) string {
	return fmt.Sprintf("/v1/switches/%s/groups/%d", url.PathEscape(sw), index)
}

func (c *AdminClient) do(ctx context.Context, method, path string, out any) error {
	req, err := http.NewRequestWithContext(ctx, method, "http://controller"+path, nil)
	if err != nil {
		return fmt.Errorf("controller %s: %w", c.addr, err)
	}
	r, err := c.http.Do(req)
	if errors.Is(err, syscall.ECONNREFUSED) || errors.Is(err, syscall.ENOENT) {
		return fmt.Errorf("controller %s: nobody answers [is the controller running, with --admin %s?]", c.addr, c.addr)
	}
	if err != nil {
		return fmt.Errorf("controller %s: %w", c.addr, err)
	}
	defer r.Body.Close()
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return fmt.Errorf("controller %s: %w", c.addr, err)
	}
	if r.StatusCode != http.StatusOK {
		var e struct{ Error string }
		if json.Unmarshal(body, &e) == nil && e.Error != "" {
			return errors.New(e.Error)
		}
		return fmt.Errorf("controller %s: %s", c.addr, r.Status)
	}
	if err := json.Unmarshal(body, out); err != nil {
		return fmt.Errorf("controller %s: %w", c.addr, err)
	}
	return nil
}
