package p4rt

import (
	"errors"
	"slices"

	p4 "github.com/p4lang/p4runtime/go/p4/v1"
	"google.golang.org/protobuf/proto"

	"github.com/p4ce/p4ce/dataplane"
)

// readChunk is how many entities one message of an answer holds, so that
// clients with a small message limit can read large tables.
const readChunk = 1024

// Read answers with every entity that the request names, in order. The answer
// is a snapshot between two writes.
func (s *Server) Read(req *p4.ReadRequest, stream p4.P4Runtime_ReadServer) error {
	if err := s.checkDevice(req.GetDeviceId(), "read"); err != nil {
		return err
	}
	out, err := s.collect(req)
	if err != nil {
		return toStatus(err)
	}
	for len(out) > 0 {
		n := min(readChunk, len(out))
		if err := stream.Send(&p4.ReadResponse{Entities: out[:n]}); err != nil {
			return err
		}
		out = out[n:]
	}
	return nil
}

func (s *Server) collect(req *p4.ReadRequest) ([]*p4.Entity, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.st == nil {
		return nil, errNoPipeline("read")
	}
	var out []*p4.Entity
	for _, e := range req.GetEntities() {
		var more []*p4.Entity
		var err error
		switch e := e.GetEntity().(type) {
		case *p4.Entity_TableEntry:
			more, err = s.readTables(e.TableEntry)
		case *p4.Entity_PacketReplicationEngineEntry:
			more, err = s.readGroups(e.PacketReplicationEngineEntry)
		case *p4.Entity_RegisterEntry:
			more, err = s.readRegisters(e.RegisterEntry)
		case *p4.Entity_CounterEntry:
			more, err = s.readCounters(e.CounterEntry)
		case *p4.Entity_MeterEntry:
			more, err = s.readMeters(e.MeterEntry)
		case *p4.Entity_DirectCounterEntry:
			more, err = s.readDirectCounters(e.DirectCounterEntry)
		case *p4.Entity_DigestEntry:
			more, err = s.readDigests(e.DigestEntry)
		case nil:
			err = invalid("read: no entity")
		default:
			err = unsupported("entity")
		}
		if err != nil {
			return nil, err
		}
		out = append(out, more...)
	}
	return out, nil
}

// tablesFor returns the tables that an id means: one, or all for 0.
func (s *Server) tablesFor(id uint32) ([]*tableSchema, error) {
	if id != 0 {
		t := s.st.tables[id]
		if t == nil {
			return nil, noSuch("table", id)
		}
		return []*tableSchema{t}, nil
	}
	var out []*tableSchema
	for _, id := range s.st.tableIDs {
		out = append(out, s.st.tables[id])
	}
	return out, nil
}

// matched is one entry that a read of table entries means.
type matched struct {
	msg    *p4.TableEntry
	target *dataplane.Entry
	table  *tableSchema
}

// entriesFor returns the entries that a request means: one, all of a table, or
// all; default entries when it asks for them.
func (s *Server) entriesFor(e *p4.TableEntry) ([]matched, error) {
	tables, err := s.tablesFor(e.GetTableId())
	if err != nil {
		return nil, err
	}
	if e.GetTableId() == 0 && len(e.GetMatch()) > 0 {
		return nil, invalid("read: table_entry: match fields without a table_id")
	}
	var out []matched
	if e.GetIsDefaultAction() {
		if len(e.GetMatch()) > 0 {
			return nil, invalid("read: table_entry: a default entry has no match fields")
		}
		for _, t := range tables {
			if msg := s.st.defaultEntry(t); msg != nil {
				out = append(out, matched{msg, &dataplane.Entry{Table: t.src}, t})
			}
		}
		return out, nil
	}
	if len(e.GetMatch()) > 0 {
		n, err := s.st.decodeEntry(e, false)
		if err != nil {
			return nil, err
		}
		if old := s.st.entries[n.table][n.key()]; old != nil {
			out = append(out, matched{old.readable(), &old.target, n.table})
		}
		return out, nil
	}
	for _, t := range tables {
		for _, en := range s.st.list(t) {
			if e.GetPriority() == 0 || e.GetPriority() == en.target.Priority {
				out = append(out, matched{en.readable(), &en.target, t})
			}
		}
	}
	return out, nil
}

func (s *Server) readTables(e *p4.TableEntry) ([]*p4.Entity, error) {
	list, err := s.entriesFor(e)
	if err != nil {
		return nil, err
	}
	var out []*p4.Entity
	for _, m := range list {
		if e.GetCounterData() != nil && m.table.src.Counter != nil {
			v, err := s.target.ReadDirectCounter(m.target)
			if err != nil {
				return nil, err
			}
			m.msg.CounterData = counterData(m.table.src.Counter, v)
		}
		if e.GetTimeSinceLastHit() != nil && m.table.src.IdleTimeout && !m.msg.GetIsDefaultAction() {
			switch at, now, err := s.target.LastHit(m.target); {
			case err == nil:
				m.msg.TimeSinceLastHit = &p4.TableEntry_IdleTimeout{ElapsedNs: int64(now - min(at, now))}
			case !errors.Is(err, dataplane.ErrUnsupported): // of constant entries it is not known
				return nil, err
			}
		}
		out = append(out, &p4.Entity{Entity: &p4.Entity_TableEntry{TableEntry: m.msg}})
	}
	return out, nil
}

func (s *Server) readDirectCounters(e *p4.DirectCounterEntry) ([]*p4.Entity, error) {
	te := e.GetTableEntry()
	if te == nil {
		te = &p4.TableEntry{}
	}
	if t := s.st.tables[te.GetTableId()]; t != nil && t.src.Counter == nil {
		return nil, invalid("table %q: has no direct counter", t.name)
	}
	list, err := s.entriesFor(te)
	if err != nil {
		return nil, err
	}
	var out []*p4.Entity
	for _, m := range list {
		if m.table.src.Counter == nil {
			continue
		}
		v, err := s.target.ReadDirectCounter(m.target)
		if err != nil {
			return nil, err
		}
		m.msg.Action = nil
		out = append(out, &p4.Entity{Entity: &p4.Entity_DirectCounterEntry{DirectCounterEntry: &p4.DirectCounterEntry{
			TableEntry: m.msg, Data: counterData(m.table.src.Counter, v),
		}}})
	}
	return out, nil
}

func (s *Server) readGroups(e *p4.PacketReplicationEngineEntry) ([]*p4.Entity, error) {
	m, ok := e.GetType().(*p4.PacketReplicationEngineEntry_MulticastGroupEntry)
	if !ok {
		if e.GetType() == nil {
			return nil, invalid("read: packet_replication_engine_entry: neither multicast group nor clone session")
		}
		return nil, unsupported("clone sessions")
	}
	var ids []uint16
	if id := m.MulticastGroupEntry.GetMulticastGroupId(); id != 0 {
		if id <= 0xffff && s.st.groups[uint16(id)] != nil {
			ids = append(ids, uint16(id))
		}
	} else {
		for id := range s.st.groups {
			ids = append(ids, id)
		}
		slices.Sort(ids)
	}
	var out []*p4.Entity
	for _, id := range ids {
		out = append(out, &p4.Entity{Entity: &p4.Entity_PacketReplicationEngineEntry{
			PacketReplicationEngineEntry: &p4.PacketReplicationEngineEntry{
				Type: &p4.PacketReplicationEngineEntry_MulticastGroupEntry{
					MulticastGroupEntry: proto.Clone(s.st.groups[id]).(*p4.MulticastGroupEntry),
				},
			},
		}})
	}
	return out, nil
}

func (s *Server) readRegisters(e *p4.RegisterEntry) ([]*p4.Entity, error) {
	ids := []uint32{e.GetRegisterId()}
	switch {
	case e.GetRegisterId() == 0 && e.GetIndex() != nil:
		return nil, invalid("read: register_entry: an index without a register_id")
	case e.GetRegisterId() == 0:
		ids = s.st.registerIDs
	case s.st.registers[e.GetRegisterId()] == nil:
		return nil, noSuch("register", e.GetRegisterId())
	}
	var out []*p4.Entity
	for _, id := range ids {
		r := s.st.registers[id]
		from, to, err := cells("register \""+r.Name+"\"", e.GetIndex(), r.Size)
		if err != nil {
			return nil, err
		}
		for i := from; i < to; i++ {
			v, err := s.target.ReadRegister(r, i)
			if err != nil {
				return nil, err
			}
			out = append(out, &p4.Entity{Entity: &p4.Entity_RegisterEntry{RegisterEntry: &p4.RegisterEntry{
				RegisterId: id, Index: &p4.Index{Index: int64(i)}, Data: encodeData(r.Fields, v),
			}}})
		}
	}
	return out, nil
}

func (s *Server) readCounters(e *p4.CounterEntry) ([]*p4.Entity, error) {
	ids := []uint32{e.GetCounterId()}
	switch {
	case e.GetCounterId() == 0 && e.GetIndex() != nil:
		return nil, invalid("read: counter_entry: an index without a counter_id")
	case e.GetCounterId() == 0:
		ids = s.st.counterIDs
	case s.st.counters[e.GetCounterId()] == nil:
		return nil, noSuch("counter", e.GetCounterId())
	}
	var out []*p4.Entity
	for _, id := range ids {
		c := s.st.counters[id]
		from, to, err := cells("counter \""+c.Name+"\"", e.GetIndex(), c.Size)
		if err != nil {
			return nil, err
		}
		for i := from; i < to; i++ {
			v, err := s.target.ReadCounter(c, i)
			if err != nil {
				return nil, err
			}
			out = append(out, &p4.Entity{Entity: &p4.Entity_CounterEntry{CounterEntry: &p4.CounterEntry{
				CounterId: id, Index: &p4.Index{Index: int64(i)}, Data: counterData(c, v),
			}}})
		}
	}
	return out, nil
}

func (s *Server) readMeters(e *p4.MeterEntry) ([]*p4.Entity, error) {
	ids := []uint32{e.GetMeterId()}
	switch {
	case e.GetMeterId() == 0 && e.GetIndex() != nil:
		return nil, invalid("read: meter_entry: an index without a meter_id")
	case e.GetMeterId() == 0:
		ids = s.st.meterIDs
	case s.st.meters[e.GetMeterId()] == nil:
		return nil, noSuch("meter", e.GetMeterId())
	}
	var out []*p4.Entity
	for _, id := range ids {
		m := s.st.meters[id]
		from, to, err := cells("meter \""+m.Name+"\"", e.GetIndex(), m.Size)
		if err != nil {
			return nil, err
		}
		for i := from; i < to; i++ {
			c, err := s.target.ReadMeter(m, i)
			if err != nil {
				return nil, err
			}
			out = append(out, meterEntity(id, i, c))
		}
	}
	return out, nil
}

// meterEntity is a cell of a meter; nil: not configured.
func meterEntity(id uint32, index int, c *dataplane.Meter) *p4.Entity {
	e := &p4.MeterEntry{MeterId: id, Index: &p4.Index{Index: int64(index)}}
	if c != nil {
		e.Config = &p4.MeterConfig{Cir: int64(c.CIR), Cburst: int64(c.CBurst), Pir: int64(c.PIR), Pburst: int64(c.PBurst)}
	}
	return &p4.Entity{Entity: &p4.Entity_MeterEntry{MeterEntry: e}}
}

func (s *Server) readDigests(e *p4.DigestEntry) ([]*p4.Entity, error) {
	if id := e.GetDigestId(); id != 0 && s.st.schema.digests[id] == nil {
		return nil, noSuch("digest", id)
	}
	var ids []uint32
	for id := range s.st.digests {
		if e.GetDigestId() == 0 || e.GetDigestId() == id {
			ids = append(ids, id)
		}
	}
	slices.Sort(ids)
	var out []*p4.Entity
	for _, id := range ids {
		out = append(out, &p4.Entity{Entity: &p4.Entity_DigestEntry{DigestEntry: proto.Clone(s.st.digests[id]).(*p4.DigestEntry)}})
	}
	return out, nil
}
