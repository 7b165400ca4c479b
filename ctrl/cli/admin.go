package cli

import (
	"crypto/tls"
	"io"
	"log/slog"

	"github.com/spf13/cobra"

	"github.com/p4ce/p4ce/ctrl/admin"
	"github.com/p4ce/p4ce/internal/cli"
	"github.com/p4ce/p4ce/link/certs"
	"github.com/p4ce/p4ce/link/sock"
)

// defaultAdmin is where a controller's admin API listens.
func defaultAdmin() string { return "unix:" + sock.Default("controller.sock") }

// AdminFlags say which controller is asked, and how the answer is printed.
type AdminFlags struct {
	JSON       bool
	controller string
	tls        certs.Files
	name       string
	conf       *tls.Config // of tls
}

// Add adds them to a command.
func (f *AdminFlags) Add(c *cobra.Command) {
	f.AddController(c)
	c.Flags().BoolVar(&f.JSON, "json", false, "print JSON")
}

// AddController adds those that say where the controller is.
func (f *AdminFlags) AddController(c *cobra.Command) {
	c.PreRunE = f.prepare
	c.Flags().StringVar(&f.controller, "controller", defaultAdmin(), "admin API of the controller: HOST:PORT or unix:PATH")
	cli.TLSFlags(c.Flags(), &f.tls, "tls-", "the client", "the controller's certificate must be signed by one of them")
	c.Flags().StringVar(&f.name, "tls-name", "", "TLS: the name in the controller's certificate, if it differs from its address")
}

// prepare reads the files of certificates.
func (f *AdminFlags) prepare(*cobra.Command, []string) (err error) {
	if err := cli.CheckTLS(&f.tls, "tls-", false); err != nil || !f.tls.Given() {
		return err
	}
	f.conf, err = f.tls.Client(slog.Default(), f.name)
	return err
}

// Client asks that controller.
func (f *AdminFlags) Client() *admin.Client { return admin.NewTLSClient(f.controller, f.conf) }

// PrintJSON prints a value for people who read JSON.
func PrintJSON(w io.Writer, v any) error {
	return cli.PrintJSON(w, v)
}
