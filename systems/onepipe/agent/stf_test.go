package agent

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/p4ce/p4ce/dataplane/builtin"
	"github.com/p4ce/p4ce/dataplane/halves"
	"github.com/p4ce/p4ce/dataplane/interp"
	"github.com/p4ce/p4ce/dataplane/stf"
)

// The packet tests of p4/onepipe hold for a switch whose CPU sends the beacons: what is said of beacons word for word. A script
// that is in testdata, too, says what is different, which is that messages are not stamped.
func TestPackets(t *testing.T) {
	folder := filepath.Join("..", "..", "..", "p4", "onepipe", "stf")
	scripts, err := filepath.Glob(filepath.Join(folder, "*.stf"))
	require.NoError(t, err)
	require.NotEmpty(t, scripts)
	pipe, err := builtin.Pipeline(Beacons.Name)
	require.NoError(t, err)
	for _, file := range scripts {
		name := filepath.Base(file)
		t.Run(name, func(t *testing.T) {
			if own := filepath.Join("testdata", name); exists(own) {
				file = own
			}
			text, err := os.ReadFile(file)
			require.NoError(t, err)
			script, err := stf.Parse(file, text)
			require.NoError(t, err)
			sw := halves.New(interp.New(interp.Options{}), interp.New(interp.Options{}), Beacons)
			defer sw.Close()
			require.NoError(t, sw.Load(pipe))
			res := stf.Run(script, pipe.Program, sw)
			require.True(t, res.OK(), res.String())
		})
	}
}

func exists(file string) bool {
	_, err := os.Stat(file)
	return err == nil
}
