package stf_test

import (
	"flag"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/p4ce/p4ce/dataplane"
	"github.com/p4ce/p4ce/dataplane/interp"
	"github.com/p4ce/p4ce/dataplane/stf"
	"github.com/p4ce/p4ce/p4/lang"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// run runs a script of testdata on the interpreter.
func run(t *testing.T, name string) *stf.Result {
	t.Helper()
	prog, l := lang.Compile(lang.Options{Path: "testdata/l2.p4"})
	require.False(t, l.HasErrors(), l.String())
	text, err := os.ReadFile("testdata/" + name + ".stf")
	require.NoError(t, err)
	s, err := stf.Parse(name+".stf", text)
	require.NoError(t, err)
	sw := interp.New(interp.Options{})
	t.Cleanup(func() { require.NoError(t, sw.Close()) })
	require.NoError(t, sw.Load(&dataplane.Pipeline{Program: prog}))
	return stf.Run(s, prog, sw)
}

func TestGood(t *testing.T) {
	res := run(t, "good")
	require.True(t, res.OK(), res.String())
	require.Equal(t, "good.stf: ok (packets: 12 in, 11 out)\n", res.String())
}

// TestFailures compares what a person sees when packets differ, and when names
// and values are wrong, with golden files.
func TestFailures(t *testing.T) {
	for _, name := range []string{"bad", "names"} {
		t.Run(name, func(t *testing.T) {
			res := run(t, name)
			require.False(t, res.OK())
			golden := "testdata/" + name + ".out"
			if *update {
				require.NoError(t, os.WriteFile(golden, []byte(res.String()), 0o644))
			}
			want, err := os.ReadFile(golden)
			require.NoError(t, err)
			require.Equal(t, string(want), res.String())
		})
	}
}

func TestParseErrors(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{"remove all", `t:1: unknown statement "remove"`},
		{"# x\n\npacket x 00", `t:3: port "x": a port is a number from 0 to 510`},
		{"packet 512 00", "port \"512\""},
		{"packet 1 0", "odd length"},
		{"packet 1 0*", "invalid byte"},
		{"expect 1 000", "3 nibbles"},
		{"expect 1 0g", "not a hexadecimal digit"},
		{"expect", "port"},
		{"add t", "an action is missing"},
		{"add t()", "add needs a table"},
		{"add t k:1 a(x)", "not NAME:VALUE"},
		{"add t k:1 a(x:1", "no ')'"},
		{"add t k:1 a(x:1) y", "unexpected"},
		{"add t k a()", "not KEY:VALUE"},
		{"setdefault t", "an action is missing"},
		{"modify", "an action is missing"},
		{"delete", "delete needs a table"},
		{"delete t k", "not KEY:VALUE"},
		{"check_entry t packets ==", "a table, keys and a comparison are needed"},
		{"check_entry t k:1 frames == 1", "packets and bytes"},
		{"check_entry t k:1 packets = 1", "not a comparison"},
		{"check_entry t k packets == 1", "not KEY:VALUE"},
		{"t k -> a()", "has no value [NAME=VALUE"},
		{"t k=1 -> a() idle 3s", "t:1: idle: not in a packet test"},
		{"t default -> a() metadata 0x01", "metadata: not in a packet test"},
		{"multicast 1 -> 2|3", "2|3: a copy in a packet test is PORT:INSTANCE"},
		{"delete digest d=1", "a digest in a packet test"},
		{"t k=1 -> member 1", "members of action profiles in a packet test: the tables PROFILE.groups, PROFILE.slots and TABLE.members have them"},
		{"t k=1 -> a() weight 2", "members of action profiles in a packet test"},
		{"member p[1] -> a()", "members of action profiles in a packet test"},
		{"member_group p[1] -> 1", "members of action profiles in a packet test"},
		{"wait 3", "unexpected"},
		{"expect_digest", "needs a name"},
		{"expect_digest d port", "not FIELD:VALUE"},
		{"no_digest d", "unexpected"},
		{"multicast", "needs a group"},
		{"multicast 1 2", "not PORT:INSTANCE"},
		{"mc_node_create 1", "1 numbers where 2"},
		{"check_counter c packets == 1", "NAME(INDEX)"},
		{"check_counter c(1) frames == 1", "packets and bytes"},
		{"check_counter c(1) packets = 1", "not a comparison"},
		{"register_write r 1", "needs a name, an index and a value"},
	} {
		_, err := stf.Parse("t", []byte(c.in))
		require.ErrorContains(t, err, c.want, c.in)
	}
}

// FuzzParse: no script makes the parser or the runner panic.
func FuzzParse(f *testing.F) {
	for _, name := range []string{"good", "bad", "names"} {
		b, err := os.ReadFile("testdata/" + name + ".stf")
		if err != nil {
			f.Fatal(err)
		}
		f.Add(string(b))
	}
	prog, l := lang.Compile(lang.Options{Path: "testdata/l2.p4"})
	if prog == nil {
		f.Fatal(l.String())
	}
	f.Fuzz(func(t *testing.T, text string) {
		s, err := stf.Parse("f.stf", []byte(text))
		if err != nil {
			require.True(t, strings.HasPrefix(err.Error(), "f.stf:"), err.Error())
			return
		}
		sw := interp.New(interp.Options{})
		defer sw.Close()
		require.NoError(t, sw.Load(&dataplane.Pipeline{Program: prog}))
		_ = stf.Run(s, prog, sw).String()
	})
}
