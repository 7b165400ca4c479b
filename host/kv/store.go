package kv

import (
	"errors"
	"fmt"
	"log/slog"
	"runtime"
	"runtime/debug"
	"sync"
	"sync/atomic"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/bloom"
	"github.com/cockroachdb/pebble/v2/vfs"
)

// store is one pebble database, and what goes wrong with it.
//
// Pebble cannot go on after some errors of the disk: it panics, calls its logger's
// Fatalf, or tries again for ever while writers wait. Here each of these ends the
// store alone: run returns the first error, at once, and ever after.
type store struct {
	db     *pebble.DB
	fs     vfs.FS
	dir    string
	log    *slog.Logger
	refs   atomic.Int64 // users; whoever releases the last one closes
	drop   atomic.Bool  // remove the folder when closed
	once   sync.Once
	failed chan struct{} // closed when err is set
	err    error
}

// openStore opens the database in dir, which exists unless create is set, with one
// user.
func openStore(fs vfs.FS, dir string, create bool, log *slog.Logger) (*store, error) {
	s := &store{fs: fs, dir: dir, log: log, failed: make(chan struct{})}
	s.refs.Store(1)
	fail := func(err error) {
		if !errors.Is(err, pebble.ErrClosed) {
			s.fail(err)
		}
	}
	cache := pebble.NewCache(cacheSize)
	defer cache.Unref()
	o := &pebble.Options{
		FS:                 fs,
		Cache:              cache,
		Logger:             (*storeLogger)(s),
		FormatMajorVersion: pebble.FormatNewest,
		ErrorIfExists:      create,
		ErrorIfNotExists:   !create,
		MemTableSize:       memTableSize,
		WALBytesPerSync:    512 << 10,
		EventListener: &pebble.EventListener{
			BackgroundError: fail,
			DataCorruption:  func(i pebble.DataCorruptionInfo) { fail(fmt.Errorf("%v", i)) },
			DiskSlow:        func(i pebble.DiskSlowInfo) { log.Warn("slow disk", "what", i.String()) },
			LowDiskSpace:    func(i pebble.LowDiskSpaceInfo) { log.Warn("the disk is nearly full", "what", i.String()) },
		},
	}
	for i := range o.Levels {
		o.Levels[i].FilterPolicy = bloom.FilterPolicy(10)
	}
	var db *pebble.DB
	err := s.run(func() error {
		var err error
		db, err = pebble.Open(dir, o)
		return err
	})
	if err != nil {
		return nil, err
	}
	s.db = db
	return s, nil
}

const (
	cacheSize    = 64 << 20
	memTableSize = 32 << 20
)

// fail ends the store.
func (s *store) fail(err error) {
	s.once.Do(func() {
		s.err = fmt.Errorf("disk (%s): %w", s.dir, err)
		close(s.failed)
		s.log.Error("the store failed", "error", s.err)
	})
}

// failure is the error that ended the store, or nil.
func (s *store) failure() error {
	select {
	case <-s.failed:
		return s.err
	default:
		return nil
	}
}

// run calls f, which uses the database, and returns its error or that which ended
// the store meanwhile. Then f may still be running, and never end.
func (s *store) run(f func() error) error {
	if err := s.failure(); err != nil {
		return err
	}
	done := make(chan error, 1)
	go func() {
		ended := false
		defer func() {
			if ended {
				return
			}
			switch v := recover().(type) {
			case nil: // storeLogger.Fatalf, which has called fail
			case runtime.Error:
				s.log.Error("panic", "error", v, "stack", string(debug.Stack()))
				s.fail(v)
			case error:
				s.fail(v)
			default:
				s.fail(fmt.Errorf("%v", v))
			}
			done <- s.failure()
		}()
		err := f()
		ended = true
		done <- err
	}()
	select {
	case err := <-done:
		return err
	case <-s.failed:
		return s.err
	}
}

// acquire adds a user to a store that has one.
func (s *store) acquire() *store {
	s.refs.Add(1)
	return s
}

// release takes a user away. The last one closes the database, and removes it if
// it has been replaced.
func (s *store) release() error {
	if s.refs.Add(-1) > 0 {
		return nil
	}
	err := s.failure()
	if err == nil {
		err = s.run(s.db.Close)
	}
	// A database that failed may still write; what cannot be removed now, the next
	// start removes.
	if s.drop.Load() {
		if e := s.fs.RemoveAll(s.dir); e != nil && err == nil {
			err = e
		}
	}
	return err
}

// storeLogger is pebble's view of a store's log.
type storeLogger store

func (l *storeLogger) Infof(format string, args ...any) {
	l.log.Debug(fmt.Sprintf(format, args...), "from", "pebble")
}

func (l *storeLogger) Errorf(format string, args ...any) {
	l.log.Warn(fmt.Sprintf(format, args...), "from", "pebble")
}

// Fatalf ends the store and the goroutine: it must not return, and need not end the
// process.
func (l *storeLogger) Fatalf(format string, args ...any) {
	e := &fatalError{text: fmt.Sprintf(format, args...)}
	for _, a := range args {
		if err, ok := a.(error); ok {
			e.cause = err
		}
	}
	(*store)(l).fail(e)
	runtime.Goexit()
}

// fatalError is what pebble gave to Fatalf.
type fatalError struct {
	text  string
	cause error
}

func (e *fatalError) Error() string { return e.text }
func (e *fatalError) Unwrap() error { return e.cause }
