package syntax_test

import (
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/p4ce/p4ce/p4/lang/diag"
	"github.com/p4ce/p4ce/p4/lang/include"
	"github.com/p4ce/p4ce/p4/lang/syntax"
)

func parse(t testing.TB, name, text string) (*syntax.Program, []syntax.Token, *diag.List) {
	t.Helper()
	var l diag.List
	toks := syntax.Preprocess(name, text, syntax.Source{
		Builtin: include.Read,
		Read:    os.ReadFile,
		Defines: map[string]string{"__TARGET_TOFINO__": "1"},
	}, &l)
	return syntax.Parse(toks, &l), toks, &l
}

func TestParseBuiltin(t *testing.T) {
	prog, toks, l := parse(t, "x.p4", "#include <core.p4>\n#include <tna.p4>\n")
	require.Empty(t, l.String())
	require.Greater(t, len(prog.Decls), 60)

	// A bundle is the same program.
	text := syntax.Bundle(toks)
	prog2, toks2, l2 := parse(t, "bundle.p4", text)
	require.Empty(t, l2.String())
	require.Equal(t, len(prog.Decls), len(prog2.Decls))
	require.Equal(t, len(toks), len(toks2))
	for i := range prog.Decls {
		a, b := prog.Decls[i].Pos(), prog2.Decls[i].Pos()
		require.Equal(t, a.String(), b.String())
	}
	require.True(t, strings.Contains(text, "#line"))
}
