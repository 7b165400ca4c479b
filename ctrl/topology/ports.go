package topology

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// ParseNumbered reads "NUMBER=PORT,FIRST-LAST,...".
func ParseNumbered(s string) (n int, ports []uint16, err error) {
	left, right, ok := strings.Cut(s, "=")
	v, err := strconv.ParseUint(left, 10, 16)
	if !ok || err != nil {
		return 0, nil, errors.New("want a number and = first")
	}
	for _, f := range strings.Split(right, ",") {
		first, last, isRange := strings.Cut(f, "-")
		a, err := strconv.ParseUint(first, 10, 9)
		b := a
		if err == nil && isRange {
			b, err = strconv.ParseUint(last, 10, 9)
		}
		if err != nil || b < a {
			return 0, nil, fmt.Errorf("%q is not a port or range of ports (0 to %d)", f, MaxPort+1)
		}
		for p := a; p <= b; p++ {
			ports = append(ports, uint16(p))
		}
	}
	return int(v), ports, nil
}

// Pipes says on which pipe of a chip ports are. Registers are per pipe: what several ports have in common is common only on one. With
// no ports, there is one pipe.
type Pipes map[uint16]int

// ParsePipes reads a list of "PIPE=PORTS".
func ParsePipes(list []string) (Pipes, error) {
	p := Pipes{}
	for _, s := range list {
		if err := p.Add(s); err != nil {
			return nil, err
		}
	}
	return p, nil
}

// Add reads "PIPE=PORTS".
func (p Pipes) Add(s string) error {
	n, ports, err := ParseNumbered(s)
	if err != nil {
		return fmt.Errorf("pipe %q: %w [want PIPE=PORTS, for instance 0=1-16]", s, err)
	}
	for _, port := range ports {
		if old, dup := p[port]; dup && old != n {
			return fmt.Errorf("pipe %q: port %d is already on pipe %d", s, port, old)
		}
		p[port] = n
	}
	return nil
}

// Of is the pipe of a port; ok is false for a port that is on none.
func (p Pipes) Of(port uint16) (pipe int, ok bool) {
	if len(p) == 0 {
		return 0, true
	}
	pipe, ok = p[port]
	return pipe, ok
}

// Together says why ports are not on one pipe.
func (p Pipes) Together(ports []uint16) error {
	at := map[int]uint16{}
	for _, port := range ports {
		pipe, ok := p.Of(port)
		if !ok {
			return fmt.Errorf("port %d is on no pipe", port)
		}
		if _, there := at[pipe]; !there {
			at[pipe] = port
		}
	}
	if len(at) > 1 {
		two := slices.Sorted(maps.Keys(at))
		return fmt.Errorf("ports %d and %d are on pipes %d and %d, and registers are per pipe", at[two[0]], at[two[1]], two[0], two[1])
	}
	return nil
}
