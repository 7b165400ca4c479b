package gonames_test

import (
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/p4ce/p4ce/p4"
	"github.com/p4ce/p4ce/p4/gonames"
	"github.com/p4ce/p4ce/p4/lang"
	"github.com/p4ce/p4ce/p4/p4info"
)

func generate(t *testing.T, o lang.Options) (string, error) {
	t.Helper()
	prog, diags := lang.Compile(o)
	require.NotNil(t, prog, diags.String())
	out, err := gonames.Generate(prog, gonames.Package(prog.Name), p4info.Options{})
	return string(out), err
}

// small is a program with some of everything.
func small(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile("testdata/small.p4")
	require.NoError(t, err)
	return string(text)
}

// values type-checks what was generated, and returns every constant by name.
func values(t *testing.T, src string) map[string]string {
	t.Helper()
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, "names.go", src, 0)
	require.NoError(t, err)
	pkg, err := (&types.Config{Importer: importer.Default()}).Check("small", fset, []*ast.File{f}, nil)
	require.NoError(t, err, "it compiles")
	out := map[string]string{}
	for _, n := range pkg.Scope().Names() {
		if c, ok := pkg.Scope().Lookup(n).(*types.Const); ok {
			out[n] = strings.TrimPrefix(c.Type().String(), "small.") + " " + c.Val().ExactString()
		}
	}
	return out
}

// TestNames: what the program says is what Go says.
func TestNames(t *testing.T) {
	src, err := generate(t, lang.Options{Path: "small.p4", Source: []byte(small(t))})
	require.NoError(t, err)
	got := values(t, src)
	for name, want := range map[string]string{
		"TableDmac":              `untyped string "dmac"`,
		"TableDmacID":            "untyped int 33554433",
		"TableDmacSize":          "untyped int 96",
		"TableDmacKeyHdrEthDst":  `untyped string "hdr.eth.dst"`,
		"ActionForward":          `untyped string "forward"`,
		"ActionForwardParamPort": `untyped string "port"`,
		"RegisterSeenSize":       "untyped int 32",
		"RegisterSeenLow":        "untyped int 0",
		"RegisterSeenHigh":       "untyped int 1",
		"CounterDropsSize":       "untyped int 4",
		"DigestLearnMAC":         "untyped int 0",
		"DigestLearnPort":        "untyped int 1",
		"DigestLearnFields":      "untyped int 2",
		"PacketInIngressPort":    `untyped string "ingress_port"`,
		"PacketInIngressPortID":  "untyped int 1",
		"MaxThings":              "untyped int 32",
		"Offset":                 "untyped int -3",
		"On":                     "untyped bool true",
		"DropTooLong":            "Drop 2",
		"ModeSlow":               "Mode 7",
	} {
		require.Equal(t, want, got[name], name)
	}
	require.Contains(t, src, `return "too_long"`, "the name of a value, for metrics")
	for name := range got {
		require.NotContains(t, name, "Wired", "no controller writes a table whose entries are constant")
		require.NotContains(t, name, "Fixed")
	}
}

// TestActionProfiles: an action profile has names, and what the compiler makes of it has none.
func TestActionProfiles(t *testing.T) {
	src, err := generate(t, lang.Options{Path: "../p4info/testdata/profiles.p4"})
	require.NoError(t, err)
	got := values(t, src)
	for name, want := range map[string]string{
		"ActionProfileHashedProfile":             `untyped string "hashed_profile"`,
		"ActionProfileHashedProfileID":           "untyped int 285212679",
		"ActionProfileHashedProfileSize":         "untyped int 1024",
		"ActionProfileHashedProfileMaxGroupSize": "untyped int 16",
		"ActionProfileMarksSize":                 "untyped int 32",
		"ActionProfileMarksMaxGroupSize":         "",
	} {
		require.Equal(t, want, got[name], name)
	}
	for name := range got {
		require.NotContains(t, name, "Member")
		require.NotContains(t, name, "Slot")
	}
}

// TestChange: a number that is changed in the program is changed in Go, and nowhere
// else is one to change.
func TestChange(t *testing.T) {
	for _, tt := range []struct{ old, new, name, want string }{
		{"DROP_TOO_LONG = 2", "DROP_TOO_LONG = 3", "DropTooLong", "Drop 3"},
		{"#define THINGS 32", "#define THINGS 48", "MaxThings", "untyped int 48"},
		{"#define THINGS 32", "#define THINGS 48", "RegisterSeenSize", "untyped int 48"},
		{"SLOW = 7", "SLOW = 9", "ModeSlow", "Mode 9"},
		{"@id(0x02000001)", "@id(0x02000009)", "TableDmacID", "untyped int 33554441"},
		{"action forward(", "action forward_to(", "ActionForward", ""},
		{"bit<16> low; bit<16> high;", "bit<16> high; bit<16> low;", "RegisterSeenLow", "untyped int 1"},
	} {
		changed := strings.Replace(small(t), tt.old, tt.new, 1)
		if tt.old == "action forward(" {
			changed = strings.ReplaceAll(changed, "{ forward;", "{ forward_to;")
		}
		require.NotEqual(t, small(t), changed, tt.old)
		src, err := generate(t, lang.Options{Path: "small.p4", Source: []byte(changed)})
		require.NoError(t, err)
		require.Equal(t, tt.want, values(t, src)[tt.name], "%s: %s", tt.new, tt.name)
	}
}

// TestTwice: two names that Go cannot tell apart are an error that says which.
func TestTwice(t *testing.T) {
	_, err := generate(t, lang.Options{Path: "small.p4", Source: []byte(small(t) + "const bit<8> MAXTHINGS = 1;\nconst bit<8> max_things = 1;\n")})
	require.EqualError(t, err, "go names: const MAX_THINGS and const max_things would both be MaxThings in Go [rename one of them]")
}

func TestPackage(t *testing.T) {
	for folder, want := range map[string]string{"rdma": "rdma", "my-switch": "myswitch", "4": "p44", "func": "p4func", "": "p4"} {
		require.Equal(t, want, gonames.Package(folder))
	}
}

// TestFresh: the committed names of every program are what it says now.
func TestFresh(t *testing.T) {
	for _, name := range p4.Programs() {
		want, err := generate(t, lang.Options{Path: p4.Source(name), FS: p4.FS})
		require.NoError(t, err)
		got, err := os.ReadFile("../" + name + "/names.go")
		require.NoError(t, err)
		require.Equal(t, want, string(got), "names of %s are stale: make generate", name)
	}
}
