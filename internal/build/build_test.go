package build

import (
	"runtime"
	"runtime/debug"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestOf(t *testing.T) {
	require.Equal(t, "(devel)", of(nil).Version)
	i := of(&debug.BuildInfo{Main: debug.Module{Version: "v1.2.3"}, Settings: []debug.BuildSetting{
		{Key: "vcs.revision", Value: "0123456789abcdef0123456789abcdef01234567"}, {Key: "vcs.modified", Value: "true"}, {Key: "GOOS", Value: "x"},
	}})
	require.Equal(t, Info{Version: "v1.2.3", Commit: "0123456789abcdef0123456789abcdef01234567", Modified: true, Go: runtime.Version(), Platform: runtime.GOOS + "/" + runtime.GOARCH}, i)
	require.Equal(t, "v1.2.3, "+runtime.Version()+", commit 0123456789ab, modified", i.String())
	require.Equal(t, runtime.Version(), Read().Go)
}
