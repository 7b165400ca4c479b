// Package store runs the replicated store on the order of 1Pipe: processes of the built binary, on switches in
// network namespaces (XDP) and on the interpreter.
package store

import (
	"context"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/redis/go-redis/v9/logging"
	"github.com/stretchr/testify/require"

	"github.com/p4ce/p4ce/doctor/needs"
	labs "github.com/p4ce/p4ce/lab"
	"github.com/p4ce/p4ce/lab/launch"
	"github.com/p4ce/p4ce/systems/onepipe/lab"
	"github.com/p4ce/p4ce/systems/onepipe/lab/store"
)

var binary string // the p4ce that is tested

func TestMain(m *testing.M) {
	logging.Disable() // go-redis: servers that are down are expected
	os.Exit(launch.Main(m, "p4ce", &binary))
}

type run struct {
	*store.Store
	t   *testing.T
	ctx context.Context
}

func start(t *testing.T, target string) *run {
	needs.Time(t, "it builds p4ce")
	if target == "xdp" {
		needs.Root(t, "XDP and network namespaces")
	}
	ctx, cancel := context.WithTimeout(context.Background(), 3*time.Minute)
	t.Cleanup(cancel)
	log := &labs.Log{}
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("log of all processes:\n%s", log)
		}
	})
	n, err := lab.Start(ctx, lab.Options{Binary: binary, Dir: t.TempDir(), Target: target, Log: log})
	require.NoError(t, err)
	t.Cleanup(n.Close)
	s, err := store.Start(n, "--timeout", "20s", "--fsync") // else the last moments of the last one that is killed may be lost
	require.NoError(t, err)
	t.Cleanup(s.Close)
	return &run{s, t, ctx}
}

// incr adds one at a server, when that serves, and returns the sum.
func (r *run) incr(i int) int64 {
	r.t.Helper()
	r.info(i, "state", "serves")
	c := r.Client(i)
	defer c.Close()
	n, err := c.Incr(r.ctx, "n").Result()
	require.NoError(r.t, err, "server %d", i)
	return n
}

// info waits until a server says something of itself.
func (r *run) info(i int, key, want string) {
	r.t.Helper()
	require.Eventually(r.t, func() bool {
		info, err := r.Server(i).Info("replication")
		return err == nil && info[key] == want
	}, time.Minute, 5*time.Millisecond, "server %d", i)
}

func (r *run) kill(i int) {
	r.Server(i).Proc.Kill()
	<-r.Server(i).Proc.Done()
}

// Every server serves. One that is killed is no member any more, and joins again with the state of another. When all
// have been killed, they go on with what the last ones had.
func TestStore(t *testing.T) {
	for _, target := range []string{"interp", "xdp"} {
		t.Run(target, func(t *testing.T) {
			r := start(t, target)
			sum := int64(0)
			all := func() {
				t.Helper()
				for i := range r.Servers() {
					sum++
					require.Equal(t, sum, r.incr(i), "server %d", i)
				}
				require.NoError(t, r.Equal(r.ctx))
			}
			all()
			r.kill(1)
			for _, i := range []int{0, 2, 3} {
				sum++
				require.Equal(t, sum, r.incr(i), "server %d", i)
			}
			require.NoError(t, r.Restart(1))
			all()
			r.info(0, "members", "[h1 h2 h3 h4]")

			// The last one that is left has what the others have not.
			for _, i := range []int{0, 1, 2} {
				r.kill(i)
			}
			sum++
			require.Equal(t, sum, r.incr(3))
			r.info(3, "members", "[h4]")
			r.kill(3)
			for _, i := range []int{0, 1, 2} {
				require.NoError(t, r.Restart(i))
			}
			for _, i := range []int{0, 1, 2} {
				require.Eventually(t, func() bool {
					return strings.Contains(r.Server(i).Health(r.ctx), "this server does not serve: it waits for server h4")
				}, time.Minute, 5*time.Millisecond, "server 3 has what nobody else has, and is not there")
			}
			require.NoError(t, r.Restart(3))
			all()
		})
	}
}
