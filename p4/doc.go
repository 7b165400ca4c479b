// Package p4 holds the P4 programs of p4ce, embedded for those who compile
// them at run time: the interpreter, tests and the compiler's own users.
//
//	lib/       what programs share: headers, packet I/O, forwarding
//	rdma/      P4CE and MC-RDMA
//	rdmaegress/ the same for a chip of several pipes
//	paxos/     P4xos: leader, acceptor and learner of Paxos in a switch
//	onepipe/   1Pipe: total order by barriers
//	amcast/    P4mCast: leader, member and deliverer of atomic multicast in a switch
//	l2/        a switch that learns MAC addresses: the template for other programs
//	lang/      the compiler's front end
//	p4info/    P4Runtime's description of a program
//	gonames/   its names and numbers as Go
//
// A program is a folder: NAME/NAME.p4, what it includes, NAME.p4info.txtpb, and
// names.go, a package that is named like the program.
//
// Programs are written for the Tofino Native Architecture; the front end of the
// public P4 compiler accepts them as they are. Stable ids are given with @id and
// never used for something else.
package p4

import (
	"embed"
	"fmt"
	"io/fs"
	"path"

	p4config "github.com/p4lang/p4runtime/go/p4/config/v1"
	"google.golang.org/protobuf/encoding/prototext"
)

//go:generate go run ../cmd/p4gen -dir rdma

// FS holds every program and what it includes: "rdma/rdma.p4", "lib/headers.p4".
//
//go:embed */*.p4
var FS embed.FS

// Programs are the names of all programs, in alphabetical order.
func Programs() []string {
	dirs, _ := fs.ReadDir(FS, ".") // of an embedded file system: no error
	var names []string
	for _, d := range dirs {
		if _, err := fs.Stat(FS, Source(d.Name())); err == nil {
			names = append(names, d.Name())
		}
	}
	return names
}

// Source is where the text of a program is in FS.
func Source(name string) string { return path.Join(name, name+".p4") }

// Info returns the committed p4info of a program.
func Info(name string) (*p4config.P4Info, error) {
	text, err := infos.ReadFile(path.Join(name, name+".p4info.txtpb"))
	if err != nil {
		return nil, fmt.Errorf("no p4info of program %s is part of this binary", name)
	}
	info := &p4config.P4Info{}
	if err := prototext.Unmarshal(text, info); err != nil {
		return nil, fmt.Errorf("p4info of %s: %w", name, err)
	}
	return info, nil
}

//go:embed */*.p4info.txtpb
var infos embed.FS
