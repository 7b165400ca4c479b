package pipeline_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/p4ce/p4ce/bpf"
	"github.com/p4ce/p4ce/bpf/bundle"
	"github.com/p4ce/p4ce/ctrl/pipeline"
	"github.com/p4ce/p4ce/p4/lang"

	p4src "github.com/p4ce/p4ce/p4"
)

// TestCompile: the config of a program that is compiled here is the one that is part of this binary.
func TestCompile(t *testing.T) {
	want, err := pipeline.Load("l2")
	require.NoError(t, err)
	text, diags := lang.Preprocess(lang.Options{Path: p4src.Source("l2"), FS: p4src.FS})
	require.NoError(t, diags.Err())
	object, err := bpf.Object("l2")
	require.NoError(t, err)
	got, err := pipeline.Compile("l2.p4", []byte(text), object)
	require.NoError(t, err)
	require.EqualExportedValues(t, want.GetP4Info(), got.GetP4Info())
	b, err := bundle.Unmarshal(got.GetP4DeviceConfig())
	require.NoError(t, err)
	require.Equal(t, "l2", b.Program)
	require.Equal(t, object, b.Object)

	without, err := pipeline.Compile("l2.p4", []byte(text), nil)
	require.NoError(t, err)
	require.NotEqual(t, got.GetCookie().GetCookie(), without.GetCookie().GetCookie(), "another config")
	_, err = pipeline.Compile("wrong.p4", []byte("control"), nil)
	require.ErrorContains(t, err, "program wrong.p4: ")
}
