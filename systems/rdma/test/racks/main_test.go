// Package racks runs networks of several switches in network namespaces: racks with a leaf switch (XDP) each, spines,
// the controller of all of them, and groups whose replicas are in several racks.
package racks

import (
	"os"
	"testing"

	"github.com/p4ce/p4ce/lab/launch"
)

var binary string // the p4ce that is tested

func TestMain(m *testing.M) {
	os.Exit(launch.Main(m, "p4ce", &binary))
}
