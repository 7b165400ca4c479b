package p4xc

import (
	"io"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/p4ce/p4ce/bpf"
	"github.com/p4ce/p4ce/bpf/build"
	"github.com/p4ce/p4ce/p4/lang"
)

// Without the C compiler, a program of this binary has its object. Another program of the same name has not.
func TestObjectWithoutCompiler(t *testing.T) {
	t.Setenv("PATH", "")
	object := func(o lang.Options) ([]byte, error) {
		prog, diags := lang.Compile(o)
		require.NotNil(t, prog, diags)
		require.Equal(t, "l2", prog.Name)
		return Object(prog, io.Discard)
	}
	own, err := object(lang.Options{Path: "../../p4/l2/l2.p4"})
	require.NoError(t, err)
	want, err := bpf.Object("l2")
	require.NoError(t, err)
	require.Equal(t, want, own)
	_, err = object(lang.Options{Path: "../stf/testdata/l2.p4"})
	require.ErrorIs(t, err, build.ErrNoClang)
}
