package config

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/spf13/cobra"
	"github.com/stretchr/testify/require"

	"github.com/p4ce/p4ce/internal/cli"
)

// TestMain: what whoever runs the tests has in the environment is no setting of these programs.
func TestMain(m *testing.M) {
	for _, e := range os.Environ() {
		if name, _, _ := strings.Cut(e, "="); strings.HasPrefix(name, prefix) {
			os.Unsetenv(name)
		}
	}
	os.Exit(m.Run())
}

// program is a command line that prints the settings with which its commands run.
func program() *cobra.Command {
	root := &cobra.Command{Use: "prog"}
	command := func(name string, flags func(*cobra.Command)) *cobra.Command {
		c := &cobra.Command{Use: name, RunE: func(c *cobra.Command, args []string) error {
			for _, f := range sorted(own(c)) {
				if f.Changed {
					fmt.Fprintf(c.OutOrStdout(), "%s=%s ", f.Name, f.Value)
				}
			}
			for _, e := range os.Environ() {
				if strings.HasPrefix(e, prefix) {
					fmt.Fprintf(c.OutOrStdout(), "ENV %s ", e)
				}
			}
			return nil
		}}
		flags(c)
		return c
	}
	store := command("store", func(c *cobra.Command) {
		f := c.Flags()
		f.Int8("id", 0, "")
		f.String("data", "", "")
		f.StringArray("member", nil, "")
		f.StringSlice("allow", nil, "")
		f.Bool("sync", false, "")
		f.Duration("sync-every", time.Second, "")
		_ = c.MarkFlagRequired("data")
	})
	force := command("force", func(c *cobra.Command) { c.Flags().String("data", "", "") })
	store.AddCommand(force)
	list := command("list", func(c *cobra.Command) { c.Flags().String("at", "there", "") })
	host := command("host", func(c *cobra.Command) { c.Flags().String("at", "", ""); c.Flags().String("data", "", "") })
	parent := cli.Parent(&cobra.Command{Use: "log"}, list, host)
	other := &cobra.Command{Use: "other", DisableFlagParsing: true, RunE: func(*cobra.Command, []string) error { return nil }}
	root.AddCommand(store, parent, other, Command(program))
	Enable(root, false)
	return root
}

func run(root *cobra.Command, line string) (int, string) {
	var out bytes.Buffer
	code := cli.Run(context.Background(), root, strings.Fields(line), strings.NewReader(""), &out, &out)
	return code, strings.TrimSpace(out.String())
}

// TestSettings: the command line counts before the environment, which counts before the file, which counts before the
// defaults; and whatever is not known is said.
func TestSettings(t *testing.T) {
	const store = "store:\n  id: 3\n  data: /d\n  member: [a=b, c=d]\n  sync: true\n"
	for _, c := range []struct {
		name, file, env, line string
		want                  string
		code                  int
	}{
		{"file", store, "", "store", "data=/d id=3 member=[a=b,c=d] sync=true", 0},
		{"line", store, "", "store --id 4 --member e=f --sync=false", "data=/d id=4 member=[e=f] sync=false", 0},
		{"environment", store, "P4CE_STORE_ID=5;P4CE_STORE_MEMBER=g=h  i=j;P4CE_STORE_SYNC_EVERY=2s", "store", "data=/d id=5 member=[g=h,i=j] sync=true sync-every=2s", 0},
		{"environment and line", store, "P4CE_STORE_ID=5", "store --id 6", "data=/d id=6 member=[a=b,c=d] sync=true", 0},
		{"environment alone", "", "P4CE_STORE_DATA=/e", "store", "data=/e", 0},
		{"a part of a slice", "store: {data: x, allow: 'a,b'}", "", "store", "allow=[a,b] data=x", 0},
		{"one of an array", "store: {data: x, member: 'a,b'}", "", "store", `data=x member=["a,b"]`, 0},
		{"required", "store: {id: 1}", "", "store", `prog: required flag(s) "data" not set (see prog store --help)`, 2},
		{"own flags are not those below", store, "", "store force", "", 0},
		{"below", "store: {force: {data: y}}", "", "store force", "data=y", 0},
		{"for all below", "log: {at: here, host: {data: z}}", "", "log list", "at=here", 0},
		{"for all below, another", "log: {at: here, host: {data: z}}", "", "log host", "at=here data=z", 0},
		{"the nearer one", "log: {host: {at: mine}, at: here}", "", "log host", "at=mine", 0},
		{"alias", "store: {data: &x /y, member: [*x]}", "", "store", "data=/y member=[/y]", 0},
		{"empty", "", "", "log list", "", 0},
		{"only comments", "# nothing\n", "", "log list", "", 0},
		{"empty section", "store:\nlog: {at: x}\n", "", "log list", "at=x", 0},
		{"another program's", "other: {rate: 3}", "", "log list", "", 0},

		{"a setting of all commands", "log-format: json\nlog: {at: x}\n", "P4CE_LOG_LEVEL=warn", "log list", "at=x", 0},
		{"a wrong one", "log-format: xml", "", "log list", "prog: FILE:1: log-format: want text or json (see prog log list --help)", 2},
		{"a wrong one, of the environment", "", "P4CE_LOG_LEVEL=loud", "log list", "prog: P4CE_LOG_LEVEL: log-level: slog: level string \"loud\": unknown name (see prog log list --help)", 2},

		{"unknown command", "stor: {id: 1}", "", "log list", "prog: FILE:1: prog has no command stor (see prog log list --help)", 2},
		{"unknown setting", "store:\n  idd: 1", "", "store", "prog: FILE:2: store.idd: prog store has no such setting (see prog store --help)", 2},
		{"unknown setting of another command", "store:\n  idd: 1", "", "log list", "prog: FILE:2: store.idd: prog store has no such setting (see prog log list --help)", 2},
		{"a command that has none", "config: {check: {x: 1}}", "", "log list", "prog: FILE:1: prog has no command config (see prog log list --help)", 2},
		{"the file's name", "store: {config: x, data: y}", "", "store", "prog: FILE:1: store.config: prog store has no such setting (see prog store --help)", 2},
		{"out of range", "store: {data: x, id: 300}", "", "store", `prog: FILE:1: store.id: "300" is out of range (see prog store --help)`, 2},
		{"no number", "store: {data: x, id: one}", "", "store", `prog: FILE:1: store.id: "one" is not a valid number (see prog store --help)`, 2},
		{"no bool", "store: {data: x, sync: maybe}", "", "store", `prog: FILE:1: store.sync: "maybe" is not true or false (see prog store --help)`, 2},
		{"list", "store: {data: [x, y]}", "", "store", "prog: FILE:1: store.data: want one value, not a list (see prog store --help)", 2},
		{"no list", "store: {data: x, member: []}", "", "store", "prog: FILE:1: store.member: the list is empty (see prog store --help)", 2},
		{"no item", "store: {data: x, member: [a, ]}", "", "store", "data=x member=[a]", 0},
		{"null item", "store: {data: x, member: [~]}", "", "store", "prog: FILE:1: store.member: an item of the list is not a value (see prog store --help)", 2},
		{"no value", "store:\n  data:\n", "", "store", "prog: FILE:2: store.data: the value is missing (see prog store --help)", 2},
		{"a mapping", "store: {data: {a: b}}", "", "store", "prog: FILE:1: store.data: want a value or a list of values (see prog store --help)", 2},
		{"no section", "store: 3", "", "store", "prog: FILE:1: store: want settings, each as NAME: VALUE (see prog store --help)", 2},
		{"no sections", "[1, 2]", "", "store", "prog: FILE:1: the file: want settings, each as NAME: VALUE (see prog store --help)", 2},
		{"twice", "store:\n  id: 1\n  id: 2", "", "store", "prog: FILE:3: store.id is there twice [the first is at FILE:2] (see prog store --help)", 2},
		{"merge", "store: &a {id: 1}\nlog: {<<: *a}", "", "store", "prog: FILE:2: want the name of a command or of a setting (see prog store --help)", 2},
		{"two documents", "store: {id: 1}\n---\nstore: {id: 2}", "", "store", "prog: FILE: want one YAML document [remove what begins at the second line ---] (see prog store --help)", 2},
		{"half-written", "store: {id: 1", "", "store", "prog: FILE: line 1: did not find expected ',' or '}' (see prog store --help)", 2},
		{"unknown variable", "", "P4CE_STORE_IDD=3", "store --data x", "prog: P4CE_STORE_IDD in the environment: prog store has no such setting (see prog store --help)", 2},
		{"variable of a command below", "", "P4CE_STORE_FORCE_DATA=3", "store --data x", "data=x", 0},
		{"wrong variable", "", "P4CE_STORE_ID=x", "store --data x", `prog: P4CE_STORE_ID: store.id: "x" is not a valid number (see prog store --help)`, 2},

		{"check", store, "", "config check", "FILE: 4 settings, of prog store", 0},
		{"check what is for all", "log-format: json\nlog: {at: x}\n", "", "config check", "FILE: 3 settings, of prog, prog log host, prog log list", 0},
		{"check what is wrong for all", "log-format: xml\n", "", "config check", "prog: FILE:1: log-format: want text or json", 1},
		{"show what is for all", "log-format: json\n", "P4CE_LOG_LEVEL=warn", "config show", "log-format: json # FILE:1\nlog-level: warn # P4CE_LOG_LEVEL", 0},
		{"check another program's", "other: {a: b}\n", "", "config check", "FILE: no settings\nFILE: other is not checked: it is a command of another program", 0},
		{"check a value", "store: {id: 300}", "", "config check", `prog: FILE:1: store.id: "300" is out of range`, 1},
		{"show", store, "P4CE_STORE_ID=7", "config show", "store:\n  data: /d # FILE:3\n  id: 7 # P4CE_STORE_ID\n  member: [a=b, c=d] # FILE:4\n  sync: true # FILE:5", 0},
		{"show one", store + "log: {at: here}", "", "config show log list", "log:\n  list:\n    at: here # FILE:6", 0},
		{"show defaults", "", "", "config show log list --all", "log:\n  list:\n    at: there # default", 0},
		{"show JSON", "log: {at: here}", "", "config show log list --json", "[\n  {\n    \"command\": \"log list\",\n    \"setting\": \"at\",\n    \"value\": \"here\",\n    \"from\": \"FILE:1\"\n  }\n]", 0},
		{"show nothing", "", "", "config show", "# no settings [--all: with defaults]", 0},
		{"show what is not", "", "", "config show stor", "prog: stor: no such command, or one of another program (see prog config show --help)", 2},
	} {
		t.Run(c.name, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "c.yaml")
			require.NoError(t, os.WriteFile(file, []byte(c.file), 0o600))
			for _, e := range strings.Split(c.env, ";") {
				if k, v, ok := strings.Cut(e, "="); ok {
					t.Setenv(k, v)
				}
			}
			if c.env == "" || c.code != 0 || strings.HasPrefix(c.line, "config") { // else what is taken from the environment leaves it
				code, out := run(program(), c.line+" --config "+file)
				require.Equal(t, c.want, strings.ReplaceAll(out, file, "FILE"))
				require.Equal(t, c.code, code)
			}
			t.Setenv(envFile, file)
			code, out := run(program(), c.line)
			require.Equal(t, c.want, strings.ReplaceAll(out, file, "FILE"))
			require.Equal(t, c.code, code)
		})
	}
}

// TestShowIsFile: what is shown is a file that says the same.
func TestShowIsFile(t *testing.T) {
	t.Setenv("P4CE_STORE_DATA", "# ' \" : [x")
	t.Setenv("P4CE_STORE_MEMBER", "a,b 0x10 010 ~ true [1] "+strings.Repeat("x", 80))
	t.Setenv("P4CE_STORE_ID", "010")
	code, text := run(program(), "config show")
	require.Zero(t, code, text)
	file := filepath.Join(t.TempDir(), "c.yaml")
	require.NoError(t, os.WriteFile(file, []byte(text), 0o600))
	_, want := run(program(), "store")
	require.Contains(t, want, "[x")
	code, got := run(program(), "store --config "+file)
	require.Zero(t, code, got)
	require.Equal(t, want, got)
}

// TestPart: a program that has some of the commands leaves the sections of the others alone.
func TestPart(t *testing.T) {
	file := filepath.Join(t.TempDir(), "c.yaml")
	require.NoError(t, os.WriteFile(file, []byte("log: {at: here}\nswitch: {port: 3}\n"), 0o600))
	root := program()
	root.Annotations = map[string]string{partOf: "prog"}
	code, out := run(root, "log list --config "+file)
	require.Zero(t, code, out)
	require.Equal(t, "at=here", out)
}

// FuzzFile: no file makes a program crash, and one that is taken is taken the same way again.
func FuzzFile(f *testing.F) {
	for _, s := range []string{"store: {id: 3, member: [a, b]}", "log:\n  at: x\n", "a: &a [*a]", "? [x]\n: y", "---\n---", "store: *x", "other: {}", "store: {data: &x y, member: [*x]}", "\xff\xfe"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		root := program()
		top, err := parse("f", text)
		if err != nil {
			return
		}
		all, err := resolve(root, top)
		if err != nil {
			return
		}
		for c, list := range all.byCommand {
			for _, s := range list {
				if s.set(c.Flags()) == nil {
					require.True(t, s.flag.Changed)
					require.NotEmpty(t, s.value())
				}
			}
		}
	})
}
