package types_test

import (
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/p4ce/p4ce/p4/lang/diag"
	"github.com/p4ce/p4ce/p4/lang/include"
	"github.com/p4ce/p4ce/p4/lang/syntax"
	"github.com/p4ce/p4ce/p4/lang/types"
)

func check(t testing.TB, name, text string) (*types.Info, *diag.List) {
	t.Helper()
	var l diag.List
	toks := syntax.Preprocess(name, text, syntax.Source{
		Builtin: include.Read,
		Read:    os.ReadFile,
		Defines: map[string]string{"__TARGET_TOFINO__": "1"},
	}, &l)
	prog := syntax.Parse(toks, &l)
	return types.Check(prog, &l), &l
}

func TestRdma(t *testing.T) {
	b, err := os.ReadFile("../../rdma/rdma.p4")
	require.NoError(t, err)
	info, l := check(t, "../../rdma/rdma.p4", string(b))
	require.False(t, l.HasErrors(), l.String())
	require.NotNil(t, info.Main)
}
