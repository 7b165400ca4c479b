package kv

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/p4ce/p4ce/host/kv/resp"
)

// A backup is an image of a server's state at one point of the log, as the leader gives it to a client that sends
// BACKUP. The reply is bulk strings whose contents make the image one after the other, and an empty one behind the last; or an
// error, also in the place of any but the first.

// backupPart is about how many bytes one bulk string has.
const backupPart = 64 << 10

// backup executes BACKUP. The client gets what every server had executed, or had been asked to, when the request came. The
// server goes on: the image is of a snapshot.
func (c *client) backup(r *request) string {
	if !c.user.all {
		return "NOPERM User " + c.user.name + " has no permissions to access all keys, which BACKUP gives"
	}
	if err := c.s.barrier.wait(); err != nil {
		text, _ := c.s.describe(err, r)
		return text
	}
	image, err := c.s.cfg.Machine.Snapshot()
	if err != nil {
		text, _ := c.s.describe(err, r)
		return text
	}
	defer image.Close()
	out := &parts{c: c, b: make([]byte, 0, backupPart)}
	if _, err := image.WriteTo(out); err != nil {
		return resp.OneLine("ERR backup: " + err.Error())
	}
	if out.flush() != nil {
		return "" // the connection has ended
	}
	c.w.WriteBulk(nil)
	return ""
}

// parts writes bulk strings.
type parts struct {
	c *client
	b []byte
}

// Write implements io.Writer.
func (p *parts) Write(b []byte) (n int, err error) {
	for len(b) > 0 {
		m := min(len(b), cap(p.b)-len(p.b))
		p.b = append(p.b, b[:m]...)
		b = b[m:]
		n += m
		if len(p.b) == cap(p.b) {
			if err := p.flush(); err != nil {
				return n, err
			}
		}
	}
	return n, nil
}

func (p *parts) flush() error {
	if len(p.b) == 0 {
		return nil
	}
	p.c.w.WriteBulk(p.b)
	p.b = p.b[:0]
	p.c.held += backupPart
	return p.c.flush()
}

// Backup is what a backup says about itself.
type Backup struct {
	Keys uint64 `json:"keys"` // that it has, also those that have expired
	Time int64  `json:"time"` // of the last record that was executed, in ms since 1970; 0: none
}

// ReadBackup reads a backup to its end, and checks all of it: each frame has a CRC-32C, and the last one the SHA-256 of
// the others. f gets each key, its value, and when it expires, in ms since 1970 (0: never); it must not keep them. What is
// damaged, truncated, or of another version is an error, and f may have been called before.
func ReadBackup(r io.Reader, f func(key, value []byte, expiry int64) error) (Backup, error) {
	h, err := readImage(r, func(d *decoder, keys *uint64) error {
		for len(d.b) > 0 {
			expiry, key, value, err := oneKey(d)
			if err != nil {
				return err
			}
			*keys++
			if err := f(key, value, int64(expiry)); err != nil {
				return err
			}
		}
		return nil
	})
	return Backup{h.keys, h.time}, err
}

// CheckBackup reads a file, and checks it.
func CheckBackup(name string) (Backup, error) {
	f, err := os.Open(name)
	if err != nil {
		return Backup{}, err
	}
	b, err := ReadBackup(bufio.NewReaderSize(f, 1<<20), func([]byte, []byte, int64) error { return nil })
	if err = errors.Join(err, f.Close()); err != nil {
		return b, fmt.Errorf("%s: %w", name, err)
	}
	return b, nil
}
