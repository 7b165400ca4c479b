package paxos

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// NextClient returns an id for the proposer of a host that was never used before, nor will be: 16
// bits of the host and 16 of how often it has begun, which are counted in a file. The count is
// durable when it returns. Host 0 and a host that has begun 65,535 times get an error.
func NextClient(path string, host uint16) (uint32, error) {
	if host == 0 {
		return 0, fmt.Errorf("paxos client: host 0 [hosts have numbers from 1 on]")
	}
	b, err := os.ReadFile(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return 0, fmt.Errorf("paxos client: %w", err)
	}
	var count uint16
	switch {
	case err != nil: // the first time
	case len(b) != 4 || binary.BigEndian.Uint16(b) != host:
		return 0, fmt.Errorf("paxos client: %s is not the count of host %d", path, host)
	default:
		count = binary.BigEndian.Uint16(b[2:])
	}
	if count == 1<<16-1 {
		return 0, fmt.Errorf("paxos client: host %d has begun %d times [give it another number]", host, count)
	}
	count++
	id := uint32(host)<<16 | uint32(count)
	if err := replaceFile(path, binary.BigEndian.AppendUint32(nil, id)); err != nil {
		return 0, fmt.Errorf("paxos client: %w", err)
	}
	return id, nil
}

// replaceFile makes a file have new contents, durably, or leaves it as it was.
func replaceFile(path string, b []byte) error {
	f, err := os.CreateTemp(filepath.Dir(path), filepath.Base(path)+".")
	if err != nil {
		return err
	}
	defer os.Remove(f.Name())
	if _, err := f.Write(b); err != nil {
		f.Close()
		return err
	}
	if err := errors.Join(f.Sync(), f.Close()); err != nil {
		return err
	}
	if err := os.Rename(f.Name(), path); err != nil {
		return err
	}
	dir, err := os.Open(filepath.Dir(path))
	if err != nil {
		return err
	}
	return errors.Join(dir.Sync(), dir.Close())
}
