package cli

import (
	"github.com/spf13/pflag"

	"github.com/p4ce/p4ce/link/certs"
)

// TLSFlags adds the flags of files of certificates. what is the side that they are for, ca says what
// the authorities are for.
func TLSFlags(flags *pflag.FlagSet, f *certs.Files, prefix, what, ca string) {
	flags.StringVar(&f.Cert, prefix+"cert", "", "TLS: "+what+"'s certificate and the certificates that signed it, PEM; all certificate files are read again when they change")
	flags.StringVar(&f.Key, prefix+"key", "", "TLS: the key of --"+prefix+"cert, PEM")
	flags.StringVar(&f.CA, prefix+"ca", "", "TLS: certificates of authorities, PEM: "+ca)
}

// CheckTLS looks at them.
func CheckTLS(f *certs.Files, prefix string, server bool) error {
	switch {
	case (f.Cert == "") != (f.Key == ""):
		return Usagef("--%scert and --%skey: give both", prefix, prefix)
	case server && f.CA != "" && f.Cert == "":
		return Usagef("--%sca needs --%scert and --%skey", prefix, prefix, prefix)
	case !server && f.CA == "" && f.Cert != "":
		return Usagef("--%scert needs --%sca, to verify the other side", prefix, prefix)
	}
	return nil
}
