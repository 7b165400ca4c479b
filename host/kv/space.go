package kv

import (
	"errors"
	"fmt"
	"io/fs"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/p4ce/p4ce/host/disk"
	"github.com/p4ce/p4ce/host/replicated"
)

// space watches how much room the disk has. Below a reserve, it refuses writes that need room, while
// there is still enough for writes that free some, for what was already decided, and for the
// database's own work. A part of the reserve is a file, the ballast. When somebody else has filled the
// disk, the ballast is given up, and the server can start, or go on.
type space struct {
	fs      vfs.FS
	dir     string
	reserve uint64 // bytes; 0: nothing is watched
	note    func(text string, free uint64)

	mu      sync.Mutex
	ballast bool // the file exists
	low     atomic.Bool
	none    atomic.Bool   // almost full
	free    atomic.Uint64 // free bytes at the last look, including the ballast
	looked  atomic.Int64  // time of the last look, in ns of the monotonic clock
	begun   time.Time
}

const (
	ballastName = "ballast"
	// lookEvery is how often the disk is examined at most while there are writes.
	lookEvery = 50 * time.Millisecond
)

func (s *space) ballastSize() uint64 { return s.reserve / 2 }
func (s *space) path() string        { return s.fs.PathJoin(s.dir, ballastName) }

// open is called before anything is written. Opening a database needs room: what its log holds becomes a table. So with less than
// the ballast's size left, open gives up the ballast.
func (s *space) open() error {
	s.begun = time.Now()
	if u, err := s.fs.GetDiskUsage(s.dir); err == nil {
		s.reserve = min(s.reserve, u.TotalBytes/4) // a small disk is useful, too
	}
	if s.reserve == 0 {
		return s.remove()
	}
	switch _, err := s.fs.Stat(s.path()); {
	case err == nil:
		s.ballast = true
	case !errors.Is(err, fs.ErrNotExist):
		return err
	}
	return s.examine(s.ballastSize())
}

// isLow reports whether the disk has less than the reserve.
func (s *space) isLow() bool {
	if s.reserve == 0 {
		return false
	}
	now, last := int64(time.Since(s.begun)), s.looked.Load()
	if now-last >= int64(lookEvery) && s.looked.CompareAndSwap(last, now) {
		if err := s.look(); err != nil {
			s.note("the free space of the disk cannot be determined: "+err.Error(), 0)
		}
	}
	return s.low.Load()
}

// mayTidy reports whether the database may do work that needs room for a while before it frees some.
// When somebody else has filled the disk, so that the ballast is gone, that work waits.
func (s *space) mayTidy() bool {
	s.isLow()
	return s.reserve == 0 || s.free.Load() >= s.reserve/4*3
}

// room returns how much room there is, for the other servers.
func (s *space) room() replicated.Room {
	switch low := s.isLow(); {
	case s.none.Load():
		return replicated.RoomNone
	case low:
		return replicated.RoomLow
	}
	return replicated.RoomEnough
}

// look finds out how much room there is, and gives up the ballast or creates it again.
func (s *space) look() error { return s.examine(s.ballastSize() / 4) }

// examine does so, and gives up the ballast when fewer bytes than least are left beside it.
func (s *space) examine(least uint64) error {
	if !s.mu.TryLock() {
		return nil // another goroutine looks, and may wait for the disk
	}
	defer s.mu.Unlock()
	u, err := s.fs.GetDiskUsage(s.dir)
	if errors.Is(err, vfs.ErrUnsupported) {
		return nil
	}
	if err != nil {
		return err
	}
	free := u.AvailBytes
	if s.ballast {
		free += s.ballastSize() // it is part of the reserve
		if u.AvailBytes < least {
			s.note("the disk is full: the ballast is released", u.AvailBytes)
			if err := s.remove(); err != nil {
				return err
			}
		}
	}
	s.free.Store(free)
	// A server that only follows has decided entries written to its disk below the reserve, too, but
	// not to the last byte.
	switch none := s.none.Load(); {
	case !none && free < s.reserve/4:
		s.none.Store(true)
	case none && free >= s.reserve/2:
		s.none.Store(false)
	}
	// The disk is no longer low when there is an eighth more than the limit.
	switch low := s.low.Load(); {
	case !low && free < s.reserve:
		s.low.Store(true)
		s.note("the disk is nearly full: writes that need room are refused", free)
	case low && free >= s.reserve+s.reserve/8:
		s.low.Store(false)
		s.note("the disk has room again", free)
	}
	if !s.ballast && free >= s.reserve+s.ballastSize() {
		return s.make()
	}
	return nil
}

// forStore is what a database knows of the room.
func (s *space) forStore() disk.Room {
	return disk.Room{Reserve: s.reserve, Tidy: s.mayTidy, Release: s.release}
}

// release gives up the ballast, and reports whether there is room now: a write found the disk full before anybody looked. Of two
// writes at once, one does so for both.
func (s *space) release() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.ballast {
		u, err := s.fs.GetDiskUsage(s.dir)
		return err == nil && u.AvailBytes >= s.ballastSize()/4
	}
	s.note("the disk is full: the ballast is released", 0)
	s.looked.Store(int64(-lookEvery)) // whoever asks next looks
	return s.remove() == nil
}

// again does what found the disk full once more, if there is room now.
func (s *space) again(do func() error) error {
	err := do()
	if errors.Is(err, syscall.ENOSPC) && s.release() {
		err = do()
	}
	return err
}

func (s *space) remove() error {
	s.ballast = false
	if err := s.fs.Remove(s.path()); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("ballast: %w", err)
	}
	return nil
}

func (s *space) make() error {
	f, err := s.fs.Create(s.path(), vfs.WriteCategoryUnspecified)
	if err != nil {
		return fmt.Errorf("ballast: %w", err)
	}
	if err := errors.Join(f.Preallocate(0, int64(s.ballastSize())), f.Close()); err != nil {
		return fmt.Errorf("ballast: %w", errors.Join(err, s.remove()))
	}
	s.ballast = true
	return nil
}
