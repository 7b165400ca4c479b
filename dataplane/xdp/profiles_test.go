package xdp_test

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/p4ce/p4ce/bpf"
	"github.com/p4ce/p4ce/bpf/build"
	"github.com/p4ce/p4ce/bpf/gen"
	"github.com/p4ce/p4ce/dataplane"
	"github.com/p4ce/p4ce/doctor/needs"
	"github.com/p4ce/p4ce/internal/long"
	"github.com/p4ce/p4ce/p4/lang"
)

// TestKeptProfiles: members, groups and their slots are entries like others: a data plane without its process balances on, and the next
// process finds all of them, and the default action of the table.
func TestKeptProfiles(t *testing.T) {
	long.Test(t)
	k := newKept(t)
	prog, l := lang.Compile(lang.Options{Path: "../stf/testbed/testdata/profiles.p4"})
	require.False(t, l.HasErrors(), l.String())
	source, err := gen.Records.Generate(prog)
	require.NoError(t, err)
	object, err := build.Object(gen.CFile(prog.Name), source, bpf.Headers)
	if errors.Is(err, build.ErrNoClang) {
		needs.Tools(t, err)
	}
	require.NoError(t, err)
	k.pipeline = &dataplane.Pipeline{Program: prog, Object: object, Config: []byte("profiles")}

	entry := func(table string, keys []uint64, action string, args ...uint64) *dataplane.Entry {
		return dataplane.NewEntry(prog, table, keys, 0, action, args...)
	}
	list := []*dataplane.Entry{
		entry("first.members", []uint64{1}, "send", 2, 0x51),
		entry("first.members", []uint64{0xfffffff0}, "send", 3, 0x62),
		entry("next.groups", []uint64{7}, "set_size", 2, 8, 1),
		entry("next.slots", []uint64{7, 0}, "set_member", 1),
		entry("next.slots", []uint64{7, 1}, "set_member", 0xfffffff0),
		entry("next.slots", []uint64{7, 0xc0000000}, "describe", 1, 1, 0xffff),
		entry("first", []uint64{1}, "to_group", 7),
		entry("first", []uint64{2}, "to_member", 0xfffffff0),
		entry("first", []uint64{3}, "to_set", 7),
	}
	target := k.open(3)
	miss := entry("first.members", []uint64{1}, "send", 2, 0x77).Action
	k.do(func() error {
		if err := target.Load(k.pipeline); err != nil {
			return err
		}
		for _, e := range list {
			if err := target.Insert(e); err != nil {
				return err
			}
		}
		return target.SetDefault(dataplane.TableOf(prog, "first.members"), &miss)
	})
	from := newSniffer(t, k.Lab, k.Hosts[0])
	second, third := newSniffer(t, k.Lab, k.Hosts[1]), newSniffer(t, k.Lab, k.Hosts[2])
	balances := func() {
		t.Helper()
		// The CRC of 00000003 0800 0000 chooses slot 0, and that of 00000001 slot 1.
		for _, c := range []struct {
			to  *sniffer
			low byte // of dst
			of  byte // of src
			tag byte
		}{{second, 1, 3, 0x51}, {third, 1, 1, 0x62}, {third, 2, 3, 0x62}, {second, 9, 3, 0x77}} {
			src := []byte{0, 0, 0, 0, 0, c.of}
			frame := append(append([]byte{0, 0, 0, 0, 0, c.low}, src...), append([]byte{8, 0}, make([]byte, 46)...)...)
			from.send(t, frame)
			got := c.to.next(t, 0x0800)
			require.Equal(t, c.tag, got[6], "%x", got)
		}
	}
	balances()
	k.do(target.Close)
	balances()

	target = k.open(3)
	defer k.do(func() error { return target.Close() })
	st := k.adopt(target)
	require.Len(t, st.Entries, len(list))
	for _, e := range list {
		require.Contains(t, st.Entries, e)
	}
	require.Equal(t, []dataplane.Entry{{Table: dataplane.TableOf(prog, "first.members"), Action: miss}}, st.Defaults)
	balances()
}
