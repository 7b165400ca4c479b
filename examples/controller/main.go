// Command controller runs a controller application for a program of its own, a patch panel: it
// plugs ports 1 and 2 together, and takes away what it finds plugged otherwise. The session does
// the rest: it keeps the connection, loads the program, and starts anew when the switch does.
package main

import (
	"context"
	"fmt"

	p4 "github.com/p4lang/p4runtime/go/p4/v1"

	"github.com/p4ce/p4ce/ctrl/p4rtclient"
	"github.com/p4ce/p4ce/ctrl/pipeline"
	"github.com/p4ce/p4ce/ctrl/session"
	"github.com/p4ce/p4ce/dataplane"
	"github.com/p4ce/p4ce/dataplane/agent"
	"github.com/p4ce/p4ce/examples"
)

// app is a session.App. session.Base has the methods for which it has no use: packets, digests, ports.
type app struct {
	session.Base
	sw *session.Session
}

func (*app) Name() string { return "patch" }

func (a *app) Bind(s *session.Session) error { a.sw = s; return nil }

// Sync reads what the switch holds. What it returns goes on from there.
func (a *app) Sync(ctx context.Context, c *p4rtclient.Client) (func() error, error) {
	held, err := c.ReadTable(ctx, a.sw.Info(), "plugs")
	return func() error { return a.adopt(held) }, err
}

func (a *app) adopt(held []p4rtclient.Entry) error {
	plug := func(from, to uint64) p4rtclient.Entry {
		return p4rtclient.Entry{Table: "plugs", Match: []p4rtclient.Field{{Name: "port", Value: p4rtclient.Uint(from)}},
			Action: "plug", Args: []p4rtclient.Field{{Name: "port", Value: p4rtclient.Uint(to)}}}
	}
	updates, err := a.sw.Info().Updates(nil, p4.Update_DELETE, held...)
	if err == nil {
		updates, err = a.sw.Info().Updates(updates, p4.Update_INSERT, plug(1, 2), plug(2, 1))
	}
	a.sw.Write("plugs", updates, err)
	return err
}

func main() {
	sw := examples.Must(agent.StartInterpreter("127.0.0.1:0"))
	config := session.Config{P4RT: p4rtclient.Options{Address: sw.Address}, Pipeline: examples.Must(pipeline.Compile("patch.p4", []byte(examples.Patch), nil))}
	s, ready := examples.Must(session.New(config, &app{})), make(chan struct{})
	s.OnReady(func() { close(ready) })
	go s.Run(context.Background())
	<-ready
	for in := dataplane.Port(1); in <= 3; in++ {
		for _, out := range examples.Must(sw.Inject(in, make([]byte, 60))) {
			fmt.Printf("what comes in by port %d leaves by port %d\n", in, out.Port)
		}
	}
}
