package p4rt

import (
	p4 "github.com/p4lang/p4runtime/go/p4/v1"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/p4ce/p4ce/dataplane"
	"github.com/p4ce/p4ce/p4/lang/ir"
)

// hasDirect reports whether the entries of a table have a direct resource of a kind: "counter" or "meter".
func (t *tableSchema) hasDirect(kind string) bool {
	if kind == "meter" {
		return t.src.Meter != nil
	}
	return t.src.Counter != nil
}

// directData is what an update of an entry says of its direct resources.
type directData struct {
	counter *p4.CounterData  // nil: it stays
	meter   *dataplane.Meter // nil: no limits
}

// directData is what an update of an entry with an action says of its direct resources.
func (t *tableSchema) directData(e *p4.TableEntry, a *ir.Action) (directData, error) {
	out := directData{counter: e.GetCounterData()}
	if e.GetMeterConfig() == nil || t.src.Meter == nil {
		return out, nil
	}
	if a != nil && !meters(a) {
		return out, invalid("table %q: meter_config: action %q does not execute the meter", t.name, a.Name)
	}
	var err error
	out.meter, err = meterOf(t.what(), e.GetMeterConfig())
	return out, err
}

// meters reports whether an action executes the direct meter of its table.
func meters(a *ir.Action) bool {
	return ir.Any(a.Body, func(s ir.Stmt) bool {
		m, is := s.(*ir.MeterExec)
		return is && m.Meter.Table != nil
	})
}

// setDirect sets the direct resources of an entry. What an update does not say of a counter stays; what it does not say of a meter
// is: no limits.
func (s *Server) setDirect(e *dataplane.Entry, d directData) error {
	if e.Table.Meter != nil {
		if err := s.target.WriteDirectMeter(e, d.meter); err != nil {
			return err
		}
	}
	if d.counter == nil {
		return nil
	}
	return s.target.WriteDirectCounter(e, counterValue(d.counter))
}

func (s *Server) writeDirectMeter(op p4.Update_Type, e *p4.DirectMeterEntry) error {
	te := e.GetTableEntry()
	if te == nil {
		return invalid("direct_meter_entry: table_entry: missing")
	}
	target, err := s.directTarget(te, "meter")
	if err != nil {
		return err
	}
	what := "direct meter of table \"" + target.Table.Name + "\""
	if err := mustModify(op, what); err != nil {
		return err
	}
	if e.GetCounterData() != nil {
		return errMeterCounts(what)
	}
	config, err := meterOf(what, e.GetConfig())
	if err != nil {
		return err
	}
	return s.target.WriteDirectMeter(target, config)
}

// eachDirect calls f with the entries that a request means of tables with a direct resource of a kind.
func (r *reader) eachDirect(kind string, te *p4.TableEntry, f func(t *tableSchema, msg *p4.TableEntry, target *dataplane.Entry) error) error {
	if te == nil {
		te = &p4.TableEntry{}
	}
	if t := r.st.tables[te.GetTableId()]; t != nil && !t.hasDirect(kind) {
		return invalid("table %q: has no direct %s", t.name, kind)
	}
	found := false
	err := r.eachEntry(te, func(t *tableSchema, msg *p4.TableEntry, target *dataplane.Entry) error {
		if !t.hasDirect(kind) {
			return nil
		}
		found = true
		msg.Action = nil
		return f(t, msg, target)
	})
	if err == nil && !found && len(te.GetMatch()) > 0 {
		return status.Errorf(codes.NotFound, "read: direct_%s_entry: no entry with this match and priority", kind)
	}
	return err
}

func (r *reader) directMeters(e *p4.DirectMeterEntry) error {
	if e.GetCounterData() != nil {
		return errMeterCounts("read: direct_meter_entry")
	}
	return r.eachDirect("meter", e.GetTableEntry(), func(_ *tableSchema, msg *p4.TableEntry, target *dataplane.Entry) error {
		c, err := r.s.target.ReadDirectMeter(target)
		if err != nil {
			return err
		}
		return r.emit(&p4.Entity{Entity: &p4.Entity_DirectMeterEntry{DirectMeterEntry: &p4.DirectMeterEntry{TableEntry: msg, Config: meterConfig(c)}}})
	})
}

// meterConfig is a configuration of a meter as read back; nil: none.
func meterConfig(c *dataplane.Meter) *p4.MeterConfig {
	if c == nil {
		return nil
	}
	return &p4.MeterConfig{Cir: int64(c.CIR), Cburst: int64(c.CBurst), Pir: int64(c.PIR), Pburst: int64(c.PBurst)}
}
