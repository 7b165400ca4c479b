package kv

import (
	"io"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// TestKill: CLIENT KILL ends the connections that meet every condition, and no other; CLIENT LIST shows the same ones.
func TestKill(t *testing.T) {
	_, addr := serve(t, nil)
	admin := dial(t, addr)
	open := func() (*conn, string) {
		c := dial(t, addr)
		return c, strings.TrimPrefix(c.do("CLIENT", "ID"), "(integer) ")
	}
	ended := func(c *conn) {
		_, err := c.r.ReadByte()
		require.ErrorIs(t, err, io.EOF)
	}
	lists := func(filter string) int {
		return strings.Count(admin.do(append([]string{"CLIENT", "LIST"}, strings.Fields(filter)...)...), "id=")
	}
	kill := func(filter string) string {
		return admin.do(append([]string{"CLIENT", "KILL"}, strings.Fields(filter)...)...)
	}
	a, idA := open()
	b, idB := open()
	stays, idStays := open()
	local := func(c *conn) string { return c.LocalAddr().String() }

	require.Equal(t, "OK", admin.do("CLIENT", "KILL", local(a)))
	ended(a)
	require.Eventually(t, func() bool { return lists("") == 3 }, 20*time.Second, time.Millisecond)
	require.Equal(t, "(error) ERR No such client", admin.do("CLIENT", "KILL", local(a)))
	require.Equal(t, "(error) ERR No such client", admin.do("CLIENT", "KILL", ""))
	for filter, n := range map[string]int{
		"ID " + idB: 1, "ID " + idB + " " + idStays: 2, "ID " + idA: 0, "ADDR " + local(b): 1, "LADDR " + addr: 3, "LADDR 1.2.3.4:5": 0,
		"TYPE normal": 3, "TYPE replica": 0, "USER default": 3, "USER other": 0, "MAXAGE 0": 3, "MAXAGE 1000": 0,
		"SKIPME yes": 2, "SKIPME no": 3, "ID " + idB + " ADDR " + local(stays): 0, "id " + idB + " addr " + local(b): 1,
	} {
		require.Equal(t, n, lists(filter), filter)
	}
	for filter, want := range map[string]string{
		"ID": textSyntax, "ID 0": "ERR client-id should be greater than 0", "ID x": "ERR client-id should be greater than 0", "ID " + idB + " 0": "ERR client-id should be greater than 0",
		"TYPE odd": "ERR Unknown client type 'odd'", "MAXAGE -1": "ERR maxage is not an integer or out of range", "MAXAGE 9223372036854775807": "ERR maxage is not an integer or out of range",
		"SKIPME perhaps": textSyntax, "NAME x": textSyntax, "ID " + idB + " ADDR": textSyntax,
	} {
		require.Equal(t, "(error) "+want, admin.do(append([]string{"CLIENT", "LIST"}, strings.Fields(filter)...)...), filter)
		if strings.Contains(filter, " ") {
			require.Equal(t, "(error) "+want, kill(filter), filter)
		}
	}
	require.Equal(t, "(integer) 0", kill("ID "+idB+" ADDR "+local(stays)))
	require.Equal(t, "(integer) 1", kill("ADDR "+local(b)+" LADDR "+addr))
	ended(b)
	require.Equal(t, "PONG", stays.do("PING"))
	require.Equal(t, "(integer) 1", kill("TYPE normal"), "not the one that asks")
	ended(stays)
	// It gets its reply, and nothing after it takes effect.
	c, _ := open()
	c.send([]string{"SET", "k", "1"}, []string{"CLIENT", "KILL", "SKIPME", "no", "ADDR", local(c)}, []string{"SET", "k", "2"})
	require.Equal(t, "OK", c.reply())
	require.Equal(t, "(integer) 1", c.reply())
	ended(c)
	require.Equal(t, `"1"`, admin.do("GET", "k"))
	c, _ = open()
	c.send([]string{"MULTI"}, []string{"CLIENT", "KILL", local(c)}, []string{"SET", "k", "3"}, []string{"EXEC"}, []string{"SET", "k", "4"})
	require.Equal(t, "OK", c.reply())
	require.Equal(t, "QUEUED", c.reply())
	require.Equal(t, "QUEUED", c.reply())
	require.Equal(t, "1) OK\n2) OK", c.reply(), "a transaction is whole")
	ended(c)
	require.Equal(t, `"3"`, admin.do("GET", "k"))
}
