// Package units reads numbers with units, as people write them: 100Gb/s, 64KiB, 1.5us.
package units

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// Parse reads a number with one of some units, and returns it times what the unit is. The error of a text
// that is none has an example of one.
func Parse(s string, units map[string]float64, example string) (float64, error) {
	s = strings.TrimSpace(s)
	i := 0
	for i < len(s) && (s[i] >= '0' && s[i] <= '9' || s[i] == '.') {
		i++
	}
	v, err := strconv.ParseFloat(s[:i], 64)
	if err != nil {
		return 0, fmt.Errorf("%q does not begin with a number (want for instance %s)", s, example)
	}
	unit := strings.TrimSpace(s[i:])
	scale, ok := units[unit]
	if !ok {
		return 0, fmt.Errorf("%q: unknown unit %q (want for instance %s)", s, unit, example)
	}
	if v *= scale; v > math.MaxInt64/2 {
		return 0, fmt.Errorf("%q is too large", s)
	}
	return v, nil
}

var rates = map[string]float64{"b/s": 1, "kb/s": 1e3, "Mb/s": 1e6, "Gb/s": 1e9, "Tb/s": 1e12}

// Rate reads a rate of a link, in bit/s.
func Rate(s string) (uint64, error) {
	v, err := Parse(s, rates, "100Gb/s")
	return uint64(v), err
}

var sizes = map[string]float64{"": 1, "B": 1, "KB": 1e3, "MB": 1e6, "GB": 1e9, "KiB": 1 << 10, "MiB": 1 << 20, "GiB": 1 << 30}

// Size reads a number of bytes.
func Size(s string) (uint64, error) {
	v, err := Parse(s, sizes, "64KiB")
	if err == nil && v != math.Trunc(v) {
		err = fmt.Errorf("%q is not a whole number of bytes", s)
	}
	return uint64(v), err
}
