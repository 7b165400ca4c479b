package p4rtclient

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	p4 "github.com/p4lang/p4runtime/go/p4/v1"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

// maxBatch is how many updates one Write request carries; longer lists are sent
// as several, in order.
const maxBatch = 2000

// Insert, Modify and Delete make updates.
func Insert(e *p4.Entity) *p4.Update { return &p4.Update{Type: p4.Update_INSERT, Entity: e} }

// Modify makes an update that changes what exists.
func Modify(e *p4.Entity) *p4.Update { return &p4.Update{Type: p4.Update_MODIFY, Entity: e} }

// Delete makes an update that removes.
func Delete(e *p4.Entity) *p4.Update { return &p4.Update{Type: p4.Update_DELETE, Entity: e} }

// UpdateError is why one update of a batch failed.
type UpdateError struct {
	Index   int // in the list given to Write
	Update  *p4.Update
	Code    codes.Code
	Message string
}

// WriteError is a batch in which some updates failed. The others have been applied.
type WriteError struct {
	Total  int
	Failed []UpdateError
}

// Error names the first failures.
func (e *WriteError) Error() string {
	const shown = 3
	var parts []string
	for _, f := range e.Failed[:min(shown, len(e.Failed))] {
		parts = append(parts, fmt.Sprintf("update %d (%s): %s: %s", f.Index, f.Update.GetType(), f.Code, f.Message))
	}
	s := fmt.Sprintf("write: %d of %d updates failed: %s", len(e.Failed), e.Total, strings.Join(parts, "; "))
	if n := len(e.Failed) - shown; n > 0 {
		s += fmt.Sprintf("; and %d more", n)
	}
	return s
}

// Only reports whether every failure has one of these codes, for instance
// NOT_FOUND for a removal that is repeated.
func (e *WriteError) Only(allowed ...codes.Code) bool {
	for _, f := range e.Failed {
		ok := false
		for _, c := range allowed {
			ok = ok || c == f.Code
		}
		if !ok {
			return false
		}
	}
	return true
}

// Write applies updates in order, each on its own. A *WriteError says which failed. After any other
// error, the rest has not been sent.
func (c *Client) Write(ctx context.Context, updates ...*p4.Update) error {
	all := &WriteError{Total: len(updates)}
	for first := 0; first < len(updates); first += maxBatch {
		batch := updates[first:min(first+maxBatch, len(updates))]
		if err := c.may(); err != nil {
			return err
		}
		_, err := c.rpc.Write(ctx, &p4.WriteRequest{
			DeviceId: c.o.DeviceID, Role: c.o.Role, ElectionId: c.electionID(), Updates: batch,
		})
		if err == nil {
			continue
		}
		we := batchError(err, batch)
		if we == nil {
			return fmt.Errorf("switch %s: write: %w", c.o.Address, err)
		}
		for _, f := range we {
			f.Index += first
			all.Failed = append(all.Failed, f)
		}
	}
	if len(all.Failed) > 0 {
		return fmt.Errorf("switch %s: %w", c.o.Address, all)
	}
	return nil
}

// WriteAllowing is Write, and ignores failures with these codes.
func (c *Client) WriteAllowing(ctx context.Context, allow []codes.Code, updates ...*p4.Update) error {
	err := c.Write(ctx, updates...)
	var we *WriteError
	if errors.As(err, &we) && we.Only(allow...) {
		return nil
	}
	return err
}

// batchError reads the details of a failed batch, nil when there are none.
func batchError(err error, batch []*p4.Update) []UpdateError {
	st := status.Convert(err)
	if st.Code() != codes.Unknown || len(st.Details()) != len(batch) {
		return nil
	}
	var out []UpdateError
	for i, d := range st.Details() {
		e, ok := d.(*p4.Error)
		if !ok {
			return nil
		}
		if c := codes.Code(e.GetCanonicalCode()); c != codes.OK {
			out = append(out, UpdateError{i, batch[i], c, e.GetMessage()})
		}
	}
	return out
}

// Read returns the entities that the request names, in order.
func (c *Client) Read(ctx context.Context, entities ...*p4.Entity) ([]*p4.Entity, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	st, err := c.rpc.Read(ctx, &p4.ReadRequest{DeviceId: c.o.DeviceID, Role: c.o.Role, Entities: entities})
	if err != nil {
		return nil, fmt.Errorf("switch %s: read: %w", c.o.Address, err)
	}
	var out []*p4.Entity
	for {
		m, err := st.Recv()
		if errors.Is(err, io.EOF) {
			return out, nil
		}
		if err != nil {
			return nil, fmt.Errorf("switch %s: read: %w", c.o.Address, err)
		}
		out = append(out, m.GetEntities()...)
	}
}

// ReadTable returns the entries of a table.
func (c *Client) ReadTable(ctx context.Context, i *Info, table string) ([]Entry, error) {
	t, err := lookup(i.tables, "table", table)
	if err != nil {
		return nil, err
	}
	list, err := c.Read(ctx, &p4.Entity{Entity: &p4.Entity_TableEntry{TableEntry: &p4.TableEntry{TableId: t.GetPreamble().GetId()}}})
	if err != nil {
		return nil, err
	}
	var out []Entry
	for _, e := range list {
		en, err := i.Decode(e.GetTableEntry())
		if err != nil {
			return nil, err
		}
		out = append(out, en)
	}
	return out, nil
}

// ReadGroups returns all multicast groups.
func (c *Client) ReadGroups(ctx context.Context) (map[uint16][]Replica, error) {
	list, err := c.Read(ctx, Group(0, nil))
	if err != nil {
		return nil, err
	}
	out := map[uint16][]Replica{}
	for _, e := range list {
		g := e.GetPacketReplicationEngineEntry().GetMulticastGroupEntry()
		reps := []Replica{}
		for _, r := range g.GetReplicas() {
			port := uint16(r.GetEgressPort()) //nolint:staticcheck // what another client may have written
			if p := r.GetPort(); len(p) > 0 {
				port = uint16(ToUint(p))
			}
			reps = append(reps, Replica{port, uint16(r.GetInstance())})
		}
		out[uint16(g.GetMulticastGroupId())] = reps
	}
	return out, nil
}

// ReadRegister returns the fields of elements of a register, all elements for a
// negative index.
func (c *Client) ReadRegister(ctx context.Context, i *Info, name string, index int) ([][]uint64, error) {
	e, err := i.Register(name, index)
	if err != nil {
		return nil, err
	}
	return c.readRegisters(ctx, e)
}

// Cell is an element of a register.
type Cell struct {
	Register string
	Index    int
}

// ReadCells returns the fields of elements of registers, in the order in which they are given.
func (c *Client) ReadCells(ctx context.Context, i *Info, cells []Cell) ([][]uint64, error) {
	var list []*p4.Entity
	for _, cell := range cells {
		e, err := i.Register(cell.Register, cell.Index)
		if err != nil {
			return nil, err
		}
		list = append(list, e)
	}
	out, err := c.readRegisters(ctx, list...)
	if err == nil && len(out) != len(cells) {
		err = fmt.Errorf("switch %s: read: %d elements of registers, %d were asked for", c.o.Address, len(out), len(cells))
	}
	return out, err
}

func (c *Client) readRegisters(ctx context.Context, names ...*p4.Entity) (out [][]uint64, err error) {
	list, err := c.Read(ctx, names...)
	if err != nil {
		return nil, err
	}
	for _, e := range list {
		d := e.GetRegisterEntry().GetData()
		fields := []uint64{ToUint(d.GetBitstring())}
		if s := d.GetStruct(); s != nil {
			fields = nil
			for _, m := range s.GetMembers() {
				fields = append(fields, ToUint(m.GetBitstring()))
			}
		}
		out = append(out, fields)
	}
	return out, nil
}

// CounterValue is a cell of a counter.
type CounterValue struct{ Packets, Bytes uint64 }

// ReadCounter returns cells of a counter, all for a negative index.
func (c *Client) ReadCounter(ctx context.Context, i *Info, name string, index int) ([]CounterValue, error) {
	e, err := i.Counter(name, index)
	if err != nil {
		return nil, err
	}
	list, err := c.Read(ctx, e)
	if err != nil {
		return nil, err
	}
	var out []CounterValue
	for _, e := range list {
		d := e.GetCounterEntry().GetData()
		out = append(out, CounterValue{uint64(d.GetPacketCount()), uint64(d.GetByteCount())})
	}
	return out, nil
}

// SetPipeline pushes a pipeline config.
func (c *Client) SetPipeline(ctx context.Context, action p4.SetForwardingPipelineConfigRequest_Action, config *p4.ForwardingPipelineConfig) error {
	if err := c.may(); err != nil {
		return err
	}
	_, err := c.rpc.SetForwardingPipelineConfig(ctx, &p4.SetForwardingPipelineConfigRequest{
		DeviceId: c.o.DeviceID, Role: c.o.Role, ElectionId: c.electionID(), Action: action, Config: config,
	})
	if err != nil {
		return fmt.Errorf("switch %s: pipeline: %w", c.o.Address, err)
	}
	return nil
}

// GetPipeline returns the committed pipeline config, nil when there is none.
func (c *Client) GetPipeline(ctx context.Context, parts p4.GetForwardingPipelineConfigRequest_ResponseType) (*p4.ForwardingPipelineConfig, error) {
	r, err := c.rpc.GetForwardingPipelineConfig(ctx, &p4.GetForwardingPipelineConfigRequest{DeviceId: c.o.DeviceID, ResponseType: parts})
	if status.Code(err) == codes.FailedPrecondition {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("switch %s: pipeline: %w", c.o.Address, err)
	}
	return r.GetConfig(), nil
}
