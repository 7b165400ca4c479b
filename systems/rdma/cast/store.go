package cast

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/sys/unix"
)

// checkName refuses what is not the name of a file in one folder.
func checkName(name string) error {
	switch {
	case name == "" || name == "." || name == ".." || name == partsFolder || len(name) > maxNameLen:
		return fmt.Errorf("name %q: is not a file name (1 to %d bytes)", name, maxNameLen)
	case strings.ContainsAny(name, "/\\\x00") || name != filepath.Base(name):
		return fmt.Errorf("name %q: leads out of the folder", name)
	}
	return nil
}

// offered describes a file that somebody wants to send.
type offered struct {
	name  string
	size  int64
	sum   string // SHA-256, in hexadecimal
	chunk int64  // bytes
}

func (o *offered) check() error {
	if err := checkName(o.name); err != nil {
		return err
	}
	if b, err := hex.DecodeString(o.sum); err != nil || len(b) != sha256.Size || o.sum != strings.ToLower(o.sum) {
		return errors.New("offer: no SHA-256")
	}
	if o.size < 0 || o.chunk < minChunk || o.chunk > maxChunk || o.chunk&(o.chunk-1) != 0 {
		return fmt.Errorf("offer: %d bytes in chunks of %d", o.size, o.chunk)
	}
	return nil
}

func (o *offered) chunks() int64 { return (o.size + o.chunk - 1) / o.chunk }

// length is that of one chunk.
func (o *offered) length(i int64) int64 { return min(o.chunk, o.size-i*o.chunk) }

// partial is a file on its way to its final name.
type partial struct {
	offered
	dir  string // of the final file
	f    *os.File
	have int64 // chunks
	sum  hash.Hash
	done bool // it has its final name
}

func (p *partial) path() string {
	return filepath.Join(p.dir, partsFolder, p.name+"."+p.offered.sum[:32])
}

// openPartial goes on with a file, or begins it. A file that is there already, with its final name and
// what is offered in it, is done.
func openPartial(dir string, o offered) (*partial, error) {
	if err := o.check(); err != nil {
		return nil, err
	}
	p := &partial{offered: o, dir: dir, sum: sha256.New()}
	if f, err := os.Open(filepath.Join(dir, o.name)); err == nil {
		if st, err := f.Stat(); err == nil && st.Mode().IsRegular() && st.Size() == o.size {
			if sum, err := sumOf(f, o.size); err == nil && hex.EncodeToString(sum.Sum(nil)) == o.sum {
				p.f, p.have, p.done = f, o.chunks(), true
				return p, nil
			}
		}
		f.Close()
	}
	if err := os.Mkdir(filepath.Join(dir, partsFolder), 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return nil, err
	}
	older, err := filepath.Glob(globbed(filepath.Join(dir, partsFolder, o.name)) + ".????????????????????????????????")
	if err != nil {
		return nil, err
	}
	for _, name := range older { // of another content: nobody will go on with it
		if name != p.path() {
			_ = os.Remove(name)
		}
	}
	if p.f, err = os.OpenFile(p.path(), os.O_CREATE|os.O_RDWR|unix.O_NOFOLLOW, 0o600); err != nil {
		return nil, err
	}
	st, err := p.f.Stat()
	if err == nil {
		p.have = min(st.Size(), o.size) / o.chunk
		err = p.f.Truncate(p.have * o.chunk)
	}
	if err == nil {
		p.sum, err = sumOf(p.f, p.have*o.chunk)
	}
	if err == nil && o.size > 0 { // a full disk is found now, where the file system can say so
		err = unix.Fallocate(int(p.f.Fd()), unix.FALLOC_FL_KEEP_SIZE, 0, o.size)
		if errors.Is(err, unix.EOPNOTSUPP) || errors.Is(err, unix.ENOSYS) {
			err = nil
		}
		if err != nil {
			err = fmt.Errorf("%s: no room for %d bytes: %w", o.name, o.size, err)
		}
	}
	if err != nil {
		p.f.Close()
		return nil, err
	}
	return p, nil
}

// globbed is a path whose characters mean themselves.
func globbed(path string) string {
	return strings.NewReplacer("*", "\\*", "?", "\\?", "[", "\\[", "\\", "\\\\").Replace(path)
}

func sumOf(f io.ReaderAt, n int64) (hash.Hash, error) {
	h := sha256.New()
	got, err := io.Copy(h, io.NewSectionReader(f, 0, n))
	if err == nil && got != n {
		err = io.ErrUnexpectedEOF
	}
	return h, err
}

// add writes the next chunk.
func (p *partial) add(b []byte) error {
	if _, err := p.f.WriteAt(b, p.have*p.chunk); err != nil {
		return err
	}
	p.sum.Write(b)
	p.have++
	return nil
}

// finish gives the file its name, if it is what was offered. If not, it is gone.
func (p *partial) finish() error {
	if p.done {
		return nil
	}
	if got := hex.EncodeToString(p.sum.Sum(nil)); p.have != p.chunks() || got != p.offered.sum {
		_ = os.Remove(p.path())
		return fmt.Errorf("%s: checksum %.16s..., want %.16s... [was the file changed meanwhile? send it again]", p.name, got, p.offered.sum)
	}
	if err := p.f.Chmod(0o644); err != nil {
		return err
	}
	if err := p.f.Sync(); err != nil {
		return err
	}
	if err := os.Rename(p.path(), filepath.Join(p.dir, p.name)); err != nil {
		return err
	}
	p.done = true
	d, err := os.Open(p.dir)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}
