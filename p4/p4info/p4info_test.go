package p4info_test

import (
	"flag"
	"os"
	"strings"
	"testing"

	p4config "github.com/p4lang/p4runtime/go/p4/config/v1"
	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/encoding/prototext"
	"google.golang.org/protobuf/proto"

	programs "github.com/p4ce/p4ce/p4"
	"github.com/p4ce/p4ce/p4/lang"
	"github.com/p4ce/p4ce/p4/lang/ir"
	"github.com/p4ce/p4ce/p4/p4info"
)

var update = flag.Bool("update", false, "rewrite the golden files")

func compile(t *testing.T, path string) *ir.Program {
	t.Helper()
	p, l := lang.Compile(lang.Options{Path: path})
	require.False(t, l.HasErrors(), l.String())
	return p
}

func TestGolden(t *testing.T) {
	p := compile(t, "testdata/l2.p4")
	for _, c := range []struct {
		file string
		opts p4info.Options
	}{
		{"testdata/l2.p4info.txtpb", p4info.Options{}},
		{"testdata/l2.std.p4info.txtpb", p4info.Options{StandardNames: true, PublicIDs: true}},
	} {
		info, err := p4info.Build(p, c.opts)
		require.NoError(t, err)
		text, err := p4info.Text(info)
		require.NoError(t, err)
		if *update {
			require.NoError(t, os.WriteFile(c.file, text, 0o644))
		}
		want, err := os.ReadFile(c.file)
		require.NoError(t, err)
		require.Equal(t, string(want), string(text))
		var back p4config.P4Info
		require.NoError(t, prototext.Unmarshal(text, &back))
		require.True(t, proto.Equal(info, &back), "the text reads back as the same description")
	}
}

// TestErrors: what would give a controller two objects under one name or id is
// refused. The names are only known here; ids that collide in the source are
// found by the compiler.
func TestErrors(t *testing.T) {
	base := func() *ir.Program { return compile(t, "testdata/l2.p4") }
	for _, c := range []struct {
		name, want string
		change     func(p *ir.Program)
	}{
		{"table names", "two tables have the name pipe.Ctl.dmac", func(p *ir.Program) { p.Tables[1].Name = p.Tables[0].Name }},
		{"action names", "two actions have the name", func(p *ir.Program) { p.Actions[1].Name = p.Actions[0].Name }},
		{"counter names", "two counters have the name", func(p *ir.Program) { p.Counters[1].Name = p.Counters[0].Name }},
		{"register names", "two registers have the name", func(p *ir.Program) { p.Registers[1].Name = p.Registers[0].Name }},
		{"ids", "@id(0x02000007) is the id of pipe.Ctl.dmac as well", func(p *ir.Program) { p.Tables[1].ID = p.Tables[0].ID }},
		{"prefix", "prefix byte of another kind", func(p *ir.Program) { p.Tables[1].ID = 0x01000001 }},
		{"parameter ids", "@id(3) is used twice", func(p *ir.Program) {
			a := p.Actions[0]
			a.ParamAnnots[1] = a.ParamAnnots[0]
		}},
		{"scopes", "both @tableonly and @defaultonly", func(p *ir.Program) {
			p.Tables[0].Actions[0].TableOnly, p.Tables[0].Actions[0].DefaultOnly = true, true
		}},
		{"loose direct counter", "belongs to no table", func(p *ir.Program) {
			for _, c := range p.Counters {
				c.Table = nil
			}
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := base()
			c.change(p)
			_, err := p4info.Build(p, p4info.Options{})
			require.ErrorContains(t, err, c.want)
		})
	}
}

// TestAliases: the shortest suffix that only one object has.
func TestAliases(t *testing.T) {
	p := &ir.Program{Pipe: "pipe", Tables: []*ir.Table{
		{Name: "pipe.A.x.t"}, {Name: "pipe.B.x.t"}, {Name: "pipe.B.u"},
	}, Actions: []*ir.Action{{Name: "pipe.A.u", Pos: ir.Pos{Line: 1}}}}
	info, err := p4info.Build(p, p4info.Options{})
	require.NoError(t, err)
	var got []string
	for _, t := range info.Tables {
		got = append(got, t.Preamble.Alias)
	}
	require.Equal(t, []string{"A.x.t", "B.x.t", "B.u"}, got)
	require.Equal(t, "A.u", info.Actions[0].Preamble.Alias)
}

// TestProfiles: a selector has the name of its action profile; tables have the keys and actions that a client writes, and nothing of
// what the compiler makes of them is seen.
func TestProfiles(t *testing.T) {
	p := compile(t, "testdata/profiles.p4")
	info, err := p4info.Build(p, p4info.Options{})
	require.NoError(t, err)
	id := func(kind p4config.P4Ids_Prefix, name string) uint32 {
		for _, x := range info.Tables {
			if kind == p4config.P4Ids_TABLE && x.Preamble.Name == name {
				return x.Preamble.Id
			}
		}
		for _, x := range info.ActionProfiles {
			if kind == p4config.P4Ids_ACTION_PROFILE && x.Preamble.Name == name {
				return x.Preamble.Id
			}
		}
		t.Fatalf("no %s %s", kind, name)
		return 0
	}
	var got, tables, actions []string
	for _, x := range info.ActionProfiles {
		require.Equal(t, uint32(0x11), x.Preamble.Id>>24)
		n := proto.Clone(x).(*p4config.ActionProfile)
		n.Preamble, n.TableIds = nil, nil
		got = append(got, x.Preamble.Name+": "+prototext.MarshalOptions{}.Format(n))
	}
	for i := range got {
		got[i] = strings.ReplaceAll(got[i], "  ", " ") // prototext is not one form
	}
	require.Equal(t, []string{
		"pipe.Ig.hashed_profile: with_selector:true size:1024 max_group_size:16",
		"pipe.Ig.marks: size:32",
		"pipe.Ig.old: with_selector:true size:48 max_group_size:10",
		"pipe.Ig.unused: with_selector:true size:20 max_group_size:20",
	}, got)
	require.Equal(t, uint32(0x11000007), id(p4config.P4Ids_ACTION_PROFILE, "pipe.Ig.hashed_profile"))
	require.Equal(t, []uint32{id(p4config.P4Ids_TABLE, "pipe.Ig.first"), id(p4config.P4Ids_TABLE, "pipe.Ig.second")}, info.ActionProfiles[0].TableIds)
	for _, x := range info.Tables {
		tables = append(tables, x.Preamble.Name)
	}
	for _, a := range info.Actions {
		actions = append(actions, a.Preamble.Name)
	}
	require.Equal(t, []string{"pipe.Ig.first", "pipe.Ig.second", "pipe.Ig.marked", "pipe.Ig.third"}, tables)
	require.ElementsMatch(t, []string{"pipe.Ig.send", "pipe.Ig.mark", "NoAction"}, actions)
	first, second := info.Tables[0], info.Tables[1]
	require.Equal(t, id(p4config.P4Ids_ACTION_PROFILE, "pipe.Ig.hashed_profile"), first.ImplementationId)
	require.Equal(t, int64(99), first.Size)
	require.Len(t, first.MatchFields, 1, "a selector key is none")
	require.Equal(t, "hdr.eth.dst", first.MatchFields[0].Name)
	require.Equal(t, uint32(1), first.MatchFields[0].Id)
	require.Len(t, first.ActionRefs, 2)
	require.Equal(t, p4config.ActionRef_DEFAULT_ONLY, first.ActionRefs[1].Scope)
	require.Zero(t, first.ConstDefaultActionId)
	require.Equal(t, info.Tables[1].ActionRefs[0].Id, second.ConstDefaultActionId)
	require.Equal(t, []byte{5}, second.InitialDefaultAction.Arguments[0].Value)
	require.Equal(t, id(p4config.P4Ids_ACTION_PROFILE, "pipe.Ig.marks"), info.Tables[2].ImplementationId)
	require.Equal(t, "marks", info.ActionProfiles[1].Preamble.Doc.Brief)

	p.Profiles[1].Name = p.Profiles[0].Name
	_, err = p4info.Build(p, p4info.Options{})
	require.ErrorContains(t, err, "two action profiles have the name")
}

// TestPrograms: the descriptions of the real programs are complete, consistent and
// the committed ones.
func TestPrograms(t *testing.T) {
	require.Contains(t, programs.Programs(), "rdma")
	for _, name := range programs.Programs() {
		t.Run(name, func(t *testing.T) { program(t, name) })
	}
}

func program(t *testing.T, name string) {
	p := compile(t, "../"+programs.Source(name))
	info, err := p4info.Build(p, p4info.Options{})
	require.NoError(t, err)
	committed, err := programs.Info(name)
	require.NoError(t, err)
	require.True(t, proto.Equal(committed, info), "run: make generate")
	require.Len(t, info.Tables, len(p.Tables))
	require.Len(t, info.Registers, len(p.Registers))
	require.Contains(t, []int{0, 2}, len(info.ControllerPacketMetadata), "packets go to the controller and come from it, or neither")
	actions := map[uint32]bool{}
	for _, a := range info.Actions {
		actions[a.Preamble.Id] = true
	}
	for _, tb := range info.Tables {
		require.Equal(t, uint32(2), tb.Preamble.Id>>24, tb.Preamble.Name)
		for _, r := range tb.ActionRefs {
			require.True(t, actions[r.Id], tb.Preamble.Name)
		}
	}
}
