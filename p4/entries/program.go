package entries

import (
	"fmt"
	"math/big"
	"slices"
	"strconv"
	"strings"

	p4config "github.com/p4lang/p4runtime/go/p4/config/v1"

	"github.com/p4ce/p4ce/p4/lang/ir"
)

// Program has the names of a program. It is immutable.
type Program struct {
	info      *p4config.P4Info
	tables    map[uint32]*p4config.Table
	actions   map[uint32]*p4config.Action
	profiles  map[uint32]*p4config.ActionProfile
	registers map[uint32]*p4config.Register
	counters  map[uint32]*p4config.Counter
	direct    map[uint32]*p4config.DirectCounter // by table
	meters    map[uint32]*p4config.Meter
	digests   map[uint32]*p4config.Digest
	constants map[string]*big.Int       // nil: the name has several values
	cells     map[uint32]map[int]string // of counters
}

// New reads the names of a p4info, and those of constants of the program, which may be nil: then there are none.
func New(info *p4config.P4Info, prog *ir.Program) *Program {
	p := &Program{
		info: info, tables: byID(info.GetTables()), actions: byID(info.GetActions()), profiles: byID(info.GetActionProfiles()),
		registers: byID(info.GetRegisters()), counters: byID(info.GetCounters()), meters: byID(info.GetMeters()), digests: byID(info.GetDigests()),
		direct: map[uint32]*p4config.DirectCounter{}, constants: map[string]*big.Int{}, cells: map[uint32]map[int]string{},
	}
	for _, c := range info.GetDirectCounters() {
		p.direct[c.GetDirectTableId()] = c
	}
	if prog == nil {
		return p
	}
	for _, c := range prog.Constants {
		p.constant(c.Name, c.Value)
		if c.Enum {
			p.constant(c.TypeName+"."+c.Name, c.Value)
		}
	}
	for id, c := range p.counters {
		for _, src := range prog.Counters {
			if src.Name != c.GetPreamble().GetName() && !strings.HasSuffix(src.Name, "."+c.GetPreamble().GetName()) {
				continue
			}
			p.cells[id] = map[int]string{}
			seen := map[string]bool{}
			for _, v := range prog.IndexValues(src) {
				if v.Short != "" && v.Short[0] >= 'a' && !seen[v.Short] { // what could be a number has no name
					p.cells[id][int(v.Value.Int64())] = v.Short
				}
				seen[v.Short] = true
			}
		}
	}
	return p
}

func (p *Program) constant(name string, v *big.Int) {
	if old, known := p.constants[name]; known && (old == nil || old.Cmp(v) != 0) {
		v = nil
	}
	p.constants[name] = v
}

// Info is the p4info.
func (p *Program) Info() *p4config.P4Info { return p.info }

type object interface{ GetPreamble() *p4config.Preamble }

func byID[T object](list []T) map[uint32]T {
	m := map[uint32]T{}
	for _, o := range list {
		m[o.GetPreamble().GetId()] = o
	}
	return m
}

// find finds an object by its name or its alias.
func find[T object](kind, name string, list []T) (T, error) {
	for _, o := range list {
		if o.GetPreamble().GetAlias() == name {
			return o, nil
		}
	}
	return Resolve(kind, name, list, func(o T) string { return o.GetPreamble().GetName() })
}

// called is the shortest name of an object.
func called(o object) string {
	if a := o.GetPreamble().GetAlias(); a != "" {
		return a
	}
	return o.GetPreamble().GetName()
}

// number reads a number, an address, or the name of a constant.
func (p *Program) number(s string) (*big.Int, error) {
	v, known := p.constants[s]
	switch {
	case v != nil:
		return v, nil
	case known:
		return nil, fmt.Errorf("constant %q has several values: name its enum, TYPE.%s, or give a number", s, s)
	}
	v, err := Number(s)
	if err != nil && s != "" && (s[0] == '_' || s[0] >= 'A') && !strings.ContainsAny(s, ":/*") {
		return nil, fmt.Errorf("%q is neither a number, nor an address, nor a constant of the program%s", s, p.likeConstant(s))
	}
	return v, err
}

// likeConstant is what the name of a constant may mean.
func (p *Program) likeConstant(s string) string {
	var near []string
	for name := range p.constants {
		if distance(strings.ToLower(name), strings.ToLower(s)) <= 1+len(s)/4 {
			near = append(near, name)
		}
	}
	if len(near) == 0 {
		return ""
	}
	slices.Sort(near)
	return " (did you mean " + near[0] + "?)"
}

// value reads a value of width bits, in its shortest form.
func (p *Program) value(s string, width int32) ([]byte, error) {
	v, err := p.number(s)
	if err != nil {
		return nil, err
	}
	return Bytes(v), p.fits(v, width)
}

// fits says in decimal, as people count, what is too much.
func (p *Program) fits(v *big.Int, width int32) error {
	if v.BitLen() <= int(width) {
		return nil
	}
	if width <= 32 {
		return fmt.Errorf("%d is too large: the field has %d bits, the largest value is %d", v, width, Ones(int(width)))
	}
	return fmt.Errorf("%#x is too large: the field has %d bits", v, width)
}

// Bytes is the shortest form of a value, as P4Runtime wants it: one byte at least.
func Bytes(v *big.Int) []byte {
	if v.Sign() == 0 {
		return []byte{0}
	}
	return v.Bytes()
}

// index reads the index of a counter, register or meter: a number, a constant, or the name of a counter's cell.
func (p *Program) index(s string, size int64, cells map[int]string) (int64, error) {
	for i, n := range cells {
		if n == s {
			return int64(i), nil
		}
	}
	v, err := p.number(s)
	switch {
	case err != nil:
		return 0, fmt.Errorf("index %w", err)
	case !v.IsInt64() || v.Int64() >= size:
		return 0, fmt.Errorf("index %d: there are %d, from 0", v, size)
	}
	return v.Int64(), nil
}

// cell is how an index is written.
func cell(i int64, cells map[int]string) string {
	if n := cells[int(i)]; n != "" {
		return n
	}
	return strconv.FormatInt(i, 10)
}

// form is how values of a field are written.
type form int

const (
	decimal form = iota
	hexadecimal
	mac
	ipv4
	ipv6
)

// formats are the arguments of @format.
var formats = map[string]form{"MAC_ADDRESS": mac, "IPV4_ADDRESS": ipv4, "IPV6_ADDRESS": ipv6, "HEX_STRING": hexadecimal, "HEX": hexadecimal, "DECIMAL": decimal}

// widths are those that addresses have.
var widths = map[form]int32{mac: 48, ipv4: 32, ipv6: 128}

// formOf is how values of a field are written, by its annotations, its name and its width.
func formOf(name string, width int32, annotations []string) form {
	for _, a := range annotations {
		arg, ok := strings.CutPrefix(a, "@format(")
		f, known := formats[strings.Trim(strings.TrimSuffix(arg, ")"), `" `)]
		if w := widths[f]; ok && known && (w == 0 || w == width) {
			return f
		}
	}
	ip, kind := false, false
	for _, w := range ir.Words(name) {
		switch w {
		case "ip", "ipv4", "ip4", "ipv6", "ip6", "nexthop", "gateway":
			ip = true
		case "type", "ethertype", "mask", "flags":
			kind = true
		}
	}
	switch {
	case width == 48:
		return mac
	case width == 32 && ip:
		return ipv4
	case width == 128 && ip:
		return ipv6
	case width > 16 || kind && width > 8:
		return hexadecimal
	}
	return decimal
}

// text writes a value.
func (f form) text(b []byte) string {
	v := new(big.Int).SetBytes(b)
	if n := int(widths[f] / 8); n > 0 && v.BitLen() <= 8*n {
		return address(f, v.FillBytes(make([]byte, n)))
	}
	if f == decimal {
		return v.String()
	}
	return "0x" + v.Text(16)
}
