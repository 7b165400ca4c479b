package p4rt

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	p4 "github.com/p4lang/p4runtime/go/p4/v1"
	"github.com/stretchr/testify/require"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/p4ce/p4ce/dataplane"
	"github.com/p4ce/p4ce/dataplane/interp"
	"github.com/p4ce/p4ce/p4/lang/ir"
)

// readCounter is a target that counts the cells that are read.
type readCounter struct {
	*interp.Target
	reads atomic.Int64
}

func (c *readCounter) ReadRegister(r *ir.Register, i int) ([][]byte, error) {
	c.reads.Add(1)
	return c.Target.ReadRegister(r, i)
}

// manyRegisters asks for many cells.
func manyRegisters(t *testing.T) *p4.ReadRequest {
	req := &p4.ReadRequest{DeviceId: 1}
	all := entity(t, "register_entry {}")
	for range manyCells / 16 {
		req.Entities = append(req.Entities, all)
	}
	return req
}

const manyCells = 1 << 20

// TestReadStopsNobody: a client that asks for much, and takes nothing of the answer, does not
// keep others from writing; no more is read than it takes, and nothing when it has gone.
func TestReadStopsNobody(t *testing.T) {
	target := &readCounter{Target: interp.New(interp.Options{})}
	h := serve(t, target, Options{})
	h.primary()
	ctx, cancel := context.WithCancel(ctxFor(t))
	defer cancel()
	r, err := h.client.Read(ctx, manyRegisters(t))
	require.NoError(t, err)
	_, err = r.Recv()
	require.NoError(t, err)
	require.NoError(t, h.write(h.insert(exact1)))
	require.Less(t, target.reads.Load(), int64(manyCells/2))
	cancel()
	require.Eventually(t, func() bool { return len(h.server.reads) == 0 }, 10*time.Second, time.Millisecond)
	require.Less(t, target.reads.Load(), int64(manyCells/2))
}

// TestReadsAtATime: of many reads that nobody takes a few are begun; who goes away while he
// waits is not waited for, and the others have their turn.
func TestReadsAtATime(t *testing.T) {
	target := &readCounter{Target: interp.New(interp.Options{})}
	h := serve(t, target, Options{})
	h.primary()
	ctx, cancel := context.WithCancel(ctxFor(t))
	defer cancel()
	for range maxReads {
		r, err := h.client.Read(ctx, manyRegisters(t))
		require.NoError(t, err)
		_, err = r.Recv()
		require.NoError(t, err)
	}
	short, stop := context.WithTimeout(ctx, time.Second) // long enough for an answer, if there were one
	defer stop()
	r, err := h.client.Read(short, manyRegisters(t))
	if err == nil { // on a busy machine it is late already
		_, err = r.Recv()
	}
	require.Equal(t, codes.DeadlineExceeded, status.Code(err), "%v", err)
	require.Len(t, h.server.reads, maxReads)
	cancel()
	require.Len(t, h.read("register_entry {}"), 16)
}

// TestReadOfOnePipeline: an answer has nothing of a program that replaced the one it began with.
func TestReadOfOnePipeline(t *testing.T) {
	h := newHarness(t, Options{})
	h.primary()
	first := true
	err := h.server.read(ctxFor(t), manyRegisters(t), func([]*p4.Entity) error {
		require.True(t, first, "nothing is sent after the pipeline was replaced")
		first = false
		return h.set(p4.SetForwardingPipelineConfigRequest_VERIFY_AND_COMMIT, h.config("good too"))
	})
	require.Equal(t, codes.Aborted, status.Code(err), "%v", err)
}

// TestReadSkipsWhatHasGone: entries that are deleted while a table is read are left out, also
// where their counters would have to be read.
func TestReadSkipsWhatHasGone(t *testing.T) {
	h := newHarness(t, Options{})
	h.primary()
	var all []*p4.Update
	lpm := func(i int) string {
		return fmt.Sprintf(`table_entry { table_id: 0x02000002 match { field_id: 1 lpm { value: "\x0a%s\x00" prefix_len: 24 } } action { action { action_id: 0x01000002 } } }`,
			fmt.Sprintf(`\x%02x\x%02x`, i>>8, i&0xff))
	}
	for i := range 1024 {
		all = append(all, h.insert(lpm(i)))
	}
	require.NoError(t, h.write(all...))
	req := &p4.ReadRequest{Entities: []*p4.Entity{entity(t, "register_entry {}"), entity(t, "table_entry { table_id: 0x02000002 counter_data {} }")}}
	got := 0
	err := h.server.read(ctxFor(t), req, func(list []*p4.Entity) error {
		if got == 0 {
			for _, u := range all {
				u.Type = p4.Update_DELETE
			}
			require.NoError(t, h.write(all...))
		}
		got += len(list)
		return nil
	})
	require.NoError(t, err)
	require.Less(t, got, 1024+16)
}

// TestMessageBound: a message that no request needs is refused before it is looked at.
func TestMessageBound(t *testing.T) {
	h := newHarness(t, Options{})
	h.primary()
	u := h.insert(exact1)
	u.GetEntity().GetTableEntry().Metadata = make([]byte, MaxMessage)
	require.Equal(t, codes.ResourceExhausted, status.Code(h.write(u)))
}

func TestUnknownUpdateType(t *testing.T) {
	h := newHarness(t, Options{})
	h.primary()
	for _, typ := range []p4.Update_Type{p4.Update_UNSPECIFIED, 4, 99, -1} {
		for _, text := range []string{exact1, "register_entry { register_id: 0x16000001 index { index: 0 } data { bitstring: \"\\x01\" } }", "digest_entry { digest_id: 0x17000001 config {} }"} {
			got, _ := codesOf(t, h.write(h.up(typ, text)))
			require.Equal(t, []codes.Code{codes.InvalidArgument}, got, "type %d", typ)
		}
	}
	require.Empty(t, h.read(exact1))
}

// TestRolesAreBounded: roles that clients make up and leave do not stay for ever; those that
// have clients, and the default one, do.
func TestRolesAreBounded(t *testing.T) {
	a := newArbiter()
	id := func(n uint64) *electionID { return &electionID{0, n} }
	update := func(c clientID, name string, n uint64) {
		_, err := a.update(c, name, id(n))
		require.NoError(t, err)
	}
	update(1, "", 7)
	a.leave(1)
	update(2, "kept", 7)
	for i := range 100_000 {
		c := clientID(10 + i)
		update(c, fmt.Sprint("role ", i), 5)
		a.leave(c)
		require.LessOrEqual(t, len(a.roles), maxRoles)
	}
	for i := range 10_000 { // clients that never stood leave nothing behind
		c := clientID(200_000 + i)
		_, err := a.update(c, fmt.Sprint("watched ", i), nil)
		require.NoError(t, err)
		a.leave(c)
	}
	require.Error(t, a.mayWrite("", id(3)))
	update(3, "", 3)
	require.False(t, a.isPrimary(3), "the default role remembers its highest election id")
	require.NoError(t, a.mayWrite("kept", id(7)))
	last := fmt.Sprint("role ", 99_999)
	update(4, last, 3)
	require.False(t, a.isPrimary(4), "roles are forgotten in the order in which they were left")
	for i := 0; len(a.roles) < maxRoles || len(a.idle) > 0; i++ {
		update(clientID(300_000+i), fmt.Sprint("live ", i), 1)
	}
	_, err := a.update(5, "one more", id(1))
	require.Equal(t, codes.ResourceExhausted, status.Code(err))
	_, err = a.update(5, strings.Repeat("x", maxRoleName+1), id(1))
	require.Equal(t, codes.InvalidArgument, status.Code(err))
	a.leave(300_000)
	update(5, "one more", 1)
	require.NoError(t, a.mayWrite("kept", id(7)))
}

// TestRoleInUseStays: a role that had no clients, and has one again, is not forgotten.
func TestRoleInUseStays(t *testing.T) {
	a := newArbiter()
	id := &electionID{0, 5}
	_, err := a.update(1, "back", id)
	require.NoError(t, err)
	a.leave(1)
	_, err = a.update(2, "back", id)
	require.NoError(t, err)
	for i := range 2 * maxRoles {
		_, err := a.update(clientID(10+i), fmt.Sprint(i), id)
		require.NoError(t, err)
		a.leave(clientID(10 + i))
	}
	require.NoError(t, a.mayWrite("back", id))
	require.True(t, a.isPrimary(2))
}

// noCounters is a target that cannot write direct counters.
type noCounters struct{ *interp.Target }

func (noCounters) WriteDirectCounter(*dataplane.Entry, dataplane.Counter) error {
	return errors.New("no counter is written")
}

// TestAllOrNothing: an update whose counter cannot be set changes nothing else either.
func TestAllOrNothing(t *testing.T) {
	h := serve(t, noCounters{interp.New(interp.Options{})}, Options{})
	h.primary()
	counted := strings.TrimSuffix(exact1, "}") + " counter_data { packet_count: 3 } }"
	fails := func(u *p4.Update) {
		t.Helper()
		got, _ := codesOf(t, h.write(u))
		require.Equal(t, []codes.Code{codes.Internal}, got)
	}
	fails(h.insert(counted))
	require.Empty(t, h.read(exact1))
	require.NoError(t, h.write(h.insert(exact1)), "the target has no entry left behind")
	before := h.read(exact1)
	other := strings.Replace(counted, "\\x07", "\\x09", 1)
	fails(h.up(p4.Update_MODIFY, other))
	require.Equal(t, before, h.read(exact1))
	const miss = "table_entry { table_id: 0x02000001 is_default_action: true }"
	was := h.read(miss)
	fails(h.up(p4.Update_MODIFY, `table_entry { table_id: 0x02000001 is_default_action: true action { action { action_id: 0x01000001 params { param_id: 1 value: "\x05" } params { param_id: 2 value: "\x07" } } } counter_data { packet_count: 3 } }`))
	require.Equal(t, was, h.read(miss))
}

// during is a target that does something before an entry is inserted.
type during struct {
	*interp.Target
	n  int
	do map[int]func()
}

func (d *during) Insert(e *dataplane.Entry) error {
	d.n++
	if f := d.do[d.n]; f != nil {
		f()
	}
	return d.Target.Insert(e)
}

// TestPreemptedBatchStops: when a client is preempted, the rest of its batch is refused.
func TestPreemptedBatchStops(t *testing.T) {
	target := &during{Target: interp.New(interp.Options{}), do: map[int]func(){}}
	h := serve(t, target, Options{})
	old := h.primary()
	next := h.stream()
	target.do[2] = func() {
		next.arbitrate("", 2)
		old.next() // it is told that it is not the primary
	}
	got, _ := codesOf(t, h.write(h.insert(exact1), h.insert(lpm1), h.insert(tcam1), h.insert(exact2)))
	require.Equal(t, []codes.Code{codes.OK, codes.OK, codes.PermissionDenied, codes.PermissionDenied}, got)
	require.Equal(t, 2, target.n)
}
