// Command compile compiles a P4 program and sends two frames through it: in the interpreter, or
// with the argument xdp in the kernel, which needs root and clang-19. Both print the same.
package main

import (
	"fmt"
	"os"

	"github.com/p4ce/p4ce/bpf"
	"github.com/p4ce/p4ce/bpf/build"
	"github.com/p4ce/p4ce/bpf/gen"
	"github.com/p4ce/p4ce/dataplane"
	"github.com/p4ce/p4ce/dataplane/interp"
	"github.com/p4ce/p4ce/dataplane/xdp"
	"github.com/p4ce/p4ce/examples"
	"github.com/p4ce/p4ce/p4/lang"
)

func main() {
	program, diags := lang.Compile(lang.Options{Path: "patch.p4", Source: []byte(examples.Patch)})
	if program == nil {
		examples.Check(diags.Err())
	}
	pipeline := &dataplane.Pipeline{Program: program}
	var target interface {
		dataplane.Target
		dataplane.Injector
	} = interp.New(interp.Options{})
	if len(os.Args) > 1 && os.Args[1] == "xdp" {
		source := examples.Must(gen.Generate(program))
		pipeline.Object = examples.Must(build.Object(gen.CFile(program.Name), source, bpf.Headers))
		target = examples.Must(xdp.New(xdp.Config{CPUPort: 64, PacketTest: true})) // without interfaces
	}
	defer target.Close()
	examples.Check(target.Load(pipeline))
	examples.Check(target.Insert(dataplane.NewEntry(program, "plugs", []uint64{1}, 0, "plug", 2)))

	frame := append([]byte{2, 0, 0, 0, 0, 2, 2, 0, 0, 0, 0, 1, 0x88, 0xb5}, make([]byte, 46)...)
	for _, port := range []dataplane.Port{1, 3} {
		out := examples.Must(target.Inject(port, frame))
		fmt.Printf("a frame comes in by port %d: %d out\n", port, len(out))
		for _, o := range out {
			fmt.Printf("  by port %d, %d bytes\n", o.Port, len(o.Frame))
		}
	}
	dropped := examples.Must(target.ReadCounter(dataplane.CounterOf(program, "unplugged"), 3))
	fmt.Println("nothing is plugged into port 3:", dropped.Packets)
}
