package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/p4ce/p4ce/doctor/needs"
)

// module is a small repository with a list of mutants; what each must come to is
// the first word of its name.
var module = map[string]string{
	"go.mod": "module example.org/m\n\ngo 1.24\n",
	"a/a.go": `package a

import _ "embed"

//go:embed word.txt
var word string

func Add(a, b int) int {
	return a + b
}

func Word() string { return word }

func unseen() int {
	return 7
}

var _ = unseen
`,
	"a/word.txt": "word\n",
	"a/a_test.go": `package a

import "testing"

func TestAdd(t *testing.T) {
	if Add(2, 3) != 5 {
		t.Fatal("the sum is wrong")
	}
}

func TestWord(t *testing.T) {
	if Word() != "word\n" {
		t.Fatal("another word:", Word())
	}
}

func TestNeverPasses(t *testing.T) { t.Fatal("as ever") }
`,
	"test/mutants/x.txt": `
== killed-go
about the sum is a difference
file a/a.go
kill ./a -run ^TestAdd$
want sum
-	return a + b
+	return a - b

== killed-embedded
about the embedded word is another
file a/word.txt
kill ./a -run ^TestWord$
-word
+sword

== killed-by-the-second
about the sum is a difference
file a/a.go
kill ./a -run ^TestWord$
kill ./a -run ^TestAdd$
-	return a + b
+	return a - b

== killed-panic-wanted
about the sum panics, as the list says that it may
file a/a.go
kill ./a -run ^TestAdd$
want panic: sum
-	return a + b
+	panic("sum")

== survived
about nobody calls it
file a/a.go
kill ./a -run ^TestAdd$
-	return 7
+	return 8

== stale-gone
about the lines are not there
file a/a.go
kill ./a -run ^TestAdd$
-	return a * b
+	return a - b

== stale-file
about the file is not there
file a/b.go
kill ./a -run ^TestAdd$
-	return a * b
+	return a - b

== no build
about there is no such variable
file a/a.go
kill ./a -run ^TestAdd$
-	return a + b
+	return a + c

== timed out
about it never ends
file a/a.go
kill ./a -run ^TestAdd$
-	return a + b
+	for {
+	}

== panicked
about the sum panics
file a/a.go
kill ./a -run ^TestAdd$
-	return a + b
+	panic("sum")

== other-fails-without
about the test fails anyway
file a/a.go
kill ./a -run ^TestNeverPasses$
-	return a + b
+	return a - b

== other-no-test
about there is no such test
file a/a.go
kill ./a -run ^TestNothing$
-	return a + b
+	return a - b

== other-says-else
about the test fails, but not by what was wanted
file a/a.go
kill ./a -run ^TestAdd$
want agreement
-	return a + b
+	return a - b

== equivalent
about the order does not matter
file a/a.go
equivalent addition commutes
-	return a + b
+	return b + a
`,
}

func tree(t *testing.T) string {
	t.Helper()
	root := t.TempDir()
	for name, text := range module {
		file := filepath.Join(root, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return root
}

// TestOutcomes judges every kind of mutant, and sees that all but the good ones make
// the command fail.
func TestOutcomes(t *testing.T) {
	needs.Time(t, "builds some twenty test binaries")
	root := tree(t)
	all, err := parseList("x.txt", module["test/mutants/x.txt"], nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range all {
		t.Run(m.name, func(t *testing.T) {
			t.Parallel()
			var out strings.Builder
			err := run(t.Context(), []string{"-C", root, "-run", "^" + m.name + "$", "-timeout", "15s", "-j", "1"}, &out)
			var want outcome
			for _, o := range []outcome{killed, survived, stale, noBuild, timedOut, panicked, other, equivalent} {
				if strings.HasPrefix(m.name, string(o)) {
					want = o
				}
			}
			if !strings.HasPrefix(out.String(), string(want)) {
				t.Errorf("%s:\n%s", m.name, out.String())
			}
			if (err == nil) != want.good() {
				t.Errorf("%s: error %v", m.name, err)
			}
		})
	}
	// The tree is as it was.
	for name, text := range module {
		if b, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(name))); err != nil || string(b) != text {
			t.Errorf("%s was changed: %v", name, err)
		}
	}
}

// TestQuick sees that all are applied and compiled, and as many run as were asked for.
func TestQuick(t *testing.T) {
	root := tree(t)
	var out strings.Builder
	if err := run(t.Context(), []string{"-C", root, "-quick", "-run", "killed|equi|surv", "-sample", "0"}, &out); err != nil {
		t.Errorf("%v\n%s", err, out.String())
	}
	if !strings.HasPrefix(out.String(), "6 mutants: 5 applies, 1 equivalent;") {
		t.Error(out.String())
	}
	for _, bad := range []string{"no build", "stale"} {
		if err := run(t.Context(), []string{"-C", root, "-quick", "-run", bad, "-sample", "0"}, &out); err == nil {
			t.Errorf("%s: no error", bad)
		}
	}
}

func TestP4DoesNotBuild(t *testing.T) {
	b := builder{root: "../.."}
	for _, file := range []string{"p4/rdma/rdma.p4", "p4/rdma/gather.p4", "p4/rdma/slots.p4", "p4/lib/forward.p4", "p4/lib/headers.p4", "p4/l2/l2.p4"} {
		text, err := os.ReadFile("../../" + file)
		if err != nil {
			t.Fatal(err)
		}
		m := &mutant{file: file}
		if _, _, err := b.build(m, string(text)); err != nil {
			t.Errorf("%s: %v", file, err)
		}
		if _, _, err := b.build(m, string(text)+"\ncontrol ! {}\n"); err == nil {
			t.Errorf("%s: what is no P4 has compiled", file)
		}
	}
}

func TestArguments(t *testing.T) {
	for _, args := range [][]string{{"-j", "0"}, {"-run", "("}, {"-run", "no such mutant"}, {"x"}, {"-list", "none"}, {"-shard", "3/2"}} {
		var out strings.Builder
		if err := run(t.Context(), args, &out); err == nil {
			t.Errorf("%q was accepted", args)
		}
	}
}
