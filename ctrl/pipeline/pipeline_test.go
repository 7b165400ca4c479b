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

// TestLoad: what a caller does to its config is not in the next one.
func TestLoad(t *testing.T) {
	one, err := pipeline.Load("l2")
	require.NoError(t, err)
	one.P4Info, one.P4DeviceConfig[0] = nil, one.P4DeviceConfig[0]+1
	two, err := pipeline.Load("l2")
	require.NoError(t, err)
	require.NotNil(t, two.P4Info)
	require.Equal(t, pipeline.Cookie(two), two.Cookie.Cookie)
	for range 2 {
		_, err = pipeline.Load("no such program")
		require.Error(t, err)
	}
}
