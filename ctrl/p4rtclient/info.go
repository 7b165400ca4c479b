package p4rtclient

import (
	"fmt"
	"math/bits"

	p4config "github.com/p4lang/p4runtime/go/p4/config/v1"
)

// Info indexes a p4info by name and alias. It is immutable.
type Info struct {
	P4Info    *p4config.P4Info
	tables    map[string]*p4config.Table
	tableIDs  map[uint32]*p4config.Table
	actions   map[string]*p4config.Action
	actionIDs map[uint32]*p4config.Action
	registers map[string]*p4config.Register
	counters  map[string]*p4config.Counter
	meters    map[string]*p4config.Meter
	digests   map[string]*p4config.Digest
	packets   map[string]*p4config.ControllerPacketMetadata
}

// NewInfo indexes a p4info.
func NewInfo(p *p4config.P4Info) *Info {
	i := &Info{
		P4Info: p,
		tables: map[string]*p4config.Table{}, tableIDs: map[uint32]*p4config.Table{},
		actions: map[string]*p4config.Action{}, actionIDs: map[uint32]*p4config.Action{},
		registers: map[string]*p4config.Register{}, counters: map[string]*p4config.Counter{}, meters: map[string]*p4config.Meter{},
		digests: map[string]*p4config.Digest{}, packets: map[string]*p4config.ControllerPacketMetadata{},
	}
	index(i.tables, p.GetTables())
	index(i.actions, p.GetActions())
	index(i.registers, p.GetRegisters())
	index(i.counters, p.GetCounters())
	index(i.meters, p.GetMeters())
	index(i.digests, p.GetDigests())
	index(i.packets, p.GetControllerPacketMetadata())
	for _, t := range p.GetTables() {
		i.tableIDs[t.GetPreamble().GetId()] = t
	}
	for _, a := range p.GetActions() {
		i.actionIDs[a.GetPreamble().GetId()] = a
	}
	return i
}

// index files objects under their names and their aliases. Aliases are unique
// (P4Runtime 6.3), and the same for every compiler, which full names are not: a
// controller that serves many kinds of switch uses aliases.
func index[T interface{ GetPreamble() *p4config.Preamble }](m map[string]T, list []T) {
	for _, o := range list {
		if a := o.GetPreamble().GetAlias(); a != "" {
			m[a] = o
		}
	}
	for _, o := range list {
		m[o.GetPreamble().GetName()] = o
	}
}

// TableSize is the number of entries that a table has room for.
func (i *Info) TableSize(table string) int64 { return i.tables[table].GetSize() }

// RegisterSize is the number of elements of a register.
func (i *Info) RegisterSize(name string) int { return int(i.registers[name].GetSize()) }

// RegisterName is the full name of a register, which begins with the control that has it; "" if there is none.
func (i *Info) RegisterName(name string) string { return i.registers[name].GetPreamble().GetName() }

// lookup finds an object by name.
func lookup[T any](m map[string]T, kind, name string) (T, error) {
	v, ok := m[name]
	if !ok {
		return v, fmt.Errorf("%s %q: not in the p4info of the pipeline", kind, name)
	}
	return v, nil
}

// Uint is an integer as a value.
func Uint(v uint64) []byte {
	b := []byte{byte(v >> 56), byte(v >> 48), byte(v >> 40), byte(v >> 32), byte(v >> 24), byte(v >> 16), byte(v >> 8), byte(v)}
	return shortest(b)
}

// ToUint is a value as an integer. The high bits of a wider value are lost.
func ToUint(b []byte) uint64 {
	var v uint64
	for _, x := range b {
		v = v<<8 | uint64(x)
	}
	return v
}

func shortest(b []byte) []byte {
	for len(b) > 1 && b[0] == 0 {
		b = b[1:]
	}
	return b
}

// checked is the shortest form of a value that fits in width bits.
func checked(b []byte, width int32, what string) ([]byte, error) {
	if len(b) == 0 {
		return nil, fmt.Errorf("%s: no value", what)
	}
	b = shortest(b)
	if got := len(b)*8 - bits.LeadingZeros8(b[0]); got > int(width) {
		return nil, fmt.Errorf("%s: value %x has %d bits, the field %d", what, b, got, width)
	}
	return b, nil
}

// padded is a value as long as its field.
func padded(b []byte, width int32) []byte {
	n := int(width+7) / 8
	if len(b) >= n {
		return b[len(b)-n:]
	}
	return append(make([]byte, n-len(b)), b...)
}
