// Command rdma connects two RDMA endpoints in software: one writes into the memory of the
// other, reads it back, and sends it a message. The network between them is in memory; package
// link/packet has one for network interfaces, and host/verbs the same interface for RNICs.
package main

import (
	"context"
	"encoding/binary"
	"fmt"
	"net/netip"

	"github.com/p4ce/p4ce/examples"
	"github.com/p4ce/p4ce/host/rdma"
	"github.com/p4ce/p4ce/host/roce"
	"github.com/p4ce/p4ce/link/hub"
)

func main() {
	ctx, network := context.Background(), hub.New()
	server, client := open(network, "10.0.0.1"), open(network, "10.0.0.2")
	defer server.Close()
	defer client.Close()

	// The server offers a region, and says where it is in the private data of its answer.
	region := examples.Must(server.RegisterMemory(examples.Must(server.Alloc(64)), rdma.LocalWrite|rdma.RemoteWrite|rdma.RemoteRead))
	inbox, listener := make([]byte, 64), examples.Must(server.Listen(4000))
	served := make(chan rdma.Conn)
	go func() {
		request := examples.Must(listener.Accept(ctx))
		qp := examples.Must(server.CreateQP(rdma.QPConfig{Access: rdma.RemoteWrite | rdma.RemoteRead}))
		examples.Must(qp.PostRecv(rdma.RecvWR{Local: inbox}))
		where := binary.BigEndian.AppendUint64(nil, region.Addr())
		served <- examples.Must(request.Accept(ctx, qp, binary.BigEndian.AppendUint32(where, region.Key())))
	}()
	qp := examples.Must(client.CreateQP(rdma.QPConfig{}))
	conn := examples.Must(client.Dial(ctx, netip.MustParseAddrPort("10.0.0.1:4000"), qp, nil))
	va, key := binary.BigEndian.Uint64(conn.Private()), binary.BigEndian.Uint32(conn.Private()[8:])
	examples.Must(qp.PostSend(rdma.SendWR{Op: rdma.OpWrite, Local: []byte("hello"), VA: va, RKey: key}))
	fmt.Println("client:", completion(ctx, qp.SendCQ()))
	region.Read(func(b []byte) { fmt.Printf("the server's memory: %q\n", b[:5]) })

	back := examples.Must(client.Alloc(5))
	examples.Must(qp.PostSend(rdma.SendWR{Op: rdma.OpRead, Local: back, VA: va, RKey: key}))
	fmt.Printf("client: %s: %q\n", completion(ctx, qp.SendCQ()), back)

	examples.Must(qp.PostSend(rdma.SendWR{Op: rdma.OpSend, Local: []byte("a message")}))
	fmt.Println("client:", completion(ctx, qp.SendCQ()))
	fmt.Printf("server: %s: %q\n", completion(ctx, (<-served).QP().RecvCQ()), inbox[:9])
}

func open(network *hub.Hub, addr string) rdma.Device {
	port := examples.Must(network.Attach(netip.MustParseAddr(addr), 0))
	return roce.RDMA(examples.Must(roce.Open(port, roce.Options{})), roce.QPConfig{})
}

func completion(ctx context.Context, cq rdma.CQ) string {
	var c [1]rdma.Completion
	for cq.Poll(c[:]) == 0 {
		examples.Check(cq.Wait(ctx))
	}
	return fmt.Sprintf("%v %v, %d bytes", c[0].Op, c[0].Status, c[0].Len)
}
