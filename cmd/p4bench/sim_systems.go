package main

import (
	"github.com/p4ce/p4ce/sim/fabric"
	l2fabric "github.com/p4ce/p4ce/systems/l2/fabric"
	rdmafabric "github.com/p4ce/p4ce/systems/rdma/fabric"
)

// simSystems are those that scenarios may name.
var simSystems = fabric.Systems{l2fabric.System, rdmafabric.System}
