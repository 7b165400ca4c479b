package disk

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

// Store is one pebble database, and what goes wrong with it.
//
// Pebble cannot go on after some errors of the disk: it panics, calls its logger's
// Fatalf, or tries again for ever while writers wait. Here each of these ends the
// store alone: Run returns the first error, at once, and ever after.
type Store struct {
	DB     *pebble.DB
	fs     vfs.FS
	dir    string
	log    *slog.Logger
	refs   atomic.Int64 // users; whoever releases the last one closes
	Drop   atomic.Bool  // remove the folder when closed
	once   sync.Once
	failed chan struct{} // closed when err is set
	err    error
}

// Room is how the user of a store watches the room of its disk. Any goroutine may call its functions.
type Room struct {
	// Reserve is how many bytes the user keeps free for what the database does by itself; 0: nobody says. What the
	// database may need at once is less.
	Reserve uint64
	// Tidy reports whether there is room for what the database tidies up by itself; nil: there is.
	Tidy func() bool
	// Release gives up what the user keeps for a disk that is full, and reports whether there was anything; nil: there is nothing.
	Release func() bool
}

// memTable is the size of a memory table in bytes. The disk must have room for a table and for some logs at once, each of
// which takes the room for one when it is created.
func (r *Room) memTable() uint64 {
	if r.Reserve == 0 {
		return maxMemTable
	}
	return min(max(r.Reserve/8, minMemTable), maxMemTable)
}

// Open opens the database in dir, which exists unless create is set, with one user.
func Open(fs vfs.FS, dir string, create bool, room Room, log *slog.Logger) (*Store, error) {
	s := &Store{fs: fs, dir: dir, log: log, failed: make(chan struct{})}
	s.refs.Store(1)
	fail := func(err error) {
		if !errors.Is(err, pebble.ErrClosed) {
			s.Fail(err)
		}
	}
	guarded := &guardedFS{FS: fs, store: s, release: room.Release}
	cache := pebble.NewCache(cacheSize)
	defer cache.Unref()
	o := &pebble.Options{
		FS:                 guarded,
		Cache:              cache,
		Logger:             (*storeLogger)(s),
		FormatMajorVersion: pebble.FormatNewest,
		ErrorIfExists:      create,
		ErrorIfNotExists:   !create,
		MemTableSize:       room.memTable(),
		WALBytesPerSync:    512 << 10,
		EventListener: &pebble.EventListener{
			BackgroundError: fail,
			DataCorruption:  func(i pebble.DataCorruptionInfo) { fail(fmt.Errorf("%v", i)) },
			DiskSlow:        func(i pebble.DiskSlowInfo) { log.Warn("slow disk", "what", i.String()) },
			// Whoever uses a store watches the room in bytes. Pebble speaks of shares: 10 % of a large disk are plenty.
			LowDiskSpace: func(i pebble.LowDiskSpaceInfo) { log.Debug("low disk space", "what", i.String(), "from", "pebble") },
		},
	}
	for i := range o.Levels {
		o.Levels[i].FilterPolicy = bloom.FilterPolicy(10)
	}
	if room.Tidy != nil {
		o.Experimental.CompactionScheduler = newTidying(room.Tidy)
	}
	var db *pebble.DB
	err := s.Run(func() error {
		var err error
		db, err = pebble.Open(dir, o)
		return err
	})
	if err != nil {
		return nil, err
	}
	s.DB = db
	guarded.armed.Store(true)
	return s, nil
}

const (
	cacheSize   = 64 << 20
	minMemTable = 1 << 20
	maxMemTable = 32 << 20
)

// Fail ends the store.
func (s *Store) Fail(err error) {
	s.once.Do(func() {
		s.err = fmt.Errorf("disk (%s): %w", s.dir, err)
		close(s.failed)
		s.log.Error("the store failed", "error", s.err)
	})
}

// Failure is the error that ended the store, or nil.
func (s *Store) Failure() error {
	select {
	case <-s.failed:
		return s.err
	default:
		return nil
	}
}

// Run calls f, which uses the database, and returns its error or that which ended
// the store meanwhile. Then f may still be running, and never end.
func (s *Store) Run(f func() error) error {
	if err := s.Failure(); err != nil {
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
			case nil: // storeLogger.Fatalf, which has called Fail
			case runtime.Error:
				s.log.Error("panic", "error", v, "stack", string(debug.Stack()))
				s.Fail(v)
			case error:
				s.Fail(v)
			default:
				s.Fail(fmt.Errorf("%v", v))
			}
			done <- s.Failure()
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

// Acquire adds a user to a store that has one.
func (s *Store) Acquire() *Store {
	s.refs.Add(1)
	return s
}

// Release takes a user away. The last one closes the database, and removes it if
// it has been replaced.
func (s *Store) Release() error {
	if s.refs.Add(-1) > 0 {
		return nil
	}
	err := s.Failure()
	if err == nil {
		err = s.Run(s.DB.Close)
	}
	// A database that failed may still write; what cannot be removed now, the next
	// start removes.
	if s.Drop.Load() {
		if e := s.fs.RemoveAll(s.dir); e != nil && err == nil {
			err = e
		}
	}
	return err
}

// storeLogger is pebble's view of a store's log.
type storeLogger Store

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
	(*Store)(l).Fail(e)
	runtime.Goexit()
}

// fatalError is what pebble gave to Fatalf.
type fatalError struct {
	text  string
	cause error
}

func (e *fatalError) Error() string { return e.text }
func (e *fatalError) Unwrap() error { return e.cause }
