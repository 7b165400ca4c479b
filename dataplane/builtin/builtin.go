// Package builtin compiles the programs that are part of this binary (package p4), as targets load them.
package builtin

import (
	"sync"

	p4config "github.com/p4lang/p4runtime/go/p4/config/v1"

	"github.com/p4ce/p4ce/bpf"
	"github.com/p4ce/p4ce/dataplane"
	"github.com/p4ce/p4ce/p4"
	"github.com/p4ce/p4ce/p4/lang"
	"github.com/p4ce/p4ce/p4/lang/ir"
)

// Program is a program with its p4info. All callers share it: it must not be changed.
type Program struct {
	*IR
	Info *p4config.P4Info
}

// IR is the intermediate form of a program, which targets load.
type IR = ir.Program

// programs has a function for each program, which compiles it once.
var programs sync.Map

// Load returns a program, such as "rdma". It is compiled the first time.
func Load(name string) (*Program, error) {
	once, _ := programs.LoadOrStore(name, sync.OnceValues(func() (*Program, error) {
		info, err := p4.Info(name)
		if err != nil {
			return nil, err
		}
		prog, diags := lang.Compile(lang.Options{Path: p4.Source(name), FS: p4.FS})
		if diags.HasErrors() {
			return nil, diags.Err()
		}
		return &Program{prog, info}, nil
	}))
	return once.(func() (*Program, error))()
}

// Pipeline returns a program with its eBPF object, for any target.
func Pipeline(name string) (*dataplane.Pipeline, error) {
	p, err := Load(name)
	if err != nil {
		return nil, err
	}
	object, err := bpf.Object(name)
	if err != nil {
		return nil, err
	}
	return &dataplane.Pipeline{Program: p.IR, Object: object}, nil
}
