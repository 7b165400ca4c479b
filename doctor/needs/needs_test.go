package needs

import (
	"errors"
	"fmt"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"
)

// recorder is a test that ends when it is skipped or fails.
type recorder struct {
	testing.TB
	end, text string
}

func (r *recorder) Helper() {}

func (r *recorder) Skip(args ...any) {
	r.end, r.text = "skip", fmt.Sprint(args...)
	runtime.Goexit()
}

func (r *recorder) Skipf(format string, args ...any) { r.Skip(fmt.Sprintf(format, args...)) }

func (r *recorder) Fatalf(format string, args ...any) {
	r.end, r.text = "fail", fmt.Sprintf(format, args...)
	runtime.Goexit()
}

func run(f func(t testing.TB)) *recorder {
	r := &recorder{}
	done := make(chan struct{})
	go func() {
		defer close(done)
		f(r)
	}()
	<-done
	return r
}

func TestMust(t *testing.T) {
	tool := func(t testing.TB) { Tool(t, "no-such-program", "no-such-package") }
	kernel := func(t testing.TB) { Kernel(t, errors.New("no such feature")) }
	hardware := func(t testing.TB) { Hardware(t, errors.New("no such device")) }
	for _, c := range []struct {
		must      string
		f         func(testing.TB)
		end, text string
	}{
		{"", tool, "skip", "needs tool: no-such-program is not installed [apt-get install no-such-package]"},
		{"root,kernel", tool, "skip", "needs tool: no-such-program is not installed [apt-get install no-such-package]"},
		{"all", tool, "fail", "needs tool: no-such-program is not installed [apt-get install no-such-package]; P4CE_MUST=all says that it is there"},
		{"root,tool", tool, "fail", "needs tool: no-such-program is not installed [apt-get install no-such-package]; P4CE_MUST=root,tool says that it is there"},
		{"", kernel, "skip", "needs kernel: no such feature"},
		{"kernel", kernel, "fail", "needs kernel: no such feature; P4CE_MUST=kernel says that it is there"},
		{"all", hardware, "skip", "needs hardware: no such device"},
		{"all", func(t testing.TB) { Kernel(t, nil); Tools(t, nil); File(t, "/", "") }, "", ""},
		{"all", func(t testing.TB) { Ask(t, "P4CE_NOT_ASKED", "it is slow") }, "skip", "needs asking: it is slow [P4CE_NOT_ASKED=1]"},
	} {
		t.Setenv(Must, c.must)
		r := run(c.f)
		require.Equal(t, c.end, r.end)
		require.Equal(t, c.text, r.text)
	}
}
