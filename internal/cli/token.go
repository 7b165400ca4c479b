package cli

import (
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"

	"github.com/spf13/pflag"

	"github.com/p4ce/p4ce/link/files"
)

// tokenFlag is a shared secret, a number: @FILE that it is in, or env:NAME. Nothing else is taken: what is on a
// command line can be read by everybody on the machine. Only 0, which is none, may be said as it is.
type tokenFlag uint64

// TokenVar adds a flag for one. --NAME is "token".
func TokenVar(flags *pflag.FlagSet, t *uint64, usage string) {
	flags.Var((*tokenFlag)(t), "token", usage+": @FILE, a number in a file, or env:NAME, in the environment")
}

func (t *tokenFlag) Set(s string) (err error) {
	n, err := ReadToken(s)
	*t = tokenFlag(n)
	return err
}

func (t *tokenFlag) String() string { return "" } // it is a secret
func (t *tokenFlag) Type() string   { return "secret" }

// ReadToken reads a token. An error does not say what it is.
func ReadToken(s string) (uint64, error) {
	var from string
	if s == "0" {
		return 0, nil
	} else if file, ok := strings.CutPrefix(s, "@"); ok {
		b, err := files.Read(file, files.Secret)
		if err != nil {
			return 0, fmt.Errorf("token: %w", err)
		}
		s, from = strings.TrimSpace(string(b)), file
	} else if name, ok := strings.CutPrefix(s, "env:"); ok {
		if s, ok = os.LookupEnv(name); !ok {
			return 0, fmt.Errorf("token: %s is not in the environment", name)
		}
		from = name
	} else {
		return 0, errors.New("token: want @FILE or env:NAME [all users of this machine can read a command line]")
	}
	n, err := strconv.ParseUint(s, 0, 64)
	if errors.Is(err, strconv.ErrRange) {
		return 0, fmt.Errorf("token: %s is more than 64 bits", from)
	}
	if err != nil {
		return 0, fmt.Errorf("token: %s is not a number", from)
	}
	return n, nil
}
