package certs_test

import (
	"crypto/tls"
	"io"
	"net"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/p4ce/p4ce/link/certs"
	"github.com/p4ce/p4ce/link/certs/certstest"
)

// talk has a client and a server say hello.
func talk(t *testing.T, server, client *tls.Config) error {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer l.Close()
	go func() {
		if c, err := l.Accept(); err == nil {
			s := tls.Server(c, server)
			_, _ = io.Copy(s, s)
			c.Close()
		}
	}()
	c, err := tls.Dial("tcp", l.Addr().String(), client)
	if err != nil {
		return err
	}
	defer c.Close()
	if _, err := c.Write([]byte("hello")); err != nil {
		return err
	}
	_, err = io.ReadFull(c, make([]byte, 5))
	return err
}

// TestFiles: who is let in, on either side; and that files which change are read again.
func TestFiles(t *testing.T) {
	dir := t.TempDir()
	ours, other := certstest.New(t, dir, "ours"), certstest.New(t, dir, "other")
	believing := func(f certs.Files, a *certstest.Authority) certs.Files {
		f.CA = a.File()
		return f
	}
	server := func(f certs.Files) *tls.Config {
		c, err := f.Server(nil)
		require.NoError(t, err)
		return c
	}
	client := func(f certs.Files) *tls.Config {
		c, err := f.Client(nil, "server")
		require.NoError(t, err)
		return c
	}
	files := ours.Issue("server")
	s, good := server(files), client(ours.Issue("good"))
	require.NoError(t, talk(t, s, good))
	require.ErrorContains(t, talk(t, s, client(certs.Files{CA: ours.File()})), "certificate required")
	require.Error(t, talk(t, s, client(believing(other.Issue("stranger"), ours))))
	require.ErrorContains(t, talk(t, s, client(believing(ours.Issue("other's"), other))), "unknown authority")
	require.ErrorContains(t, talk(t, server(ours.Issue("elsewhere")), good), "not server")
	past := time.Now().Add(-time.Minute)
	require.Error(t, talk(t, s, client(ours.IssueUntil("late", past))))
	require.ErrorContains(t, talk(t, server(ours.IssueUntil("server", past)), good), "expired")
	// The server gets another certificate and another authority while it runs; half of the pair
	// alone changes nothing.
	s = server(ours.Issue("server"))
	copyFile := func(from, to string) {
		b, err := os.ReadFile(from)
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(to, b, 0o600))
	}
	others := other.Issue("server")
	copyFile(others.Key, files.Key)
	time.Sleep(1100 * time.Millisecond) // files are looked at once a second
	require.NoError(t, talk(t, s, good))
	copyFile(others.Cert, files.Cert)
	copyFile(other.File(), files.CA)
	newcomer := client(other.Issue("newcomer"))
	require.Eventually(t, func() bool { return talk(t, s, newcomer) == nil }, 20*time.Second, 100*time.Millisecond)
	require.Error(t, talk(t, s, good))
	// What cannot be begun with.
	for _, c := range []struct {
		f    certs.Files
		want string
	}{
		{certs.Files{Cert: "none.crt", Key: "none.key"}, "tls: stat none.crt: no such file"},
		{certs.Files{Cert: ours.File(), Key: ours.File()}, "tls: certificate " + ours.File()},
		{certs.Files{Cert: others.Cert, Key: others.Key, CA: others.Key}, "contains no certificate"},
		{certs.Files{CA: ours.File()}, "a server needs a certificate and a key"},
	} {
		_, err := c.f.Server(nil)
		require.ErrorContains(t, err, c.want)
	}
	_, err := certs.Files{}.Client(nil, "")
	require.ErrorContains(t, err, "a client needs a CA")
	_, err = certs.Files{CA: ours.File(), Cert: "x"}.Client(nil, "")
	require.ErrorContains(t, err, "certificate and key belong together")
}

// TestRights: who may do what.
func TestRights(t *testing.T) {
	file := filepath.Join(t.TempDir(), "rights")
	write := func(text string) { require.NoError(t, os.WriteFile(file, []byte(text), 0o600)) }
	write("# who\n\nclient monitor read\nclient routing write l3.* pre\nclient controller write\n")
	r, err := certs.ReadRights(file, nil)
	require.NoError(t, err)
	for _, c := range []struct {
		name, what        string
		read, write, this bool
	}{
		{"", "l3.route", false, false, false}, {"stranger", "l3.route", false, false, false}, {"monitor", "l3.route", true, false, false},
		{"routing", "l3.route", true, true, true}, {"routing", "pre", true, true, true}, {"routing", "acl", true, true, false}, {"routing", "program", true, true, false},
		{"controller", "acl", true, true, true}, {"controller", "program", true, true, true},
	} {
		require.Equal(t, []bool{c.read, c.write, c.this}, []bool{r.MayRead(c.name), r.MayWrite(c.name), r.May(c.name, c.what)}, c)
	}
	// Nonsense changes nothing; then somebody loses what he had.
	write("nonsense")
	time.Sleep(1100 * time.Millisecond)
	require.True(t, r.MayRead("monitor"))
	write("client controller write\n")
	require.Eventually(t, func() bool { return !r.MayRead("monitor") && !r.May("routing", "pre") }, 20*time.Second, 10*time.Millisecond)
	require.True(t, r.May("controller", "acl"))
	for text, want := range map[string]string{
		"": "no client has any rights", "client a": "line 1: want client NAME read", "client a read all": "line 1: want client NAME read", "user a read": "line 1: want client NAME read",
		"client a own": "line 1: want client NAME read", "client a read\nclient a write": "line 2: client a is given twice", "client a write [": "line 1: [: syntax error",
	} {
		write(text)
		_, err := certs.ReadRights(file, nil)
		require.ErrorContains(t, err, want, text)
	}
	_, err = certs.ReadRights(file+"x", nil)
	require.ErrorContains(t, err, "rights: stat ")
}
