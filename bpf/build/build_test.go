package build

import (
	"errors"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"

	"github.com/p4ce/p4ce/doctor/needs"
)

// Constants of a P4 program stand in the generated C as they are. Clang has opinions on some of them.
func TestOpinions(t *testing.T) {
	compile := func(body string) error {
		_, err := Object("x.c", map[string][]byte{"x.c": []byte("unsigned f(unsigned a) { " + body + " }\n")}, fstest.MapFS{"include/none.h": {}})
		if errors.Is(err, ErrNoClang) {
			needs.Tools(t, err)
		}
		return err
	}
	for _, body := range []string{
		"return 2 ^ 2;", "return 10 ^ 3;", "return a && 2;", "return 1 || a;", "return a > 4294967295u;", "return a == a;", "a = a; return a;",
	} {
		require.NoError(t, compile(body), body)
	}
	require.ErrorContains(t, compile("unsigned b; return a + b;"), "uninitialized")
}
