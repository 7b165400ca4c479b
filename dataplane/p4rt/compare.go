package p4rt

import (
	"fmt"
	"slices"
	"strings"

	p4config "github.com/p4lang/p4runtime/go/p4/config/v1"
)

// compareInfo says in what the p4info that a client pushed differs from the
// p4info of the program, as far as requests depend on it: names, widths, match
// kinds and sizes. Compilers give the same program other ids, and leave the name of
// its pipeline out of its names or do not: both are the client's to choose.
// Documentation and annotations may differ.
func compareInfo(pushed, program *p4config.P4Info, pipe string) error {
	c := comparison{pushed: pushed, program: program, pipe: pipe}
	return firstError(
		sameObjects(&c, "action", pushed.GetActions(), program.GetActions(), sameAction),
		sameObjects(&c, "table", pushed.GetTables(), program.GetTables(), c.sameTable),
		sameObjects(&c, "counter", pushed.GetCounters(), program.GetCounters(), func(a, b *p4config.Counter) error {
			return differs("size", a.GetSize(), b.GetSize())
		}),
		sameObjects(&c, "direct counter", pushed.GetDirectCounters(), program.GetDirectCounters(), func(a, b *p4config.DirectCounter) error {
			return differs("table", c.tableName(pushed, a.GetDirectTableId()), c.tableName(program, b.GetDirectTableId()))
		}),
		sameObjects(&c, "register", pushed.GetRegisters(), program.GetRegisters(), func(a, b *p4config.Register) error {
			return differs("size", a.GetSize(), b.GetSize())
		}),
		sameObjects(&c, "meter", pushed.GetMeters(), program.GetMeters(), func(a, b *p4config.Meter) error {
			if err := firstError(differs("unit", a.GetSpec().GetUnit(), b.GetSpec().GetUnit()),
				differs("type", a.GetSpec().GetType(), b.GetSpec().GetType())); err != nil {
				return err
			}
			return differs("size", a.GetSize(), b.GetSize())
		}),
		sameObjects(&c, "action profile", pushed.GetActionProfiles(), program.GetActionProfiles(), func(a, b *p4config.ActionProfile) error {
			return firstError(differs("with_selector", a.GetWithSelector(), b.GetWithSelector()), differs("size", a.GetSize(), b.GetSize()),
				differs("max_group_size", a.GetMaxGroupSize(), b.GetMaxGroupSize()), differs("selector_size_semantics", a.GetSumOfMembers() != nil, b.GetSumOfMembers() != nil),
				differs("weights_disallowed", a.GetWeightsDisallowed(), b.GetWeightsDisallowed()))
		}),
		sameObjects(&c, "value set", pushed.GetValueSets(), program.GetValueSets(), func(a, b *p4config.ValueSet) error {
			if err := sameFields(a.GetMatch(), b.GetMatch()); err != nil {
				return err
			}
			return differs("size", a.GetSize(), b.GetSize())
		}),
		sameObjects(&c, "direct meter", pushed.GetDirectMeters(), program.GetDirectMeters(), func(a, b *p4config.DirectMeter) error {
			return firstError(differs("unit", a.GetSpec().GetUnit(), b.GetSpec().GetUnit()),
				differs("type", a.GetSpec().GetType(), b.GetSpec().GetType()),
				differs("table", c.tableName(pushed, a.GetDirectTableId()), c.tableName(program, b.GetDirectTableId())))
		}),
		sameObjects(&c, "digest", pushed.GetDigests(), program.GetDigests(), func(_, _ *p4config.Digest) error { return nil }),
		sameObjects(&c, "controller header", pushed.GetControllerPacketMetadata(), program.GetControllerPacketMetadata(), samePacket),
	)
}

type comparison struct {
	pushed, program *p4config.P4Info
	pipe            string
}

// name is an object's name without that of its pipeline.
func (c *comparison) name(o object) string { return short(o.GetPreamble().GetName(), c.pipe) }

func short(name, pipe string) string { return strings.TrimPrefix(name, pipe+".") }

func (c *comparison) tableName(info *p4config.P4Info, id uint32) string {
	for _, t := range info.GetTables() {
		if t.GetPreamble().GetId() == id {
			return c.name(t)
		}
	}
	return ""
}

func (c *comparison) actionName(info *p4config.P4Info, id uint32) string {
	for _, a := range info.GetActions() {
		if a.GetPreamble().GetId() == id {
			return c.name(a)
		}
	}
	return ""
}

func firstError(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

func differs[T comparable](what string, pushed, program T) error {
	if pushed != program {
		return fmt.Errorf("%s %v, but the program has %v", what, pushed, program)
	}
	return nil
}

// object is what all kinds of p4info objects have.
type object interface{ GetPreamble() *p4config.Preamble }

func sameObjects[T object](c *comparison, kind string, pushed, program []T, same func(a, b T) error) error {
	ids, names := map[uint32]string{}, map[string]bool{}
	for _, a := range pushed {
		id, name := a.GetPreamble().GetId(), a.GetPreamble().GetName()
		switch other, twice := ids[id]; {
		case id == 0:
			return fmt.Errorf("p4info: %s %q: no id", kind, name)
		case twice:
			return fmt.Errorf("p4info: %s %q: id %#x already belongs to %q", kind, name, id, other)
		case names[c.name(a)]:
			return fmt.Errorf("p4info: %s %q: given twice", kind, name)
		}
		ids[id], names[c.name(a)] = name, true
		i := slices.IndexFunc(program, func(b T) bool { return c.name(b) == c.name(a) })
		if i < 0 {
			return fmt.Errorf("p4info: %s %q (id %#x) is not in the program of the device config", kind, name, id)
		}
		if err := same(a, program[i]); err != nil {
			return fmt.Errorf("p4info: %s %q (id %#x): %w", kind, name, id, err)
		}
	}
	for _, b := range program {
		if !names[c.name(b)] {
			return fmt.Errorf("p4info: %s %q of the program is missing", kind, b.GetPreamble().GetName())
		}
	}
	return nil
}

// identified is a part of an object: a match field, a parameter.
type identified interface {
	GetId() uint32
	GetName() string
	GetBitwidth() int32
}

func sameParts[T identified](kind string, pushed, program []T) error {
	if err := differs("number of "+kind+"s", len(pushed), len(program)); err != nil {
		return err
	}
	ids := map[uint32]bool{}
	for i, a := range pushed {
		b := program[i]
		if a.GetId() == 0 || ids[a.GetId()] {
			return fmt.Errorf("%s %q: id %d is missing or already used", kind, a.GetName(), a.GetId())
		}
		ids[a.GetId()] = true
		if err := firstError(differs("name", a.GetName(), b.GetName()),
			differs("width", a.GetBitwidth(), b.GetBitwidth())); err != nil {
			return fmt.Errorf("%s %q: %w", kind, a.GetName(), err)
		}
	}
	return nil
}

func sameAction(a, b *p4config.Action) error {
	return sameParts("parameter", a.GetParams(), b.GetParams())
}

func samePacket(a, b *p4config.ControllerPacketMetadata) error {
	return sameParts("metadata field", a.GetMetadata(), b.GetMetadata())
}

// sameFields compares the match fields of tables and value sets.
func sameFields(a, b []*p4config.MatchField) error {
	if err := sameParts("match field", a, b); err != nil {
		return err
	}
	for i, f := range a {
		if err := differs("kind", matchKind(f), matchKind(b[i])); err != nil {
			return fmt.Errorf("match field %q: %w", f.GetName(), err)
		}
	}
	return nil
}

func (c *comparison) sameTable(a, b *p4config.Table) error {
	if err := sameFields(a.GetMatchFields(), b.GetMatchFields()); err != nil {
		return err
	}
	if err := differs("number of actions", len(a.GetActionRefs()), len(b.GetActionRefs())); err != nil {
		return err
	}
	for _, r := range a.GetActionRefs() {
		name := c.actionName(c.pushed, r.GetId())
		if !slices.ContainsFunc(b.GetActionRefs(), func(o *p4config.ActionRef) bool {
			return name != "" && c.actionName(c.program, o.GetId()) == name && o.GetScope() == r.GetScope()
		}) {
			return fmt.Errorf("action id %#x (%q): not an action of the program's table, or not in the same scope", r.GetId(), name)
		}
	}
	return firstError(differs("size", a.GetSize(), b.GetSize()),
		differs("implementation", c.profileName(c.pushed, a.GetImplementationId()), c.profileName(c.program, b.GetImplementationId())))
}

func (c *comparison) profileName(info *p4config.P4Info, id uint32) string {
	for _, x := range info.GetActionProfiles() {
		if x.GetPreamble().GetId() == id {
			return c.name(x)
		}
	}
	return ""
}
