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

	"github.com/p4ce/p4ce/dataplane"
	"github.com/p4ce/p4ce/p4/lang/ir"
)

// readChunk is how many entities one message of an answer holds, so that
// clients with a small message limit can read large tables; and how many are read before
// writers get their turn.
const readChunk = 1024

// maxReads is how many Reads are answered at a time. Others wait, as long as their callers do.
const maxReads = 4

// Read answers with every entity that the request names, in order. It never holds more than one
// message of the answer, so the answer may or may not include writes that happen meanwhile. But an
// answer is of one pipeline, and each table is read at one moment. A caller that goes away, or
// reads nothing, does not affect others.
func (s *Server) Read(req *p4.ReadRequest, stream p4.P4Runtime_ReadServer) error {
	if err := s.checkDevice(req.GetDeviceId(), "read"); err != nil {
		return err
	}
	ctx := stream.Context()
	select {
	case s.reads <- struct{}{}:
		defer func() { <-s.reads }()
	case <-ctx.Done():
		return status.FromContextError(ctx.Err()).Err()
	}
	err := s.read(ctx, req, func(list []*p4.Entity) error {
		return stream.Send(&p4.ReadResponse{Entities: list})
	})
	if err != nil {
		return toStatus(err)
	}
	return nil
}

// reader is a Read under way. It holds s.mu but for the moments in which it sends.
type reader struct {
	s     *Server
	st    *state // the pipeline that it began with
	ctx   context.Context
	send  func([]*p4.Entity) error
	chunk []*p4.Entity
	steps int   // since others had their turn
	ended error // why the whole answer ends, not only that to a request
}

// read collects the entities of a request, and sends them chunk by chunk.
func (s *Server) read(ctx context.Context, req *p4.ReadRequest, send func([]*p4.Entity) error) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.st == nil {
		return errNoPipeline("read")
	}
	r := &reader{s: s, st: s.st, ctx: ctx, send: send}
	failed := map[int]*p4.Error{}
	for i, e := range req.GetEntities() {
		err := r.entity(e)
		if r.ended != nil {
			return r.ended
		}
		if err != nil { // the other requests are answered
			failed[i] = errorOf(err)
		}
		if err := r.step(); err != nil {
			return err
		}
	}
	if err := r.flush(); err != nil {
		return err
	}
	return batchStatus("read", "requests", len(req.GetEntities()), failed)
}

func (r *reader) entity(e *p4.Entity) error {
	switch e := e.GetEntity().(type) {
	case *p4.Entity_TableEntry:
		return r.tables(e.TableEntry)
	case *p4.Entity_PacketReplicationEngineEntry:
		return r.groups(e.PacketReplicationEngineEntry)
	case *p4.Entity_RegisterEntry:
		return r.registers(e.RegisterEntry)
	case *p4.Entity_CounterEntry:
		return r.counters(e.CounterEntry)
	case *p4.Entity_MeterEntry:
		return r.meters(e.MeterEntry)
	case *p4.Entity_DirectCounterEntry:
		return r.directCounters(e.DirectCounterEntry)
	case *p4.Entity_DirectMeterEntry:
		return r.directMeters(e.DirectMeterEntry)
	case *p4.Entity_DigestEntry:
		return r.digests(e.DigestEntry)
	case *p4.Entity_ActionProfileMember:
		return r.profileMembers(e.ActionProfileMember)
	case *p4.Entity_ActionProfileGroup:
		return r.profileGroups(e.ActionProfileGroup)
	case *p4.Entity_ValueSetEntry:
		return r.valueSets(e.ValueSetEntry)
	case nil:
		return invalid("read: no entity")
	}
	return unsupported(entityName(e))
}

// emit adds an entity to the answer.
func (r *reader) emit(e *p4.Entity) error {
	r.chunk = append(r.chunk, e)
	return r.step()
}

// step counts a piece of work, and lets others have their turn after many.
func (r *reader) step() error {
	if r.steps++; r.steps < readChunk {
		return nil
	}
	return r.flush()
}

// flush sends what there is, without the lock. Others may write meanwhile.
func (r *reader) flush() error {
	r.steps = 0
	list := r.chunk
	r.chunk = nil
	r.s.mu.Unlock()
	err := r.ctx.Err()
	switch {
	case err != nil:
		err = status.FromContextError(err).Err()
	case len(list) > 0:
		err = r.send(list)
	}
	r.s.mu.Lock()
	if err == nil && r.s.st != r.st {
		err = status.Error(codes.Aborted, "read: the pipeline was replaced meanwhile")
	}
	r.ended = err
	return err
}

// tablesFor returns the tables that an id means: one, or all for 0.
func (r *reader) tablesFor(id uint32) ([]*tableSchema, error) {
	if id != 0 {
		t := r.st.tables[id]
		if t == nil {
			return nil, noSuch("table", id)
		}
		return []*tableSchema{t}, nil
	}
	var out []*tableSchema
	for _, id := range r.st.tableIDs {
		out = append(out, r.st.tables[id])
	}
	return out, nil
}

// eachEntry calls f with the entries that a request means: one, all of a table, or all, but for those that its other fields exclude;
// default entries when it asks for them. f may let others write: what they delete is left out.
func (r *reader) eachEntry(e *p4.TableEntry, f func(t *tableSchema, msg *p4.TableEntry, target *dataplane.Entry) error) error {
	tables, err := r.tablesFor(e.GetTableId())
	if err != nil {
		return err
	}
	if err := checkFilter(tables, e); err != nil {
		return err
	}
	wanted := ""
	if len(e.GetMatch()) > 0 {
		n, err := r.st.decodeEntry(e, matchOnly)
		if err != nil {
			return err
		}
		if !n.table.priority || n.target.Priority != 0 {
			if old := r.st.entries[n.table][n.key()]; old != nil {
				if msg := r.st.readable(old); filter(msg, e) {
					return f(n.table, msg, &old.target)
				}
			}
			return nil
		}
		wanted = n.key() // of whatever priority
	}
	for _, t := range tables {
		if e.GetIsDefaultAction() {
			if msg := r.st.defaultEntry(t); msg != nil && filter(msg, e) {
				if err := f(t, msg, &dataplane.Entry{Table: t.src}); err != nil {
					return err
				}
			}
			continue
		}
		for _, en := range r.st.list(t) {
			if en = r.st.entries[t][en.key()]; en == nil || e.GetPriority() != 0 && e.GetPriority() != en.target.Priority {
				continue
			}
			if wanted != "" && entryKey(en.target.Matches, 0) != wanted {
				continue
			}
			msg := r.st.readable(en)
			if !filter(msg, e) {
				continue
			}
			if err := f(t, msg, &en.target); err != nil {
				return err
			}
		}
	}
	return nil
}

// checkFilter refuses a request for entries that contradicts itself, or its table.
func checkFilter(tables []*tableSchema, e *p4.TableEntry) error {
	idle := e.GetIdleTimeoutNs() != 0 || e.GetTimeSinceLastHit() != nil
	switch {
	case e.GetMeterCounterData() != nil:
		return errMeterCounts("read: table_entry")
	case e.GetIsDefaultAction() && len(e.GetMatch()) > 0:
		return invalid("read: table_entry: a default entry has no match fields")
	case e.GetIsDefaultAction() && e.GetPriority() != 0:
		return invalid("read: table_entry: a default entry has no priority")
	case e.GetIsDefaultAction() && idle:
		return invalid("read: table_entry: a default entry has no idle timeout")
	case e.GetAction() != nil && e.GetAction().GetAction() == nil:
		return invalid("read: table_entry: action: entries are selected by an action_id only")
	case e.GetTableId() != 0:
		t := tables[0]
		if id := e.GetAction().GetAction().GetActionId(); id != 0 && t.actions[id].act == nil {
			return invalid("read: table %q: action id %#x: not one of the table's actions", t.name, id)
		}
		if idle && !t.src.IdleTimeout {
			return invalid("read: table %q: the table has no idle timeout", t.name)
		}
	case len(e.GetMatch()) > 0:
		return invalid("read: table_entry: match fields without a table_id")
	}
	return nil
}

// filter reports whether an entry has the action and the metadata that a request asks for.
func filter(msg, e *p4.TableEntry) bool {
	id := e.GetAction().GetAction().GetActionId()
	return (id == 0 || id == msg.GetAction().GetAction().GetActionId()) &&
		(len(e.GetMetadata()) == 0 || bytes.Equal(e.GetMetadata(), msg.GetMetadata())) &&
		(e.GetControllerMetadata() == 0 || e.GetControllerMetadata() == msg.GetControllerMetadata()) //nolint:staticcheck // old clients use it
}

func (r *reader) tables(e *p4.TableEntry) error {
	return r.eachEntry(e, func(t *tableSchema, msg *p4.TableEntry, target *dataplane.Entry) error {
		if e.GetCounterData() != nil && t.src.Counter != nil {
			v, err := r.s.target.ReadDirectCounter(target)
			if err != nil {
				return err
			}
			msg.CounterData = counterData(t.src.Counter, v)
		}
		if e.GetMeterConfig() != nil && t.src.Meter != nil {
			c, err := r.s.target.ReadDirectMeter(target)
			if err != nil {
				return err
			}
			msg.MeterConfig = meterConfig(c)
		}
		if e.GetTimeSinceLastHit() != nil && t.src.IdleTimeout && !msg.GetIsDefaultAction() {
			switch at, now, err := r.s.target.LastHit(target); {
			case err == nil:
				msg.TimeSinceLastHit = &p4.TableEntry_IdleTimeout{ElapsedNs: int64(now - min(at, now))}
			case !errors.Is(err, dataplane.ErrUnsupported): // of constant entries it is not known
				return err
			}
		}
		return r.emit(&p4.Entity{Entity: &p4.Entity_TableEntry{TableEntry: msg}})
	})
}

func (r *reader) directCounters(e *p4.DirectCounterEntry) error {
	return r.eachDirect("counter", e.GetTableEntry(), func(t *tableSchema, msg *p4.TableEntry, target *dataplane.Entry) error {
		v, err := r.s.target.ReadDirectCounter(target)
		if err != nil {
			return err
		}
		return r.emit(&p4.Entity{Entity: &p4.Entity_DirectCounterEntry{DirectCounterEntry: &p4.DirectCounterEntry{
			TableEntry: msg, Data: counterData(t.src.Counter, v),
		}}})
	})
}

func (r *reader) groups(e *p4.PacketReplicationEngineEntry) error {
	m, ok := e.GetType().(*p4.PacketReplicationEngineEntry_MulticastGroupEntry)
	if !ok {
		if e.GetType() == nil {
			return invalid("read: packet_replication_engine_entry: neither multicast group nor clone session")
		}
		return unsupported("clone_session_entry")
	}
	var ids []uint16
	switch id := m.MulticastGroupEntry.GetMulticastGroupId(); {
	case id == 0:
		ids = slices.Sorted(maps.Keys(r.st.groups))
	case id <= 0xffff:
		ids = append(ids, uint16(id))
	}
	for _, id := range ids {
		g := r.st.groups[id]
		if g == nil { // or no more
			continue
		}
		if err := r.emit(&p4.Entity{Entity: &p4.Entity_PacketReplicationEngineEntry{
			PacketReplicationEngineEntry: &p4.PacketReplicationEngineEntry{
				Type: &p4.PacketReplicationEngineEntry_MulticastGroupEntry{
					MulticastGroupEntry: proto.Clone(g).(*p4.MulticastGroupEntry),
				},
			},
		}}); err != nil {
			return err
		}
	}
	return nil
}

// eachCell calls f with the cells that a request means of an array of some kind: one, all of one
// array, or all of all.
func eachCell[T any](kind string, all []uint32, byID map[uint32]T, shape func(T) (name string, size int), id uint32, index *p4.Index, f func(id uint32, x T, i int) error) error {
	_, known := byID[id]
	switch {
	case id == 0 && index != nil:
		return invalid("read: %s_entry: an index without a %s_id", kind, kind)
	case id != 0 && !known:
		return noSuch(kind, id)
	case id != 0:
		all = []uint32{id}
	}
	for _, id := range all {
		x := byID[id]
		name, size := shape(x)
		from, to, err := cells(fmt.Sprintf("%s %q", kind, name), index, size)
		if err != nil {
			return err
		}
		for i := from; i < to; i++ {
			if err := f(id, x, i); err != nil {
				return err
			}
		}
	}
	return nil
}

func (r *reader) registers(e *p4.RegisterEntry) error {
	shape := func(x *ir.Register) (string, int) { return x.Name, x.Size }
	return eachCell("register", r.st.registerIDs, r.st.registers, shape, e.GetRegisterId(), e.GetIndex(), func(id uint32, x *ir.Register, i int) error {
		v, err := r.s.target.ReadRegister(x, i)
		if err != nil {
			return err
		}
		return r.emit(&p4.Entity{Entity: &p4.Entity_RegisterEntry{RegisterEntry: &p4.RegisterEntry{
			RegisterId: id, Index: &p4.Index{Index: int64(i)}, Data: encodeData(x.Fields, v),
		}}})
	})
}

func (r *reader) counters(e *p4.CounterEntry) error {
	shape := func(x *ir.Counter) (string, int) { return x.Name, x.Size }
	return eachCell("counter", r.st.counterIDs, r.st.counters, shape, e.GetCounterId(), e.GetIndex(), func(id uint32, x *ir.Counter, i int) error {
		v, err := r.s.target.ReadCounter(x, i)
		if err != nil {
			return err
		}
		return r.emit(&p4.Entity{Entity: &p4.Entity_CounterEntry{CounterEntry: &p4.CounterEntry{
			CounterId: id, Index: &p4.Index{Index: int64(i)}, Data: counterData(x, v),
		}}})
	})
}

func (r *reader) meters(e *p4.MeterEntry) error {
	if e.GetCounterData() != nil {
		return errMeterCounts("read: meter_entry")
	}
	shape := func(x *ir.Meter) (string, int) { return x.Name, x.Size }
	return eachCell("meter", r.st.meterIDs, r.st.meters, shape, e.GetMeterId(), e.GetIndex(), func(id uint32, x *ir.Meter, i int) error {
		c, err := r.s.target.ReadMeter(x, i)
		if err != nil {
			return err
		}
		return r.emit(meterEntity(id, i, c))
	})
}

// meterEntity is a cell of a meter; nil: not configured.
func meterEntity(id uint32, index int, c *dataplane.Meter) *p4.Entity {
	e := &p4.MeterEntry{MeterId: id, Index: &p4.Index{Index: int64(index)}, Config: meterConfig(c)}
	return &p4.Entity{Entity: &p4.Entity_MeterEntry{MeterEntry: e}}
}

func (r *reader) digests(e *p4.DigestEntry) error {
	ids := []uint32{e.GetDigestId()}
	switch id := e.GetDigestId(); {
	case id == 0:
		ids = slices.Sorted(maps.Keys(r.st.digests))
	case r.st.schema.digests[id] == nil:
		return noSuch("digest", id)
	}
	for _, id := range ids {
		d := r.st.digests[id]
		if d == nil {
			continue
		}
		if err := r.emit(&p4.Entity{Entity: &p4.Entity_DigestEntry{DigestEntry: proto.Clone(d).(*p4.DigestEntry)}}); err != nil {
			return err
		}
	}
	return nil
}
