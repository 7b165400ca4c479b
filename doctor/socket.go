package doctor

import "golang.org/x/sys/unix"

// TrySocket makes a raw socket of a family, and closes it.
func TrySocket(family int) error {
	fd, err := unix.Socket(family, unix.SOCK_RAW|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return err
	}
	return unix.Close(fd)
}
