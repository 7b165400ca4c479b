package explore

import (
	"fmt"
	"reflect"
	"unsafe"
)

// Copier makes deep copies of Go values, also of what is not exported: each thing that pointers lead to once, so that a
// copy has the shape of the original. Functions and channels are kept as they are: a function that holds on to what it
// changes cannot be copied.
type Copier struct {
	// Shared are structs ("pkg.Type") that nobody changes: the copy points to the same ones.
	Shared map[string]bool
	// Inside are structs ("pkg.Type") that are pointed to and lie in a slice. The field that is named leads to whoever
	// has the slice.
	Inside map[string]string

	plans map[reflect.Type]*fix
}

// fix makes a shallow copy of a type a deep one. Without do the two are the same.
type fix struct {
	do func(c *copying, at unsafe.Pointer)
}

// copying is one copy: what was copied, and to where.
type copying struct {
	*Copier
	done map[place]unsafe.Pointer
}

// place is where a value of a type is: a struct and its first field are at one place.
type place struct {
	at unsafe.Pointer
	t  reflect.Type
}

// Copy copies what p points to. A Copier is for one goroutine at a time.
func Copy[T any](c *Copier, p *T) *T {
	w := copying{c, map[place]unsafe.Pointer{}}
	return (*T)(w.pointer(reflect.TypeFor[T](), unsafe.Pointer(p)))
}

// pointer copies what a pointer leads to, if that was not done before.
func (c *copying) pointer(t reflect.Type, p unsafe.Pointer) unsafe.Pointer {
	if n, ok := c.done[place{p, t}]; ok {
		return n
	}
	if name := c.Inside[t.String()]; name != "" {
		f, ok := t.FieldByName(name)
		if !ok || f.Type.Kind() != reflect.Pointer {
			panic(fmt.Sprintf("explore: %v has no pointer %s", t, name))
		}
		if owner := *(*unsafe.Pointer)(unsafe.Add(p, f.Offset)); owner != nil {
			c.pointer(f.Type.Elem(), owner)
			if n, ok := c.done[place{p, t}]; ok {
				return n
			}
		}
	}
	v := reflect.New(t)
	n := v.UnsafePointer()
	c.done[place{p, t}] = n
	v.Elem().Set(reflect.NewAt(t, p).Elem())
	if f := c.plan(t); f.do != nil {
		f.do(c, n)
	}
	return n
}

func (c *Copier) plan(t reflect.Type) *fix {
	if f := c.plans[t]; f != nil {
		return f
	}
	if c.plans == nil {
		c.plans = map[reflect.Type]*fix{}
	}
	f := &fix{}
	c.plans[t] = f // a type may lead to itself: that goes through a pointer, which asks again
	if !c.Shared[t.String()] {
		f.do = c.make(t)
	}
	return f
}

func (c *Copier) make(t reflect.Type) func(c *copying, at unsafe.Pointer) {
	switch t.Kind() {
	case reflect.Pointer:
		elem := t.Elem()
		if c.Shared[elem.String()] {
			return nil
		}
		return func(c *copying, at unsafe.Pointer) {
			if p := (*unsafe.Pointer)(at); *p != nil {
				*p = c.pointer(elem, *p)
			}
		}
	case reflect.Slice:
		return c.slice(t)
	case reflect.Array:
		elem, size := c.plan(t.Elem()), t.Elem().Size()
		if elem.do == nil {
			return nil
		}
		return func(c *copying, at unsafe.Pointer) {
			for i := range t.Len() {
				elem.do(c, unsafe.Add(at, uintptr(i)*size))
			}
		}
	case reflect.Struct:
		return c.fields(t)
	case reflect.Map:
		return func(c *copying, at unsafe.Pointer) {
			m := reflect.NewAt(t, at).Elem()
			if m.IsNil() {
				return
			}
			n := reflect.MakeMapWithSize(t, m.Len())
			for i := m.MapRange(); i.Next(); {
				n.SetMapIndex(c.value(i.Key()), c.value(i.Value()))
			}
			m.Set(n)
		}
	case reflect.Interface:
		return func(c *copying, at unsafe.Pointer) {
			if v := reflect.NewAt(t, at).Elem(); !v.IsNil() {
				v.Set(c.value(v.Elem()))
			}
		}
	case reflect.UnsafePointer:
		panic(fmt.Sprintf("explore: %v cannot be copied", t))
	}
	return nil
}

// value copies a value that is not in a place of its own.
func (c *copying) value(v reflect.Value) reflect.Value {
	f := c.plan(v.Type())
	if f.do == nil {
		return v
	}
	n := reflect.New(v.Type())
	n.Elem().Set(v)
	f.do(c, n.UnsafePointer())
	return n.Elem()
}

func (c *Copier) slice(t reflect.Type) func(c *copying, at unsafe.Pointer) {
	elem, size := c.plan(t.Elem()), t.Elem().Size()
	inside := c.Inside[t.Elem().String()] != ""
	return func(c *copying, at unsafe.Pointer) {
		v := reflect.NewAt(t, at).Elem()
		if v.IsNil() {
			return
		}
		old := v.UnsafePointer()
		n := reflect.MakeSlice(t, v.Len(), v.Len())
		reflect.Copy(n, v)
		v.Set(n)
		first := n.UnsafePointer()
		for i := uintptr(0); inside && i < uintptr(n.Len()); i++ {
			c.done[place{unsafe.Add(old, i*size), t.Elem()}] = unsafe.Add(first, i*size)
		}
		for i := uintptr(0); elem.do != nil && i < uintptr(n.Len()); i++ {
			elem.do(c, unsafe.Add(first, i*size))
		}
	}
}

func (c *Copier) fields(t reflect.Type) func(c *copying, at unsafe.Pointer) {
	type field struct {
		offset uintptr
		*fix
	}
	var fields []field
	for i := range t.NumField() {
		f := t.Field(i)
		if p := c.plan(f.Type); p.do != nil {
			fields = append(fields, field{f.Offset, p})
		}
	}
	if fields == nil {
		return nil
	}
	return func(c *copying, at unsafe.Pointer) {
		for _, f := range fields {
			f.do(c, unsafe.Add(at, f.offset))
		}
	}
}
