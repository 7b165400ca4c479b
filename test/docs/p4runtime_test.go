package docs

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// suite is the package whose subtests are the requirements of docs/p4runtime.md.
const suite = "test/p4runtime"

// required is how many requirements the page has at least.
const required = 150

// requirement is a line of the page.
type requirement struct {
	id, clause, text, shown string
	line                    int
}

var (
	requirementID = regexp.MustCompile(`^[a-z]+\.[a-z0-9-]+$`)
	clauseNumber  = regexp.MustCompile(`^([1-9][0-9]*|A)(\.[0-9]+)*$`)
	// named is a test as the page names it: `package Test/sub/test`.
	named = regexp.MustCompile("`([a-z0-9/]+) (Test[A-Za-z0-9]+)((?:/[a-z0-9.-]+)*)`")
)

func requirements(t *testing.T, page string) (out []requirement) {
	for i, line := range strings.Split(page, "\n") {
		f := strings.Split(line, "|")
		if len(f) < 2 || !requirementID.MatchString(strings.TrimSpace(f[1])) {
			continue
		}
		require.Len(t, f, 6, "line %d: id, clause, text, and what shows it", i+1)
		for j := range f {
			f[j] = strings.TrimSpace(f[j])
		}
		out = append(out, requirement{f[1], f[2], f[3], f[4], i + 1})
	}
	return out
}

// testsOf are the tests of a package, and the ids of requirements in the tables of the suite.
func testsOf(t *testing.T, pkg string) (tests map[string]bool, ids []string) {
	files, err := filepath.Glob(filepath.Join("..", "..", pkg, "*_test.go"))
	require.NoError(t, err)
	tests = map[string]bool{}
	text := func(e ast.Expr) {
		if l, ok := e.(*ast.BasicLit); ok && l.Kind == token.STRING {
			if s, err := strconv.Unquote(l.Value); err == nil && requirementID.MatchString(s) {
				ids = append(ids, s)
			}
		}
	}
	for _, f := range files {
		file, err := parser.ParseFile(token.NewFileSet(), f, nil, 0)
		require.NoError(t, err)
		ast.Inspect(file, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.FuncDecl:
				if n.Recv == nil && strings.HasPrefix(n.Name.Name, "Test") {
					tests[n.Name.Name] = true
				}
			case *ast.CompositeLit: // {id, func}
				if len(n.Elts) == 2 && n.Type == nil {
					text(n.Elts[0])
				}
			case *ast.CallExpr: // each(id, id, id, func)
				if f, ok := n.Fun.(*ast.Ident); ok && f.Name == "each" {
					for _, a := range n.Args {
						text(a)
					}
				}
			}
			return true
		})
	}
	return tests, ids
}

// complaints is what is wrong with the page: tests has the tests of a package, and the ids of the suite.
func complaints(t *testing.T, page string, tests func(pkg string) (map[string]bool, []string)) (out []string) {
	complain := func(r requirement, what string) {
		out = append(out, "line "+strconv.Itoa(r.line)+": "+r.id+": "+what)
	}
	list := requirements(t, page)
	seen := map[string]bool{}
	_, ids := tests(suite)
	unseen := slices.Clone(ids)
	for _, r := range list {
		if seen[r.id] {
			complain(r, "the id is used twice")
		}
		seen[r.id] = true
		if !clauseNumber.MatchString(r.clause) {
			complain(r, "no clause: "+r.clause)
		}
		if r.text == "" {
			complain(r, "no text")
		}
		shown := named.FindAllStringSubmatch(r.shown, -1)
		why, hasReason := r.shown, false
		for _, word := range []string{"not applicable: ", "not met: ", "UNIMPLEMENTED: "} {
			if rest, ok := strings.CutPrefix(why, word); ok && rest != "" {
				hasReason = true
			}
		}
		switch {
		case strings.HasPrefix(r.shown, "not applicable: "), strings.HasPrefix(r.shown, "not met: "):
		case len(shown) == 0:
			complain(r, "no test shows it")
		case !hasReason && shown[0][0] != r.shown:
			complain(r, "neither a test nor a reason: "+r.shown)
		}
		for _, s := range shown {
			all, _ := tests(s[1])
			if !all[s[2]] {
				complain(r, s[1]+" has no "+s[2])
			}
			target, sub, _ := strings.Cut(strings.TrimPrefix(s[3], "/"), "/")
			if s[1] != suite {
				if s[3] != "" {
					complain(r, s[1]+": the subtests of this package are not known")
				}
				continue
			}
			if !slices.Contains(ids, sub) || target != "interp" && target != "xdp" {
				complain(r, s[2]+" has no subtest "+s[3])
			}
			unseen = slices.DeleteFunc(unseen, func(id string) bool { return id == sub })
		}
	}
	for _, id := range unseen {
		out = append(out, "the page does not name "+suite+" "+id)
	}
	if len(list) < required {
		out = append(out, strconv.Itoa(len(list))+" requirements")
	}
	return out
}

// TestP4Runtime: docs/p4runtime.md names tests that exist, all of the suite's, and each requirement once.
func TestP4Runtime(t *testing.T) {
	b, err := os.ReadFile("../../docs/p4runtime.md")
	require.NoError(t, err)
	page := string(b)
	tests := func(pkg string) (map[string]bool, []string) { return testsOf(t, pkg) }
	require.Empty(t, complaints(t, page, tests))
	// The first paragraph counts what the page says.
	list := requirements(t, page)
	count := func(prefix string) (n int) {
		for _, r := range list {
			if strings.HasPrefix(r.shown, prefix) {
				n++
			}
		}
		return n
	}
	for prefix, text := range map[string]string{"`": " requirements are met", "UNIMPLEMENTED: ": " are of features", "not applicable: ": " do not apply", "not met: ": " are not met"} {
		require.Contains(t, page, strconv.Itoa(count(prefix))+text)
	}
}

// TestP4RuntimeComplaints: what TestP4Runtime is for.
func TestP4RuntimeComplaints(t *testing.T) {
	tests := func(pkg string) (map[string]bool, []string) {
		if pkg == suite {
			return map[string]bool{"TestConformance": true}, []string{"a.b", "a.c"}
		}
		return map[string]bool{"TestOther": true}, nil
	}
	good := []string{"| a.b | 5.3 | text | `test/p4runtime TestConformance/interp/a.b` |", "| a.c | 5 | text | UNIMPLEMENTED: why. `test/p4runtime TestConformance/interp/a.c` |",
		"| a.d | 16.2.1 | text | `some/package TestOther` |", "| a.e | A.4 | text | not applicable: why |"}
	for what, lines := range map[string][]string{
		"":                                nil,
		"the id is used twice":            {good[0]},
		"has no TestGone":                 {"| a.x | 5 | text | `some/package TestGone` |"},
		"has no subtest /interp/a.gone":   {"| a.x | 5 | text | `test/p4runtime TestConformance/interp/a.gone` |"},
		"has no subtest /no/a.b":          {"| a.x | 5 | text | `test/p4runtime TestConformance/no/a.b` |"},
		"are not known":                   {"| a.x | 5 | text | `some/package TestOther/sub` |"},
		"no test shows it":                {"| a.x | 5 | text | UNIMPLEMENTED: why |"},
		"no clause: somewhere":            {"| a.x | somewhere | text | `some/package TestOther` |"},
		"no text":                         {"| a.x | 5 |  | `some/package TestOther` |"},
		"neither a test nor":              {"| a.x | 5 | text | perhaps `some/package TestOther` |"},
		"does not name " + suite + " a.b": {},
	} {
		all := slices.Concat(good, lines)
		if strings.HasPrefix(what, "does not name") {
			all = good[1:]
		}
		got := complaints(t, strings.Join(all, "\n"), tests)
		require.Contains(t, strings.Join(got, "\n"), what)
		few := slices.IndexFunc(got, func(s string) bool { return strings.HasSuffix(s, " requirements") })
		require.GreaterOrEqual(t, few, 0, "there are fewer than %d", required)
		if what == "" {
			require.Len(t, got, 1)
		}
	}
}
