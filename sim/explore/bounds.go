package explore

import (
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
)

// ParseBounds reads what BoundsText writes, "entries=2 batch", into the struct that b points to. A flag is
// given by its name alone, a number is from 0 to most; a field's tag `most:"4096"` says otherwise.
func ParseBounds(text string, b any, most int) error {
	v := reflect.ValueOf(b).Elem()
	for _, word := range strings.Fields(text) {
		name, value, given := strings.Cut(word, "=")
		known := fields(v.Type())
		i := slices.Index(known, name)
		if i < 0 {
			return fmt.Errorf("%q: no such bound (there are: %s)", name, strings.Join(known, ", "))
		}
		switch f := v.Field(i); f.Kind() {
		case reflect.Bool:
			if given {
				return fmt.Errorf("%s: takes no value", name)
			}
			f.SetBool(true)
		case reflect.Int:
			most := most
			if tag, err := strconv.Atoi(v.Type().Field(i).Tag.Get("most")); err == nil {
				most = tag
			}
			n, err := strconv.Atoi(value)
			if err != nil || n < 0 || n > most {
				return fmt.Errorf("%s=%s: want a number from 0 to %d", name, value, most)
			}
			f.SetInt(int64(n))
		default:
			f.SetString(value)
		}
	}
	return nil
}

// BoundsText names the bounds in a struct that are not zero.
func BoundsText(b any) string {
	v := reflect.ValueOf(b)
	var words []string
	for i, name := range fields(v.Type()) {
		switch f := v.Field(i); {
		case f.IsZero():
		case f.Kind() == reflect.Bool:
			words = append(words, name)
		default:
			words = append(words, fmt.Sprintf("%s=%v", name, f))
		}
	}
	return strings.Join(words, " ")
}

// fields are the names of a struct's fields, as a world is named by them.
func fields(t reflect.Type) (names []string) {
	for i := range t.NumField() {
		names = append(names, strings.ToLower(t.Field(i).Name))
	}
	return names
}
