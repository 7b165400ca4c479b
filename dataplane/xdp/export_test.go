package xdp

import (
	"encoding/binary"

	"github.com/p4ce/p4ce/p4/lang/ir"
)

// CountOn counts a packet of so many bytes as a CPU would.
func (t *Target) CountOn(c *ir.Counter, cpu, index, bytes int) error {
	p, d, err := t.counter(c, index)
	if err != nil {
		return err
	}
	m, at := p.registers.cell(d, cpu, index)
	b := make([]byte, 16)
	if _, err := m.ReadAt(b, at); err != nil {
		return err
	}
	for i, n := range []int{1, bytes} {
		binary.NativeEndian.PutUint64(b[8*i:], binary.NativeEndian.Uint64(b[8*i:])+uint64(n))
	}
	_, err = m.WriteAt(b, at)
	return err
}
