//go:build verbs && cgo && linux

package verbs

// #include "glue.h"
import "C"

import (
	"fmt"

	"github.com/p4ce/p4ce/host/rdma"
)

// domain is a protection domain.
type domain struct {
	d  *device
	pd *C.struct_ibv_pd
}

// NewDomain makes a protection domain. What this side posts from is registered in the
// device's own, so only queue pairs that serve their peer can be of another.
func (d *device) NewDomain() (rdma.Domain, error) {
	if d.isClosed() {
		return nil, rdma.ErrClosed
	}
	p, err := d.newDomain()
	if err != nil {
		return nil, fmt.Errorf("rdma device %s: %w", d.choice.Device.Name, err)
	}
	return p, nil
}

func (d *device) newDomain() (*domain, error) {
	pd, err := C.ibv_alloc_pd(d.ctx)
	if pd == nil {
		return nil, fmt.Errorf("protection domain: %w", err)
	}
	p := &domain{d, pd}
	d.mu.Lock()
	d.domains[p] = struct{}{}
	d.mu.Unlock()
	return p, nil
}

// Close gives the domain back. When it is in use it stays, until the device is closed.
func (p *domain) Close() error {
	p.d.mu.Lock()
	defer p.d.mu.Unlock()
	if _, open := p.d.domains[p]; !open {
		return nil
	}
	if err := errno(C.ibv_dealloc_pd(p.pd)); err != nil {
		return fmt.Errorf("rdma device %s: protection domain: %w", p.d.choice.Device.Name, err)
	}
	delete(p.d.domains, p)
	return nil
}
