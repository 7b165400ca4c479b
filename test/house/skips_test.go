package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// skips are the files that may skip a test by themselves: what they skip is nothing that
// the machine lacks.
var skips = map[string]string{
	"systems/rdma/replicate/smr_test.go": "the race detector allocates",
	"host/verbs/internal/wq/wq_test.go":  "an action that a state machine test cannot do in its state",
	"link/udp/udp_test.go":               "another worker of the fuzzer has the port",
	"test/house/skips_test.go":           "",
}

// eachFile parses all Go files; rel is a file's path in the repository.
func eachFile(t *testing.T, do func(rel string, fset *token.FileSet, f *ast.File)) {
	root := filepath.Join("..", "..")
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, ".go") {
			return err
		}
		rel, _ := filepath.Rel(root, path)
		fset := token.NewFileSet()
		f, err := parser.ParseFile(fset, path, nil, parser.ParseComments)
		if err == nil {
			do(filepath.ToSlash(rel), fset, f)
		}
		return err
	})
	require.NoError(t, err)
}

// TestSkips: tests say what they need with package needs, so that a machine that must
// have it fails instead of leaving them out.
func TestSkips(t *testing.T) {
	files := 0
	eachFile(t, func(rel string, fset *token.FileSet, f *ast.File) {
		if !strings.HasSuffix(rel, "_test.go") && rel != "systems/rdma/lab/world/world.go" || strings.HasPrefix(rel, "doctor/needs/") {
			return
		}
		files++
		ast.Inspect(f, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok {
				return true
			}
			s, ok := call.Fun.(*ast.SelectorExpr)
			if !ok {
				return true
			}
			_, may := skips[rel]
			if name := s.Sel.Name; (name == "Skip" || name == "Skipf" || name == "SkipNow") && !may {
				t.Errorf("%s: skips a test by itself (package doctor/needs says what a test needs)", fset.Position(n.Pos()))
			}
			return true
		})
	})
	require.Greater(t, files, 100)
}
