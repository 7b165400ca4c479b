package xdp

import (
	"bytes"
	"errors"
	"fmt"
	"slices"

	"github.com/cilium/ebpf"

	"github.com/p4ce/p4ce/dataplane"
)

// destinations are where the copies of a group go: a devmap in the map of the same name. Groups whose copies go to the same ports in
// the same order share one. So packets of many groups find in the cache what the kernel looks at: a dozen lines.
type destinations struct {
	number uint32
	ports  string // portList
	m      *ebpf.Map
	values [][]byte // what m holds; nil: nothing
	groups int      // that have it
}

// destinationsChunk is how many devmaps are made at once: putting one map into an
// array of maps waits for an RCU grace period, putting many waits once.
const destinationsChunk = 64

// portList is the ports of copies in their order, as a key.
func portList(copies []copyKey) string {
	b := make([]byte, 0, 2*len(copies))
	for _, c := range copies {
		b = append(b, byte(c.Port), byte(c.Port>>8))
	}
	return string(b)
}

// destinationsOf returns the destinations of copies, for one more group. values are what they hold.
func (p *pipeline) destinationsOf(copies []copyKey, values [][]byte) (*destinations, error) {
	ports := portList(copies)
	d := p.shared[ports]
	if d == nil {
		if len(p.free) == 0 {
			if err := p.makeDestinations(); err != nil {
				return nil, err
			}
		}
		// The one that has been free for longest: no packet is on its way there any more.
		d, p.free = p.free[0], p.free[1:]
		d.ports = ports
		p.shared[ports] = d
	}
	d.groups++
	if err := p.fill(d, values); err != nil {
		p.release(d)
		return nil, err
	}
	return d, nil
}

// release ends that a group has destinations.
func (p *pipeline) release(d *destinations) {
	if d.groups--; d.groups == 0 {
		delete(p.shared, d.ports)
		p.free = append(p.free, d)
	}
}

// makeDestinations makes some that are free.
func (p *pipeline) makeDestinations() error {
	var keys, fds []uint32
	var made []*destinations
	for n := p.made; n < min(p.made+destinationsChunk, maxGroups); n++ {
		m, err := newDevmap(fewCopies)
		if err != nil {
			closeAll(made)
			return err
		}
		made = append(made, &destinations{number: n, m: m})
		keys, fds = append(keys, n), append(fds, uint32(m.FD()))
	}
	if _, err := p.coll.Maps["destinations"].BatchUpdate(keys, fds, nil); err != nil {
		closeAll(made)
		return err
	}
	p.made += uint32(len(made))
	p.free = append(p.free, made...)
	return nil
}

func closeAll(list []*destinations) {
	for _, d := range list {
		d.m.Close()
	}
}

// newDevmap makes a devmap of up to so many copies.
func newDevmap(copies uint32) (*ebpf.Map, error) {
	return ebpf.NewMap(&ebpf.MapSpec{Name: "destinations", Type: ebpf.DevMapHash, KeySize: 4, ValueSize: 8, MaxEntries: copies})
}

// fill makes destinations hold values, in a larger devmap if theirs has no room for them.
func (p *pipeline) fill(d *destinations, values [][]byte) error {
	if len(values) <= int(d.m.MaxEntries()) {
		return d.put(values)
	}
	m, err := newDevmap(maxCopies)
	if err != nil {
		return err
	}
	larger := &destinations{m: m}
	if err = larger.put(values); err == nil {
		err = p.coll.Maps["destinations"].Put(d.number, uint32(m.FD()))
	}
	if err != nil {
		m.Close()
		return err
	}
	d.m.Close()
	d.m, d.values = m, larger.values
	return nil
}

// put makes the devmap hold values, and writes what it does not.
func (d *destinations) put(values [][]byte) error {
	for i := range max(len(values), len(d.values)) {
		var v []byte
		if i < len(values) {
			v = values[i]
		}
		if i < len(d.values) && bytes.Equal(v, d.values[i]) {
			continue
		}
		var err error
		if v == nil {
			err = d.m.Delete(uint32(i))
		} else {
			err = d.m.Put(uint32(i), v)
		}
		if err != nil && !errors.Is(err, ebpf.ErrKeyNotExist) {
			d.values = make([][]byte, d.m.MaxEntries()) // not known
			return err
		}
	}
	d.values = slices.Clone(values)
	return nil
}

// regroup puts a port's new interface into the destinations that the port is in: the kernel takes one that is
// deleted out of them.
func (p *pipeline) regroup(n dataplane.Port, ifindex int) error {
	value := devmapValue(ifindex, p.coll.Programs["egress"].FD())
	for _, d := range p.shared {
		values := slices.Clone(d.values)
		for i := range values {
			if d.ports[2*i] == byte(n) && d.ports[2*i+1] == byte(n>>8) {
				values[i] = value
				d.values[i] = nil // the kernel's doing
			}
		}
		if err := d.put(values); err != nil {
			return fmt.Errorf("copies for port %d: %w", n, err)
		}
	}
	return nil
}

// readDestinations finds those that an earlier process has made. All are free.
func (p *pipeline) readDestinations() error {
	for p.made < maxGroups {
		var m *ebpf.Map
		err := p.coll.Maps["destinations"].Lookup(p.made, &m)
		if errors.Is(err, ebpf.ErrKeyNotExist) {
			return nil
		}
		if err != nil {
			return err
		}
		d := &destinations{number: p.made, m: m}
		for i := range m.MaxEntries() {
			value, err := m.LookupBytes(i)
			if err != nil {
				m.Close()
				return err
			}
			d.values = append(d.values, value)
		}
		p.free = append(p.free, d)
		p.made++
	}
	return nil
}
