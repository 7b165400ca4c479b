package main

import (
	"os"
	"slices"
	"strings"
	"testing"
)

const sample1 = `package a

import "fmt"

const size = 8

type T struct{ n int }

// String is for people.
func (t *T) String() string { return fmt.Sprint(t.n + 1) }

func (t *T) Add(n int, ok bool) (int, error) {
	if n < size && ok {
		t.n += n
		return t.n, nil
	}
	return 0, fmt.Errorf("%d is %d too much", n, n-8)
}

func (t *T) Full() bool { return t.n == 0 || t.n == size }
`

// TestGenerate: which mutants are made, and that each is another text.
func TestGenerate(t *testing.T) {
	all, err := generate("a/a.go", sample1)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	texts := map[string]bool{sample1: true}
	for _, m := range all {
		names = append(names, strings.TrimPrefix(m.name, "a/a.go "))
		text, err := m.apply(sample1)
		if err != nil || texts[text] {
			t.Errorf("%s: %v, or the text of another", m.name, err)
		}
		texts[text] = true
	}
	want := []string{
		"const: size = 8 => size = 9",
		"const: size = 8 => size = 7",
		"T.Add: return 0, nil at once",
		"T.Add: n < size && ok => !(n < size && ok)",
		"T.Add: n < size => n <= size",
		"T.Add: n < size && ok => n < size || ok",
		"T.Add: without t.n += n",
		"T.Add: t.n += n => t.n -= n",
		"T.Add: without return t.n, nil",
		"T.Add: return t.n, nil => return 0, nil",
		`T.Add: without return 0, fmt.Errorf("%d is %d too much", n, n-8)`,
		"T.Add: return 0, fmt.Errorf(\"%d is %d too much\", n, n-8) => return 1, fmt.Errorf(\"%d is %d too much\", n, n-8)",
		"T.Add: return 0, fmt.Errorf(\"%d is %d too much\", n, n-8) => return 0, nil",
		"T.Full: without return t.n == 0 || t.n == size",
		"T.Full: return t.n == 0 || t.n == size => return false",
		"T.Full: t.n == 0 || t.n == size => !(t.n == 0 || t.n == size)",
		"T.Full: t.n == 0 => t.n != 0",
		"T.Full: return t.n == 0 || t.n == size => return t.n == 1 || t.n == size",
		"T.Full: t.n == 0 || t.n == size => t.n == 0 && t.n == size",
		"T.Full: t.n == size => t.n != size",
	}
	slices.Sort(names)
	slices.Sort(want)
	if !slices.Equal(names, want) {
		t.Errorf("made:\n%s\nwant:\n%s", strings.Join(names, "\n"), strings.Join(want, "\n"))
	}
	// Their names do not depend on where they stand.
	moved, err := generate("a/a.go", strings.Replace(sample1, "type T", "const other = 8\n\n\ntype T", 1))
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range all {
		if !slices.ContainsFunc(moved, func(o *mutant) bool { return o.name == m.name }) {
			t.Errorf("%s has another name further down", m.name)
		}
	}
}

func TestSource(t *testing.T) {
	const head = "# some\nof a/b c.go d.go\nwant 90\nkill 10 ./a/b -run ^Test -short\nkill 20 ./c -run ^TestC$\n"
	s, err := parseSource("x", head+"== a b: x => y\nequivalent because\nequivalent it is\n\n== c\nequivalent too\n")
	if err != nil || len(s.marked) != 2 || s.marked["a b: x => y"] != "because it is" {
		t.Fatalf("%+v, %v", s, err)
	}
	if s.dir != "a/b" || !slices.Equal(s.files, []string{"c.go", "d.go"}) || s.want != 90 || len(s.kills) != 2 {
		t.Errorf("%+v", s)
	}
	if k := s.kills[0]; k.pkg != "./a/b" || k.run() != "^Test" || !slices.Contains(k.args, "-short") || !strings.Contains(k.args[1], "ulimit -t 10") {
		t.Errorf("%q", k)
	}
	for _, bad := range []string{
		"", head + "equivalent x", head + "== a\n", head + "== a\nequivalent x\n== a\nequivalent x", head + "== a\nkill 10 ./a -run x",
		strings.Replace(head, "of", "off", 1), strings.Replace(head, "want 90", "want many", 1), strings.Replace(head, "kill 10", "kill", 1),
		strings.Replace(head, "want 90\n", "", 1), strings.Replace(head, "of a/b c.go d.go\n", "", 1),
	} {
		if _, err := parseSource("x", bad); err == nil {
			t.Errorf("%q was read", bad)
		}
	}
}

// TestGenerated: every file that marks mutants names such as are made, and a sample stays
// the same when others come and go.
func TestGenerated(t *testing.T) {
	b := &builder{root: "../.."}
	sources, err := findSources(os.DirFS("../.."))
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range sources {
		all, err := s.generateAll(b, "../..")
		if err != nil {
			t.Fatal(err)
		}
		if len(all) < 100 {
			t.Errorf("%s: only %d mutants", s.name, len(all))
		}
		drawn := draw(all, 1)
		fewer := draw(all[len(all)/2:], 1)
		if slices.Equal(drawn, all) || slices.Equal(draw(all, 2), drawn) {
			t.Errorf("%s: the order is not drawn by the seed", s.name)
		}
		drawn = slices.DeleteFunc(drawn, func(m *mutant) bool { return !slices.Contains(fewer, m) })
		if !slices.Equal(drawn, fewer) {
			t.Errorf("%s: what is drawn depends on the rest", s.name)
		}
	}
}

func TestRate(t *testing.T) {
	n := tally{killed: 9, survived: 1, timedOut: 2, equivalent: 5, noBuild: 7}
	if got := n.rate(); got != 75 {
		t.Error(got)
	}
	for _, c := range []struct {
		killed, n int
		all, few  bool
	}{
		{89, 100, true, true}, {90, 100, true, false}, {89, 100, false, false}, {70, 100, false, true},
		{4, 4, false, false}, {3, 4, false, false}, {1, 4, false, false}, {0, 4, false, true}, {0, 0, true, false}, {0, 0, false, false},
	} {
		if got := tooFew(c.killed, c.n, 90, c.all); got != c.few {
			t.Errorf("%+v: %v", c, got)
		}
	}
}

const sampleP4 = `/* states */
const bit<16> TYPE = 0x86dd;
header a_h { bit<8> x; }

parser P(packet_in pkt, out a_h h) {
    state start {
        pkt.extract(h);
        transition select(h.x, pkt.lookahead<bit<8>>()) {
            (1, 2): other;
            default: accept;
        }
    }
}

control C(inout a_h h) {
    action a(bit<8> y) {
        h.x = y + 1;
    }
    table t {
        key = { h.x : exact; }
        actions = { a; NoAction; }
        const default_action = NoAction();
    }
    apply {
        if (h.isValid() && h.x < 2) {
            t.apply();
        } else if (h.x[3:2] == 3) { h.x = 0; }
    }
}
`

// TestGenerateP4: which mutants are made of a P4 file, whole or a part of one.
func TestGenerateP4(t *testing.T) {
	all, err := generateP4("a/a.p4", sampleP4)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, m := range all {
		names = append(names, strings.TrimPrefix(m.name, "a/a.p4"))
		if text, err := m.apply(sampleP4); err != nil || text == sampleP4 {
			t.Errorf("%s: %v, or nothing is changed", m.name, err)
		}
	}
	want := []string{
		": TYPE = 0x86dd; => TYPE = 34526;",
		" start: without pkt.extract(h);",
		" start: without (1, 2): other;",
		" a: without h.x = y + 1;",
		" a: h.x = y + 1; => h.x = y - 1;",
		" a: h.x = y + 1; => h.x = y + 2;",
		" C: h.isValid() && h.x < 2 => !(h.isValid() && h.x < 2)",
		" C: h.isValid() && h.x < 2 => h.isValid() || h.x < 2",
		" C: h.isValid() && h.x < 2 => h.isValid() && h.x <= 2",
		" C: h.isValid() && h.x < 2 => h.isValid() && h.x < 3",
		" C: without t.apply();",
		" C: h.x[3:2] == 3 => h.x[3:2] != 3",
		" C: h.x[3:2] == 3 => h.x[3:2] == 4",
		" C: without h.x = 0;",
		" C: h.x = 0; => h.x = 1;",
	}
	if !slices.Equal(names, want) {
		t.Errorf("made:\n%s\nwant:\n%s", strings.Join(names, "\n"), strings.Join(want, "\n"))
	}
	if _, err := generateP4("a/a.p4", "state a { "); err == nil {
		t.Error("a brace that is not closed was taken")
	}
}
