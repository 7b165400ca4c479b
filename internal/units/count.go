package units

import "fmt"

// Count is a number of things, for people: "1 host", "2 hosts". The thing's plural is its name and an s, or
// plural if that is given.
func Count[N int | int64 | uint32 | uint64](n N, thing string, plural ...string) string {
	switch {
	case n == 1:
	case len(plural) > 0:
		thing = plural[0]
	default:
		thing += "s"
	}
	return fmt.Sprintf("%d %s", n, thing)
}
