package stf

import (
	"fmt"
	"math/big"
	"slices"

	"github.com/p4ce/p4ce/dataplane"
	"github.com/p4ce/p4ce/p4/entries"
	"github.com/p4ce/p4ce/p4/lang/ir"
)

// Switch is what a script needs of a target: a dataplane.Target that is also a
// dataplane.Injector has it.
type Switch interface {
	Insert(*dataplane.Entry) error
	Modify(*dataplane.Entry) error
	Delete(*dataplane.Entry) error
	SetDefault(*ir.Table, *dataplane.Action) error
	SetGroup(id uint16, replicas []dataplane.Replica) error
	ReadRegister(r *ir.Register, index int) ([][]byte, error)
	WriteRegister(r *ir.Register, index int, fields [][]byte) error
	ReadCounter(c *ir.Counter, index int) (dataplane.Counter, error)
	ReadDirectCounter(e *dataplane.Entry) (dataplane.Counter, error)
	WriteMeter(m *ir.Meter, index int, config *dataplane.Meter) error
	CPUPort() dataplane.Port
	// SetEvents: digests of a packet are reported before its Inject returns.
	SetEvents(ev dataplane.Events)
	Inject(p dataplane.Port, frame []byte) ([]dataplane.Out, error)
}

// A Failure is one thing that went wrong.
type Failure struct {
	Line    int
	Message string
}

// Result is the outcome of a script.
type Result struct {
	Script   string
	Packets  int // sent
	Expected int // packets that had to come out
	Failures []Failure
}

// OK tells whether nothing went wrong.
func (r *Result) OK() bool { return len(r.Failures) == 0 }

// String is one line per outcome, and the details of failures.
func (r *Result) String() string {
	if r.OK() {
		return fmt.Sprintf("%s: ok (packets: %d in, %d out)\n", r.Script, r.Packets, r.Expected)
	}
	s := ""
	for _, f := range r.Failures {
		s += fmt.Sprintf("%s:%d: %s\n", r.Script, f.Line, f.Message)
	}
	return s + fmt.Sprintf("%s: FAILED (failures: %d)\n", r.Script, len(r.Failures))
}

// received is a packet that came out, and the line that sent the one it came
// from.
type received struct {
	frame []byte
	line  int
}

type runner struct {
	prog    *ir.Program
	sw      Switch
	res     *Result
	outs    map[int][]received
	expect  map[int][]*Expect
	digests digests
	groups  map[int][]dataplane.Replica
	nodes   []*Node
	// next is the priority of an entry that gives none: earlier ones win, and
	// those that give one win over them.
	next int32
	// added has the priorities of the entries that the script has added, by their place.
	added map[string][]int32
}

// noPriority is the highest priority of entries that give none. Given
// priorities come above it.
const noPriority = 1 << 20

// Run runs a script on a switch that runs the program. Each packet is
// processed completely before the next statement.
func Run(s *Script, prog *ir.Program, sw Switch) *Result {
	r := &runner{
		prog: prog, sw: sw, res: &Result{Script: s.Name},
		outs: map[int][]received{}, expect: map[int][]*Expect{},
		groups: map[int][]dataplane.Replica{}, next: noPriority,
		added: map[string][]int32{},
	}
	sw.SetEvents(dataplane.Events{Digest: r.digests.receive})
	defer sw.SetEvents(dataplane.Events{})
	for _, st := range s.Stmts {
		r.digests.line.Store(int64(st.line()))
		if err := r.stmt(st); err != nil {
			r.fail(st.line(), "%v", err)
		}
	}
	r.settle()
	slices.SortStableFunc(r.res.Failures, func(a, b Failure) int { return a.Line - b.Line })
	return r.res
}

func (r *runner) fail(line int, format string, args ...any) {
	r.res.Failures = append(r.res.Failures, Failure{line, fmt.Sprintf(format, args...)})
}

func (r *runner) stmt(st Stmt) error {
	switch st := st.(type) {
	case *Add:
		return r.change(st)
	case *SetDefault:
		t, err := r.table(st.Table)
		if err != nil {
			return err
		}
		if st.Action.Name == "" {
			return r.sw.SetDefault(t, nil)
		}
		a, err := r.action(t, st.Action)
		if err != nil {
			return err
		}
		return r.sw.SetDefault(t, &a)
	case *CheckEntry:
		return r.checkEntry(st)
	case *Packet:
		r.res.Packets++
		outs, err := r.sw.Inject(dataplane.Port(st.Port), st.Data)
		if err != nil {
			return fmt.Errorf("packet into port %d: %w", st.Port, err)
		}
		for _, o := range outs {
			p := int(o.Port)
			r.outs[p] = append(r.outs[p], received{append([]byte(nil), o.Frame...), st.line()})
		}
	case *Expect:
		r.res.Expected++
		r.expect[st.Port] = append(r.expect[st.Port], st)
	case *ExpectDigest:
		r.digests.strict = true
		e, err := r.digestOf(st)
		if err != nil {
			return err
		}
		r.digests.expect = append(r.digests.expect, e)
	case *NoDigest:
		r.digests.strict = true
	case *Wait:
		r.settle()
	case *Group:
		g := []dataplane.Replica{}
		for _, m := range st.Members {
			g = append(g, dataplane.Replica{Port: dataplane.Port(m.Port), Instance: uint16(m.Instance)})
		}
		return r.group(st.ID, g)
	case *Node:
		r.nodes = append(r.nodes, st)
	case *Join:
		if st.Node >= len(r.nodes) {
			return fmt.Errorf("node %d does not exist (mc_node_create numbers them from 0)", st.Node)
		}
		g, ok := r.groups[st.Group]
		if !ok {
			return fmt.Errorf("multicast group %d does not exist (mc_mgrp_create makes it)", st.Group)
		}
		n := r.nodes[st.Node]
		for _, p := range n.Ports {
			g = append(g, dataplane.Replica{Port: dataplane.Port(p), Instance: uint16(n.Instance)})
		}
		return r.group(st.Group, g)
	case *SetMeter:
		return r.setMeter(st)
	case *WriteRegister:
		return r.writeRegister(st)
	case *Check:
		return r.check(st)
	}
	return nil
}

func (r *runner) group(id int, g []dataplane.Replica) error {
	r.groups[id] = g
	if len(g) == 0 {
		return nil // known to the switch once it has a member
	}
	if err := r.sw.SetGroup(uint16(id), g); err != nil {
		return fmt.Errorf("multicast group %d: %w", id, err)
	}
	return nil
}

func (r *runner) table(name string) (*ir.Table, error) {
	return entries.Resolve("table", name, r.prog.Tables, func(t *ir.Table) string { return t.Name })
}

func (r *runner) action(t *ir.Table, c Call) (dataplane.Action, error) {
	a, err := actionOf(t, c.Name)
	if err != nil {
		return dataplane.Action{}, err
	}
	out := dataplane.Action{Action: a, Args: make([][]byte, len(a.Params))}
	for _, arg := range c.Args {
		i := -1
		for j, p := range a.Params {
			if p.Name == arg.Key {
				i = j
			}
		}
		if i < 0 {
			return out, fmt.Errorf("action %s has no parameter %q", a.Name, arg.Key)
		}
		if out.Args[i] != nil {
			return out, fmt.Errorf("action %s: parameter %q is given twice", a.Name, arg.Key)
		}
		v, err := number(arg.Value)
		if err == nil {
			out.Args[i], err = toBytes(v, a.Params[i].Type.Width)
		}
		if err != nil {
			return out, fmt.Errorf("action %s: parameter %q: %w", a.Name, arg.Key, err)
		}
	}
	for i, p := range a.Params {
		if out.Args[i] == nil {
			return out, fmt.Errorf("action %s: parameter %q is missing", a.Name, p.Name)
		}
	}
	return out, nil
}

// entry is what a statement says of an entry. One without a priority has 0.
func (r *runner) entry(st *Add) (*dataplane.Entry, error) {
	t, err := r.table(st.Table)
	if err != nil {
		return nil, err
	}
	e := &dataplane.Entry{Table: t, Matches: make([]dataplane.Match, len(t.Keys))}
	used := make([]bool, len(t.Keys))
	for _, kv := range st.Keys {
		i, err := keyOf(t, kv.Key, used)
		if err != nil {
			return nil, err
		}
		used[i] = true
		if e.Matches[i], err = matchOf(t.Keys[i], kv.Value); err != nil {
			return nil, fmt.Errorf("table %s: key %s: %w", t.Name, t.Keys[i].Name, err)
		}
	}
	for i, k := range t.Keys {
		if used[i] {
			continue
		}
		if e.Matches[i], err = anyMatch(k); err != nil {
			return nil, fmt.Errorf("table %s: %w", t.Name, err)
		}
	}
	if st.Op != Delete {
		if e.Action, err = r.action(t, st.Action); err != nil {
			return nil, err
		}
	}
	if prioritised(t) && st.Priority >= 0 {
		if st.Priority > 1<<31-2-noPriority {
			return nil, fmt.Errorf("table %s: priority %d is too large", t.Name, st.Priority)
		}
		e.Priority = int32(noPriority + 1 + st.Priority)
	}
	return e, nil
}

// prioritised: several entries of the table may match a packet, and the priority decides.
func prioritised(t *ir.Table) bool {
	return slices.ContainsFunc(t.Keys, func(k *ir.Key) bool {
		return k.Match == ir.Ternary || k.Match == ir.Range || k.Match == ir.Optional
	})
}

func (r *runner) writeRegister(st *WriteRegister) error {
	reg, err := entries.Resolve("register", st.Name, r.prog.Registers, func(x *ir.Register) string { return x.Name })
	if err != nil {
		return err
	}
	if len(st.Values) != len(reg.Fields) {
		return fmt.Errorf("register %s: %d values for %d fields", reg.Name, len(st.Values), len(reg.Fields))
	}
	fields := make([][]byte, len(reg.Fields))
	for i, f := range reg.Fields {
		v, err := number(st.Values[i])
		if err == nil {
			fields[i], err = toBytes(v, f.Type.Width)
		}
		if err != nil {
			return fmt.Errorf("register %s: %w", reg.Name, err)
		}
	}
	return r.sw.WriteRegister(reg, st.Index, fields)
}

func (r *runner) setMeter(st *SetMeter) error {
	m, err := entries.Resolve("meter", st.Name, r.prog.Meters, func(x *ir.Meter) string { return x.Name })
	if err != nil {
		return err
	}
	return r.sw.WriteMeter(m, st.Index, &st.Config)
}

func (r *runner) check(st *Check) error {
	want, err := number(st.Value)
	if err != nil {
		return err
	}
	var got *big.Int
	var what string
	if st.Counter {
		c, err := entries.Resolve("counter", st.Name, r.prog.Counters, func(x *ir.Counter) string { return x.Name })
		if err != nil {
			return err
		}
		v, err := r.sw.ReadCounter(c, st.Index)
		if err != nil {
			return err
		}
		n := v.Packets
		if st.Field == "bytes" {
			n = v.Bytes
		}
		got, what = new(big.Int).SetUint64(n), fmt.Sprintf("counter %s(%d) %s", c.Name, st.Index, st.Field)
	} else {
		reg, err := entries.Resolve("register", st.Name, r.prog.Registers, func(x *ir.Register) string { return x.Name })
		if err != nil {
			return err
		}
		fields, err := r.sw.ReadRegister(reg, st.Index)
		if err != nil {
			return err
		}
		i := 0
		for st.Field != "" && (i == len(reg.Fields) || reg.Fields[i].Name != st.Field) {
			if i++; i >= len(reg.Fields) {
				return fmt.Errorf("register %s has no field %q", reg.Name, st.Field)
			}
		}
		if i >= len(fields) {
			return fmt.Errorf("register %s: the target gave %d fields", reg.Name, len(fields))
		}
		got, what = new(big.Int).SetBytes(fields[i]), fmt.Sprintf("register %s(%d)", reg.Name, st.Index)
	}
	return compare(what, got, st.Op, want)
}

func isComparison(s string) bool {
	return slices.Contains([]string{"==", "!=", "<", "<=", ">", ">="}, s)
}

func compare(what string, got *big.Int, op string, want *big.Int) error {
	c := got.Cmp(want)
	ok := map[string]bool{"==": c == 0, "!=": c != 0, "<": c < 0, "<=": c <= 0, ">": c > 0, ">=": c >= 0}[op]
	if !ok {
		return fmt.Errorf("%s: expected %s %#x, got %#x", what, op, want, got)
	}
	return nil
}
