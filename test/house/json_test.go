package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"reflect"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestJSONNames: all JSON has one way of writing names (docs/events.md), and events are of the kinds of internal/event. The roles of
// p4ce paxos bench and the servers of bench/peers are processes of their own, and what they say is for it alone.
func TestJSONNames(t *testing.T) {
	is := regexp.MustCompile(`^[a-z][a-z0-9]*(_[a-z0-9]+)*$`)
	names := 0
	require.NoError(t, filepath.WalkDir("../..", func(path string, d fs.DirEntry, err error) error {
		file := strings.TrimPrefix(path, "../../")
		switch {
		case err != nil:
			return err
		case d.IsDir() && (strings.HasPrefix(d.Name(), ".git") || d.Name() == "out" || d.Name() == "bin"):
			return fs.SkipDir
		case !strings.HasSuffix(file, ".go") || strings.HasSuffix(file, "_test.go"):
			return nil
		}
		set := token.NewFileSet()
		f, err := parser.ParseFile(set, path, nil, 0)
		require.NoError(t, err)
		ast.Inspect(f, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.Field:
				if n.Tag == nil {
					break
				}
				tag, err := strconv.Unquote(n.Tag.Value)
				require.NoError(t, err)
				name, _, _ := strings.Cut(reflect.StructTag(tag).Get("json"), ",")
				if name != "" && name != "-" {
					names++
					require.Regexp(t, is, name, "%v", set.Position(n.Pos()))
				}
			case *ast.KeyValueExpr:
				key, _ := n.Key.(*ast.Ident)
				text, literal := n.Value.(*ast.BasicLit)
				if key != nil && key.Name == "Event" && literal && !strings.HasPrefix(file, "systems/paxos/soft/") && !strings.HasPrefix(file, "bench/peers/") {
					t.Errorf("%v: event %s: use a kind of internal/event", set.Position(n.Pos()), text.Value)
				}
			}
			return true
		})
		return nil
	}))
	require.Greater(t, names, 500)
}
