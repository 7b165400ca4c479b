package main

import (
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"testing/fstest"
)

const block = `# a comment
== one
about something is broken
file a/b.go
kill ./a -run ^TestIt$ -seeds 5
want agree.ent
 func f() {
-	return 1
+	return 2
 }
`

func TestParse(t *testing.T) {
	all, err := parseList("x.txt", block+"\n== two\nabout nothing is\nfile a/b.go\nequivalent it\nequivalent says so\n-a\n", nil)
	if err != nil || len(all) != 2 {
		t.Fatal(all, err)
	}
	m := all[0]
	if m.name != "one" || m.where != "x.txt:2" || m.file != "a/b.go" || m.want.String() != "agree.ent" ||
		len(m.kills) != 1 || m.kills[0].run() != "^TestIt$" || m.kills[0].String() != "./a -run ^TestIt$ -seeds 5" {
		t.Errorf("%+v", m)
	}
	if all[1].equivalent != "it says so" {
		t.Errorf("%+v", all[1])
	}
	got, err := m.apply("package a\n\nfunc f() {\n    return 1\n}\n")
	if err != nil || got != "package a\n\nfunc f() {\n\treturn 2\n}\n" {
		t.Errorf("%q, %v", got, err)
	}
}

func TestStaleAnchors(t *testing.T) {
	all, err := parseList("x.txt", block, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{
		"",
		"func f() {\n\treturn 3\n}\n",
		"func f() {\n\treturn 1\n", // a line of context has gone
		"func f() {\n\treturn 1\n}\n\nfunc f() {\n\treturn 1\n}\n",
	} {
		if got, err := all[0].apply(text); !errors.Is(err, errStale) {
			t.Errorf("%q becomes %q, %v", text, got, err)
		}
	}
}

func TestBadLists(t *testing.T) {
	for _, c := range []struct{ old, new, want string }{
		{"== one", "one", "begins with"},
		{"about something is broken\n", "", "no about"},
		{"about something is broken", "about", "needs a value"},
		{"file a/b.go\n", "", "no file"},
		{"file a/b.go", "file ../b.go", "clean path"},
		{"file a/b.go", "file /a/b.go", "clean path"},
		{"kill ./a -run ^TestIt$ -seeds 5\n", "", "wants either"},
		{"want agree.ent", "equivalent no", "wants either"},
		{"kill ./a -run ^TestIt$", "kill ./a -short", "-run regexp"},
		{"kill ./a -run ^TestIt$", "kill ./a -run (", "missing closing"},
		{"kill ./a", "kill a", "-run regexp"},
		{"kill ./a -run ^TestIt$", "kill ./b -run TestScenarios/start", "recording"},
		{"kill ./a -run ^TestIt$", "kill ./b -run=Test(Chaos|Scen)", "recording"},
		{"want agree.ent", "want (", "want:"},
		{"want agree.ent", "wish x", "none of"},
		{"+\treturn 2", "+\treturn 1", "changes nothing"},
		{"+\treturn 2", "file x", "before its lines"},
		{" func f() {\n-\treturn 1\n+\treturn 2\n }\n", "+x\n", "no lines to find"},
		{"# a comment", block, "taken"},
	} {
		text := strings.Replace(block, c.old, c.new, 1)
		if text == block {
			t.Fatalf("%q is not in the block", c.old)
		}
		if _, err := parseList("x.txt", text, golden{"./b": {"TestScenarios"}}); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q for %q: %v, want %q", c.new, c.old, err, c.want)
		}
	}
}

func TestUsualKills(t *testing.T) {
	text := strings.Replace(block, "kill ./a -run ^TestIt$ -seeds 5\n", "", 1)
	all, err := parseList("x.txt", "kill ./b -run ^TestB$\nkill ./c -run ^TestC$\n"+text+strings.Replace(block, "== one", "== two", 1), nil)
	if err != nil || len(all) != 2 {
		t.Fatal(all, err)
	}
	if k := all[0].kills; len(k) != 2 || k[0].pkg != "./b" || k[1].pkg != "./c" {
		t.Error(k)
	}
	if k := all[1].kills; len(k) != 1 || k[0].pkg != "./a" {
		t.Error(k)
	}
}

// Lists are beside the program and in the folders of systems, and are asked for by name.
func TestLists(t *testing.T) {
	root := fstest.MapFS{}
	for _, f := range []string{"test/mutants/one.txt", "systems/a/mutants/two.txt", "systems/b/mutants/three.txt", "systems/b/other.txt", "test/mutants/generated/one.txt"} {
		root[f] = &fstest.MapFile{Data: []byte(block)}
	}
	for _, c := range []struct {
		names []string
		want  string
	}{
		{nil, "test/mutants/one.txt:2 systems/b/mutants/three.txt:2 systems/a/mutants/two.txt:2"},
		{[]string{"two"}, "systems/a/mutants/two.txt:2"},
	} {
		all, _, err := readLists(root, c.names)
		var got []string
		for _, m := range all {
			got = append(got, m.where)
		}
		if err != nil || strings.Join(got, " ") != c.want {
			t.Errorf("%q: %q, %v", c.names, got, err)
		}
	}
	if _, _, err := readLists(root, []string{"four"}); err == nil || !strings.Contains(err.Error(), "there is no list four (one, three, two)") {
		t.Error(err)
	}
	// What one list calls golden, none may run.
	root["systems/b/mutants/three.txt"] = &fstest.MapFile{Data: []byte("golden ./a TestThat TestIt\n" + block)}
	if _, golden, err := readLists(root, []string{"two"}); err == nil || !strings.Contains(err.Error(), "recording") || len(golden["./a"]) != 2 {
		t.Error(golden, err)
	}
	root["systems/c/mutants/one.txt"] = &fstest.MapFile{}
	if _, _, err := readLists(root, nil); err == nil || !strings.Contains(err.Error(), "is that of systems/c/mutants/one.txt") {
		t.Error(err)
	}
}

// TestListsApply sees that the committed lists can be read and their lines are there.
func TestListsApply(t *testing.T) {
	all, _, err := readLists(os.DirFS("../.."), nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range all {
		text, err := os.ReadFile(filepath.Join("../..", filepath.FromSlash(m.file)))
		if err != nil {
			t.Errorf("%s: %s: %v", m.where, m.name, err)
			continue
		}
		if _, err := m.apply(string(text)); err != nil {
			t.Errorf("%s: %s: %v", m.where, m.name, err)
		}
	}
}

// TestGoldenExist sees that what is refused has the name that it is refused by.
func TestGoldenExist(t *testing.T) {
	_, golden, err := readLists(os.DirFS("../.."), nil)
	if err != nil {
		t.Fatal(err)
	}
	if len(golden) == 0 {
		t.Error("no test is called golden")
	}
	for pkg, names := range golden {
		files, err := filepath.Glob(filepath.Join("../..", pkg, "*_test.go"))
		if err != nil {
			t.Fatal(err)
		}
		var all strings.Builder
		for _, f := range files {
			b, err := os.ReadFile(f)
			if err != nil {
				t.Fatal(err)
			}
			all.Write(b)
		}
		for _, n := range names {
			if !regexp.MustCompile(`func ` + n + `\(`).MatchString(all.String()) {
				t.Errorf("%s has no %s", pkg, n)
			}
		}
	}
}

func TestSampleAndShards(t *testing.T) {
	var all []*mutant
	for _, n := range strings.Fields("a b c d e f g") {
		all = append(all, &mutant{list: "x", name: n}, &mutant{list: "y", name: n, equivalent: "yes"})
	}
	if a, b := sample(all, 3), sample(all, 3); len(a) != 3 || a[0] != b[0] || a[1] != b[1] || a[2] != b[2] || a[0].list != "x" {
		t.Error(a, b)
	}
	seen := map[*mutant]int{}
	for _, s := range []string{"1/3", "2/3", "3/3"} {
		some, err := shard(all, s)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range some {
			seen[m]++
		}
	}
	if len(seen) != len(all) {
		t.Errorf("%d of %d are in a shard", len(seen), len(all))
	}
	for _, s := range []string{"0/3", "4/3", "x", "1/2/3", "1"} {
		if _, err := shard(all, s); err == nil {
			t.Errorf("-shard %s was accepted", s)
		}
	}
}
