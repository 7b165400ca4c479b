package p4rt

import (
	"fmt"
	"slices"

	p4config "github.com/p4lang/p4runtime/go/p4/config/v1"
)

// compareInfo says in what the p4info that a client pushed differs from the
// p4info of the program, as far as requests depend on it: ids, names, widths
// and match kinds. Documentation and annotations may differ.
func compareInfo(pushed, program *p4config.P4Info) error {
	return firstError(
		sameObjects("action", pushed.GetActions(), program.GetActions(), sameAction),
		sameObjects("table", pushed.GetTables(), program.GetTables(), sameTable),
		sameObjects("counter", pushed.GetCounters(), program.GetCounters(), func(a, b *p4config.Counter) error {
			return differs("size", a.GetSize(), b.GetSize())
		}),
		sameObjects("direct counter", pushed.GetDirectCounters(), program.GetDirectCounters(), func(a, b *p4config.DirectCounter) error {
			return differs("table id", a.GetDirectTableId(), b.GetDirectTableId())
		}),
		sameObjects("register", pushed.GetRegisters(), program.GetRegisters(), func(a, b *p4config.Register) error {
			return differs("size", a.GetSize(), b.GetSize())
		}),
		sameObjects("digest", pushed.GetDigests(), program.GetDigests(), func(_, _ *p4config.Digest) error { return nil }),
		sameObjects("controller header", pushed.GetControllerPacketMetadata(), program.GetControllerPacketMetadata(), samePacket),
	)
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
		return fmt.Errorf("%s %v, the program's is %v", what, pushed, program)
	}
	return nil
}

// object is what all kinds of p4info objects have.
type object interface{ GetPreamble() *p4config.Preamble }

func sameObjects[T object](kind string, pushed, program []T, same func(a, b T) error) error {
	for _, a := range pushed {
		id := a.GetPreamble().GetId()
		i := slices.IndexFunc(program, func(b T) bool { return b.GetPreamble().GetId() == id })
		if i < 0 {
			return fmt.Errorf("p4info: %s %q (id %#x) is not in the program of the device config", kind, a.GetPreamble().GetName(), id)
		}
		b := program[i]
		if err := firstError(differs("name", a.GetPreamble().GetName(), b.GetPreamble().GetName()), same(a, b)); err != nil {
			return fmt.Errorf("p4info: %s %q (id %#x): %w", kind, a.GetPreamble().GetName(), id, err)
		}
	}
	for _, b := range program {
		id := b.GetPreamble().GetId()
		if !slices.ContainsFunc(pushed, func(a T) bool { return a.GetPreamble().GetId() == id }) {
			return fmt.Errorf("p4info: %s %q (id %#x) of the program is missing", kind, b.GetPreamble().GetName(), id)
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
	for i, a := range pushed {
		b := program[i]
		if err := firstError(differs("id", a.GetId(), b.GetId()), differs("name", a.GetName(), b.GetName()),
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

func sameTable(a, b *p4config.Table) error {
	if err := sameParts("match field", a.GetMatchFields(), b.GetMatchFields()); err != nil {
		return err
	}
	for i, f := range a.GetMatchFields() {
		if err := differs("kind", matchKind(f), matchKind(b.GetMatchFields()[i])); err != nil {
			return fmt.Errorf("match field %q: %w", f.GetName(), err)
		}
	}
	if err := differs("number of actions", len(a.GetActionRefs()), len(b.GetActionRefs())); err != nil {
		return err
	}
	for i, r := range a.GetActionRefs() {
		if err := differs("action", fmt.Sprintf("%#x", r.GetId()), fmt.Sprintf("%#x", b.GetActionRefs()[i].GetId())); err != nil {
			return err
		}
	}
	return differs("size", a.GetSize(), b.GetSize())
}
