package fault

import (
	"os"
	"os/exec"
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// TestBusyMachine: a store whose servers wait for processors does not change its leader. P4CE_BUSY is for how long
// (default 20s; ten minutes: 10m).
func TestBusyMachine(t *testing.T) {
	long := 20 * time.Second
	if s := os.Getenv("P4CE_BUSY"); s != "" {
		var err error
		long, err = time.ParseDuration(s)
		require.NoError(t, err)
	}
	r := open(t, 3, false, long+3*time.Minute)
	leader := r.accelerated()
	term := r.term(leader)
	for range 10 * runtime.NumCPU() {
		hog := exec.CommandContext(r.ctx, "sh", "-c", "while :; do :; done")
		require.NoError(t, hog.Start())
		defer func() {
			_ = hog.Process.Kill()
			_ = hog.Wait()
		}()
	}
	c := r.Client(leader)
	defer c.Close()
	for end := time.Now().Add(long); time.Now().Before(end); {
		r.ok(c.Set(r.ctx, "k", "v", 0).Err())
		time.Sleep(10 * time.Millisecond)
	}
	require.Equal(t, term, r.term(leader), "elections")
	require.Equal(t, leader, r.leader())
}
