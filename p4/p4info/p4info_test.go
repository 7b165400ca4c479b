package p4info_test

import (
	"flag"
	"os"
	"testing"

	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/proto"

	"github.com/p4ce/p4ce/p4/lang"
	"github.com/p4ce/p4ce/p4/lang/ir"
	"github.com/p4ce/p4ce/p4/p4info"
)

var update = flag.Bool("update", false, "rewrite the golden files")

func compile(t *testing.T, path string) *ir.Program {
	t.Helper()
	p, l := lang.Compile(lang.Options{Path: path})
	require.False(t, l.HasErrors(), l.String())
	return p
}

func TestGolden(t *testing.T) {
	p := compile(t, "testdata/l2.p4")
	for _, c := range []struct {
		file string
		opts p4info.Options
	}{
		{"testdata/l2.p4info.txtpb", p4info.Options{}},
		{"testdata/l2.std.p4info.txtpb", p4info.Options{StandardNames: true, PublicIDs: true}},
	} {
		info, err := p4info.Build(p, c.opts)
		require.NoError(t, err)
		text, err := p4info.Text(info)
		require.NoError(t, err)
		if *update {
			require.NoError(t, os.WriteFile(c.file, text, 0o644))
		}
		want, err := os.ReadFile(c.file)
		require.NoError(t, err)
		require.Equal(t, string(want), string(text))
		back, err := p4info.Parse(text)
		require.NoError(t, err)
		require.True(t, proto.Equal(info, back), "the text reads back as the same description")
	}
}
