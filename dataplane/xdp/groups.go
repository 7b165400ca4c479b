package xdp

import (
	"encoding/binary"
	"errors"
	"fmt"
	"slices"

	"github.com/cilium/ebpf"

	"github.com/p4ce/p4ce/dataplane"
)

// group is what a multicast group consists of now: its copies, their replication ids, and where they go.
type group struct {
	copies []copyKey
	rids   []uint16
	to     *destinations
}

// copyKey is struct p4_copy.
type copyKey struct {
	Group, Port uint16
	Index       uint32
}

// groupCell is struct p4_group.
type groupCell struct {
	Destinations, Copies uint32
	Copy                 [14]groupCopy
}

// groupCopy is a copy in a groupCell.
type groupCopy struct{ Port, RID uint16 }

// nowhere is the port of a groupCopy that is none.
const nowhere = 0xffff

// devmapValue is struct bpf_devmap_val.
func devmapValue(ifindex, prog int) []byte {
	b := make([]byte, 8)
	binary.NativeEndian.PutUint32(b, uint32(ifindex))
	binary.NativeEndian.PutUint32(b[4:], uint32(prog))
	return b
}

func (p *pipeline) setPort(n dataplane.Port, indexes []int) error {
	if err := p.setInterfaces(n, indexes); err != nil {
		return err
	}
	ifindex := indexes[0]
	if err := p.coll.Maps["ports"].Put(uint32(n), devmapValue(ifindex, p.coll.Programs["egress"].FD())); err != nil {
		return fmt.Errorf("port %d: devmap: %w", n, err)
	}
	entries := max(p.spread[n], 1)
	p.spread[n] = 0
	return p.spreadTo(n, ifindex, entries)
}

// setInterfaces has what comes by interfaces come by a port.
func (p *pipeline) setInterfaces(n dataplane.Port, indexes []int) error {
	for _, index := range indexes {
		if index >= maxInterfaces {
			return fmt.Errorf("port %d: a member of its interface has index %d (at most %d)", n, index, maxInterfaces-1)
		}
		if err := p.coll.Maps["interfaces"].Put(uint32(index), uint32(n)+1); err != nil {
			return fmt.Errorf("port %d: %w", n, err)
		}
	}
	return nil
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

func (p *pipeline) clearPort(n dataplane.Port, indexes []int) {
	for _, index := range indexes {
		_ = p.coll.Maps["interfaces"].Put(uint32(index), uint32(0))
	}
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
	next := &group{}
	perPort := map[dataplane.Port]uint32{}
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
			values[i] = devmapValue(ifindex, p.coll.Programs["egress"].FD())
		}
		next.copies = append(next.copies, copyKey{id, uint16(r.Port), perPort[r.Port]})
		next.rids = append(next.rids, r.Instance)
		perPort[r.Port]++
	}
	for n, copies := range perPort {
		if pt := t.ports[n]; pt != nil && !pt.gone {
			if err := p.spreadTo(n, pt.ifi.Index, int(copies)+1); err != nil {
				return fmt.Errorf("multicast group %d: %w", id, err)
			}
		}
	}
	if err := p.replaceGroup(id, next, values); err != nil {
		return fmt.Errorf("multicast group %d: %w", id, err)
	}
	return nil
}

// replaceGroup makes next the group of a number: what it needs is there before a packet can find it, and what the old one had goes
// afterwards. values are what its destinations hold.
func (p *pipeline) replaceGroup(id uint16, next *group, values [][]byte) (err error) {
	if next.to, err = p.destinationsOf(next.copies, values); err != nil {
		return err
	}
	for i, k := range next.copies {
		if len(next.copies) <= len(groupCell{}.Copy) {
			break
		}
		if err = p.coll.Maps["copies"].Put(k, uint32(i)<<16|uint32(next.rids[i])); err != nil {
			break
		}
	}
	if err == nil {
		err = p.coll.Maps["groups"].Put(uint32(id), next.cell())
	}
	if err != nil {
		p.release(next.to)
		return err
	}
	old := p.groups[id]
	p.groups[id] = next
	return p.forget(old, next)
}

// cell is a group as packets see it.
func (g *group) cell() *groupCell {
	c := &groupCell{Destinations: g.to.number + 1, Copies: uint32(len(g.copies))}
	for i := range c.Copy {
		c.Copy[i].Port = nowhere
		if len(g.copies) <= len(c.Copy) && i < len(g.copies) {
			c.Copy[i] = groupCopy{g.copies[i].Port, g.rids[i]}
		}
	}
	return c
}

// forget gives back what an old group had and the next one has not. Both may be nil.
func (p *pipeline) forget(old, next *group) error {
	if old == nil {
		return nil
	}
	if old.to != nil {
		p.release(old.to)
	}
	if len(old.copies) <= len(groupCell{}.Copy) {
		return nil
	}
	for _, k := range old.copies {
		if next != nil && len(next.copies) > len(groupCell{}.Copy) && slices.Contains(next.copies, k) {
			continue
		}
		if err := p.coll.Maps["copies"].Delete(k); err != nil && !errors.Is(err, ebpf.ErrKeyNotExist) {
			return err
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
	err := t.p.coll.Maps["groups"].Put(uint32(id), &groupCell{})
	if err == nil {
		delete(t.p.groups, id)
		err = t.p.forget(old, nil)
	}
	if err != nil {
		return fmt.Errorf("multicast group %d: %w", id, err)
	}
	return nil
}
