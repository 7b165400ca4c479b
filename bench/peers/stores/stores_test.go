package stores

import (
	"bufio"
	"net"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestTarget(t *testing.T) {
	one := []string{"a:1"}
	require.NoError(t, Target{Kind: KV, Addresses: one, Mode: "direct"}.Check())
	require.NoError(t, Target{Kind: Etcd, Addresses: one}.Check())
	for _, c := range []struct {
		t    Target
		want string
	}{
		{Target{Kind: "memcached", Addresses: one}, "unknown kind"},
		{Target{Kind: Redis}, "0 servers"},
		{Target{Kind: KV, Addresses: one, Mode: "fast"}, `mode "fast"`},
		{Target{Kind: Redis, Addresses: one, Mode: "direct"}, "has no mode"},
	} {
		require.ErrorContains(t, c.t.Check(), c.want)
		_, err := Await(t.Context(), c.t)
		require.ErrorContains(t, err, c.want)
	}
	require.ErrorContains(t, CheckOperation("incr"), "unknown operation")
}

func TestReplies(t *testing.T) {
	for in, want := range map[string]string{"+OK\r\n": "OK", ":2\r\n": "2", "$3\r\na\nb\r\n": "a\nb", "$0\r\n\r\n": ""} {
		got, err := (&respConn{in: bufio.NewReader(strings.NewReader(in))}).reply()
		require.NoError(t, err)
		require.Equal(t, want, string(got))
	}
	for in, want := range map[string]string{"-ERR no\r\n": "ERR no", "$x\r\n": "reply", "$-2\r\n": "reply", "*1\r\n": "reply", "\r\n": "empty", "$5\r\nab": "EOF", "": "EOF"} {
		_, err := (&respConn{in: bufio.NewReader(strings.NewReader(in))}).reply()
		require.ErrorContains(t, err, want, "%q", in)
	}
	require.Equal(t, "*2\r\n$3\r\nGET\r\n$1\r\nk\r\n", string(appendCommand(nil, "GET", "k")))
}

// answer serves one connection with fixed replies, one per write that it reads.
func answer(t *testing.T, replies string) string {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { l.Close() })
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go func() {
				defer c.Close()
				b := make([]byte, 4096)
				for {
					if _, err := c.Read(b); err != nil {
						return
					}
					if _, err := c.Write([]byte(replies)); err != nil {
						return
					}
				}
			}()
		}
	}()
	return l.Addr().String()
}

// A SET that too few replicas have is an error, and so is a GET of something else.
func TestMajority(t *testing.T) {
	for _, c := range []struct{ op, replies, want string }{
		{Set, "+OK\r\n:1\r\n", ""},
		{Set, "+OK\r\n:2\r\n", ""},
		{Set, "+OK\r\n:0\r\n", "replicas have it"},
		{Set, "-READONLY\r\n", "READONLY"},
	} {
		s := &Store{t: Target{Kind: Redis, Addresses: []string{"a", "b", "c"}}, leader: answer(t, c.replies)}
		request, err := s.Client(t.Context(), 0, c.op, 8, 1)
		require.NoError(t, err)
		err = request(t.Context())
		if c.want == "" {
			require.NoError(t, err)
		} else {
			require.ErrorContains(t, err, c.want)
		}
		require.NoError(t, s.Close())
	}
	s := &Store{t: Target{Kind: KV, Mode: "direct", Addresses: []string{"a"}}, leader: answer(t, "+OK\r\n")}
	defer s.Close()
	request, err := s.Client(t.Context(), 0, Get, 8, 1)
	require.NoError(t, err)
	require.ErrorContains(t, request(t.Context()), "2 bytes, not 8")
}

// What is in a pipeline is sent at once, and every reply is looked at.
func TestPipeline(t *testing.T) {
	for _, c := range []struct{ op, replies, want string }{
		{Set, "+OK\r\n+OK\r\n+OK\r\n+OK\r\n", ""},
		{Set, "+OK\r\n+OK\r\n+OK\r\n-READONLY\r\n", "READONLY"},
	} {
		s := &Store{t: Target{Kind: KV, Mode: "direct", Addresses: []string{"a"}}, leader: answer(t, c.replies)}
		request, err := s.Client(t.Context(), 0, c.op, 8, 4)
		require.NoError(t, err)
		for range 3 { // a write of the client, read as one, for each
			err = request(t.Context())
			if c.want == "" {
				require.NoError(t, err)
			} else {
				require.ErrorContains(t, err, c.want)
			}
		}
		require.NoError(t, s.Close())
	}
	r := &requests{client: 3, pipeline: 16, command: func(b []byte, key string) []byte { return append(append(b, key...), ' ') }}
	first, second := string(r.next()), string(r.next())
	require.True(t, strings.HasPrefix(first, "client0003:00 client0003:01 "), first)
	require.True(t, strings.HasSuffix(second, "client0003:31 "), second)
	require.Equal(t, first, string(r.next()))

	require.NoError(t, Target{Kind: Etcd}.CheckPipeline(1))
	require.ErrorContains(t, Target{Kind: Etcd}.CheckPipeline(2), "no pipelines with etcd")
	require.ErrorContains(t, Target{Kind: Redis, Addresses: []string{"a", "b", "c"}}.CheckPipeline(2), "no pipelines with redis of 3")
	require.ErrorContains(t, Target{Kind: KV}.CheckPipeline(33), "pipeline of 33")
}
