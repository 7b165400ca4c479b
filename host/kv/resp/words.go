package resp

import (
	"fmt"
	"strings"
)

// Arguments is the error of a command with too few or too many.
func Arguments(name string) string {
	return "ERR wrong number of arguments for '" + name + "' command"
}

// Unknown is worded and truncated like Redis's.
func Unknown(args [][]byte) string {
	var b strings.Builder
	for _, a := range args[1:] {
		if b.Len() >= 128 {
			break
		}
		fmt.Fprintf(&b, "'%s' ", a[:min(len(a), 128-b.Len())])
	}
	return OneLine(fmt.Sprintf("ERR unknown command '%s', with args beginning with: %s", args[0][:min(len(args[0]), 128)], b.String()))
}

// OneLine makes a text fit into an error reply.
func OneLine(s string) string {
	return strings.Map(func(r rune) rune {
		if r == '\r' || r == '\n' {
			return ' '
		}
		return r
	}, s)
}

// Is compares an option without regard to case.
func Is(arg []byte, option string) bool { return strings.EqualFold(string(arg), option) }
