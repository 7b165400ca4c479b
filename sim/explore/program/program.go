package program

import (
	"fmt"
	"io/fs"
	"strings"

	"github.com/p4ce/p4ce/dataplane"
	"github.com/p4ce/p4ce/dataplane/interp"
	"github.com/p4ce/p4ce/dataplane/stf"
	"github.com/p4ce/p4ce/p4"
	"github.com/p4ce/p4ce/p4/lang"
	"github.com/p4ce/p4ce/p4/lang/ir"
)

// Program is a program in a switch.
type Program struct {
	*interp.Target
	IR        *ir.Program
	Empty     *interp.State // the switch when nothing was installed yet
	registers map[string]*ir.Register
}

// Compile compiles a program by its name. Small registers make small states: defines say how small.
func Compile(name string, files fs.FS, defines map[string]string) (*ir.Program, error) {
	prog, diags := lang.Compile(lang.Options{Path: p4.Source(name), FS: files, Defines: defines})
	if diags.HasErrors() {
		return nil, diags.Err()
	}
	return prog, nil
}

// Load compiles a program, and loads it into a switch with a port to its controller.
func Load(name string, files fs.FS, cpu dataplane.Port, defines map[string]string) (*Program, error) {
	prog, err := Compile(name, files, defines)
	if err != nil {
		return nil, err
	}
	p := &Program{Target: interp.New(interp.Options{CPUPort: cpu}), IR: prog, registers: map[string]*ir.Register{}}
	if err := p.Target.Load(&dataplane.Pipeline{Program: prog}); err != nil {
		return nil, err
	}
	for _, r := range prog.Registers {
		p.registers[r.Name[strings.LastIndexByte(r.Name, '.')+1:]] = r
	}
	p.Empty, err = p.Snapshot()
	return p, err
}

// Set is a state in which a script (dataplane/stf) has been run.
func (p *Program) Set(s *interp.State, script string) (*interp.State, error) {
	parsed, err := stf.Parse("setup", []byte(script))
	if err != nil {
		return nil, err
	}
	if err := p.Restore(s); err != nil {
		return nil, err
	}
	if res := stf.Run(parsed, p.IR, p.Target); !res.OK() {
		return nil, fmt.Errorf("a switch cannot be set up: %s", res)
	}
	return p.Snapshot()
}

// Register is a cell of a register, by the end of its name, in the state that the switch is in: its fields.
func (p *Program) Register(name string, index int) ([][]byte, error) {
	r := p.registers[name]
	if r == nil {
		return nil, fmt.Errorf("the program has no register %s", name)
	}
	return p.ReadRegister(r, index)
}
