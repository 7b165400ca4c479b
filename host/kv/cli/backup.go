package cli

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/gomodule/redigo/redis"
	"github.com/spf13/cobra"
	"golang.org/x/sys/unix"

	"github.com/p4ce/p4ce/host/durable"
	"github.com/p4ce/p4ce/host/kv"
	"github.com/p4ce/p4ce/internal/cli"
)

// partTime limits the pause between two parts of a backup.
const partTime = time.Minute

// backupCommand is p4ce kv backup.
func backupCommand() *cobra.Command {
	var r remote
	var server, check string
	c := &cobra.Command{
		Use:   "backup --server ADDRESS FILE",
		Short: "Copy all keys of a running store, as of one moment, into a file",
		Long: `Copy all keys of a running store into a file: its state at one point of the log, which has
every write that was acknowledged before the command began. The store goes on meanwhile. The file
is checked while it is written (each piece by a CRC-32C, all of it by a SHA-256), and has its
name only when it is complete and on disk.

--server is any server of the store: a server that does not lead says which one does. With users,
the user needs the category admin (or +backup) and all keys.

With --check, nothing is copied: the command reads a file, and says what is in it and whether it
is whole.`,
		Example: "  p4ce kv backup --server 10.0.0.11:6379 monday.p4ce\n  p4ce kv backup --check monday.p4ce",
		Args:    cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			out := cmd.OutOrStdout()
			switch {
			case check != "" && (server != "" || len(args) > 0):
				return cli.Usagef("--check reads a file, and asks no server")
			case check != "":
				b, err := kv.CheckBackup(check)
				if err != nil {
					return fmt.Errorf("backup: %w", err)
				}
				fmt.Fprintf(out, "%s is whole: %s\n", check, about(b))
				return nil
			case server == "" || len(args) != 1:
				return cli.Usagef("want --server ADDRESS and a FILE")
			}
			if err := r.prepare(); err != nil {
				return err
			}
			b, size, err := r.backup(cmd.Context(), server, args[0], cli.Progress(cmd.ErrOrStderr()))
			if err != nil {
				return fmt.Errorf("backup: %w", err)
			}
			fmt.Fprintf(out, "%s: %d bytes, %s\n", args[0], size, about(b))
			return nil
		},
	}
	c.Flags().StringVar(&server, "server", "", "a server of the store: HOST:PORT or unix:PATH")
	c.Flags().StringVar(&check, "check", "", "read this backup, and say whether it is whole")
	r.flags(c)
	return c
}

// about is one line about a backup.
func about(b kv.Backup) string {
	if b.Time == 0 {
		return "no keys: nothing was ever written"
	}
	return fmt.Sprintf("%d keys, as of %s", b.Keys, time.UnixMilli(b.Time).UTC().Format("2006-01-02 15:04:05.000 UTC"))
}

// backup writes a file, which gets its name when it is on disk.
func (r *remote) backup(ctx context.Context, server, name string, progress func(string, ...any)) (b kv.Backup, size int64, err error) {
	if _, err := os.Stat(name); err == nil {
		return b, 0, fmt.Errorf("%s is there already", name)
	}
	c, _, err := r.leader(ctx, server)
	if err != nil {
		return b, 0, err
	}
	defer c.Close()
	defer context.AfterFunc(ctx, func() { _ = c.Close() })()
	f, err := os.CreateTemp(filepath.Dir(name), filepath.Base(name)+".part-*")
	if err != nil {
		return b, 0, err
	}
	defer func() {
		if err != nil {
			_ = f.Close()
			_ = os.Remove(f.Name())
			if ctx.Err() != nil {
				err = errors.New("interrupted; nothing was written")
			}
		}
	}()
	if err := errors.Join(c.Send("BACKUP"), c.Flush()); err != nil {
		return b, 0, err
	}
	w := bufio.NewWriterSize(f, 1<<20)
	in := &received{c: c, progress: progress}
	if b, err = kv.ReadBackup(io.TeeReader(in, w), func([]byte, []byte, int64) error { return nil }); err != nil {
		return b, in.n, err
	}
	progress("")
	if err := errors.Join(w.Flush(), f.Sync(), f.Close()); err != nil {
		return b, in.n, err
	}
	// It replaces nothing. Some file systems cannot promise that, and the name was free when this began.
	switch err := unix.Renameat2(unix.AT_FDCWD, f.Name(), unix.AT_FDCWD, name, unix.RENAME_NOREPLACE); {
	case errors.Is(err, unix.EINVAL), errors.Is(err, unix.ENOSYS):
		if err := os.Rename(f.Name(), name); err != nil {
			return b, in.n, err
		}
	case err != nil:
		return b, in.n, fmt.Errorf("%s: %w", name, err)
	}
	return b, in.n, durable.SyncDir(durable.Disk, filepath.Dir(name))
}

// received reads the bulk strings of BACKUP, until the empty one.
type received struct {
	c        redis.Conn
	progress func(string, ...any)
	part     []byte
	n        int64
	end      bool
}

// Read implements io.Reader.
func (r *received) Read(b []byte) (int, error) {
	for len(r.part) == 0 {
		if r.end {
			return 0, io.EOF
		}
		var err error
		if r.part, err = redis.Bytes(redis.ReceiveWithTimeout(r.c, partTime)); err != nil {
			return 0, err
		}
		r.n += int64(len(r.part))
		r.end = len(r.part) == 0
		r.progress("%d MiB", r.n>>20)
	}
	n := copy(b, r.part)
	r.part = r.part[n:]
	return n, nil
}

// restoreCommand is p4ce kv restore.
func restoreCommand() *cobra.Command {
	var r remote
	var server string
	var replace bool
	c := &cobra.Command{
		Use:   "restore --server ADDRESS FILE",
		Short: "Write the keys of a backup into a running store",
		Long: `Write the keys of a backup into a running store, of any size and on any log: its clients see
them as they are written. The file is checked first. Keys whose time has passed stay away.

The store must have no keys. With --replace, all keys that it has are deleted first.`,
		Example: "  p4ce kv restore --server 10.0.0.11:6379 monday.p4ce",
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if server == "" {
				return cli.Usagef("--server is missing: want a server of the store")
			}
			if err := r.prepare(); err != nil {
				return err
			}
			n, err := r.restore(cmd.Context(), server, args[0], replace, cli.Progress(cmd.ErrOrStderr()))
			if err != nil {
				if n > 0 {
					err = fmt.Errorf("%w (%d keys are written: repeat it with --replace)", err, n)
				}
				return fmt.Errorf("restore: %w", err)
			}
			fmt.Fprintf(cmd.OutOrStdout(), "%d keys are restored.\n", n)
			return nil
		},
	}
	c.Flags().StringVar(&server, "server", "", "a server of the store: HOST:PORT or unix:PATH")
	c.Flags().BoolVar(&replace, "replace", false, "delete all keys of the store first")
	r.flags(c)
	return c
}

// window is how many writes, or bytes of them, are under way at once.
const (
	window      = 256
	windowBytes = 4 << 20
)

// restore writes the keys of a file, and returns how many the store has acknowledged.
func (r *remote) restore(ctx context.Context, server, name string, replace bool, progress func(string, ...any)) (n uint64, err error) {
	all, err := kv.CheckBackup(name)
	if err != nil {
		return 0, err
	}
	f, err := os.Open(name)
	if err != nil {
		return 0, err
	}
	defer f.Close()
	c, _, err := r.leader(ctx, server)
	if err != nil {
		return 0, err
	}
	defer c.Close()
	defer context.AfterFunc(ctx, func() { _ = c.Close() })()
	keys, err := redis.Uint64(c.Do("DBSIZE"))
	switch {
	case err != nil:
		return 0, err
	case keys > 0 && !replace:
		return 0, fmt.Errorf("the store has %d keys (--replace deletes them)", keys)
	case keys > 0:
		if _, err := c.Do("FLUSHALL"); err != nil {
			return 0, err
		}
	}
	open, size := 0, 0
	settle := func() error {
		if err := c.Flush(); err != nil {
			return err
		}
		for ; open > 0; open-- {
			if _, err := redis.ReceiveWithTimeout(c, partTime); err != nil {
				return err
			}
			n++
		}
		size = 0
		progress("%d of %d keys", n, all.Keys)
		return nil
	}
	_, err = kv.ReadBackup(bufio.NewReaderSize(f, 1<<20), func(key, value []byte, expiry int64) error {
		switch {
		case expiry == 0:
			err = c.Send("SET", key, value)
		case expiry <= time.Now().UnixMilli():
			return nil
		default:
			err = c.Send("SET", key, value, "PXAT", expiry)
		}
		if err != nil {
			return err
		}
		open++
		if size += len(key) + len(value); open < window && size < windowBytes {
			return nil
		}
		return settle()
	})
	if err == nil {
		err = settle()
	}
	progress("")
	if ctx.Err() != nil {
		err = errors.New("interrupted")
	}
	return n, err
}
