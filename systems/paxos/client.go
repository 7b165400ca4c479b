package paxos

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"

	"github.com/p4ce/p4ce/host/durable"
)

// NextClient returns an id for the proposer of a host that has never been used before, and never will
// be again. It consists of 16 bits of the host and 16 bits that count the host's starts in a file. The
// count is durable when NextClient returns. It returns an error for host 0, and for a host that has
// started 65,535 times.
func NextClient(path string, host uint16) (uint32, error) {
	if host == 0 {
		return 0, fmt.Errorf("paxos client: host 0 [want a number from 1 up]")
	}
	b, err := durable.Get(durable.Disk, path)
	if errors.Is(err, durable.ErrDamaged) {
		return 0, fmt.Errorf("paxos client: the number of starts of host %d is unknown: %w [give the host another number, and an empty folder]", host, err)
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return 0, fmt.Errorf("paxos client: %w", err)
	}
	var count uint16
	switch {
	case err != nil: // the first time
	case len(b) != 4 || binary.BigEndian.Uint16(b) != host:
		return 0, fmt.Errorf("paxos client: %s does not belong to host %d", path, host)
	default:
		count = binary.BigEndian.Uint16(b[2:])
	}
	if count == 1<<16-1 {
		return 0, fmt.Errorf("paxos client: host %d has started %d times [give it another number]", host, count)
	}
	count++
	id := uint32(host)<<16 | uint32(count)
	if err := durable.Put(durable.Disk, path, binary.BigEndian.AppendUint32(nil, id)); err != nil {
		return 0, fmt.Errorf("paxos client: %w", err)
	}
	return id, nil
}
