package kv

import (
	"bytes"
	"fmt"
	"io"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/p4ce/p4ce/host/replicated"
)

// TestBackupBarrier: a server gives a backup only after a majority has confirmed that it still leads.
func TestBackupBarrier(t *testing.T) {
	log, addr := serve(t, nil)
	c := dial(t, addr)
	line := func(send string) string {
		_, err := io.WriteString(c, send+"\r\n")
		require.NoError(t, err)
		text, err := c.r.ReadString('\n')
		require.NoError(t, err)
		return strings.TrimSpace(text)
	}
	require.Equal(t, "+OK", line("SET a b"))
	log.mu.Lock()
	log.err = &replicated.NotLeaderError{Known: true, Client: "other:1"}
	log.mu.Unlock()
	require.Contains(t, line("BACKUP"), "-READONLY this server is a follower; the leader serves at other:1")
	log.mu.Lock()
	log.err = nil
	log.mu.Unlock()

	var image bytes.Buffer
	for head := line("BACKUP"); ; head, _ = c.r.ReadString('\n') {
		n, err := strconv.Atoi(strings.TrimSpace(strings.TrimPrefix(head, "$")))
		require.NoError(t, err)
		part := make([]byte, n+2)
		_, err = io.ReadFull(c.r, part)
		require.NoError(t, err)
		if n == 0 {
			break
		}
		image.Write(part[:n])
	}
	var got []string
	b, err := ReadBackup(&image, func(key, value []byte, expiry int64) error {
		got = append(got, fmt.Sprintf("%s=%s %d", key, value, expiry))
		return nil
	})
	require.NoError(t, err)
	require.EqualValues(t, 1, b.Keys)
	require.Equal(t, []string{"a=b 0"}, got)
	require.Equal(t, "+PONG", line("PING"), "the connection goes on")
}

// FuzzReadBackup: no file makes a program crash, and what is taken for whole is what was written.
func FuzzReadBackup(f *testing.F) {
	f.Add([]byte(imageMagic))
	f.Add([]byte{})
	f.Fuzz(func(t *testing.T, b []byte) {
		n := uint64(0)
		got, err := ReadBackup(bytes.NewReader(b), func([]byte, []byte, int64) error { n++; return nil })
		if err == nil {
			require.Equal(t, n, got.Keys)
		}
	})
}
