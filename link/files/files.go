package files

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"syscall"
)

// The most that files of some kinds may have, in bytes.
const (
	Secret   = 1 << 10  // a token
	Settings = 16 << 20 // what people, or programs for them, write: users, rights, certificates, topologies, sources
	Binary   = 64 << 20 // programs, and what was made of them
)

// Read reads a regular file of at most max bytes. Anything else is an error at once: a pipe or a terminal, on which one
// could wait for ever, a device without an end, a file that is too long.
func Read(name string, max int64) ([]byte, error) {
	// O_NONBLOCK: opening a FIFO would wait for somebody who writes to it.
	f, err := os.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	st, err := f.Stat()
	switch {
	case err != nil:
		return nil, err
	case st.IsDir():
		return nil, &fs.PathError{Op: "read", Path: name, Err: syscall.EISDIR}
	case !st.Mode().IsRegular():
		return nil, fmt.Errorf("%s is not a regular file", name)
	case st.Size() > max:
		return nil, fmt.Errorf("%s has %d bytes (at most %d)", name, st.Size(), max)
	}
	// The size is what it was: the file may grow, and those in /proc have none.
	b, err := io.ReadAll(io.LimitReader(f, max+1))
	if err != nil {
		return nil, err
	}
	if int64(len(b)) > max {
		return nil, fmt.Errorf("%s has more than %d bytes", name, max)
	}
	return b, nil
}

// Private makes a folder that only its owner may enter, with its parents. One that is there already and open to others is
// closed if it is empty, and refused otherwise: what else is in it, and who uses that, a program does not know.
func Private(name string) error {
	if err := os.MkdirAll(name, 0o700); err != nil {
		return err
	}
	f, err := os.Open(name)
	if err != nil {
		return err
	}
	defer f.Close()
	st, err := f.Stat()
	if err != nil || st.Mode().Perm()&0o077 == 0 {
		return err
	}
	switch _, err := f.Readdirnames(1); {
	case err == nil:
		return fmt.Errorf("%s has mode %04o: other users could read or change its contents [chmod 700 %s]", name, st.Mode().Perm(), name)
	case !errors.Is(err, io.EOF):
		return err
	}
	if err := f.Chmod(0o700); err != nil {
		return fmt.Errorf("%s has mode %04o, which is open to other users, and cannot be changed: %w", name, st.Mode().Perm(), err)
	}
	return nil
}
