package agent

import (
	"fmt"
	"net"

	"google.golang.org/grpc"

	"github.com/p4ce/p4ce/dataplane"
	"github.com/p4ce/p4ce/dataplane/interp"
	"github.com/p4ce/p4ce/dataplane/p4rt"
	"github.com/p4ce/p4ce/link/hub"
)

// Interpreter is a switch within a program that also has the other ends of its links: the
// interpreter behind a P4Runtime server. It starts without ports and without a P4 program.
type Interpreter struct {
	*interp.Target
	// Address is that of the P4Runtime server.
	Address string

	server *p4rt.Server
	grpc   *grpc.Server
}

// StartInterpreter starts a switch whose P4Runtime server listens at a TCP address, such as
// "127.0.0.1:0", and takes any client that can connect there. The caller closes it.
func StartInterpreter(listen string) (*Interpreter, error) {
	l, err := net.Listen("tcp", listen)
	if err != nil {
		return nil, fmt.Errorf("switch: p4runtime: %w", err)
	}
	i := &Interpreter{Target: interp.New(interp.Options{}), Address: l.Addr().String()}
	if i.server, err = p4rt.New(p4rt.Options{Target: i.Target, Compile: Compile}); err != nil {
		l.Close()
		return nil, fmt.Errorf("switch: %w", err)
	}
	i.grpc = i.server.GRPC(p4rt.Access{})
	go i.grpc.Serve(l) //nolint:errcheck // ends with Stop
	return i, nil
}

// cableFrames is how many frames wait in a cable.
const cableFrames = 4096

// Cable plugs a cable in memory into a port, and returns its other end.
func (i *Interpreter) Cable(port dataplane.Port) (*hub.End, error) {
	own, other := hub.Cable(cableFrames)
	if err := i.AddLink(port, "cable", own); err != nil {
		return nil, fmt.Errorf("switch: %w", err)
	}
	return other, nil
}

// SetPort has the switch tell its controllers whether a port works. What it carries does not depend on that.
func (i *Interpreter) SetPort(port dataplane.Port, up bool) { i.server.SetPort(port, up) }

// Close ends the switch: clients are disconnected, and cables are cut.
func (i *Interpreter) Close() error {
	i.server.Close()
	i.grpc.Stop()
	return i.Target.Close()
}
