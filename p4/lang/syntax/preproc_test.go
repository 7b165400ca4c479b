package syntax_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/p4ce/p4ce/p4/lang/diag"
	"github.com/p4ce/p4ce/p4/lang/syntax"
)

// preprocess returns the tokens as text and the errors.
func preprocess(files map[string]string) (string, *diag.List, []syntax.Token) {
	var l diag.List
	toks := syntax.Preprocess("main.p4", files["main.p4"], syntax.Source{
		Read: func(name string) ([]byte, error) {
			if s, ok := files[name]; ok {
				return []byte(s), nil
			}
			return nil, errors.New("no such file")
		},
		IncludeDirs: []string{"inc"},
	}, &l)
	var b strings.Builder
	for i, t := range toks {
		if t.Kind == syntax.EOF {
			break
		}
		if i > 0 {
			b.WriteByte(' ')
		}
		if t.Kind == syntax.String {
			fmt.Fprintf(&b, "%q", t.Text)
			continue
		}
		b.WriteString(t.Text)
	}
	return b.String(), &l, toks
}

func TestPreprocess(t *testing.T) {
	for _, c := range []struct{ name, in, want string }{
		{"object", "#define A 1\nA B", "1 B"},
		{"arguments", "#define ADD(x, y) ((x) + (y))\nADD(1, (2, 3))", "( ( 1 ) + ( ( 2 , 3 ) ) )"},
		{"name alone is no use", "#define F(x) x\nF (1) F", "1 F"},
		{"no arguments", "#define F() 1\nF() F( )", "1 1"},
		{"nested", "#define A B\n#define B C\n#define C 3\nA", "3"},
		{"not again in itself", "#define A A + B\n#define B A\nA", "A + A"},
		{"argument is expanded first", "#define X 1\n#define F(x) x x\nF(X)", "1 1"},
		{"paste", "#define F(x, n) x ## _ ## n\nF(hdr, 3)", "hdr_3"},
		{"paste does not expand", "#define X 1\n#define F(x) x ## 2\nF(X)", "X2"},
		{"string", "#define S(x) #x\nS(a + \"b\" )", `"a + \"b\""`},
		{"continued line", "#define A 1 + \\\n 2\nA", "1 + 2"},
		{"undef", "#define A 1\n#undef A\nA", "A"},
		{"redefined alike", "#define A 1 2\n#define A 1  2\nA", "1 2"},
		{"if", "#if 1 + 1 == 2 && !defined(X)\na\n#else\nb\n#endif", "a"},
		{"elif", "#if 0\na\n#elif 0x10 >> 4 == 1\nb\n#elif 1\nc\n#else\nd\n#endif", "b"},
		{"nested groups", "#ifdef X\n#if 1\na\n#endif\n#else\nb\n#endif", "b"},
		{"ifndef", "#ifndef X\n#define X 5\n#endif\n#ifdef X\nX\n#endif", "5"},
		{"defined without parentheses", "#define X\n#if defined X && !defined Y\na\n#endif", "a"},
		{"ternary", "#if 0 ? 0 : 2 > 1\na\n#endif", "a"},
		{"skipped text may be anything", "#if 0\ndon't \"stop\n#endif\na", "a"},
		{"line", "#line 70 \"x.p4\"\n__LINE__ __FILE__", `70 "x.p4"`},
		{"comments", "a /* b\n c */ d // e\nf", "a d f"},
		{"shift right is two tokens", "a >> b >= c", "a > > b >= c"},
		{"across lines", "#define F(x) <x>\nF(\n1\n)", "< 1 >"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, l, _ := preprocess(map[string]string{"main.p4": c.in})
			require.Empty(t, l.String())
			require.Equal(t, c.want, got)
		})
	}
}

func TestIncludeSearch(t *testing.T) {
	files := map[string]string{
		"main.p4":     "#include \"sub/a.p4\"\n#include <b.p4>\n#define NAME \"b.p4\"\n#include NAME\n",
		"sub/a.p4":    "a\n#include \"near.p4\"\n",
		"sub/near.p4": "near",
		"inc/b.p4":    "b",
		"inc/near.p4": "far",
	}
	got, l, toks := preprocess(files)
	require.Empty(t, l.String())
	require.Equal(t, "a near b b", got)
	require.Equal(t, "sub/near.p4:1:1", toks[1].Pos.String())
}

func TestPositionsThroughMacros(t *testing.T) {
	_, _, toks := preprocess(map[string]string{"main.p4": "#define ADD(x) x + 1\n  foo(ADD(bar));\n"})
	var got []string
	for _, tok := range toks[:len(toks)-1] {
		s := tok.Text + "@" + tok.Pos.String()
		if tok.Pos.Macro != nil {
			s += " in " + tok.Pos.Macro.Name + " of " + tok.Pos.Macro.Def.String()
		}
		got = append(got, s)
	}
	require.Equal(t, []string{
		"foo@main.p4:2:3", "(@main.p4:2:6", "bar@main.p4:2:11",
		"+@main.p4:2:7 in ADD of main.p4:1:9", "1@main.p4:2:7 in ADD of main.p4:1:9",
		")@main.p4:2:15", ";@main.p4:2:16",
	}, got)
}

// TestBombs feeds what grows exponentially: it must end soon, with an error.
func TestBombs(t *testing.T) {
	var macros, calls strings.Builder
	macros.WriteString("#define A0 x x\n")
	for i := 1; i < 60; i++ {
		fmt.Fprintf(&macros, "#define A%d A%d A%d\n", i, i-1, i-1)
	}
	macros.WriteString("A59\n")
	calls.WriteString("#define F(x) x x\n" + strings.Repeat("F(", 60) + "1" + strings.Repeat(")", 60))
	for name, files := range map[string]map[string]string{
		"macros":   {"main.p4": macros.String()},
		"calls":    {"main.p4": calls.String()},
		"includes": {"main.p4": "#include \"main.p4\"\n#include \"main.p4\"\n"},
	} {
		t.Run(name, func(t *testing.T) {
			start := time.Now()
			_, l, _ := preprocess(files)
			require.True(t, l.HasErrors())
			require.Less(t, time.Since(start), 20*time.Second)
		})
	}
}

func TestNumbers(t *testing.T) {
	for _, c := range []struct {
		in     string
		value  int64
		width  int
		signed bool
	}{
		{"42", 42, 0, false}, {"0", 0, 0, false}, {"0x1F", 31, 0, false}, {"8w0x1F", 31, 8, false},
		{"4s7", 7, 4, true}, {"0b1010", 10, 0, false}, {"0o17", 15, 0, false}, {"0d19", 19, 0, false},
		{"1_000", 1000, 0, false}, {"32w0xdead_beef", 0xdeadbeef, 32, false}, {"007", 7, 0, false}, {"8w0x_1_F", 31, 8, false},
	} {
		l, err := syntax.ParseNumber(c.in)
		require.NoError(t, err, c.in)
		require.Equal(t, c.value, l.Value.Int64(), c.in)
		require.Equal(t, c.width, l.Width, c.in)
		require.Equal(t, c.signed, l.Signed, c.in)
	}
	for _, in := range []string{"0x", "8w", "0w1", "0s1", "9z", "0b12", "99999w1", "1w_", "0x_"} {
		_, err := syntax.ParseNumber(in)
		require.Error(t, err, in)
	}
}
