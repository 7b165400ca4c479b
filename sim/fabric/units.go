package fabric

import (
	"fmt"
	"math"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"

	"github.com/p4ce/p4ce/internal/units"
)

// Values of a scenario, with their units.
type (
	// Rate is bit/s: "100Gb/s", "400Mb/s".
	Rate uint64
	// Bytes is a number of bytes: "1500", "64KB" (1000), "64KiB" (1024).
	Bytes int
	// Span is a time: "1.5us", "3ms".
	Span Time
	// Chance is a probability: "1%", "0.001".
	Chance float64
)

var (
	spanUnits   = map[string]float64{"ps": 1, "ns": 1e3, "us": 1e6, "µs": 1e6, "ms": 1e9, "s": 1e12}
	chanceUnits = map[string]float64{"": 1, "%": 0.01}
)

// ParseRate reads a Rate.
func ParseRate(s string) (Rate, error) {
	v, err := units.Rate(s)
	return Rate(v), err
}

// ParseBytes reads Bytes.
func ParseBytes(s string) (Bytes, error) {
	v, err := units.Size(s)
	return Bytes(v), err
}

// ParseSpan reads a Span. 0 needs no unit.
func ParseSpan(s string) (Span, error) {
	if s == "0" {
		return 0, nil
	}
	neg := strings.HasPrefix(s, "-")
	v, err := units.Parse(strings.TrimPrefix(s, "-"), spanUnits, "1.5us")
	if neg {
		v = -v
	}
	return Span(math.Round(v)), err
}

// ParseChance reads a Chance.
func ParseChance(s string) (Chance, error) {
	v, err := units.Parse(s, chanceUnits, "1%")
	if err == nil && v > 1 {
		err = fmt.Errorf("%q: want a probability, 0 to 1, or 0%% to 100%%", s)
	}
	return Chance(v), err
}

// read is what UnmarshalYAML does for all of them: errors say the line.
func read[T any](n *yaml.Node, to *T, parse func(string) (T, error)) error {
	if n.Kind != yaml.ScalarNode {
		return fmt.Errorf("line %d: want one value", n.Line)
	}
	v, err := parse(n.Value)
	if err != nil {
		return fmt.Errorf("line %d: %w", n.Line, err)
	}
	*to = v
	return nil
}

// UnmarshalYAML implements yaml.Unmarshaler.
func (r *Rate) UnmarshalYAML(n *yaml.Node) error { return read(n, r, ParseRate) }

// UnmarshalYAML implements yaml.Unmarshaler.
func (b *Bytes) UnmarshalYAML(n *yaml.Node) error { return read(n, b, ParseBytes) }

// UnmarshalYAML implements yaml.Unmarshaler.
func (s *Span) UnmarshalYAML(n *yaml.Node) error { return read(n, s, ParseSpan) }

// UnmarshalYAML implements yaml.Unmarshaler.
func (c *Chance) UnmarshalYAML(n *yaml.Node) error { return read(n, c, ParseChance) }

// String is the rate with a unit.
func (r Rate) String() string {
	for _, u := range []struct {
		name string
		of   Rate
	}{{"Tb/s", 1e12}, {"Gb/s", 1e9}, {"Mb/s", 1e6}} {
		if r >= u.of {
			return fmt.Sprintf("%.4g %s", float64(r)/float64(u.of), u.name)
		}
	}
	return fmt.Sprintf("%d b/s", r)
}

// String is the time with a unit.
func (s Span) String() string {
	if Time(s)%Nanosecond == 0 {
		return time.Duration(Time(s) / Nanosecond).String()
	}
	return fmt.Sprintf("%dps", int64(s))
}
