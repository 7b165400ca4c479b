// Package transfer carries the image of a state machine (replicated.Image) from one server to another, over HTTP.
//
//	server that lacks the state -- Peer.Do(request) --> handler: Give(image)
//	StateMachine.Restore(Stream) <------- body ---------+
//
// A transfer ends when it does not begin in time, or stops moving.
package transfer

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"time"

	"github.com/p4ce/p4ce/host/replicated"
	"github.com/p4ce/p4ce/link/sock"
)

const (
	headTimeout  = 2 * time.Second
	stallTimeout = 10 * time.Second
	maxError     = 256 // bytes of an error's text
)

// Give sends an image as the body of an answer, and closes it. The caller returns when Give fails: the transfer has been
// broken off, so that the partial image does not look complete.
func Give(w http.ResponseWriter, i replicated.Image) error {
	defer i.Close()
	w.Header().Set("Content-Type", "application/octet-stream")
	c := http.NewResponseController(w)
	_, err := i.WriteTo(writer(func(b []byte) (int, error) {
		_ = c.SetWriteDeadline(time.Now().Add(stallTimeout)) // a server that does not read must not keep the image for ever
		return w.Write(b)
	}))
	return err
}

type writer func([]byte) (int, error)

func (w writer) Write(b []byte) (int, error) { return w(b) }

// Peer is another server. Dial connects to an address, HOST:PORT or unix:PATH; with nil, peers are not
// authenticated.
type Peer struct {
	Address string
	Dial    func(ctx context.Context, address string) (net.Conn, error)
}

// Stream is an answer. Close it.
type Stream struct {
	*http.Response
	ctx   context.Context
	end   context.CancelCauseFunc
	stall *time.Timer
}

// Do sends a request of path and query, and returns the answer. An answer that is neither OK nor NoContent is an error.
// Reading the answer fails when nothing comes for a while.
func (p Peer) Do(ctx context.Context, method, path string, body io.Reader) (*Stream, error) {
	ctx, end := context.WithCancelCause(ctx)
	s := &Stream{ctx: ctx, end: end}
	s.stall = time.AfterFunc(headTimeout, func() { end(errors.New("no answer in time")) })
	err := s.do(p, method, path, body)
	if err != nil {
		if c := context.Cause(ctx); c != nil {
			err = c
		}
		s.Close()
		return nil, err
	}
	s.stall.Reset(stallTimeout)
	return s, nil
}

func (s *Stream) do(p Peer, method, path string, body io.Reader) error {
	req, err := http.NewRequestWithContext(s.ctx, method, "http://peer"+path, body)
	if err != nil {
		return err
	}
	dial := p.Dial
	if dial == nil {
		dial = func(ctx context.Context, address string) (net.Conn, error) {
			network, address := sock.Split(address)
			return (&net.Dialer{}).DialContext(ctx, network, address)
		}
	}
	transport := &http.Transport{DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) { return dial(ctx, p.Address) }, DisableKeepAlives: true}
	if s.Response, err = (&http.Client{Transport: transport}).Do(req); err != nil {
		return err
	}
	if s.StatusCode != http.StatusOK && s.StatusCode != http.StatusNoContent {
		text, _ := io.ReadAll(io.LimitReader(s.Body, maxError))
		return fmt.Errorf("%s: %s", s.Status, text)
	}
	return nil
}

// Read reads the body.
func (s *Stream) Read(b []byte) (int, error) {
	s.stall.Reset(stallTimeout)
	n, err := s.Body.Read(b)
	if c := context.Cause(s.ctx); c != nil && err != nil && !errors.Is(err, io.EOF) {
		err = c
	}
	return n, err
}

// Close ends the answer.
func (s *Stream) Close() {
	s.stall.Stop()
	s.end(nil)
	if s.Response != nil {
		s.Body.Close()
	}
}
