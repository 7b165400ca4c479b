package main

import (
	"bytes"
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/p4ce/p4ce/internal/cli"
)

func TestDoctorBadInput(t *testing.T) {
	newCLI(t).check(t, []badCase{
		{"doctor nonsense", 2, `invalid argument "nonsense" for "p4ce doctor"`},
		{"doctor switch server", 2, "accepts at most 1 arg"},
		{"doctor --rdma hard", 2, `--rdma must be soft or verbs, not "hard"`},
		{"doctor switch --rdma verbs", 2, "--rdma and --device are for servers; a switch has none"},
		{"doctor server --rdma soft --device rxe0", 2, "--device rxe0: an RDMA device is for --rdma verbs"},
		{"doctor --interface no-such-if", 1, "interface no-such-if does not exist in this network namespace"},
	})
}

// TestDoctor: the exit status is that of what was asked for, and JSON says the same
// as the text.
func TestDoctor(t *testing.T) {
	var text, data, stderr bytes.Buffer
	code := cli.Run(context.Background(), command(), []string{"doctor"}, nil, &text, &stderr)
	require.Equal(t, code, cli.Run(context.Background(), command(), []string{"doctor", "--json"}, nil, &data, &stderr))
	require.Empty(t, stderr.String())
	var e struct {
		Verdicts []struct {
			Role, Summary string
			Possible      bool
		}
	}
	require.NoError(t, json.Unmarshal(data.Bytes(), &e))
	require.Len(t, e.Verdicts, 2)
	possible := false
	for _, v := range e.Verdicts {
		require.Contains(t, text.String(), v.Role+": "+v.Summary+"\n")
		possible = possible || v.Possible
		one := cli.Run(context.Background(), command(), []string{"doctor", v.Role}, nil, &bytes.Buffer{}, &stderr)
		require.Equal(t, v.Possible, one == 0, v.Role)
	}
	require.Equal(t, possible, code == 0)

	var asked bytes.Buffer
	code = cli.Run(context.Background(), command(), []string{"doctor", "server", "--device", "no-such-device"}, nil, &asked, &stderr)
	require.Equal(t, 1, code)
	require.True(t, strings.HasPrefix(asked.String(), "server: this machine cannot be a server with an RDMA device as it is"), asked.String())
}
