package p4rt

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	p4 "github.com/p4lang/p4runtime/go/p4/v1"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"

	"github.com/p4ce/p4ce/bpf/bundle"
	"github.com/p4ce/p4ce/dataplane"
	"github.com/p4ce/p4ce/p4/lang/ir"
)

// prepared is a pipeline config that has been verified and can be committed.
type prepared struct {
	pipeline *dataplane.Pipeline
	staged   dataplane.Staged // nil: not yet, or not any more
	schema   *schema
	config   *p4.ForwardingPipelineConfig
}

// SetForwardingPipelineConfig verifies, saves or commits a pipeline.
func (s *Server) SetForwardingPipelineConfig(ctx context.Context, req *p4.SetForwardingPipelineConfigRequest) (*p4.SetForwardingPipelineConfigResponse, error) {
	if err := s.checkDevice(req.GetDeviceId(), "pipeline config"); err != nil {
		return nil, err
	}
	if err := s.checkPrimary(req.GetRole(), req.GetRoleId(), req.GetElectionId()); err != nil { //nolint:staticcheck // refused there
		return nil, err
	}
	action := req.GetAction()
	var p *prepared
	switch action {
	case p4.SetForwardingPipelineConfigRequest_VERIFY,
		p4.SetForwardingPipelineConfigRequest_VERIFY_AND_SAVE,
		p4.SetForwardingPipelineConfigRequest_VERIFY_AND_COMMIT,
		p4.SetForwardingPipelineConfigRequest_RECONCILE_AND_COMMIT:
		var err error
		if p, err = s.compiled(req.GetConfig()); err != nil {
			return nil, err
		}
		defer func() { p.discard() }() // unless it is used
		if err := s.trusted(p); err != nil {
			return nil, err
		}
		if action != p4.SetForwardingPipelineConfigRequest_RECONCILE_AND_COMMIT || !s.runs(p) {
			if err = s.stage(p); err != nil { // slow, and outside the lock
				return nil, err
			}
		}
	case p4.SetForwardingPipelineConfigRequest_COMMIT:
		if req.GetConfig() != nil {
			return nil, invalid("pipeline config: COMMIT: takes no config [it commits the saved one]")
		}
	default:
		return nil, invalid("pipeline config: action %s", action)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	// Mastership may have changed while the pipeline was made ready, which takes long.
	if err := s.checkPrimary(req.GetRole(), req.GetRoleId(), req.GetElectionId()); err != nil { //nolint:staticcheck // refused there
		return nil, err
	}
	// A client that has given up meanwhile may have gone on, with what it found: what it has installed since must stay.
	if err := ctx.Err(); err != nil {
		return nil, status.FromContextError(err).Err()
	}
	var err error
	switch action {
	case p4.SetForwardingPipelineConfigRequest_VERIFY_AND_SAVE:
		s.saved.discard()
		s.saved, p = p, nil
	case p4.SetForwardingPipelineConfigRequest_VERIFY_AND_COMMIT:
		err = s.commit(p)
	case p4.SetForwardingPipelineConfigRequest_COMMIT:
		if s.saved == nil {
			return nil, status.Error(codes.NotFound, "pipeline config: COMMIT: nothing has been saved (VERIFY_AND_SAVE)")
		}
		err = s.commit(s.saved)
	case p4.SetForwardingPipelineConfigRequest_RECONCILE_AND_COMMIT:
		err = s.reconcile(p)
	}
	if err != nil {
		return nil, toStatus(err)
	}
	return &p4.SetForwardingPipelineConfigResponse{}, nil
}

// trusted refuses an object that may not be loaded.
func (s *Server) trusted(p *prepared) error {
	if s.trust == nil || len(p.pipeline.Object) == 0 {
		return nil
	}
	if err := s.trust(p.pipeline.Object); err != nil {
		return status.Errorf(codes.PermissionDenied, "pipeline config: program %q: %v", p.schema.prog.Name, err)
	}
	return nil
}

// stage has the target make a pipeline ready, once.
func (s *Server) stage(p *prepared) error {
	if p.staged != nil {
		return nil
	}
	var err error
	if p.staged, err = s.target.Stage(p.pipeline); err != nil {
		name := p.schema.prog.Name
		if errors.Is(err, dataplane.ErrUnsupported) {
			return status.Errorf(codes.Unimplemented, "pipeline config: program %q: %v", name, err)
		}
		return invalid("pipeline config: program %q: %v", name, err)
	}
	return nil
}

// discard gives back what a pipeline holds that was not started. p may be nil.
func (p *prepared) discard() {
	if p != nil && p.staged != nil {
		p.staged.Discard()
		p.staged = nil
	}
}

// runs reports whether a pipeline is the one that runs, whatever its p4info calls it.
func (s *Server) runs(p *prepared) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.st.is(p)
}

// is reports whether a pipeline is that of the state, which may be nil.
func (st *state) is(p *prepared) bool {
	return st != nil && st.schema.prog.Source == p.schema.prog.Source && bytes.Equal(st.pipeline.Object, p.pipeline.Object) &&
		bytes.Equal(st.config.GetP4DeviceConfig(), p.config.GetP4DeviceConfig())
}

// compiled compiles a config.
func (s *Server) compiled(c *p4.ForwardingPipelineConfig) (*prepared, error) {
	switch {
	case c == nil:
		return nil, invalid("pipeline config: missing")
	case c.GetP4Info() == nil:
		return nil, invalid("pipeline config: p4info: missing")
	case len(c.GetP4DeviceConfig()) == 0:
		return nil, invalid("pipeline config: p4_device_config: missing")
	}
	b, err := bundle.Unmarshal(c.GetP4DeviceConfig())
	if err != nil {
		return nil, invalid("pipeline config: %v", err)
	}
	prog, info, err := s.compile(b)
	if err != nil {
		return nil, invalid("pipeline config: program %q: %v", b.Program, err)
	}
	if err := compareInfo(c.GetP4Info(), info, prog.Pipe); err != nil {
		return nil, invalid("pipeline config: program %q: %v", b.Program, err)
	}
	sch, err := newSchema(prog, c.GetP4Info())
	if err != nil {
		return nil, status.Errorf(codes.Internal, "pipeline config: program %q: %v", b.Program, err)
	}
	kept, err := proto.Marshal(c)
	if err != nil {
		return nil, invalid("pipeline config: %v", err)
	}
	pl := &dataplane.Pipeline{Program: prog, Object: b.Object, Config: kept}
	return &prepared{pipeline: pl, schema: sch, config: proto.Clone(c).(*p4.ForwardingPipelineConfig)}, nil
}

// commit starts a pipeline with empty state. s.mu is held.
func (s *Server) commit(p *prepared) error {
	st, err := newState(p.schema, p.pipeline, p.config)
	if err != nil {
		return status.Errorf(codes.Internal, "pipeline config: %v", err)
	}
	if err := s.stage(p); err != nil { // a saved one that could not be committed before
		return err
	}
	old := s.live.Swap(nil) // no packet is decoded with the headers of another program
	staged := p.staged
	p.staged = nil
	if err := staged.Commit(); err != nil {
		s.live.Store(old)
		return fmt.Errorf("pipeline config: %w", err)
	}
	s.saved.discard()
	s.st, s.saved = st, nil
	s.dmu.Lock()
	s.digesters = map[*ir.Digest]*digester{}
	s.dmu.Unlock()
	s.live.Store(p.schema)
	s.log.Info("pipeline committed", "program", p.schema.prog.Name, "target", s.target.Kind())
	return nil
}

// reconcile starts a pipeline and keeps what is installed as far as both
// programs agree. With an unchanged program nothing is touched, and packets do
// not notice. s.mu is held.
func (s *Server) reconcile(p *prepared) error {
	old := s.st
	if old == nil {
		return s.commit(p)
	}
	if old.is(p) {
		s.saved.discard()
		s.saved = nil
		return s.describeAnew(old, p)
	}
	kept, err := s.snapshot(old, p.schema)
	if err != nil {
		return fmt.Errorf("pipeline config: reconcile: %w", err)
	}
	if err := s.commit(p); err != nil {
		return err
	}
	lost := 0
	for _, u := range kept {
		if err := s.update(u); err != nil {
			lost++
			s.log.Warn("reconcile: not kept", "entity", entityName(u.GetEntity()), "err", err)
		}
	}
	s.log.Info("reconciled", "kept", len(kept)-lost, "lost", lost)
	return nil
}

// describeAnew goes on with the program that runs under what a client calls it now: the
// same program in a p4info with other ids or names. s.mu is held.
func (s *Server) describeAnew(old *state, p *prepared) error {
	if proto.Equal(old.config.GetP4Info(), p.config.GetP4Info()) {
		old.config = p.config
		return nil
	}
	sch, err := newSchema(old.schema.prog, p.config.GetP4Info())
	if err != nil {
		return invalid("pipeline config: %v", err)
	}
	st, err := newState(sch, old.pipeline, p.config)
	if err != nil {
		return status.Errorf(codes.Internal, "pipeline config: %v", err)
	}
	st.profiles = old.profiles // they know nothing of ids
	was := &dataplane.State{}
	for _, id := range old.tableIDs {
		t := old.tables[id]
		for _, e := range old.list(t) {
			was.Entries = append(was.Entries, &e.target)
		}
		if d := old.defaults[t]; d != nil {
			was.Defaults = append(was.Defaults, d.target)
		}
	}
	for _, id := range old.setIDs {
		for _, m := range old.members[old.sets[id]] {
			was.Entries = append(was.Entries, &m.target)
		}
	}
	if err := st.fill(was); err != nil {
		return status.Errorf(codes.Internal, "pipeline config: %v", err)
	}
	// What clients have written beside it.
	opaque := func(to, from *stored) { to.beside = from.beside }
	for _, id := range old.tableIDs {
		t := old.tables[id]
		for key, e := range old.entries[t] {
			opaque(st.entries[st.byTable[t.src]][key], e)
		}
		if d := old.defaults[t]; d != nil {
			opaque(st.defaults[st.byTable[t.src]], d)
		}
	}
	st.groups, st.backups = old.groups, old.backups
	s.st = st
	for id, d := range old.digests {
		src := old.schema.digests[id]
		next := proto.Clone(d).(*p4.DigestEntry)
		next.DigestId = sch.digestIDs[src]
		st.digests[next.DigestId] = next
		s.configureDigest(src, 0, nil)
		s.configureDigest(src, next.DigestId, next.GetConfig())
	}
	s.ageAll()
	s.live.Store(sch)
	return nil
}

// snapshot is the written state as updates for a new program. What the new
// program has no object for is left out; what does not fit it any more is
// refused, and logged, when the updates are applied.
func (s *Server) snapshot(old *state, next *schema) ([]*p4.Update, error) {
	var out []*p4.Update
	add := func(t p4.Update_Type, e *p4.Entity) { out = append(out, &p4.Update{Type: t, Entity: e}) }
	for _, id := range old.profileIDs {
		x, n := old.schema.profiles[id], next.profiles[id]
		if n == nil || n.src.Name != x.src.Name {
			continue
		}
		p := old.profiles[x.src]
		for _, i := range slices.Sorted(maps.Keys(p.members)) {
			if m := p.members[i]; !m.owned {
				add(p4.Update_INSERT, old.memberEntity(id, m))
			}
		}
		for _, i := range slices.Sorted(maps.Keys(p.groups)) {
			if g := p.groups[i]; !g.owned {
				add(p4.Update_INSERT, groupEntity(id, g))
			}
		}
	}
	for _, id := range old.tableIDs {
		t, n := old.tables[id], next.tables[id]
		if n == nil || n.name != t.name {
			continue
		}
		for _, e := range old.list(t) {
			if e.isConst {
				continue
			}
			msg := old.readable(e)
			if t.src.Counter != nil && n.src.Counter != nil && counts(e.target.Action.Action) {
				v, err := s.target.ReadDirectCounter(&e.target)
				if err != nil {
					return nil, err
				}
				msg.CounterData = &p4.CounterData{PacketCount: int64(v.Packets), ByteCount: int64(v.Bytes)}
			}
			if t.src.Meter != nil && n.src.Meter != nil && meters(e.target.Action.Action) {
				c, err := s.target.ReadDirectMeter(&e.target)
				if err != nil {
					return nil, err
				}
				msg.MeterConfig = meterConfig(c)
			}
			add(p4.Update_INSERT, &p4.Entity{Entity: &p4.Entity_TableEntry{TableEntry: msg}})
		}
		if d := old.defaults[t]; d != nil {
			add(p4.Update_MODIFY, &p4.Entity{Entity: &p4.Entity_TableEntry{TableEntry: old.readable(d)}})
		}
	}
	for _, id := range old.setIDs {
		if t, n := old.sets[id], next.sets[id]; n != nil && n.name == t.name && len(old.members[t]) > 0 {
			add(p4.Update_MODIFY, &p4.Entity{Entity: &p4.Entity_ValueSetEntry{ValueSetEntry: old.valueSetEntry(t)}})
		}
	}
	for _, g := range old.groups {
		add(p4.Update_INSERT, &p4.Entity{Entity: &p4.Entity_PacketReplicationEngineEntry{PacketReplicationEngineEntry: &p4.PacketReplicationEngineEntry{
			Type: &p4.PacketReplicationEngineEntry_MulticastGroupEntry{MulticastGroupEntry: g},
		}}})
	}
	for _, d := range old.digests {
		add(p4.Update_INSERT, &p4.Entity{Entity: &p4.Entity_DigestEntry{DigestEntry: d}})
	}
	for _, id := range old.registerIDs {
		r, n := old.registers[id], next.registers[id]
		if n == nil || n.Name != r.Name || n.Size != r.Size || len(n.Fields) != len(r.Fields) {
			continue
		}
		for i := range r.Size {
			v, err := s.target.ReadRegister(r, i)
			if err != nil {
				return nil, err
			}
			add(p4.Update_MODIFY, &p4.Entity{Entity: &p4.Entity_RegisterEntry{RegisterEntry: &p4.RegisterEntry{
				RegisterId: id, Index: &p4.Index{Index: int64(i)}, Data: encodeData(r.Fields, v),
			}}})
		}
	}
	for _, id := range old.counterIDs {
		c, n := old.counters[id], next.counters[id]
		if n == nil || n.Name != c.Name || n.Size != c.Size {
			continue
		}
		for i := range c.Size {
			v, err := s.target.ReadCounter(c, i)
			if err != nil {
				return nil, err
			}
			if v == (dataplane.Counter{}) {
				continue
			}
			add(p4.Update_MODIFY, &p4.Entity{Entity: &p4.Entity_CounterEntry{CounterEntry: &p4.CounterEntry{
				CounterId: id, Index: &p4.Index{Index: int64(i)},
				Data: &p4.CounterData{PacketCount: int64(v.Packets), ByteCount: int64(v.Bytes)},
			}}})
		}
	}
	for _, id := range old.meterIDs {
		m, n := old.meters[id], next.meters[id]
		if n == nil || n.Name != m.Name || n.Size != m.Size || n.Bytes != m.Bytes {
			continue
		}
		for i := range m.Size {
			c, err := s.target.ReadMeter(m, i)
			if err != nil {
				return nil, err
			}
			if c != nil {
				add(p4.Update_MODIFY, meterEntity(id, i, c))
			}
		}
	}
	return out, nil
}

// GetForwardingPipelineConfig answers with the committed config.
func (s *Server) GetForwardingPipelineConfig(_ context.Context, req *p4.GetForwardingPipelineConfigRequest) (*p4.GetForwardingPipelineConfigResponse, error) {
	if err := s.checkDevice(req.GetDeviceId(), "pipeline config"); err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.st == nil { // P4Runtime 15: config is unset
		return &p4.GetForwardingPipelineConfigResponse{}, nil
	}
	full := s.st.config
	out := &p4.ForwardingPipelineConfig{Cookie: full.GetCookie()}
	switch req.GetResponseType() {
	case p4.GetForwardingPipelineConfigRequest_ALL:
		out.P4Info, out.P4DeviceConfig = full.GetP4Info(), full.GetP4DeviceConfig()
	case p4.GetForwardingPipelineConfigRequest_COOKIE_ONLY:
	case p4.GetForwardingPipelineConfigRequest_P4INFO_AND_COOKIE:
		out.P4Info = full.GetP4Info()
	case p4.GetForwardingPipelineConfigRequest_DEVICE_CONFIG_AND_COOKIE:
		out.P4DeviceConfig = full.GetP4DeviceConfig()
	default:
		return nil, invalid("pipeline config: response_type %d", req.GetResponseType())
	}
	return &p4.GetForwardingPipelineConfigResponse{Config: out}, nil
}
