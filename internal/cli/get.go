package cli

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/url"

	"github.com/p4ce/p4ce/link/sock"
)

// Get asks the server at an address (HOST:PORT or unix:PATH, without TLS) for a path over HTTP, and copies what it answers to
// w. An answer that is not 200 is copied, too, and is an error.
func Get(ctx context.Context, addr, path string, w io.Writer) error {
	network, target := sock.Split(addr)
	c := http.Client{Transport: &http.Transport{DisableKeepAlives: true, DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return (&net.Dialer{}).DialContext(ctx, network, target)
	}}}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://p4ce"+path, nil)
	if err != nil {
		return err
	}
	r, err := c.Do(req)
	if u := (*url.Error)(nil); errors.As(err, &u) {
		err = u.Err // the URL is not what the user knows
	}
	if err != nil {
		return err
	}
	defer r.Body.Close()
	_, err = io.Copy(w, r.Body)
	if err == nil && r.StatusCode != http.StatusOK {
		err = errors.New(r.Status)
	}
	return err
}
