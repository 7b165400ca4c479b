package syntax_test

import (
	"testing"

	"github.com/p4ce/p4ce/p4/lang/diag"
	"github.com/p4ce/p4ce/p4/lang/include"
	"github.com/p4ce/p4ce/p4/lang/syntax"
)

// FuzzParse looks for input that makes the front half panic or hang.
func FuzzParse(f *testing.F) {
	for _, s := range []string{
		"const bit<8> a = 1;", "#define F(x) x x\nF(F(1))", "header h { bit<8> a; }",
		"control C() { apply { if (a) { } else b = (bit<8>) c ++ d[3:0]; } }",
		"parser P() { state start { transition select(a) { 1 &&& 2: accept; _: reject; } } }",
		"#if defined(X) && 1 ? 2 : 3\n#endif", "a<b<c<d>>>(e) f;", "((((bit<((1))>)x", "#include <core.p4>\n@x[y=1] @z(())",
		"control C() { table t { key = { a : exact; } entries = { (1, _) : f(); } } apply { } }",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, src string) {
		var l diag.List
		toks := syntax.Preprocess("f.p4", src, syntax.Source{Builtin: include.Read}, &l)
		syntax.Parse(toks, &l)
		_ = l.String()
		if l.HasErrors() {
			return
		}
		var l2 diag.List
		toks2 := syntax.Preprocess("f.p4", syntax.Bundle(toks), syntax.Source{}, &l2)
		syntax.Parse(toks2, &l2)
		if l2.HasErrors() || len(toks) != len(toks2) {
			t.Fatalf("the bundle differs: %d tokens, %d before\n%s\n%s", len(toks2), len(toks), l2.String(), syntax.Bundle(toks))
		}
	})
}
