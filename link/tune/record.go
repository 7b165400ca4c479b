package tune

import (
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"

	"github.com/p4ce/p4ce/link/files"
	"github.com/p4ce/p4ce/link/sock"
)

// record is what an interface was like before programs changed it, in a file on which those that rely on it hold a lock.
type record struct {
	Features map[string]bool `json:"features"`
	Down     bool            `json:"down"`   // it was not set up
	Choosy   bool            `json:"choosy"` // it was not promiscuous

	file *os.File // nil: nobody else will know
}

// What is locked of a record: who changes the interface holds the first, for a moment; who relies on it holds the second, with others.
const changing, relying = 0, 1

func lock(f *os.File, what int64, how int16, cmd int) error {
	for {
		err := unix.FcntlFlock(f.Fd(), cmd, &unix.Flock_t{Type: how, Whence: unix.SEEK_SET, Start: what, Len: 1})
		if !errors.Is(err, unix.EINTR) {
			return err
		}
	}
}

// recordFile is where the record of an interface of the caller's network namespace is; "" if the kernel has no name for
// that (before Linux 5.14).
func recordFile(index int) string {
	fd, err := unix.Socket(unix.AF_UNIX, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return ""
	}
	defer unix.Close(fd)
	cookie, err := unix.GetsockoptUint64(fd, unix.SOL_SOCKET, unix.SO_NETNS_COOKIE)
	if err != nil {
		return ""
	}
	return filepath.Join(sock.Default("interfaces"), fmt.Sprintf("%x-%d", cookie, index))
}

// recorded reports whether there is a record.
func recorded(index int) bool {
	name := recordFile(index)
	if name == "" {
		return false
	}
	_, err := os.Stat(name)
	return err == nil
}

// takeRecord reads the record of an interface, and locks it: nobody else changes the interface until it is written. Where
// no record can be kept, this process alone remembers.
func takeRecord(index int, log *slog.Logger) *record {
	r := &record{}
	if name := recordFile(index); name != "" {
		if err := r.open(name); err != nil {
			log.Debug("what an interface was like cannot be recorded: it is not put back if this program is killed", "err", err)
		}
	}
	if r.Features == nil {
		r.Features = map[string]bool{}
	}
	return r
}

func (r *record) open(name string) error {
	if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
		return err
	}
	for {
		f, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE|unix.O_NOFOLLOW, 0o600)
		if err != nil {
			return err
		}
		if err := lock(f, changing, unix.F_WRLCK, unix.F_OFD_SETLKW); err != nil {
			f.Close()
			return err
		}
		// Who had it may have removed it meanwhile.
		mine, err1 := f.Stat()
		there, err2 := os.Stat(name)
		if err1 != nil || err2 != nil || !os.SameFile(mine, there) {
			f.Close()
			continue
		}
		r.file = f
		if b, err := files.Read(name, files.Settings); err == nil && len(b) > 0 {
			return json.Unmarshal(b, r)
		}
		return nil
	}
}

// write writes the record, and lets others have the interface, too.
func (r *record) write(log *slog.Logger) {
	if r.file == nil {
		return
	}
	b, err := json.Marshal(r)
	if err == nil {
		if err = r.file.Truncate(0); err == nil {
			_, err = r.file.WriteAt(b, 0)
		}
	}
	if err == nil {
		err = lock(r.file, relying, unix.F_RDLCK, unix.F_OFD_SETLK)
	}
	if err == nil {
		err = lock(r.file, changing, unix.F_UNLCK, unix.F_OFD_SETLK)
	}
	if err != nil {
		log.Debug("what an interface was like is not recorded", "err", err)
	}
}

// last reports whether nobody else relies on the interface, and then nobody will before leave or remove.
func (r *record) last() bool {
	return r.file == nil || lock(r.file, changing, unix.F_WRLCK, unix.F_OFD_SETLKW) == nil && lock(r.file, relying, unix.F_WRLCK, unix.F_OFD_SETLK) == nil
}

// leave ends that this process relies on the interface.
func (r *record) leave() {
	if r.file != nil {
		r.file.Close()
	}
}

// remove forgets the record: everything is as it was.
func (r *record) remove() {
	if r.file != nil {
		os.Remove(r.file.Name())
		r.file.Close()
	}
}
