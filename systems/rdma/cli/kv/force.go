package kv

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/p4ce/p4ce/host/kv"
	"github.com/p4ce/p4ce/internal/cli"
	"github.com/p4ce/p4ce/systems/rdma/cli/endpoint"
	"github.com/p4ce/p4ce/systems/rdma/mu"
	"github.com/p4ce/p4ce/systems/rdma/smr"
)

// force is the way out of a disaster.
type force struct {
	flags
	data   string
	member string
	accept bool
}

func forceCommand() *cobra.Command {
	var o force
	c := &cobra.Command{
		Use:   "force-new-cluster --id ID --data FOLDER --member ID=ADDRESS,CLIENT --accept-data-loss",
		Short: "DANGER: after a disaster, make one server the only member of a new cluster",
		Long: `DANGER. This is for use after a disaster: a majority of the servers of a store is lost
for good, and the remaining servers can never continue.

The command makes the server whose state is in FOLDER the only member of a new cluster,
with everything on its disk. The server must not be running. Writes that only the lost
servers had are lost, EVEN IF THEY WERE ACKNOWLEDGED: take the server that has most (with
--fsync, any; without, the one that ran last). Writes with an unknown outcome may appear.

Never start the other servers again with their folders. Start the new cluster under a
number of its own (p4ce kv --cluster NUMBER), so that no server of the old one can join
it, and add empty servers to it (CLUSTER ADD).`,
		Example: `  p4ce kv force-new-cluster --id 1 --data /var/lib/p4ce --member 1=10.66.0.11,10.0.0.11:6379 --accept-data-loss`,
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return o.run(cmd)
		},
	}
	f := c.Flags()
	f.Uint8Var(&o.id, "id", 0, fmt.Sprintf("id of this server, 0 to %d", mu.MaxID))
	f.StringVar(&o.data, "data", "", "folder with the state")
	f.StringVar(&o.member, "member", "", "this server in the new cluster: ID=ADDRESS[:PORT][+SECOND[:PORT]][,CLIENT]")
	f.Uint16Var(&o.port, "service-port", endpoint.ServicePort, "RDMA service of the servers")
	f.Uint64Var(&o.cluster, "cluster", 1, "number of the old cluster, if it ran with --fsync")
	f.IntVar(&o.logSize, "log-size", 16<<20, "size of the old cluster's log, if it ran with --fsync")
	f.BoolVar(&o.accept, "accept-data-loss", false, "confirm that writes may be lost")
	for _, name := range []string{"id", "data", "member"} {
		_ = c.MarkFlagRequired(name)
	}
	return c
}

func (o *force) run(cmd *cobra.Command) (err error) {
	members, err := parseMembers([]string{o.member}, o.port)
	if err != nil {
		return err
	}
	self := members[0]
	if self.ID != mu.ID(o.id) {
		return cli.Usagef("--member %q is not of server %d, which --id names", o.member, o.id)
	}
	if _, err := mu.NewGeometry(o.logSize); err != nil {
		return cli.Usage(fmt.Errorf("--log-size: %w", err))
	}
	if _, err := os.Stat(o.data); err != nil {
		return cli.Usagef("--data %s: contains no state of a server", o.data)
	}
	if !o.accept {
		return cli.Usagef("nothing was done: force-new-cluster loses everything that only the other servers have, including acknowledged writes, forever [if a majority of the servers is lost for good, and nothing else helps, add --accept-data-loss]")
	}
	log := cli.Logger(cmd.ErrOrStderr(), false)
	machine, err := kv.Open(kv.Options{Dir: o.data, Log: log})
	if err != nil {
		return err
	}
	defer func() {
		if e := machine.Close(); err == nil {
			err = e
		}
	}()
	cfg := smr.Config{ID: mu.ID(o.id), Cluster: o.cluster, Machine: machine, LogSize: o.logSize, Settings: settingsFile(o.data), Log: log}
	dir := filepath.Join(o.data, "journal")
	if _, err := os.Stat(dir); err == nil {
		cfg.Journal = dir
	}
	records, err := smr.ForceNewCluster(cfg, self)
	if err != nil {
		return err
	}
	fmt.Fprintf(cmd.OutOrStdout(), `Server %d is the only member of a new cluster, which begins with %d records.
Start it with another --cluster NUMBER than before, and without --member.
Never start the others again with what is in their folders: empty these, start the
servers without --member, and add them (CLUSTER ADD).
`, self.ID, records)
	return nil
}
