package xdp

import (
	"errors"
	"fmt"
	"net"
	"sort"

	"github.com/p4ce/p4ce/dataplane"
	"github.com/p4ce/p4ce/link/nic"
)

// AddPort implements dataplane.Target.
func (t *Target) AddPort(p dataplane.Port, iface string) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if err := p.Check(); err != nil {
		return err
	}
	if pt := t.ports[p]; pt != nil {
		return fmt.Errorf("port %d already has interface %s", p, pt.ifi.Name)
	}
	ifi, queues, err := t.checkInterface(p, iface)
	if err != nil {
		return err
	}
	pt := &port{ifi: ifi, queues: queues, info: dataplane.PortInfo{Port: p, Interface: iface}}
	if t.p != nil {
		if err := t.p.setPort(p, ifi.Index); err != nil {
			return err
		}
		if _, err := t.attach(t.p, pt); err != nil {
			t.p.clearPort(p, ifi.Index)
			return err
		}
	}
	t.ports[p] = pt
	return nil
}

// checkInterface says why an interface cannot be a port's, and how many queues it receives by. t.mu is held.
func (t *Target) checkInterface(p dataplane.Port, iface string) (ifi *net.Interface, queues int, err error) {
	ifi, err = net.InterfaceByName(iface)
	if err != nil {
		return nil, 0, fmt.Errorf("port %d: interface %q does not exist in this network namespace", p, iface)
	}
	for n, pt := range t.ports {
		if n != p && !pt.gone && pt.ifi.Index == ifi.Index {
			return nil, 0, fmt.Errorf("port %d: interface %s is already port %d", p, iface, pt.info.Port)
		}
	}
	if ifi.MTU > MaxMTU {
		return nil, 0, fmt.Errorf("port %d: interface %s has MTU %d; native XDP takes at most %d (ip link set %s mtu %d)", p, iface, ifi.MTU, MaxMTU, iface, MaxMTU)
	}
	if ifi.Index >= maxInterfaces {
		return nil, 0, fmt.Errorf("port %d: interface %s has index %d (at most %d; make the interface in a new network namespace)", p, iface, ifi.Index, maxInterfaces-1)
	}
	about, err := nic.Read(iface)
	if err != nil {
		return nil, 0, fmt.Errorf("port %d: %w", p, err)
	}
	if why, mend := about.TagsBeside(); why != "" {
		return nil, 0, fmt.Errorf("port %d: interface %s: %s: XDP does not see them, and would lose them (%s)", p, iface, why, mend)
	}
	if about.Kind == "veth" && about.Far == nil {
		t.log.Warn("the other end of a port cannot be inspected: VLAN tags that it leaves beside packets are lost [there: ethtool -K INTERFACE txvlan off tx-vlan-stag-hw-insert off]", "port", p, "interface", iface)
	}
	return ifi, about.Queues, nil
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
		t.p.clearPort(p, pt.ifi.Index)
	}
	if pt.link != nil { // its interface has gone, or goes on without it
		if t.pins != nil {
			_ = pt.link.Unpin()
		}
		_ = pt.link.Close()
		pt.link = nil
	}
	pt.gone = true
	ifi, queues, err := t.checkInterface(p, pt.info.Interface)
	if err != nil {
		return err
	}
	pt.ifi, pt.queues = ifi, queues
	if t.p != nil {
		err := t.p.setPort(p, ifi.Index)
		if err == nil {
			err = t.p.regroup(p, ifi.Index)
		}
		if err == nil {
			_, err = t.attach(t.p, pt)
		}
		if err != nil {
			t.p.clearPort(p, ifi.Index)
			return err
		}
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
		t.p.clearPort(p, pt.ifi.Index)
	}
	if pt.link == nil {
		return nil
	}
	var err error
	if t.pins != nil {
		err = pt.link.Unpin()
	}
	return errors.Join(err, pt.link.Close())
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
