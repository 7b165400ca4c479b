// Command p4etcd is p4ce controller with an etcd server in its process (--store embedded:FOLDER). p4ce runs it in its
// place when it is asked for that, and does not link etcd's server itself.
//
// Exit status: 0 when all is well, 1 when something failed, 2 for wrong usage.
package main

import (
	"log/slog"

	"github.com/spf13/cobra"

	ctrlcli "github.com/p4ce/p4ce/ctrl/cli"
	"github.com/p4ce/p4ce/ctrl/store/embedded"
	"github.com/p4ce/p4ce/internal/cli"
	"github.com/p4ce/p4ce/internal/cli/config"
)

//go:generate go run ../../internal/systems

func main() {
	// It has the name of the program that users call.
	root := &cobra.Command{Use: string(cli.P4ce), Short: "The controller, with an etcd server in its process"}
	root.AddCommand(ctrlcli.Controller(apps, embed))
	config.Enable(root, true)
	cli.Main(root)
}

func embed(dir string, log *slog.Logger) (string, func(), error) {
	s, err := embedded.Start(dir, log)
	if err != nil {
		return "", nil, err
	}
	return s.Endpoint, s.Close, nil
}
