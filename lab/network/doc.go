// Package network builds a network of switches and hosts on one machine from a description, and runs
// its programs. The labs of systems that need several switches stand on it.
//
//	+----------+ s-t    t-s +----------+ t-h1   eth0 +----+
//	| switch s |------------| switch t |-------------| h1 |  a namespace (Options.Namespaces): Host
//	+----------+    ^       +----------+ t-h2        +----+
//	                |            |  `------- Link("h2"): in this process
//	                |            `---------- HostEnd("h3"): a tap, for a guest (Options.Guests)
//	                +-- Options.Bad: a Relay, which loses, doubles, holds back, damages, cuts
//
// The description has three parts: who is wired to whom (topology.Network; LeafSpine makes one), the
// addresses (Address), and where each runs (Options). Switches are processes, on XDP, all in one
// network namespace, or on the interpreter, with datagram sockets for links. Plain switches of the
// topology, which only route, are Linux routers (lab.Router), on XDP only.
//
// A Network is a runner.Runner. After Start, its user starts a controller (StartController), and
// programs on hosts (Runner.Start, with the Host). Four hosts behind two leaves and a spine:
//
//	wired, at, err := network.LeafSpine{Leaves: 2, Spines: 1, Hosts: 2}.Build()
//	n, err := network.Start(ctx, wired, network.Options{
//		Binary: p4ce, Dir: dir, Target: "xdp", Addresses: at, Namespaces: []string{"h1", "h2", "h3", "h4"},
//	})
//	defer n.Close()
//	err = n.StartController(ctx, "controller", flags...)
//	p, err := n.Runner.Start(launch.Options{Name: "h1", Host: n.Host("h1"), Args: args})
//
// and what breaks it:
//
//	p.Kill(), p.Pause(), p.Resume()      a program
//	n.Kill("s0"), n.StartSwitch(ctx, "s0") a switch, which forgets everything
//	n.SetPort("l0", "s0", false)         a link, both ends of which notice
//	n.BadLink("l0-s0").Cut(true)         a link of Options.Bad, whose ends do not notice
package network
