package xdp

import (
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/cilium/ebpf"

	"github.com/p4ce/p4ce/dataplane"
)

// group is what a multicast group consists of now.
type group struct {
	copies []copyKey
	n      int // devmap entries
}

// copyKey is struct p4_copy.
type copyKey struct {
	Group, Port uint16
	Index       uint32
}

// devmapValue is struct bpf_devmap_val.
func devmapValue(ifindex, prog int) []byte {
	b := make([]byte, 8)
	binary.NativeEndian.PutUint32(b, uint32(ifindex))
	binary.NativeEndian.PutUint32(b[4:], uint32(prog))
	return b
}

func devmapInterface(value []byte) int { return int(binary.NativeEndian.Uint32(value)) }

func (p *pipeline) setPort(n dataplane.Port, ifindex int) error {
	if err := p.coll.Maps["interfaces"].Put(uint32(ifindex), uint32(n)+1); err != nil {
		return fmt.Errorf("port %d: %w", n, err)
	}
	if err := p.coll.Maps["ports"].Put(uint32(n), devmapValue(ifindex, p.coll.Programs["egress"].FD())); err != nil {
		return fmt.Errorf("port %d: devmap: %w", n, err)
	}
	entries := max(p.spread[n], 1)
	p.spread[n] = 0
	return p.spreadTo(n, ifindex, entries)
}

// spreadTo sees to it that a port has so many entries in the map spread: one, and as
// many as any group has copies for it. In packet tests nothing is sent there.
func (p *pipeline) spreadTo(n dataplane.Port, ifindex, entries int) error {
	if !p.desc.Both || ifindex == loopback {
		return nil
	}
	for ; p.spread[n] < entries; p.spread[n]++ {
		key := uint32(p.spread[n])*maxPorts + uint32(n)
		if err := p.coll.Maps["spread"].Put(key, devmapValue(ifindex, p.coll.Programs["egress"].FD())); err != nil {
			if isFull(err) {
				err = fmt.Errorf("too many copies, for packets that go to a port and a group: %w", dataplane.ErrFull)
			}
			return fmt.Errorf("port %d: %w", n, err)
		}
	}
	return nil
}

func (p *pipeline) clearPort(n dataplane.Port, ifindex int) {
	_ = p.coll.Maps["interfaces"].Put(uint32(ifindex), uint32(0))
	_ = p.coll.Maps["ports"].Delete(uint32(n))
	p.clearSpread(n)
}

// clearSpread takes a port out of the map spread; what groups want there is remembered.
func (p *pipeline) clearSpread(n dataplane.Port) {
	for i := range maxCopies + 1 {
		if errors.Is(p.coll.Maps["spread"].Delete(uint32(i)*maxPorts+uint32(n)), ebpf.ErrKeyNotExist) {
			return
		}
	}
}

// regroup puts a port's new interface into the groups that the port is in: the kernel takes one that is
// deleted out of them.
func (p *pipeline) regroup(n dataplane.Port, ifindex int) error {
	value := devmapValue(ifindex, p.coll.Programs["egress"].FD())
	for id, g := range p.groups {
		for i, k := range g.copies {
			if k.Port != uint16(n) {
				continue
			}
			if err := p.inner[id].Put(uint32(i), value); err != nil {
				return fmt.Errorf("multicast group %d: port %d: %w", id, n, err)
			}
		}
	}
	return nil
}

// groupChunk is how many groups get their map at once: putting one map into an
// array of maps waits for an RCU grace period, putting many waits once.
const groupChunk = 256

// devmap returns the map of a group, making it and its neighbours if need be.
func (p *pipeline) devmap(id uint16) (*ebpf.Map, error) {
	if m := p.inner[id]; m != nil {
		return m, nil
	}
	var there *ebpf.Map // made by an earlier process
	switch err := p.coll.Maps["groups"].Lookup(uint32(id), &there); {
	case err == nil:
		p.inner[id] = there
		return there, nil
	case !errors.Is(err, ebpf.ErrKeyNotExist):
		return nil, fmt.Errorf("multicast group %d: %w", id, err)
	}
	first := id / groupChunk * groupChunk
	var keys, fds []uint32
	var made []*ebpf.Map
	undo := func() {
		for _, m := range made {
			m.Close()
		}
	}
	for i := first; i < first+groupChunk; i++ {
		m, err := newDevmap(fewCopies)
		if err != nil {
			undo()
			return nil, fmt.Errorf("multicast group %d: %w", id, err)
		}
		made = append(made, m)
		keys, fds = append(keys, uint32(i)), append(fds, uint32(m.FD()))
	}
	if _, err := p.coll.Maps["groups"].BatchUpdate(keys, fds, nil); err != nil {
		undo()
		return nil, fmt.Errorf("multicast group %d: %w", id, err)
	}
	for i, m := range made {
		p.inner[first+uint16(i)] = m
	}
	return p.inner[id], nil
}

// newDevmap makes the map of a group with up to so many copies.
func newDevmap(copies uint32) (*ebpf.Map, error) {
	return ebpf.NewMap(&ebpf.MapSpec{Name: "group", Type: ebpf.DevMapHash, KeySize: 4, ValueSize: 8, MaxEntries: copies})
}

// room is the map to write the copies of a group to. If the group's own has no room for them, it is another one, which is not the group's yet.
func (p *pipeline) room(id uint16, copies int) (m *ebpf.Map, own bool, err error) {
	if m, err = p.devmap(id); err != nil || copies <= int(m.MaxEntries()) {
		return m, true, err
	}
	if m, err = newDevmap(maxCopies); err != nil {
		return nil, false, fmt.Errorf("multicast group %d: %w", id, err)
	}
	return m, false, nil
}

// adopt makes a map, which has all copies of a group, the group's.
func (p *pipeline) adopt(id uint16, m *ebpf.Map) error {
	if err := p.coll.Maps["groups"].Put(uint32(id), uint32(m.FD())); err != nil {
		m.Close()
		return fmt.Errorf("multicast group %d: %w", id, err)
	}
	p.inner[id].Close()
	p.inner[id] = m
	return nil
}

// SetGroup implements dataplane.Target.
func (t *Target) SetGroup(id uint16, replicas []dataplane.Replica) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	p := t.p
	switch {
	case p == nil:
		return dataplane.ErrNoPipeline
	case id == 0 || int(id) >= maxGroups:
		return fmt.Errorf("multicast group %d: groups go from 1 to %d: %w", id, maxGroups-1, dataplane.ErrFull)
	case len(replicas) > maxCopies:
		return fmt.Errorf("multicast group %d: %d replicas (at most %d): %w", id, len(replicas), maxCopies, dataplane.ErrFull)
	}
	for _, r := range replicas {
		if err := r.Port.Check(); err != nil {
			return fmt.Errorf("multicast group %d: %w", id, err)
		}
	}
	return t.setGroup(p, id, replicas)
}

// setGroup makes or replaces a group of a pipeline. t.mu is held.
func (t *Target) setGroup(p *pipeline, id uint16, replicas []dataplane.Replica) error {
	m, own, err := p.room(id, len(replicas))
	if err != nil {
		return err
	}
	published := own
	defer func() {
		if !published {
			m.Close()
		}
	}()
	next := &group{n: len(replicas)}
	perPort := map[dataplane.Port]uint32{}
	prog := p.coll.Programs["egress"].FD()
	values := make([][]byte, len(replicas))
	for i, r := range replicas {
		pt := t.ports[r.Port]
		if pt == nil && t.inject == nil {
			return fmt.Errorf("multicast group %d: port %d: %w", id, r.Port, dataplane.ErrNotFound)
		}
		ifindex := loopback
		if pt != nil {
			ifindex = pt.ifi.Index
		}
		if pt == nil || !pt.gone { // ReopenPort puts it in
			values[i] = devmapValue(ifindex, prog)
		}
		key := copyKey{id, uint16(r.Port), perPort[r.Port]}
		perPort[r.Port]++
		if err := p.coll.Maps["copies"].Put(key, uint32(r.Instance)); err != nil {
			return fmt.Errorf("multicast group %d: %w", id, err)
		}
		next.copies = append(next.copies, key)
	}
	for n, copies := range perPort {
		if pt := t.ports[n]; pt != nil && !pt.gone {
			if err := p.spreadTo(n, pt.ifi.Index, int(copies)+1); err != nil {
				return fmt.Errorf("multicast group %d: %w", id, err)
			}
		}
	}
	for i, v := range values {
		if v == nil {
			if err := m.Delete(uint32(i)); err != nil && !errors.Is(err, ebpf.ErrKeyNotExist) {
				return fmt.Errorf("multicast group %d: %w", id, err)
			}
			continue
		}
		if err := m.Put(uint32(i), v); err != nil {
			return fmt.Errorf("multicast group %d: %w", id, err)
		}
	}
	if !own {
		published = true
		if err := p.adopt(id, m); err != nil {
			return err
		}
	}
	old := p.groups[id]
	p.groups[id] = next
	if old == nil {
		return nil
	}
	return p.shrink(id, m, old, next)
}

// shrink removes what the old group had and the new one has not.
func (p *pipeline) shrink(id uint16, m *ebpf.Map, old, next *group) error {
	for i := next.n; i < old.n; i++ {
		if err := m.Delete(uint32(i)); err != nil && !errors.Is(err, ebpf.ErrKeyNotExist) {
			return fmt.Errorf("multicast group %d: %w", id, err)
		}
	}
	keep := map[copyKey]bool{}
	for _, k := range next.copies {
		keep[k] = true
	}
	for _, k := range old.copies {
		if keep[k] {
			continue
		}
		if err := p.coll.Maps["copies"].Delete(k); err != nil && !errors.Is(err, ebpf.ErrKeyNotExist) {
			return fmt.Errorf("multicast group %d: %w", id, err)
		}
	}
	return nil
}

// DeleteGroup implements dataplane.Target.
func (t *Target) DeleteGroup(id uint16) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.p == nil {
		return dataplane.ErrNoPipeline
	}
	old := t.p.groups[id]
	if old == nil {
		return fmt.Errorf("multicast group %d: %w", id, dataplane.ErrNotFound)
	}
	delete(t.p.groups, id)
	return t.p.shrink(id, t.p.inner[id], old, &group{})
}
