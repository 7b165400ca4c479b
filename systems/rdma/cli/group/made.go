package group

import (
	"context"
	"fmt"
	"net"
	"net/netip"
	"strconv"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	ctrlcli "github.com/p4ce/p4ce/ctrl/cli"
	"github.com/p4ce/p4ce/internal/cli"
	"github.com/p4ce/p4ce/systems/rdma/control"
	"github.com/p4ce/p4ce/systems/rdma/control/group"
)

func createCommand() *cobra.Command {
	var (
		f        ctrlcli.AdminFlags
		m        group.Static
		replicas []string
		senders  []string
		reply    string
		sw       string
	)
	c := &cobra.Command{
		Use:   "create NAME --port PORT --replica HOST[:PORT]...",
		Short: "Create a static group: a program that connects to its port of the switch sends to all replicas",
		Long: `Create a static group. Any program that connects by RDMA CM to the switch's address and
this port, and only writes or sends, becomes a sender of the group. It need not know of
p4ce. The replicas are ordinary listeners. They get the sender's private data, and the
sender gets that of the first replica.

The sender may SEND. It may WRITE if the private data of the replicas describes their
memory, in the form of p4ce's own replicas, or in the layout of --reply. The sender then
gets the group's R_key, address 0 and the smallest size, rounded down to a power of two.
The switch replaces these with those of each replica.`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			m.Name = args[0]
			for _, s := range replicas {
				r, err := parseReceiver(cmd.Context(), s, m.Port)
				if err != nil {
					return err
				}
				m.Receivers = append(m.Receivers, r)
			}
			for _, s := range senders {
				p, err := netip.ParsePrefix(s)
				if err != nil {
					return cli.Usagef("--sender %q: is not a prefix (want for instance 10.0.0.0/28)", s)
				}
				m.Senders = append(m.Senders, p)
			}
			if reply != "" {
				var err error
				if m.Reply, err = parseReply(reply); err != nil {
					return err
				}
			}
			return groups(&f).CreateGroup(cmd.Context(), sw, m)
		},
	}
	f.Add(c)
	fl := c.Flags()
	fl.Uint16Var(&m.Port, "port", 0, "port of the switch that senders connect to")
	fl.StringArrayVar(&replicas, "replica", nil, "a receiver, and where it listens (default: the group's port; repeat for each, up to 8, or 64 of policy all over several switches)")
	fl.StringVar(&m.Policy, "policy", "all", "when the sender is answered: all or quorum")
	fl.StringArrayVar(&senders, "sender", nil, "prefix of addresses that may send (repeat for each; default: who may form groups)")
	fl.StringVar(&reply, "reply", "", "where the private data of the replicas describes their memory: OFFSET,OFFSET,OFFSET[/4|/8][,big|little] of address (8 bytes), R_key (4) and size (default 4 bytes, big)")
	fl.StringVar(&sw, "switch", "-", "switch of the group, when the controller has several")
	_ = c.MarkFlagRequired("port")
	_ = c.MarkFlagRequired("replica")
	return c
}

// parseReceiver reads HOST[:PORT].
func parseReceiver(ctx context.Context, s string, port uint16) (group.Receiver, error) {
	r := group.Receiver{Port: port}
	host, after, ok := strings.Cut(s, ":")
	if ok {
		n, err := strconv.ParseUint(after, 10, 16)
		if err != nil || n == 0 {
			return r, cli.Usagef("--replica %q: want HOST or HOST:PORT", s)
		}
		r.Port = uint16(n)
	}
	list, err := net.DefaultResolver.LookupNetIP(ctx, "ip4", host)
	if err != nil {
		return r, fmt.Errorf("--replica %q: host is not known: %w", s, err)
	}
	r.Addr = list[0].Unmap()
	return r, nil
}

// parseReply reads VA,RKEY,SIZE[/BYTES][,ORDER].
func parseReply(s string) (*group.Reply, error) {
	bad := func() error { return cli.Usagef("--reply %q: want OFFSET,OFFSET,OFFSET[/4|/8][,big|little]", s) }
	r := &group.Reply{SizeBytes: 4, Order: "big"}
	list := strings.Split(s, ",")
	if len(list) == 4 {
		r.Order = list[3]
		list = list[:3]
	}
	if len(list) != 3 {
		return nil, bad()
	}
	size, bytes, ok := strings.Cut(list[2], "/")
	var err error
	if ok {
		if r.SizeBytes, err = strconv.Atoi(bytes); err != nil {
			return nil, bad()
		}
	}
	for text, to := range map[string]*int{list[0]: &r.VA, list[1]: &r.RKey, size: &r.Size} {
		if *to, err = strconv.Atoi(text); err != nil {
			return nil, bad()
		}
	}
	return r, nil
}

func deleteCommand() *cobra.Command {
	var f ctrlcli.AdminFlags
	var sw string
	var force bool
	c := &cobra.Command{
		Use:   "delete NAME",
		Short: "Delete a static group",
		Args:  cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			client := groups(&f)
			if sw == "" {
				m, err := findStatic(cmd, client, args[0], "")
				if err != nil {
					return err
				}
				sw = m.Switch
			}
			return client.DeleteGroup(cmd.Context(), sw, args[0], force)
		},
	}
	f.Add(c)
	c.Flags().StringVar(&sw, "switch", "", "switch of the group, when several have one of this name")
	c.Flags().BoolVar(&force, "force", false, "also when it has senders; they are disconnected")
	return c
}

// findStatic finds the one made group of a name.
func findStatic(cmd *cobra.Command, client *control.AdminClient, name, sw string) (*control.StaticInfo, error) {
	list, err := client.StaticGroups(cmd.Context())
	if err != nil {
		return nil, err
	}
	var found []*control.StaticInfo
	var on []string
	for i := range list {
		if list[i].Name == name && (sw == "" || sw == list[i].Switch) {
			found, on = append(found, &list[i]), append(on, list[i].Switch)
		}
	}
	switch len(found) {
	case 0:
		return nil, fmt.Errorf("group %q does not exist (p4ce group list --made shows those that do)", name)
	case 1:
		return found[0], nil
	}
	return nil, cli.Usagef("group %q is on the switches %s: choose with --switch", name, strings.Join(on, ", "))
}

func showStatic(cmd *cobra.Command, f *ctrlcli.AdminFlags, name, sw string) error {
	m, err := findStatic(cmd, groups(f), name, sw)
	if err != nil {
		return err
	}
	w := cmd.OutOrStdout()
	if f.JSON {
		return ctrlcli.PrintJSON(w, m)
	}
	fmt.Fprintf(w, "group %s on %s: senders connect to port %d, and are answered by policy %s\n", m.Name, m.Switch, m.Port, m.Policy)
	for i, r := range m.Receivers {
		fmt.Fprintf(w, "  slot %d  %v\n", i, r)
	}
	for _, p := range m.Senders {
		fmt.Fprintf(w, "  senders: %v\n", p)
	}
	if r := m.Reply; r != nil {
		fmt.Fprintf(w, "  private data: address at %d, R_key at %d, size (%d bytes) at %d, %s endian\n", r.VA, r.RKey, r.SizeBytes, r.Size, r.Order)
	}
	fmt.Fprintf(w, "  %d senders now: %s\n", len(m.Groups), groupNumbers(m.Groups))
	return nil
}

func groupNumbers(list []uint16) string {
	out := []string{}
	for _, n := range list {
		out = append(out, strconv.Itoa(int(n)))
	}
	if len(out) == 0 {
		return "no groups"
	}
	return "groups " + strings.Join(out, ",")
}

func listStatic(cmd *cobra.Command, f *ctrlcli.AdminFlags) error {
	list, err := groups(f).StaticGroups(cmd.Context())
	if err != nil {
		return err
	}
	w := cmd.OutOrStdout()
	if f.JSON {
		return ctrlcli.PrintJSON(w, list)
	}
	if len(list) == 0 {
		fmt.Fprintln(w, "no static groups")
		return nil
	}
	tab := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(tab, "NAME\tPORT\tREPLICAS\tPOLICY\tSENDERS\tSWITCH")
	for _, m := range list {
		var to []string
		for _, r := range m.Receivers {
			to = append(to, r.String())
		}
		fmt.Fprintf(tab, "%s\t%d\t%s\t%s\t%s\t%s\n", m.Name, m.Port, strings.Join(to, ","), m.Policy, groupNumbers(m.Groups), m.Switch)
	}
	return tab.Flush()
}
