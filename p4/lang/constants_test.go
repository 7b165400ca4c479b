package lang_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/p4ce/p4ce/p4"
	"github.com/p4ce/p4ce/p4/lang"
)

// TestConstants: a program keeps its constants by name, its own only, and so does its
// bundle.
func TestConstants(t *testing.T) {
	p, l := lang.Compile(lang.Options{Path: "rdma/rdma.p4", FS: p4.FS, Defines: map[string]string{"GROUPS": "7"}})
	require.False(t, l.HasErrors(), l.String())
	got := map[string]string{}
	for _, c := range p.Constants {
		got[c.Name] = fmt.Sprintf("%s %s %s", c.TypeName, c.Type, c.Value)
	}
	require.Equal(t, "reason_t bit<16> 8", got["REASON_TTL"])
	require.Equal(t, "PortId_t bit<9> 64", got["PORT_CPU"])
	require.Equal(t, " bit<32> 7", got["MAX_GROUPS"])
	require.NotContains(t, got, "PARSER_ERROR_OK", "the architecture's")
	require.NotContains(t, got, "PACKETS", "of an enum of the architecture")
	q, l := lang.Compile(lang.Options{Path: "rdma.p4", Source: []byte(p.Source)})
	require.False(t, l.HasErrors(), l.String())
	require.Equal(t, p.Constants, q.Constants)
}

// TestCounterCells: of every program here, the cells of counters by cause have names; so
// have they in its bundle.
func TestCounterCells(t *testing.T) {
	byCause := 0
	for _, name := range p4.Programs() {
		p, l := lang.Compile(lang.Options{Path: p4.Source(name), FS: p4.FS})
		require.False(t, l.HasErrors(), l.String())
		q, l := lang.Compile(lang.Options{Path: name + ".p4", Source: []byte(p.Source)})
		require.False(t, l.HasErrors(), l.String())
		for i, c := range p.Counters {
			values := p.IndexValues(c)
			require.Equal(t, values, q.IndexValues(q.Counters[i]), c.Name)
			if !strings.HasSuffix(c.Name, ".drops") && !strings.HasSuffix(c.Name, ".punts") {
				continue
			}
			byCause++
			require.NotEmpty(t, values, "%s: index type %s has no constants", c.Name, c.IndexType)
			require.Equal(t, "none", values[0].Short, c.Name)
			for n, v := range values {
				require.Equal(t, int64(n), v.Value.Int64(), "%s: %s", c.Name, v.Name)
				require.NotContains(t, v.Short, "drop_", c.Name)
				require.NotContains(t, v.Short, "reason_", c.Name)
			}
		}
	}
	require.Positive(t, byCause)
}
