// Command p4runtime drives a switch by P4Runtime: it becomes its primary, loads p4/l2/l2.p4,
// writes an entry, reads the table and a counter. The switch is the interpreter in this
// process; for the client it is an address, as `p4ce switch` is.
package main

import (
	"context"
	"fmt"

	p4 "github.com/p4lang/p4runtime/go/p4/v1"

	"github.com/p4ce/p4ce/ctrl/p4rtclient"
	"github.com/p4ce/p4ce/ctrl/pipeline"
	"github.com/p4ce/p4ce/dataplane/agent"
	"github.com/p4ce/p4ce/examples"
	"github.com/p4ce/p4ce/p4/l2"
)

func main() {
	sw := examples.Must(agent.StartInterpreter("127.0.0.1:0"))
	defer sw.Close()

	ctx, primary := context.Background(), make(chan bool, 16)
	client := examples.Must(p4rtclient.New(p4rtclient.Options{Address: sw.Address}))
	go client.Run(ctx, p4rtclient.Handler{Mastership: func(_ context.Context, is bool) { primary <- is }})
	fmt.Println("primary:", <-primary)

	config := examples.Must(pipeline.Load("l2"))
	examples.Check(client.SetPipeline(ctx, p4.SetForwardingPipelineConfigRequest_VERIFY_AND_COMMIT, config))
	info := p4rtclient.NewInfo(config.GetP4Info())
	mac := []byte{2, 0, 0, 0, 0, 2}
	examples.Check(client.Write(ctx, examples.Must(info.Updates(nil, p4.Update_INSERT, p4rtclient.Entry{
		Table: l2.TableDestination, Match: []p4rtclient.Field{{Name: l2.TableDestinationKeyHdrEthernetDst, Value: mac}},
		Action: l2.ActionForward, Args: []p4rtclient.Field{{Name: l2.ActionForwardParamPort, Value: p4rtclient.Uint(2)}},
	}))...))
	for _, e := range examples.Must(client.ReadTable(ctx, info, l2.TableDestination)) {
		fmt.Printf("%s: %x -> %s %d\n", e.Table, e.Get(l2.TableDestinationKeyHdrEthernetDst), e.Action, p4rtclient.ToUint(e.Arg(l2.ActionForwardParamPort)))
	}

	frame := append([]byte{2, 0, 0, 0, 0, 2, 2, 0, 0, 0, 0, 1, 0x88, 0xb5}, make([]byte, 46)...)
	for _, out := range examples.Must(sw.Inject(1, frame)) {
		fmt.Printf("a frame comes in by port 1 and leaves by port %d\n", out.Port)
	}
	for _, c := range examples.Must(client.ReadCounter(ctx, info, l2.CounterPortRx, 1)) {
		fmt.Printf("%s of port 1: %d packet, %d bytes\n", l2.CounterPortRx, c.Packets, c.Bytes)
	}
}
