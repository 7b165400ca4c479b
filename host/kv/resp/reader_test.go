package resp

import (
	"io"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/tidwall/redcon"
)

func FuzzReader(f *testing.F) {
	for _, s := range []string{"PING\r\n", "*2\r\n$3\r\nGET\r\n$1\r\nk\r\n*0\r\nECHO \"a b\"\r\n", "*1\r\n$9223372036854775807\r\nx", "*-1\r\n\n*1\n", "GET \"\\x41\" ''\nPING\r\n"} {
		f.Add([]byte(s), uint8(3))
	}
	f.Fuzz(func(t *testing.T, b []byte, cut uint8) {
		all := requests(t, &chunks{b, len(b) + 1})
		require.Equal(t, all, requests(t, &chunks{b, int(cut) + 1}), "however it arrives")
	})
}

// TestTyped: quotes mean what they mean to Redis.
func TestTyped(t *testing.T) {
	for line, want := range map[string][]string{
		`SET k "a\x00\xffb"`:       {"SET", "k", "a\x00\xffb"},
		`SET k "\n\r\t\b\a\"\\\q"`: {"SET", "k", "\n\r\t\b\a\"\\q"},
		`SET k "\xzz"`:             {"SET", "k", "xzz"},
		`SET k '\x00 \' "'`:        {"SET", "k", `\x00 ' "`},
		`GET ""`:                   {"GET", ""},
		` GET	'a b' `:              {"GET", "a b"},
		`a"b c"`:                   {"ab c"},
		`GET "a`:                   {"error: Protocol error: unbalanced quotes in request"},
		`GET "a"b`:                 {"error: Protocol error: unbalanced quotes in request"},
		`GET '`:                    {"error: Protocol error: unbalanced quotes in request"},
	} {
		got := requests(t, &chunks{[]byte(line + "\r\nPING\r\n"), 7})
		require.Equal(t, want, got[0], line)
		if len(want) != 1 || want[0] == "ab c" {
			require.Equal(t, []string{"PING"}, got[1], line)
		}
	}
}

// chunks gives out n bytes at a time.
type chunks struct {
	b []byte
	n int
}

func (c *chunks) Read(p []byte) (int, error) {
	if len(c.b) == 0 {
		return 0, io.EOF
	}
	n := copy(p[:min(len(p), c.n)], c.b)
	c.b = c.b[n:]
	return n, nil
}

// requests reads everything as a server does.
func requests(t *testing.T, in io.Reader) (all [][]string) {
	r := redcon.NewReader(NewReader(in, 1<<16))
	for {
		cmds, err := r.ReadCommands()
		for _, c := range cmds {
			var args []string
			for _, a := range c.Args {
				args = append(args, string(a))
			}
			all = append(all, args)
		}
		if err != nil {
			return append(all, []string{"error: " + err.Error()})
		}
	}
}
