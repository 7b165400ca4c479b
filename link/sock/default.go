package sock

import (
	"fmt"
	"os"
	"path/filepath"
	"syscall"
)

// Default is the path of a socket where programs look for it that are told nothing else: in
// /run/p4ce for root, and in a folder of the user's otherwise.
func Default(name string) string { return filepath.Join(folder(), name) }

func folder() string {
	if os.Geteuid() == 0 {
		return "/run/p4ce"
	}
	if dir := os.Getenv("XDG_RUNTIME_DIR"); dir != "" {
		return filepath.Join(dir, "p4ce")
	}
	return filepath.Join(os.TempDir(), fmt.Sprintf("p4ce-%d", os.Geteuid()))
}

// makeFolder makes the folder of default sockets, which must be this user's alone.
func makeFolder() error {
	dir := folder()
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	st, err := os.Lstat(dir)
	if err != nil {
		return err
	}
	if s, ok := st.Sys().(*syscall.Stat_t); !st.IsDir() || !ok || int(s.Uid) != os.Geteuid() || st.Mode().Perm()&0o022 != 0 {
		return fmt.Errorf("%s must be a folder of user %d that no other user may write to", dir, os.Geteuid())
	}
	return nil
}

// P4Runtime is the address at which a switch of this machine serves P4Runtime, unless it is told another.
func P4Runtime() string { return "unix:" + Default("p4runtime.sock") }
