package p4rt

import (
	"context"
	"errors"
	"fmt"
	"slices"

	p4 "github.com/p4lang/p4runtime/go/p4/v1"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/protoadapt"

	"github.com/p4ce/p4ce/dataplane"
	"github.com/p4ce/p4ce/p4/lang/ir"
)

// errorSpace is the space of the p4.v1.Error messages of this server.
const errorSpace = "p4ce"

// Write applies a batch of updates.
func (s *Server) Write(ctx context.Context, req *p4.WriteRequest) (*p4.WriteResponse, error) {
	if err := s.checkDevice(req.GetDeviceId(), "write"); err != nil {
		return nil, err
	}
	if err := s.checkPrimary(req.GetRole(), req.GetRoleId(), req.GetElectionId()); err != nil { //nolint:staticcheck // refused there
		return nil, err
	}
	if a := req.GetAtomicity(); a != p4.WriteRequest_CONTINUE_ON_ERROR {
		return nil, status.Errorf(codes.Unimplemented, "write: atomicity %s: only CONTINUE_ON_ERROR is supported", a)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.st == nil {
		return nil, errNoPipeline("write")
	}
	// A client that has given up meanwhile goes on with what it reads: nothing changes after that.
	if err := ctx.Err(); err != nil {
		return nil, status.FromContextError(err).Err()
	}
	// Mastership may have changed while an earlier batch was written.
	if err := s.checkPrimary(req.GetRole(), req.GetRoleId(), req.GetElectionId()); err != nil { //nolint:staticcheck // refused there
		return nil, err
	}
	failed := map[int]*p4.Error{}
	for i, u := range req.GetUpdates() {
		// Or while this one is: the rest of it is not a primary's any more.
		err := s.checkPrimary(req.GetRole(), req.GetRoleId(), req.GetElectionId()) //nolint:staticcheck // refused there
		if err == nil {
			err = s.update(u)
		}
		if err != nil {
			failed[i] = errorOf(err)
		}
	}
	s.stats.updates.Add(uint64(len(req.GetUpdates())))
	s.stats.failedUpdates.Add(uint64(len(failed)))
	if err := batchStatus("write", "updates", len(req.GetUpdates()), failed); err != nil {
		return nil, err
	}
	return &p4.WriteResponse{}, nil
}

// batchStatus is the error of a batch in which some failed: one p4.v1.Error for each element, in order; nil when none failed.
func batchStatus(what, elements string, n int, failed map[int]*p4.Error) error {
	if len(failed) == 0 {
		return nil
	}
	details, first := make([]protoadapt.MessageV1, n), ""
	for i := range details {
		e := failed[i]
		switch {
		case e == nil:
			e = &p4.Error{}
		case first == "":
			first = e.GetMessage()
		}
		details[i] = protoadapt.MessageV1Of(e)
	}
	st, err := status.Newf(codes.Unknown, "%s: %d of %d %s failed: %s", what, len(failed), n, elements, first).WithDetails(details...)
	if err != nil {
		return status.Errorf(codes.Internal, "%s: error details: %v", what, err)
	}
	return st.Err()
}

// errorOf is an error of an update, or of a request of a Read.
func errorOf(err error) *p4.Error {
	st := status.Convert(toStatus(err))
	return &p4.Error{CanonicalCode: int32(st.Code()), Message: st.Message(), Space: errorSpace}
}

// toStatus gives errors of the target their canonical code.
func toStatus(err error) error {
	if _, ok := status.FromError(err); ok {
		return err
	}
	c := codes.Internal
	switch {
	case errors.Is(err, dataplane.ErrFull):
		c = codes.ResourceExhausted
	case errors.Is(err, dataplane.ErrUnsupported):
		c = codes.Unimplemented
	case errors.Is(err, dataplane.ErrNotFound):
		c = codes.NotFound
	case errors.Is(err, dataplane.ErrNoPipeline):
		c = codes.FailedPrecondition
	}
	return status.Error(c, err.Error())
}

func code(err error) codes.Code { return status.Code(toStatus(err)) }

// update applies one update. s.mu is held.
func (s *Server) update(u *p4.Update) error {
	t := u.GetType()
	if t != p4.Update_INSERT && t != p4.Update_MODIFY && t != p4.Update_DELETE {
		return invalid("update: unknown type %v [want INSERT, MODIFY or DELETE]", t)
	}
	switch e := u.GetEntity().GetEntity().(type) {
	case *p4.Entity_TableEntry:
		if e.TableEntry.GetIsDefaultAction() {
			return s.writeDefault(t, e.TableEntry)
		}
		return s.writeEntry(t, e.TableEntry)
	case *p4.Entity_PacketReplicationEngineEntry:
		switch m := e.PacketReplicationEngineEntry.GetType().(type) {
		case *p4.PacketReplicationEngineEntry_MulticastGroupEntry:
			return s.writeGroup(t, m.MulticastGroupEntry)
		case *p4.PacketReplicationEngineEntry_CloneSessionEntry:
			return unsupported("clone_session_entry")
		}
		return invalid("packet_replication_engine_entry: neither multicast group nor clone session")
	case *p4.Entity_RegisterEntry:
		return s.writeRegister(t, e.RegisterEntry)
	case *p4.Entity_CounterEntry:
		return s.writeCounter(t, e.CounterEntry)
	case *p4.Entity_MeterEntry:
		return s.writeMeter(t, e.MeterEntry)
	case *p4.Entity_DirectCounterEntry:
		return s.writeDirectCounter(t, e.DirectCounterEntry)
	case *p4.Entity_DirectMeterEntry:
		return s.writeDirectMeter(t, e.DirectMeterEntry)
	case *p4.Entity_DigestEntry:
		return s.writeDigest(t, e.DigestEntry)
	case *p4.Entity_ActionProfileMember:
		return s.writeMember(t, e.ActionProfileMember)
	case *p4.Entity_ActionProfileGroup:
		return s.writeProfileGroup(t, e.ActionProfileGroup)
	case *p4.Entity_ValueSetEntry:
		return s.writeValueSet(t, e.ValueSetEntry)
	case nil:
		return invalid("update: no entity")
	}
	return unsupported(entityName(u.GetEntity()))
}

// whyNot is why a kind of entity is not supported.
var whyNot = map[string]string{
	"clone_session_entry": "no target clones packets",
	"extern_entry":        "the architecture has no externs of its own",
}

func unsupported(what string) error {
	return status.Errorf(codes.Unimplemented, "%s: not supported by this server: %s", what, whyNot[what])
}

// entityName is the name of an entity's kind in p4runtime.proto.
func entityName(e *p4.Entity) string {
	m := e.ProtoReflect()
	if f := m.WhichOneof(m.Descriptor().Oneofs().ByName("entity")); f != nil {
		return string(f.Name())
	}
	return "entity"
}

func (s *Server) writeEntry(op p4.Update_Type, e *p4.TableEntry) error {
	if e.GetIsConst() {
		return invalid("table_entry: is_const: only the program makes an entry const")
	}
	n, err := s.st.decodeEntry(e, partsOf(op, e))
	if err != nil {
		return err
	}
	t := n.table
	// All that a client may change of a const entry is its counter.
	onlyCounter := op == p4.Update_MODIFY && e.GetAction() == nil
	if t.src.ConstEntries && !onlyCounter {
		return status.Errorf(codes.PermissionDenied, "table %q: its entries are const", t.name)
	}
	if op == p4.Update_INSERT && len(t.fields) == 0 {
		return invalid("table %q: has no key, and no entry but the default one", t.name)
	}
	old := s.st.entries[t][n.key()]
	if old != nil && old.isConst && !onlyCounter {
		return status.Errorf(codes.PermissionDenied, "table %q: the entry is const", t.name)
	}
	switch {
	case op == p4.Update_INSERT && old != nil:
		return status.Errorf(codes.AlreadyExists, "table %q: an entry with this match and priority exists", t.name)
	case op != p4.Update_INSERT && old == nil:
		return status.Errorf(codes.NotFound, "table %q: no entry with this match and priority", t.name)
	}
	if onlyCounter {
		n = old
	}
	var direct directData
	if op != p4.Update_DELETE {
		if err := checkCounterData(t, e, n.target.Action.Action); err != nil {
			return err
		}
		if direct, err = t.directData(e, n.target.Action.Action); err != nil {
			return err
		}
	}
	if onlyCounter {
		return s.setDirect(&old.target, direct)
	}
	if op == p4.Update_DELETE {
		if err = s.target.Delete(&old.target); err != nil {
			return err
		}
		delete(s.st.entries[t], n.key())
		s.st.ager.remove(old)
		return s.release(old)
	}
	undo, err := s.resolve(n, old, e.GetAction())
	if err != nil {
		return err
	}
	if op == p4.Update_INSERT {
		err = s.target.Insert(&n.target)
	} else {
		err = s.target.Modify(&n.target)
	}
	if err != nil {
		return errors.Join(err, undo())
	}
	// An update is carried out as a whole, or not at all.
	if err := s.setDirect(&n.target, direct); err != nil {
		if old == nil {
			return errors.Join(err, s.target.Delete(&n.target))
		}
		return errors.Join(err, s.target.Modify(&old.target))
	}
	if old != nil {
		n.seq = old.seq
		s.st.ager.remove(old)
	}
	s.st.put(n)
	s.age(n)
	s.st.count(n, 1)
	if old != nil {
		return s.release(old)
	}
	return nil
}

// partsOf says what of an entry an update needs.
func partsOf(op p4.Update_Type, e *p4.TableEntry) parts {
	switch {
	case op == p4.Update_DELETE:
		return keyOnly
	case op == p4.Update_MODIFY && e.GetAction() == nil:
		return allButAction
	}
	return everything
}

// checkCounterData refuses a counter's value for an entry that never counts: the table has no direct counter, or the action does not
// use it.
func checkCounterData(t *tableSchema, e *p4.TableEntry, a *ir.Action) error {
	switch {
	case e.GetCounterData() == nil:
		return nil
	case t.src.Counter == nil:
		return invalid("table %q: counter_data: the table has no direct counter", t.name)
	case a != nil && !counts(a):
		return invalid("table %q: counter_data: action %q does not count", t.name, a.Name)
	}
	return nil
}

// counts reports whether an action uses the direct counter of its table.
func counts(a *ir.Action) bool {
	return ir.Any(a.Body, func(s ir.Stmt) bool { _, is := s.(*ir.DirectCount); return is })
}

func (s *Server) writeDefault(op p4.Update_Type, e *p4.TableEntry) error {
	t := s.st.tables[e.GetTableId()]
	if t == nil {
		return noSuch("table", e.GetTableId())
	}
	acts := t.src.Visible()
	switch {
	case op != p4.Update_MODIFY:
		return invalid("table %q: default entry: can only be modified", t.name)
	case e.GetIsConst():
		return invalid("table %q: default entry: is_const: only the program makes an entry const", t.name)
	case len(e.GetMatch()) != 0:
		return invalid("table %q: default entry: has no match fields", t.name)
	case e.GetPriority() != 0:
		return invalid("table %q: default entry: has no priority", t.name)
	case e.GetIdleTimeoutNs() != 0 || e.GetTimeSinceLastHit() != nil:
		return invalid("table %q: default entry: has no idle timeout", t.name)
	case acts.ConstDefault:
		return status.Errorf(codes.PermissionDenied, "table %q: default entry: is const", t.name)
	}
	if err := checkMeter(t, e); err != nil {
		return err
	}
	var act *dataplane.Action // nil: back to the program's own
	var next *stored
	if e.GetAction() != nil {
		a, err := t.decodeAction(e.GetAction(), true)
		if err != nil {
			return err
		}
		act = a
		next = &stored{table: t, target: dataplane.Entry{Table: acts, Action: *act}, beside: besideOf(e), isDefault: true}
	}
	does := t.src.Default.Action
	if act != nil && t.src.Indirect == nil { // else its own miss counts
		does = act.Action
	}
	if err := checkCounterData(t, e, does); err != nil {
		return err
	}
	direct, err := t.directData(e, does)
	if err != nil {
		return err
	}
	if err := s.target.SetDefault(acts, act); err != nil {
		return err
	}
	if err := s.setDirect(&dataplane.Entry{Table: t.src}, direct); err != nil {
		var before *dataplane.Action
		if old := s.st.defaults[t]; old != nil {
			before = &old.target.Action
		}
		return errors.Join(err, s.target.SetDefault(acts, before))
	}
	if next == nil {
		delete(s.st.defaults, t)
	} else {
		s.st.defaults[t] = next
	}
	return nil
}

// mustModify refuses updates of what exists by itself.
func mustModify(op p4.Update_Type, what string) error {
	if op != p4.Update_MODIFY {
		return invalid("%s: can only be modified", what)
	}
	return nil
}

// cells returns the range of indexes that an update or read means: one, or all
// when index is unset.
func cells(what string, index *p4.Index, size int) (from, to int, err error) {
	if index == nil {
		return 0, size, nil
	}
	switch i := index.GetIndex(); {
	case i < 0:
		return 0, 0, invalid("%s: index %d: is negative", what, i)
	case i >= int64(size):
		return 0, 0, status.Errorf(codes.OutOfRange, "%s: index %d: the size is %d", what, i, size)
	}
	return int(index.GetIndex()), int(index.GetIndex()) + 1, nil
}

func (s *Server) writeRegister(op p4.Update_Type, e *p4.RegisterEntry) error {
	r := s.st.registers[e.GetRegisterId()]
	if r == nil {
		return noSuch("register", e.GetRegisterId())
	}
	what := "register \"" + r.Name + "\""
	if err := mustModify(op, what); err != nil {
		return err
	}
	from, to, err := cells(what, e.GetIndex(), r.Size)
	if err != nil {
		return err
	}
	fields, err := decodeData(what, r.Fields, e.GetData())
	if err != nil {
		return err
	}
	for i := from; i < to; i++ {
		if err := s.target.WriteRegister(r, i, fields); err != nil {
			return err
		}
	}
	return nil
}

func (s *Server) writeCounter(op p4.Update_Type, e *p4.CounterEntry) error {
	c := s.st.counters[e.GetCounterId()]
	if c == nil {
		return noSuch("counter", e.GetCounterId())
	}
	what := "counter \"" + c.Name + "\""
	if err := mustModify(op, what); err != nil {
		return err
	}
	from, to, err := cells(what, e.GetIndex(), c.Size)
	if err != nil {
		return err
	}
	if e.GetData() == nil { // the value stays
		return nil
	}
	for i := from; i < to; i++ {
		if err := s.target.WriteCounter(c, i, counterValue(e.GetData())); err != nil {
			return err
		}
	}
	return nil
}

func (s *Server) writeMeter(op p4.Update_Type, e *p4.MeterEntry) error {
	m := s.st.meters[e.GetMeterId()]
	if m == nil {
		return noSuch("meter", e.GetMeterId())
	}
	what := "meter \"" + m.Name + "\""
	if err := mustModify(op, what); err != nil {
		return err
	}
	from, to, err := cells(what, e.GetIndex(), m.Size)
	if err != nil {
		return err
	}
	if e.GetCounterData() != nil {
		return errMeterCounts(what)
	}
	config, err := meterOf(what, e.GetConfig())
	if err != nil {
		return err
	}
	for i := from; i < to; i++ {
		if err := s.target.WriteMeter(m, i, config); err != nil {
			return err
		}
	}
	return nil
}

// errMeterCounts: no target counts the packets of a meter by their colours.
func errMeterCounts(what string) error {
	return status.Errorf(codes.Unimplemented, "%s: counter_data: no target counts the packets of each colour", what)
}

// meterOf decodes a configuration of a meter; none is none.
func meterOf(what string, c *p4.MeterConfig) (*dataplane.Meter, error) {
	switch {
	case c == nil:
		return nil, nil
	case c.GetCir() < 0 || c.GetCburst() < 0 || c.GetPir() < 0 || c.GetPburst() < 0:
		return nil, invalid("%s: config: a negative rate or burst", what)
	case c.GetEburst() != 0:
		return nil, invalid("%s: config: eburst is for meters with one rate", what)
	}
	m := &dataplane.Meter{CIR: uint64(c.GetCir()), CBurst: uint64(c.GetCburst()), PIR: uint64(c.GetPir()), PBurst: uint64(c.GetPburst())}
	if err := m.Check(); err != nil {
		return nil, invalid("%s: config: %v", what, err)
	}
	return m, nil
}

func (s *Server) writeDirectCounter(op p4.Update_Type, e *p4.DirectCounterEntry) error {
	te := e.GetTableEntry()
	if te == nil {
		return invalid("direct_counter_entry: table_entry: missing")
	}
	target, err := s.directTarget(te, "counter")
	if err != nil {
		return err
	}
	if err := mustModify(op, "direct counter of table \""+target.Table.Name+"\""); err != nil {
		return err
	}
	if e.GetData() == nil { // the value stays
		return nil
	}
	return s.target.WriteDirectCounter(target, counterValue(e.GetData()))
}

// directTarget finds the entry whose direct counter or meter is meant.
func (s *Server) directTarget(te *p4.TableEntry, kind string) (*dataplane.Entry, error) {
	t := s.st.tables[te.GetTableId()]
	if t == nil {
		return nil, noSuch("table", te.GetTableId())
	}
	if !t.hasDirect(kind) {
		return nil, invalid("table %q: has no direct %s", t.name, kind)
	}
	if te.GetIsDefaultAction() {
		return &dataplane.Entry{Table: t.src}, nil
	}
	n, err := s.st.decodeEntry(te, keyOnly)
	if err != nil {
		return nil, err
	}
	old := s.st.entries[t][n.key()]
	if old == nil {
		return nil, status.Errorf(codes.NotFound, "table %q: no entry with this match and priority", t.name)
	}
	return &old.target, nil
}

func (s *Server) writeGroup(op p4.Update_Type, e *p4.MulticastGroupEntry) error {
	id := e.GetMulticastGroupId()
	if id == 0 || id > 0xffff {
		return invalid("multicast group %d: ids are 1 to 65535", id)
	}
	old := s.st.groups[uint16(id)]
	switch {
	case op == p4.Update_INSERT && old != nil:
		return status.Errorf(codes.AlreadyExists, "multicast group %d: exists", id)
	case op != p4.Update_INSERT && old == nil:
		return status.Errorf(codes.NotFound, "multicast group %d: does not exist", id)
	case op == p4.Update_DELETE:
		if err := s.target.DeleteGroup(uint16(id)); err != nil {
			return err
		}
		delete(s.st.groups, uint16(id))
		delete(s.st.backups, uint16(id))
		return nil
	}
	chains, msg, err := decodeGroup(e)
	if err != nil {
		return err
	}
	if err := s.target.SetGroup(uint16(id), s.inUse(chains)); err != nil {
		return err
	}
	s.st.groups[uint16(id)] = msg
	if slices.ContainsFunc(chains, func(c chain) bool { return len(c) > 1 }) {
		s.st.backups[uint16(id)] = chains
	} else {
		delete(s.st.backups, uint16(id))
	}
	return nil
}

// decodeGroup returns the replicas of a group with their backups, and the group as it is read back.
func decodeGroup(e *p4.MulticastGroupEntry) ([]chain, *p4.MulticastGroupEntry, error) {
	msg := proto.Clone(e).(*p4.MulticastGroupEntry)
	seen := map[dataplane.Replica]bool{}
	// add checks a replica, and puts it behind the others of its chain.
	add := func(c *chain, what string, port dataplane.Port, instance uint32) error {
		if instance > 0xffff {
			return invalid("%s: instance %d: has 16 bits", what, instance)
		}
		if err := port.Check(); err != nil {
			return status.Errorf(codes.OutOfRange, "%s: %v", what, err)
		}
		r := dataplane.Replica{Port: port, Instance: uint16(instance)}
		switch {
		case seen[r]:
			return invalid("%s: port %d with instance %d is given twice", what, r.Port, r.Instance)
		case len(*c) > 0 && (*c)[0].Port == port:
			return invalid("%s: port %d: is the replica's own", what, port)
		}
		seen[r] = true
		*c = append(*c, r)
		return nil
	}
	out := make([]chain, 0, len(msg.GetReplicas()))
	for i, r := range msg.GetReplicas() {
		what := fmt.Sprintf("multicast group %d: replica %d", e.GetMulticastGroupId(), i)
		var port dataplane.Port
		var err error
		switch k := r.GetPortKind().(type) {
		case *p4.Replica_Port:
			k.Port, port, err = portOf(k.Port, what)
		case *p4.Replica_EgressPort:
			if port = dataplane.Port(k.EgressPort); k.EgressPort > 0xffff {
				err = status.Errorf(codes.OutOfRange, "%s: port %d: has 9 bits", what, k.EgressPort)
			}
		default:
			err = invalid("%s: no port", what)
		}
		var c chain
		if err == nil {
			err = add(&c, what, port, r.GetInstance())
		}
		for j, b := range r.GetBackupReplicas() {
			if err != nil {
				break
			}
			what := fmt.Sprintf("%s: backup %d", what, j)
			if b.Port, port, err = portOf(b.GetPort(), what); err == nil {
				err = add(&c, what, port, b.GetInstance())
			}
		}
		if err != nil {
			return nil, nil, err
		}
		out = append(out, c)
	}
	return out, msg, nil
}

// portOf decodes a port, and returns its shortest form, too.
func portOf(b []byte, what string) ([]byte, dataplane.Port, error) {
	v, err := fixed(b, 9, what+": port")
	if err != nil {
		return nil, 0, err
	}
	return canonical(v), dataplane.Port(v[0])<<8 | dataplane.Port(v[1]), nil
}

func (s *Server) writeDigest(op p4.Update_Type, e *p4.DigestEntry) error {
	d := s.st.digests[e.GetDigestId()]
	src := s.st.schema.digests[e.GetDigestId()]
	if src == nil {
		return noSuch("digest", e.GetDigestId())
	}
	switch {
	case op == p4.Update_INSERT && d != nil:
		return status.Errorf(codes.AlreadyExists, "digest %q: is configured", src.Name)
	case op != p4.Update_INSERT && d == nil:
		return status.Errorf(codes.NotFound, "digest %q: is not configured", src.Name)
	case op == p4.Update_DELETE:
		delete(s.st.digests, e.GetDigestId())
		s.configureDigest(src, 0, nil)
		return nil
	}
	c := e.GetConfig()
	if c == nil || c.GetMaxTimeoutNs() < 0 || c.GetMaxListSize() < 0 || c.GetAckTimeoutNs() < 0 {
		return invalid("digest %q: config: missing, or with a negative value", src.Name)
	}
	s.st.digests[e.GetDigestId()] = proto.Clone(e).(*p4.DigestEntry)
	s.configureDigest(src, e.GetDigestId(), c)
	return nil
}
