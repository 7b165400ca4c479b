package lang_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/p4ce/p4ce/p4/lang"
)

func TestRdma(t *testing.T) {
	p, l := lang.Compile(lang.Options{Path: "../rdma/rdma.p4"})
	require.False(t, l.HasErrors(), l.String())
	require.NotNil(t, p)
	for _, tb := range p.Tables {
		t.Logf("table %s %#x keys %d entries %d", tb.Name, tb.ID, len(tb.Keys), len(tb.Entries))
	}
	for _, tb := range p.Actions {
		t.Logf("action %s %#x", tb.Name, tb.ID)
	}
	for _, tb := range p.Registers {
		t.Logf("register %s %#x", tb.Name, tb.ID)
	}
	for _, v := range p.Ingress.Vars {
		t.Logf("var %s %s", v.Name, v.Type)
	}
	t.Log(l.String())
	// The bundle is the same program without its includes.
	q, l2 := lang.Compile(lang.Options{Path: "../rdma/rdma.p4", Source: []byte(p.Source)})
	require.False(t, l2.HasErrors(), l2.String())
	require.Equal(t, p.Source, q.Source)
}
