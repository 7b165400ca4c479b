package lang_test

import (
	"fmt"
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
