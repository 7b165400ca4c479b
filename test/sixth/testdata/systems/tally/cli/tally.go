package cli

import (
	"fmt"
	"net"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	ctrlcli "github.com/p4ce/p4ce/ctrl/cli"
	"github.com/p4ce/p4ce/internal/cli"
	names "github.com/p4ce/p4ce/p4/tally"
	"github.com/p4ce/p4ce/systems/tally/control"
)

// Command is p4ce tally.
func Command() *cobra.Command {
	return cli.Parent(&cobra.Command{
		Use:   "tally",
		Short: "Send requests that a switch counts by their keys, or show the counts",
	}, sendCommand(), countsCommand())
}

func sendCommand() *cobra.Command {
	var key uint8
	var count int
	var timeout time.Duration
	c := &cobra.Command{
		Use:     "send SERVER",
		Short:   "Send requests to a server, which answers each with the same bytes",
		Example: fmt.Sprintf("  p4ce tally send 192.0.2.2:%d --key 3 --count 100", names.PortTally),
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			answered, err := send(args[0], key, count, timeout)
			fmt.Fprintf(cmd.OutOrStdout(), "%d of %d requests of key %d were answered\n", answered, count, key)
			return err
		},
	}
	c.Flags().Uint8Var(&key, "key", 0, "key that the switch counts the requests under")
	c.Flags().IntVar(&count, "count", 1, "number of requests")
	c.Flags().DurationVar(&timeout, "timeout", time.Second, "time limit for the answer to a request")
	return c
}

// send sends requests, one at a time, and returns how many were answered.
func send(server string, key uint8, count int, timeout time.Duration) (answered int, err error) {
	c, err := net.Dial("udp4", server)
	if err != nil {
		return 0, err
	}
	defer c.Close()
	buf := make([]byte, 1500)
	for n := range count {
		request := strconv.AppendInt([]byte{key}, int64(n), 10)
		if _, err := c.Write(request); err != nil {
			return answered, err
		}
		if err := c.SetReadDeadline(time.Now().Add(timeout)); err != nil {
			return answered, err
		}
		got, err := c.Read(buf)
		if err != nil {
			return answered, fmt.Errorf("server %s: request %d is not answered: %w", server, n, err)
		}
		if string(buf[:got]) != string(request) {
			return answered, fmt.Errorf("server %s: request %d has another answer", server, n)
		}
		answered++
	}
	return answered, nil
}

func countsCommand() *cobra.Command {
	var f ctrlcli.AdminFlags
	c := &cobra.Command{
		Use:   "counts",
		Short: "Show what the switches of a controller have counted",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			var list []control.Count
			if err := f.Client().Get(cmd.Context(), "/v1/counts", &list); err != nil {
				return err
			}
			if f.JSON {
				return ctrlcli.PrintJSON(cmd.OutOrStdout(), list)
			}
			for _, n := range list {
				fmt.Fprintf(cmd.OutOrStdout(), "switch %s: key %d: %d requests\n", n.Switch, n.Key, n.Count)
			}
			return nil
		},
	}
	f.Add(c)
	return c
}
