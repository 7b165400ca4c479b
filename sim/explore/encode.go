package explore

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"
	"sync"
)

// Encoder appends the canonical bytes of Go values, also of what is not exported:
// pointers as what they point to, the second time as a number; maps in the order of
// their keys' bytes; interfaces, functions and channels not at all, since they are no state.
type Encoder struct {
	// Skip are fields ("pkg.Type.field") that have no meaning between two steps.
	Skip map[string]bool
	// Queues are structs ("pkg.Type") with a slice whose elements before an index are
	// used up: names of both fields.
	Queues map[string][2]string
	// Rings are structs ("pkg.Type", without its parameters) with a slice that is used as
	// a ring: names of the slice, of the index where it begins, and of its length.
	Rings map[string][3]string
	// Types are encoded by functions of their own.
	Types map[string]func(b []byte, v reflect.Value) []byte

	mu    sync.RWMutex
	plans map[reflect.Type]plan
}

// sparse is the length from which on an array is taken to be mostly zero.
const sparse = 16

type plan func(b []byte, v reflect.Value, seen *[]uintptr) []byte

// Append appends the state that p points to.
func (e *Encoder) Append(b []byte, p any) []byte {
	v := reflect.ValueOf(p)
	if v.Kind() != reflect.Pointer {
		panic("explore: Encoder.Append wants a pointer")
	}
	var seen []uintptr
	return e.plan(v.Type())(b, v, &seen)
}

func (e *Encoder) plan(t reflect.Type) plan {
	e.mu.RLock()
	p := e.plans[t]
	e.mu.RUnlock()
	if p != nil {
		return p
	}
	p = e.make(t)
	e.mu.Lock()
	if e.plans == nil {
		e.plans = map[reflect.Type]plan{}
	}
	e.plans[t] = p
	e.mu.Unlock()
	return p
}

func (e *Encoder) make(t reflect.Type) plan {
	if f := e.Types[t.String()]; f != nil {
		return func(b []byte, v reflect.Value, _ *[]uintptr) []byte { return f(b, v) }
	}
	switch t.Kind() {
	case reflect.Bool:
		return func(b []byte, v reflect.Value, _ *[]uintptr) []byte {
			if v.Bool() {
				return append(b, 1)
			}
			return append(b, 0)
		}
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return func(b []byte, v reflect.Value, _ *[]uintptr) []byte { return binary.AppendVarint(b, v.Int()) }
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uintptr:
		return func(b []byte, v reflect.Value, _ *[]uintptr) []byte { return binary.AppendUvarint(b, v.Uint()) }
	case reflect.Float64:
		return func(b []byte, v reflect.Value, _ *[]uintptr) []byte {
			return binary.BigEndian.AppendUint64(b, math.Float64bits(v.Float()))
		}
	case reflect.Map:
		return e.pairs(t)
	case reflect.String:
		return func(b []byte, v reflect.Value, _ *[]uintptr) []byte {
			return append(binary.AppendUvarint(b, uint64(v.Len())), v.String()...)
		}
	case reflect.Interface, reflect.Func, reflect.Chan:
		return func(b []byte, _ reflect.Value, _ *[]uintptr) []byte { return b }
	case reflect.Pointer:
		return func(b []byte, v reflect.Value, seen *[]uintptr) []byte {
			if v.IsNil() {
				return append(b, 0)
			}
			for i, p := range *seen {
				if p == v.Pointer() {
					return binary.AppendUvarint(append(b, 2), uint64(i))
				}
			}
			*seen = append(*seen, v.Pointer())
			return e.plan(t.Elem())(append(b, 1), v.Elem(), seen)
		}
	case reflect.Array, reflect.Slice:
		return e.list(t)
	case reflect.Struct:
		name, _, _ := strings.Cut(t.String(), "[")
		if ring, ok := e.Rings[name]; ok {
			return e.ring(t, ring)
		}
		return e.fields(t)
	}
	panic(fmt.Sprintf("explore: %v has no canonical bytes", t))
}

func (e *Encoder) list(t reflect.Type) plan {
	if t.Elem().Kind() == reflect.Uint8 {
		return func(b []byte, v reflect.Value, _ *[]uintptr) []byte {
			if v.Kind() == reflect.Slice {
				b = binary.AppendUvarint(b, uint64(v.Len()))
			} else if !v.CanAddr() { // of a key of a map
				for i := range v.Len() {
					b = append(b, byte(v.Index(i).Uint()))
				}
				return b
			}
			return append(b, v.Bytes()...)
		}
	}
	if t.Kind() == reflect.Array && t.Len() >= sparse {
		return func(b []byte, v reflect.Value, seen *[]uintptr) []byte {
			elem := e.plan(t.Elem())
			for i := range v.Len() {
				if x := v.Index(i); !x.IsZero() {
					b = elem(binary.AppendUvarint(b, uint64(i+1)), x, seen)
				}
			}
			return append(b, 0)
		}
	}
	return func(b []byte, v reflect.Value, seen *[]uintptr) []byte {
		if v.Kind() == reflect.Slice {
			b = binary.AppendUvarint(b, uint64(v.Len()))
		}
		elem := e.plan(t.Elem())
		for i := range v.Len() {
			b = elem(b, v.Index(i), seen)
		}
		return b
	}
}

func (e *Encoder) pairs(t reflect.Type) plan {
	return func(b []byte, v reflect.Value, seen *[]uintptr) []byte {
		type pair struct {
			key   []byte
			value reflect.Value
		}
		key, value := e.plan(t.Key()), e.plan(t.Elem())
		pairs := make([]pair, 0, v.Len())
		for i := v.MapRange(); i.Next(); {
			own := slices.Clone(*seen) // what a key leads to is new to each
			pairs = append(pairs, pair{key(nil, i.Key(), &own), i.Value()})
		}
		slices.SortFunc(pairs, func(a, b pair) int { return bytes.Compare(a.key, b.key) })
		b = binary.AppendUvarint(b, uint64(len(pairs)))
		for _, p := range pairs {
			b = value(append(b, p.key...), p.value, seen)
		}
		return b
	}
}

func (e *Encoder) ring(t reflect.Type, names [3]string) plan {
	var at [3]int
	for i, name := range names {
		f, ok := t.FieldByName(name)
		if !ok {
			panic(fmt.Sprintf("explore: %v has no fields %q", t, names))
		}
		at[i] = f.Index[0]
	}
	return func(b []byte, v reflect.Value, seen *[]uintptr) []byte {
		list, first, n := v.Field(at[0]), int(v.Field(at[1]).Int()), int(v.Field(at[2]).Int())
		elem := e.plan(list.Type().Elem())
		b = binary.AppendUvarint(b, uint64(n))
		for i := range n {
			b = elem(b, list.Index((first+i)%list.Len()), seen)
		}
		return b
	}
}

func (e *Encoder) fields(t reflect.Type) plan {
	type field struct {
		index int
		plan  plan
	}
	var fields []field
	queue, isQueue := e.Queues[t.String()]
	from, to := -1, -1
	for i := range t.NumField() {
		f := t.Field(i)
		switch {
		case e.Skip[t.String()+"."+f.Name]:
		case isQueue && f.Name == queue[0]:
			from = i
		case isQueue && f.Name == queue[1]:
			to = i
		default:
			fields = append(fields, field{index: i})
		}
	}
	if isQueue && (from < 0 || to < 0) {
		panic(fmt.Sprintf("explore: %v has no fields %q", t, queue))
	}
	var once sync.Once // a struct may hold pointers to its own type
	return func(b []byte, v reflect.Value, seen *[]uintptr) []byte {
		once.Do(func() {
			for i := range fields {
				fields[i].plan = e.plan(t.Field(fields[i].index).Type)
			}
		})
		for _, f := range fields {
			b = f.plan(b, v.Field(f.index), seen)
		}
		if isQueue {
			q, first := v.Field(from), int(v.Field(to).Int())
			b = binary.AppendUvarint(b, uint64(q.Len()-first))
			elem := e.plan(q.Type().Elem())
			for i := first; i < q.Len(); i++ {
				b = elem(b, q.Index(i), seen)
			}
		}
		return b
	}
}

// Flag is 1 for true, for World.Append.
func Flag(v bool) byte {
	if v {
		return 1
	}
	return 0
}
