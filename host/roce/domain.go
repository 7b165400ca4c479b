package roce

import (
	"github.com/p4ce/p4ce/host/rdma"
	"github.com/p4ce/p4ce/host/roce/rc"
)

// Domain is a protection domain of a Device: queue pairs reach only regions of their own domain.
type Domain struct {
	dev    *Device
	memory *rc.Memory
}

// NewDomain makes a protection domain in addition to the device's own.
func (d *Device) NewDomain() *Domain {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.domains++
	return &Domain{d, &rc.Memory{ID: d.domains}}
}

// own is the device's own domain.
func (d *Device) own() *Domain { return &Domain{d, &d.memory} }

// RegisterMemory makes buf reachable with the given rights. The buffer belongs to
// the region until DeregisterMemory. Key and address are random.
func (m *Domain) RegisterMemory(buf []byte, access rdma.Access) (*MR, error) {
	return m.dev.register(len(buf), func(va uint64, key uint32) (*MR, error) {
		return m.memory.Register(buf, va, access, key)
	})
}

// ShareMemory makes a region of the bytes of a region of another domain or device.
func (m *Domain) ShareMemory(mr *MR, access rdma.Access) (*MR, error) {
	return m.dev.register(mr.Len(), func(va uint64, key uint32) (*MR, error) {
		return m.memory.Share(mr, va, access, key)
	})
}
