//go:build !(verbs && cgo && linux)

package verbs

import (
	"context"
	"errors"

	"github.com/p4ce/p4ce/host/rdma"
)

// Built says whether the provider is part of this binary.
const Built = false

var errNone = errors.New("verbs: this binary was built without the verbs provider (build with -tags verbs)")

// Open says that this binary has no provider.
func Open(Options) (rdma.Device, error) { return nil, errNone }

// Probe says that this binary has no provider.
func Probe(context.Context, Options) (Report, error) { return Report{}, errNone }
