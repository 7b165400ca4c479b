package cli

import (
	"encoding/json"
	"io"
)

// PrintJSON prints a value for people who read JSON.
func PrintJSON(w io.Writer, v any) error {
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	return e.Encode(v)
}
