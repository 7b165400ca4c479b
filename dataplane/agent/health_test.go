package agent

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestHealth: a switch says that it is well only while nothing is wrong with it.
func TestHealth(t *testing.T) {
	h := newHealth()
	ask := func() (int, string) {
		w := httptest.NewRecorder()
		h.ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/healthz", nil))
		return w.Code, w.Body.String()
	}
	is := func(code int, text string) {
		t.Helper()
		gotCode, gotText := ask()
		require.Equal(t, code, gotCode)
		require.Equal(t, text, gotText)
	}
	is(200, "ok\n")
	h.set("b", "port 2: interface b was deleted")
	h.set("a", "port 1: interface a was deleted")
	is(503, "port 1: interface a was deleted\nport 2: interface b was deleted\n")
	h.clear("a")
	is(503, "port 2: interface b was deleted\n")
	h.clear("b")
	is(200, "ok\n")
}
