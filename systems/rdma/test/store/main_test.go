// Package store runs the replicated store in network namespaces, as processes of the built binary: servers, a switch
// (XDP) and its controller, while clients read and write and processes die.
package store

import (
	"os"
	"testing"

	"github.com/redis/go-redis/v9/logging"

	"github.com/p4ce/p4ce/lab/launch"
)

var binary string // the p4ce that is tested

func TestMain(m *testing.M) {
	logging.Disable() // go-redis: servers that are down are expected
	os.Exit(launch.Main(m, "p4ce", &binary))
}
