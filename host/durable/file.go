package durable

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"strings"

	"github.com/cespare/xxhash/v2"
)

// ErrDamaged is wrapped by errors about files that are not as they were written.
var ErrDamaged = errors.New("damaged")

// Names of files beside another one.
const (
	copySuffix = ".copy"
	tempSuffix = ".new" // what was being written when the power failed
)

// magic begins every file of Put.
const magic = "p4ce-durable 1 "

// seal is the content of a file with data: a line that says what it is, and the data. The
// sum covers the name, so that a file that was put in the place of another one is none.
func seal(name string, generation uint64, data []byte) []byte {
	b := fmt.Appendf(nil, "%s%d %d %016x\n", magic, generation, len(data), sumOf(name, generation, data))
	return append(b, data...)
}

func sumOf(name string, generation uint64, data []byte) uint64 {
	d := xxhash.New()
	fmt.Fprintf(d, "%s\n%d\n%d\n", name, generation, len(data))
	_, _ = d.Write(data)
	return d.Sum64()
}

// unseal is the opposite of seal.
func unseal(name string, b []byte) (generation uint64, data []byte, ok bool) {
	line, data, found := bytes.Cut(b, []byte("\n"))
	rest, is := strings.CutPrefix(string(line), magic)
	if !found || !is {
		return 0, nil, false
	}
	var n int
	var sum uint64
	if k, err := fmt.Sscanf(rest, "%d %d %16x", &generation, &n, &sum); k != 3 || err != nil || n != len(data) {
		return 0, nil, false
	}
	// The line, too, is as it was written.
	if sum != sumOf(name, generation, data) || !bytes.Equal(b, seal(name, generation, data)) {
		return 0, nil, false
	}
	return generation, data, true
}

// found is one of the two places of a file.
type found struct {
	raw        []byte
	generation uint64
	data       []byte
	exists, ok bool
}

func look(f FS, path, name string) (p found, err error) {
	p.raw, err = readAll(f, path)
	if errors.Is(err, fs.ErrNotExist) {
		return p, nil
	}
	if err != nil {
		return p, err
	}
	p.exists = true
	p.generation, p.data, p.ok = unseal(name, p.raw)
	return p, nil
}

func readAll(f FS, path string) ([]byte, error) {
	file, err := f.Open(path)
	if err != nil {
		return nil, err
	}
	b, err := io.ReadAll(file)
	return b, errors.Join(err, file.Close())
}

// Get returns what Put has put last; an error that wraps fs.ErrNotExist if there is
// nothing, and ErrDamaged if it is not whole in either place.
func Get(f FS, path string) ([]byte, error) {
	data, _, err := get(f, path)
	return data, err
}

func get(f FS, path string) ([]byte, uint64, error) {
	name := filepath.Base(path)
	a, err := look(f, path, name)
	if err != nil {
		return nil, 0, err
	}
	b, err := look(f, path+copySuffix, name)
	if err != nil {
		return nil, 0, err
	}
	switch {
	case a.ok && (!b.ok || a.generation >= b.generation):
		return a.data, a.generation, nil
	case b.ok:
		return b.data, b.generation, nil
	case a.exists && !b.exists && !bytes.HasPrefix(a.raw, []byte(magic[:4])) && len(a.raw) > 0:
		return a.raw, 0, nil // of a build that had no copies and no sums
	case a.exists || b.exists:
		return nil, 0, fmt.Errorf("%s: %w", path, ErrDamaged)
	}
	return nil, 0, fmt.Errorf("%s: %w", path, fs.ErrNotExist)
}

// Put replaces a file. When it returns, the file is on disk in both places; before, it is
// the old one or the new one. One Put or Remove of a file at a time.
func Put(f FS, path string, data []byte) error { return put(f, path, data, true) }

// PutLazily is Put that waits for no disk: after a loss of power the file is this one or
// what the last Put has put. A process that ends loses nothing.
func PutLazily(f FS, path string, data []byte) error { return put(f, path, data, false) }

func put(f FS, path string, data []byte, wait bool) error {
	_, generation, err := get(f, path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, ErrDamaged) {
		return err
	}
	b := seal(filepath.Base(path), generation+1, data)
	if !wait {
		return replace(f, path, b, false)
	}
	if err := replace(f, path, b, true); err != nil {
		return err
	}
	return replace(f, path+copySuffix, b, true)
}

// replace puts a file in the place of another one.
func replace(f FS, path string, b []byte, wait bool) error {
	temp := path + tempSuffix
	file, err := f.Create(temp)
	if err != nil {
		return err
	}
	if _, err = file.Write(b); wait {
		err = errors.Join(err, file.Sync())
	}
	if err = errors.Join(err, file.Close()); err == nil {
		err = f.Rename(temp, path)
	}
	if err != nil {
		return errors.Join(err, ignoreMissing(f.Remove(temp)))
	}
	if !wait {
		return nil
	}
	return SyncDir(f, filepath.Dir(path))
}

func ignoreMissing(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// Remove removes what Put has put, if there is any, and what an interrupted Put has left; it is gone when Remove
// returns.
func Remove(f FS, path string) error {
	for _, p := range []string{path, path + copySuffix, path + tempSuffix, path + copySuffix + tempSuffix} {
		if err := ignoreMissing(f.Remove(p)); err != nil {
			return err
		}
	}
	if _, err := f.Stat(filepath.Dir(path)); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return SyncDir(f, filepath.Dir(path))
}

// Names lists the files of Put in a folder that end in suffix and exist in either place. It changes nothing, so that
// it may run beside a Put. A folder that does not exist has none.
func Names(f FS, dir, suffix string) ([]string, error) {
	list, err := listDir(f, dir)
	if err != nil {
		return nil, err
	}
	var names []string
	seen := map[string]bool{}
	for _, n := range list {
		if n = strings.TrimSuffix(n, copySuffix); strings.HasSuffix(n, suffix) && !strings.HasSuffix(n, tempSuffix) && !seen[n] {
			seen[n] = true
			names = append(names, n)
		}
	}
	return names, nil
}

// Tidy removes from a folder what was being written when a process or the machine stopped. Call it before the first
// Put: it would take away the file that a Put is writing.
func Tidy(f FS, dir string) error {
	list, err := listDir(f, dir)
	for _, n := range list {
		if strings.HasSuffix(n, tempSuffix) {
			err = errors.Join(err, ignoreMissing(f.Remove(filepath.Join(dir, n))))
		}
	}
	return err
}

// listDir lists a folder; one that does not exist is empty.
func listDir(f FS, dir string) ([]string, error) {
	list, err := f.List(dir)
	return list, ignoreMissing(err)
}

// SyncDir makes the names in a folder durable.
func SyncDir(f FS, dir string) error {
	d, err := f.OpenDir(dir)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}

// MakeDir makes a folder that is still there after a loss of power, and those above it.
func MakeDir(f FS, dir string) error {
	if _, err := f.Stat(dir); err == nil || !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	parent := filepath.Dir(dir)
	if parent != dir {
		if err := MakeDir(f, parent); err != nil {
			return err
		}
	}
	if err := f.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	return SyncDir(f, parent)
}
