package kv

import (
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/p4ce/p4ce/host/kv/resp"
)

func TestProtocolErrors(t *testing.T) {
	_, addr := serve(t, func(c *Config) { c.MaxRecord = 64 << 10 })
	for name, c := range map[string]struct{ send, want string }{
		"multibulk length":  {"*x\r\n", "(error) ERR Protocol error: invalid multibulk length"},
		"many arguments":    {"*2147483647\r\n", "(error) ERR Protocol error: invalid multibulk length"},
		"bulk length":       {"*1\r\n$-1\r\n", "(error) ERR Protocol error: invalid bulk length"},
		"length overflows":  {"*1\r\n$9223372036854775807\r\nx", "(error) ERR Protocol error: request is too long"},
		"no bulk":           {"*1\r\n:1\r\n", "(error) ERR Protocol error: expected '$', got ':'"},
		"no end":            {"*1\r\n$1\r\nxyz", "(error) ERR Protocol error: invalid bulk length"},
		"quotes":            {"GET \"x\r\n", "(error) ERR Protocol error: unbalanced quotes in request"},
		"long line":         {strings.Repeat("x", resp.MaxInline+1), "(error) ERR Protocol error: too big inline request"},
		"long length":       {"*" + strings.Repeat("1", 40), "(error) ERR Protocol error: too big inline request"},
		"long request":      {"*2\r\n$3\r\nGET\r\n$2000000\r\n" + strings.Repeat("x", 2000000), "(error) ERR Protocol error: request is too long"},
		"small but many":    {"*1000000\r\n" + strings.Repeat("$4\r\nPING\r\n", 200000), "(error) ERR Protocol error: request is too long"},
		"after good lines":  {"PING\r\nPING \"x\r\n", "PONG"},
		"after good ones":   {"*1\r\n$4\r\nPING\r\n*x\r\n", "PONG"},
		"nothing, and more": {"*0\r\n\r\n*-1\r\nPING\r\n", "PONG"},
	} {
		t.Run(name, func(t *testing.T) {
			nc := dial(t, addr)
			go func() { _, _ = io.WriteString(nc, c.send) }()
			require.Contains(t, nc.reply(), c.want)
			if strings.HasPrefix(c.want, "(") {
				_, err := nc.r.ReadByte()
				require.ErrorIs(t, err, io.EOF)
			}
		})
	}
	// A value that the log does not take, although it can be received.
	c := dial(t, addr)
	require.Contains(t, c.do("SET", "k", strings.Repeat("x", 70<<10)), "(error) ERR the command is too long for the log")
	require.Equal(t, "OK", c.do("SET", "k", strings.Repeat("x", 60<<10)))
}
