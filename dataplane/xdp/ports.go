package xdp

import (
	"errors"
	"fmt"
	"net"
	"slices"
	"sort"

	"github.com/p4ce/p4ce/dataplane"
	"github.com/p4ce/p4ce/link/nic"
	"github.com/p4ce/p4ce/link/tune"
)

// AddPort implements dataplane.Target. It changes of the interface what a port needs (package link/tune); RemovePort and
// Close put that back, unless the data plane is kept.
func (t *Target) AddPort(p dataplane.Port, iface string) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if err := p.Check(); err != nil {
		return err
	}
	if pt := t.ports[p]; pt != nil {
		return fmt.Errorf("port %d already has interface %s", p, pt.ifi.Name)
	}
	pt := &port{info: dataplane.PortInfo{Port: p, Interface: iface}}
	if err := t.openPort(pt); err != nil {
		return err
	}
	t.ports[p] = pt
	return nil
}

// openPort gives a port the interface of its name. t.mu is held.
func (t *Target) openPort(pt *port) (err error) {
	p := pt.info.Port
	if err := t.prepare(pt); err != nil {
		return err
	}
	if t.p == nil {
		return nil
	}
	if err = t.p.setPort(p, pt.indexes()); err == nil {
		if err = t.p.regroup(p, pt.ifi.Index); err == nil {
			_, err = t.attach(t.p, pt)
		}
	}
	if err != nil {
		t.p.clearPort(p, pt.indexes())
		return errors.Join(err, pt.tuned.Close())
	}
	return nil
}

// prepare finds the interface of a port, and has it ready. t.mu is held.
func (t *Target) prepare(pt *port) error {
	p, iface := pt.info.Port, pt.info.Interface
	ifi, err := net.InterfaceByName(iface)
	if err != nil {
		return fmt.Errorf("port %d: interface %q does not exist in this network namespace", p, iface)
	}
	for n, other := range t.ports {
		if n != p && !other.gone && other.ifi.Index == ifi.Index {
			return fmt.Errorf("port %d: interface %s is already port %d", p, iface, n)
		}
	}
	if ifi.Index >= maxInterfaces {
		return fmt.Errorf("port %d: interface %s has index %d (at most %d; make the interface in a new network namespace)", p, iface, ifi.Index, maxInterfaces-1)
	}
	about, err := nic.Read(iface)
	if err != nil {
		return fmt.Errorf("port %d: %w", p, err)
	}
	judged := about
	if t.pins != nil {
		kept, err := t.pins.link(p, ifi.Index)
		if err != nil {
			return err
		}
		if kept != nil { // the program that it has is ours
			judged.XDP = ""
			kept.Close()
		}
	}
	tuned, err := tune.Take(judged, tune.Port, t.log.With("port", p))
	if err != nil {
		return fmt.Errorf("port %d: %w", p, err)
	}
	pt.ifi, pt.about, pt.tuned = ifi, about, tuned
	return nil
}

// indexes are those by which packets of a port come, its own first: those of a bond come by its members.
func (pt *port) indexes() []int { return append([]int{pt.ifi.Index}, pt.about.Members...) }

// SetMembers implements dataplane.Bonded.
func (t *Target) SetMembers(p dataplane.Port) (changed bool, err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	pt := t.ports[p]
	if pt == nil || pt.gone || pt.about.Kind != "bond" {
		return false, nil
	}
	now, err := nic.Members(pt.ifi.Index)
	if err != nil {
		return false, fmt.Errorf("port %d: interface %s: %w", p, pt.ifi.Name, err)
	}
	if slices.Equal(now, pt.about.Members) {
		return false, nil
	}
	was := pt.about.Members
	pt.about.Members = now
	if t.p == nil {
		return true, nil
	}
	for _, index := range was {
		if !slices.Contains(now, index) {
			_ = t.p.coll.Maps["interfaces"].Put(uint32(index), uint32(0))
		}
	}
	return true, t.p.setInterfaces(p, now)
}

// ReopenPort implements dataplane.Target.
func (t *Target) ReopenPort(p dataplane.Port) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	pt := t.ports[p]
	switch {
	case pt == nil:
		return fmt.Errorf("port %d: %w", p, dataplane.ErrNotFound)
	case pt.info.CPU:
		return fmt.Errorf("port %d is the CPU port and cannot be removed", p)
	}
	if t.p != nil {
		t.p.clearPort(p, pt.indexes())
	}
	if pt.link != nil { // its interface has gone, or goes on without it
		if t.pins != nil {
			_ = pt.link.Unpin()
		}
		_ = pt.link.Close()
		pt.link = nil
	}
	pt.gone = true
	if err := pt.tuned.Close(); err != nil {
		t.log.Warn("port", "port", p, "err", err)
	}
	if err := t.openPort(pt); err != nil {
		return err
	}
	pt.gone = false
	return nil
}

// RemovePort implements dataplane.Target.
func (t *Target) RemovePort(p dataplane.Port) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	pt := t.ports[p]
	if pt == nil {
		return fmt.Errorf("port %d: %w", p, dataplane.ErrNotFound)
	}
	if pt.info.CPU {
		return fmt.Errorf("port %d is the CPU port and cannot be removed", p)
	}
	delete(t.ports, p)
	if t.p != nil {
		t.p.clearPort(p, pt.indexes())
	}
	var errs []error
	if pt.link != nil {
		if t.pins != nil {
			errs = append(errs, pt.link.Unpin())
		}
		errs = append(errs, pt.link.Close())
	}
	return errors.Join(append(errs, pt.tuned.Close())...)
}

// Ports implements dataplane.Target.
func (t *Target) Ports() []dataplane.PortInfo {
	t.mu.Lock()
	defer t.mu.Unlock()
	var out []dataplane.PortInfo
	for _, pt := range t.ports {
		info := pt.info
		if ifi, err := net.InterfaceByIndex(pt.ifi.Index); err == nil && !pt.gone {
			info.Up = ifi.Flags&net.FlagUp != 0 && ifi.Flags&net.FlagRunning != 0
		}
		if t.p != nil {
			rx, tx := t.p.portCount(info.Port)
			info.RX, info.TX = sum(pt.info.RX, rx), sum(pt.info.TX, tx)
		}
		out = append(out, info)
	}
	sort.Slice(out, func(i, j int) bool { return out[i].Port < out[j].Port })
	return out
}

// keepCounts adds what a pipeline that ends has counted to the ports.
func (t *Target) keepCounts(old *pipeline) {
	for _, pt := range t.ports {
		rx, tx := old.portCount(pt.info.Port)
		pt.info.RX, pt.info.TX = sum(pt.info.RX, rx), sum(pt.info.TX, tx)
	}
}

// portCount is what a port has received and sent while the pipeline runs.
func (p *pipeline) portCount(n dataplane.Port) (rx, tx dataplane.Counter) {
	var per []struct{ RX, TX counterCell } // struct p4_port_count
	if err := p.coll.Maps["port_counts"].Lookup(uint32(n), &per); err != nil {
		return rx, tx
	}
	for _, c := range per {
		rx, tx = sum(rx, dataplane.Counter(c.RX)), sum(tx, dataplane.Counter(c.TX))
	}
	return rx, tx
}

func sum(a, b dataplane.Counter) dataplane.Counter {
	return dataplane.Counter{Packets: a.Packets + b.Packets, Bytes: a.Bytes + b.Bytes}
}
