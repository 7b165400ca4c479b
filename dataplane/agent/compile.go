package agent

import (
	"errors"
	"fmt"

	p4config "github.com/p4lang/p4runtime/go/p4/config/v1"

	"github.com/p4ce/p4ce/bpf/bundle"
	"github.com/p4ce/p4ce/p4/lang"
	"github.com/p4ce/p4ce/p4/lang/ir"
	"github.com/p4ce/p4ce/p4/p4info"
)

// Compile compiles the program of a device config.
func Compile(b *bundle.Bundle) (*ir.Program, *p4config.P4Info, error) {
	prog, diags := lang.Compile(lang.Options{Path: b.Program + ".p4", Source: []byte(b.Source)})
	if prog == nil {
		if len(diags.Items) == 0 {
			return nil, nil, errors.New("it does not compile")
		}
		return nil, nil, fmt.Errorf("%s (%d errors)", diags.Items[0].Error(), diags.Len())
	}
	info, err := p4info.Build(prog, p4info.Options{})
	if err != nil {
		return nil, nil, fmt.Errorf("p4info: %w", err)
	}
	return prog, info, nil
}
