// Package storetest lets tests break the connection between a controller and etcd.
//
//	controller --- Proxy, which can be cut --- etcd
package storetest

import (
	"net"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

// Proxy passes on what connections to a unix socket carry to another one. While it is cut nothing comes
// through, and nobody is told: as in a network that loses everything.
type Proxy struct {
	// Endpoint is what to give to a controller (store.Options).
	Endpoint string
	to       string
	listener net.Listener
	mu       sync.Mutex
	open     *sync.Cond
	cut      bool
	closed   bool
	conns    []net.Conn
	all      sync.WaitGroup
}

// NewProxy makes a proxy on a socket, for an endpoint "unix:PATH", until the test ends.
func NewProxy(t *testing.T, path, endpoint string) *Proxy {
	l, err := net.Listen("unix", path)
	require.NoError(t, err)
	p := &Proxy{Endpoint: "unix:" + path, to: endpoint[len("unix:"):], listener: l}
	p.open = sync.NewCond(&p.mu)
	p.all.Go(p.accept)
	t.Cleanup(p.close)
	return p
}

// Cut stops everything.
func (p *Proxy) Cut() { p.set(true) }

// Heal lets everything through, also what had been sent meanwhile.
func (p *Proxy) Heal() { p.set(false) }

func (p *Proxy) set(cut bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.cut = cut
	p.open.Broadcast()
}

func (p *Proxy) close() {
	p.mu.Lock()
	p.closed = true
	for _, c := range p.conns {
		c.Close()
	}
	p.open.Broadcast()
	p.mu.Unlock()
	p.listener.Close()
	p.all.Wait()
}

// pass waits until something may come through, and reports whether it ever may.
func (p *Proxy) pass() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	for p.cut && !p.closed {
		p.open.Wait()
	}
	return !p.closed
}

func (p *Proxy) add(c net.Conn) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.conns = append(p.conns, c)
	return !p.closed
}

func (p *Proxy) accept() {
	for {
		c, err := p.listener.Accept()
		if err != nil {
			return
		}
		p.all.Go(func() { p.serve(c) })
	}
}

func (p *Proxy) serve(c net.Conn) {
	defer c.Close()
	if !p.add(c) || !p.pass() {
		return
	}
	d, err := net.Dial("unix", p.to)
	if err != nil {
		return
	}
	defer d.Close()
	if !p.add(d) {
		return
	}
	p.all.Go(func() { p.copy(c, d) })
	p.copy(d, c)
}

func (p *Proxy) copy(to, from net.Conn) {
	defer to.Close()
	buf := make([]byte, 32<<10)
	for {
		n, err := from.Read(buf)
		if !p.pass() {
			return
		}
		if _, werr := to.Write(buf[:n]); err != nil || werr != nil {
			return
		}
	}
}
