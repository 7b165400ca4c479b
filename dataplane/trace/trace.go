// Package trace is the command trace. It follows one packet through the program of a running switch, and shows each step: parser states, tables with their keys
// and entries, registers before and after, and what leaves. It copies the switch's program, entries, groups and registers over
// P4Runtime into an interpreter here, and runs the packet there. The switch does not see the packet, and keeps its state.
package trace

import (
	"context"
	"errors"
	"fmt"
	"slices"

	p4 "github.com/p4lang/p4runtime/go/p4/v1"

	"github.com/p4ce/p4ce/bpf/bundle"
	"github.com/p4ce/p4ce/dataplane"
	"github.com/p4ce/p4ce/dataplane/agent"
	"github.com/p4ce/p4ce/dataplane/interp"
	"github.com/p4ce/p4ce/dataplane/p4rt"
	"github.com/p4ce/p4ce/p4/lang/ir"
)

// Source is a switch to copy.
type Source interface {
	Address() string
	// GetPipeline returns the program that runs, nil when there is none.
	GetPipeline(ctx context.Context, parts p4.GetForwardingPipelineConfigRequest_ResponseType) (*p4.ForwardingPipelineConfig, error)
	Read(ctx context.Context, entities ...*p4.Entity) ([]*p4.Entity, error)
}

// Switch is a copy of a switch, as of one moment.
type Switch struct {
	Program *ir.Program
	target  *interp.Target
	steps   []interp.Step
}

// Copy copies a switch. Registers and entries are read one after the other: packets that the switch takes meanwhile change what is read
// later. Counters begin at 0, and meters with full buckets. cpu is the number of the port to the controller.
func Copy(ctx context.Context, c Source, cpu dataplane.Port) (*Switch, error) {
	config, err := c.GetPipeline(ctx, p4.GetForwardingPipelineConfigRequest_ALL)
	if err != nil {
		return nil, err
	}
	if config == nil {
		return nil, fmt.Errorf("switch %s runs no program: no controller has pushed one", c.Address())
	}
	b, err := bundle.Unmarshal(config.GetP4DeviceConfig())
	if err != nil {
		return nil, fmt.Errorf("switch %s: its program cannot be traced: it has no source with it: %w", c.Address(), err)
	}
	prog, info, err := agent.Compile(b)
	if err != nil {
		return nil, fmt.Errorf("switch %s: program %s: %w", c.Address(), b.Program, err)
	}
	for _, t := range prog.Tables { // what is initial may have changed
		t.Entries = slices.DeleteFunc(t.Entries, func(e *ir.Entry) bool { return !e.Const })
	}
	s := &Switch{Program: prog}
	s.target = interp.New(interp.Options{CPUPort: cpu, Trace: func(st interp.Step) { s.steps = append(s.steps, st) }})
	local, err := p4rt.NewLocal(s.target, prog, info)
	if err != nil {
		return nil, errors.Join(err, s.Close())
	}
	var all []*p4.Entity
	for _, p := range info.ActionProfiles { // before the entries that name them
		all = append(all,
			&p4.Entity{Entity: &p4.Entity_ActionProfileMember{ActionProfileMember: &p4.ActionProfileMember{ActionProfileId: p.Preamble.Id}}},
			&p4.Entity{Entity: &p4.Entity_ActionProfileGroup{ActionProfileGroup: &p4.ActionProfileGroup{ActionProfileId: p.Preamble.Id}}})
	}
	for _, t := range info.Tables {
		for _, isDefault := range []bool{false, true} {
			all = append(all, &p4.Entity{Entity: &p4.Entity_TableEntry{TableEntry: &p4.TableEntry{TableId: t.Preamble.Id, IsDefaultAction: isDefault}}})
		}
	}
	for _, r := range info.Registers {
		all = append(all, &p4.Entity{Entity: &p4.Entity_RegisterEntry{RegisterEntry: &p4.RegisterEntry{RegisterId: r.Preamble.Id}}})
	}
	all = append(all, &p4.Entity{Entity: &p4.Entity_PacketReplicationEngineEntry{PacketReplicationEngineEntry: &p4.PacketReplicationEngineEntry{
		Type: &p4.PacketReplicationEngineEntry_MulticastGroupEntry{MulticastGroupEntry: &p4.MulticastGroupEntry{}},
	}}})
	for _, v := range info.ValueSets {
		all = append(all, &p4.Entity{Entity: &p4.Entity_ValueSetEntry{ValueSetEntry: &p4.ValueSetEntry{ValueSetId: v.Preamble.Id}}})
	}
	have, err := c.Read(ctx, all...)
	if err != nil {
		return nil, errors.Join(err, s.Close())
	}
	constant := map[uint32]bool{}
	for _, t := range info.Tables {
		constant[t.Preamble.Id] = t.IsConstTable
	}
	for _, e := range have {
		u := &p4.Update{Type: p4.Update_INSERT, Entity: e}
		switch x := e.GetEntity().(type) {
		case *p4.Entity_TableEntry:
			if x.TableEntry.IsConst || constant[x.TableEntry.TableId] {
				continue // the program has it
			}
			x.TableEntry.CounterData, x.TableEntry.TimeSinceLastHit = nil, nil
			if x.TableEntry.IsDefaultAction {
				u.Type = p4.Update_MODIFY
			}
		case *p4.Entity_RegisterEntry, *p4.Entity_ValueSetEntry:
			u.Type = p4.Update_MODIFY
		}
		if err := local.Write(u); err != nil {
			return nil, errors.Join(fmt.Errorf("switch %s: copy %v: %w", c.Address(), e, err), s.Close())
		}
	}
	return s, nil
}

// Packet runs a frame that comes in by a port, and returns its steps and what leaves. Its effects on registers stay: a second packet meets
// them.
func (s *Switch) Packet(port dataplane.Port, frame []byte) ([]interp.Step, []dataplane.Out, error) {
	s.steps = nil
	out, err := s.target.Trace(port, frame)
	return s.steps, out, err
}

// Close frees the copy.
func (s *Switch) Close() error { return s.target.Close() }
