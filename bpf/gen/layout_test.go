package gen_test

import (
	"bytes"
	"testing"

	"github.com/cilium/ebpf"
	"github.com/cilium/ebpf/btf"
	"github.com/stretchr/testify/require"

	"github.com/p4ce/p4ce/bpf"
	"github.com/p4ce/p4ce/bpf/gen"
	"github.com/p4ce/p4ce/p4"
	"github.com/p4ce/p4ce/p4/lang"
	"github.com/p4ce/p4ce/p4/lang/ir"
)

func describe(t *testing.T, program string) (*ir.Program, *gen.Description) {
	t.Helper()
	prog, diags := lang.Compile(lang.Options{Path: p4.Source(program), FS: p4.FS})
	require.NoError(t, diags.Err())
	d, err := gen.Describe(prog)
	require.NoError(t, err)
	return prog, d
}

// members returns the members of a struct by name.
func members(t *testing.T, list []btf.Member) map[string]btf.Member {
	out := map[string]btf.Member{}
	for _, m := range list {
		out[m.Name] = m
	}
	return out
}

func checkSlots(t *testing.T, what string, slots []gen.Slot, list []btf.Member) {
	t.Helper()
	byOffset := map[int]btf.Member{}
	for _, m := range list {
		byOffset[int(m.Offset.Bytes())] = m
	}
	for _, s := range slots {
		m, ok := byOffset[s.Offset]
		require.True(t, ok, "%s: nothing at offset %d for %s", what, s.Offset, s.Name)
		size, err := btf.Sizeof(m.Type)
		require.NoError(t, err)
		require.Equal(t, s.Size, size, "%s: size of %s", what, s.Name)
	}
}

// TestLayoutsAgree compares what Go thinks of keys, values and registers with what clang made of the C, by the object's BTF.
func TestLayoutsAgree(t *testing.T) {
	for _, program := range p4.Programs() {
		t.Run(program, func(t *testing.T) {
			_, d := describe(t, program)
			object, err := bpf.Object(program)
			require.NoError(t, err)
			layoutsAgree(t, d, object)
		})
	}
}

func layoutsAgree(t *testing.T, d *gen.Description, object []byte) {
	spec, err := ebpf.LoadCollectionSpecFromReader(bytes.NewReader(object))
	require.NoError(t, err)
	checked := 0
	for _, tb := range d.Tables {
		if tb.Kind == gen.TableConst {
			continue
		}
		if tb.Kind == gen.TableIndex {
			require.Equal(t, 4, tb.KeySize, "index of %s", tb.Name)
		} else {
			var key *btf.Struct
			require.NoError(t, spec.Types.TypeByName("key_"+tb.Alias, &key))
			require.Equal(t, tb.KeySize, int(key.Size), "key of %s", tb.Name)
			checkSlots(t, "key of "+tb.Name, tb.Key, key.Members)
		}
		var value *btf.Union
		require.NoError(t, spec.Types.TypeByName("value_"+tb.Alias, &value))
		require.Equal(t, tb.ValueSize, int(value.Size), "value of %s", tb.Name)
		byName := members(t, value.Members)
		for _, a := range tb.Actions {
			if len(a.Params) == 0 {
				continue
			}
			found := false
			for name, m := range byName {
				st, ok := m.Type.(*btf.Struct)
				if !ok || !bytes.HasSuffix([]byte(a.Name), []byte("."+name)) {
					continue
				}
				found = true
				checkSlots(t, "action "+a.Name, a.Params, st.Members)
			}
			require.True(t, found, "no member for action %s", a.Name)
		}
		checked++
	}
	require.Positive(t, checked)
	for _, rows := range d.Rows {
		if rows.Mapped {
			m := spec.Maps[rows.Var]
			require.NotNil(t, m, rows.Var)
			require.EqualValues(t, max(rows.Size, rows.Stride), m.MaxEntries, rows.Var)
			require.EqualValues(t, rows.RowSize, m.ValueSize, rows.Var)
		} else {
			v := spec.Variables[rows.Var]
			require.NotNil(t, v, rows.Var)
			require.Equal(t, rows.Size*rows.RowSize, int(v.Size()), rows.Var)
		}
		var row *btf.Struct
		require.NoError(t, spec.Types.TypeByName(rows.Var, &row))
		require.Equal(t, rows.RowSize, int(row.Size), "row of %s", rows.Var)
		byName := members(t, row.Members)
		for _, c := range rows.Counters {
			m, ok := byName[c.Member]
			require.True(t, ok, "%s: no member %s", rows.Var, c.Member)
			require.Equal(t, c.Offset, int(m.Offset.Bytes()), c.Name)
			size, err := btf.Sizeof(m.Type)
			require.NoError(t, err)
			require.Equal(t, 16, size, c.Name)
		}
		for _, r := range rows.Registers {
			m, ok := byName[r.Member]
			require.True(t, ok, "%s: no member %s", rows.Var, r.Member)
			require.Equal(t, r.Offset, int(m.Offset.Bytes()), r.Name)
			size, err := btf.Sizeof(m.Type)
			require.NoError(t, err)
			require.Equal(t, r.CellSize, size, r.Name)
		}
	}
}
