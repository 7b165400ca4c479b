package main

import (
	"go/ast"
	"go/token"
	"path"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// reads are the files that read others to their end, however much that is and however long it takes.
var reads = map[string]string{
	"systems/rdma/control/store.go":       "its own folder",
	"systems/rdma/control/storestatic.go": "its own folder",
	"systems/paxos/client.go":             "its own folder",
	"host/check/gather.go":                "the kernel's",
	"dataplane/check/gather.go":           "the kernel's",
	"doctor/machine.go":                   "the kernel's",
}

// TestReads: programs read what an operator names by package link/files.
func TestReads(t *testing.T) {
	found := 0
	eachFile(t, func(rel string, fset *token.FileSet, f *ast.File) {
		switch roomOf(path.Dir(rel)).floor {
		case "cmd", "ctrl", "host", "dataplane", "link", "roce", "doctor":
		default:
			return
		}
		if strings.HasSuffix(rel, "_test.go") {
			return
		}
		ast.Inspect(f, func(n ast.Node) bool {
			s, ok := n.(*ast.SelectorExpr)
			if !ok {
				return true
			}
			p, ok := s.X.(*ast.Ident)
			if name := s.Sel.Name; ok && (p.Name == "os" && name == "ReadFile" || p.Name == "tls" && name == "LoadX509KeyPair") {
				found++
				if _, may := reads[rel]; !may {
					t.Errorf("%s: reads a file to its end (package link/files has bounds)", fset.Position(n.Pos()))
				}
			}
			return true
		})
	})
	require.NotZero(t, found, "the test finds what it looks for")
}
