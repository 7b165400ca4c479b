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

// tokenFlag is a shared secret, a number. Only 0, which is none, may be said as it is.
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
	if s == "0" {
		return 0, nil
	}
	s, from, err := secret("token", s)
	if err != nil {
		return 0, err
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

// passwordFlag is a secret text.
type passwordFlag string

// PasswordVar adds a flag for a password. --NAME is "password".
func PasswordVar(flags *pflag.FlagSet, p *string, usage string) {
	flags.Var((*passwordFlag)(p), "password", usage+": @FILE, in a file, or env:NAME, in the environment")
}

func (p *passwordFlag) Set(s string) error {
	text, from, err := secret("password", s)
	if err == nil && text == "" {
		err = fmt.Errorf("password: %s is empty", from)
	}
	*p = passwordFlag(text)
	return err
}

func (p *passwordFlag) String() string { return "" } // it is a secret
func (p *passwordFlag) Type() string   { return "secret" }

// secret reads a secret: @FILE that it is in, or env:NAME. Nothing else is taken: what is on a command line can be read by
// everybody on the machine. White space around it does not count. from is the file or the name.
func secret(what, s string) (text, from string, err error) {
	if file, ok := strings.CutPrefix(s, "@"); ok {
		b, err := files.Read(file, files.Secret)
		if err != nil {
			return "", file, fmt.Errorf("%s: %w", what, err)
		}
		return strings.TrimSpace(string(b)), file, nil
	}
	if name, ok := strings.CutPrefix(s, "env:"); ok {
		text, ok := os.LookupEnv(name)
		if !ok {
			return "", name, fmt.Errorf("%s: %s is not in the environment", what, name)
		}
		return text, name, nil
	}
	return "", "", fmt.Errorf("%s: want @FILE or env:NAME [all users of this machine can read a command line]", what)
}
