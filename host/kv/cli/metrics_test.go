package cli

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestHealth: /healthz says what is wrong, and that a server has not begun yet.
func TestHealth(t *testing.T) {
	var h health
	get := func() (int, string) {
		w := httptest.NewRecorder()
		h.ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/healthz", nil))
		return w.Code, w.Body.String()
	}
	for _, c := range []struct {
		ask  func() error
		code int
		body string
	}{
		{nil, http.StatusServiceUnavailable, "starting\n"},
		{func() error { return nil }, http.StatusOK, "ok\n"},
		{func() error { return errors.Join(errors.New("one"), errors.New("two")) }, http.StatusServiceUnavailable, "one\ntwo\n"},
	} {
		if c.ask != nil {
			h.set(c.ask)
		}
		code, body := get()
		require.Equal(t, c.code, code)
		require.Equal(t, c.body, body)
	}
}
