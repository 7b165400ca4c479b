// Command onepipe has three processes on three hosts send to each other at the same time. All receive the messages in the
// same order, and no host hands out numbers. The network is two leaves and a spine: processes of p4ce on this machine, whose
// path is the argument (default: bin/p4ce).
package main

import (
	"context"
	"fmt"
	"os"
	"slices"
	"sync"
	"time"

	"github.com/p4ce/p4ce/examples"
	"github.com/p4ce/p4ce/systems/onepipe"
	"github.com/p4ce/p4ce/systems/onepipe/lab"
)

const each = 100 // scatterings of a process

func main() {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	dir := examples.Must(os.MkdirTemp("", "onepipe-"))
	defer os.RemoveAll(dir)
	net := examples.Must(lab.Start(ctx, lab.Options{Binary: append(os.Args, "bin/p4ce")[1], Dir: dir, Target: "interp"}))
	defer net.Close()
	var procs []*onepipe.Proc
	for _, name := range []string{"h1", "h2", "h3"} { // on machines of their own: onepipe.Open on a link
		h := examples.Must(net.Attach(name, onepipe.Config{}, onepipe.Events{}))
		defer h.Close()
		procs = append(procs, examples.Must(h.Wait(ctx))...)
	}
	orders := make([][]string, len(procs))
	var all sync.WaitGroup
	for i, p := range procs {
		all.Go(func() {
			for n := range each { // to everybody, with one timestamp
				var parts []onepipe.Part
				for _, to := range procs {
					parts = append(parts, onepipe.Part{To: to.Process(), Data: fmt.Appendf(nil, "%d from process %d", n, i)})
				}
				examples.Check(p.SendReliable(ctx, parts...))
			}
		})
		all.Go(func() {
			for range each * len(procs) {
				orders[i] = append(orders[i], string(examples.Must(p.ReceiveReliable(ctx)).Data))
			}
		})
	}
	all.Wait()
	fmt.Printf("%d messages each\n", len(orders[0]))
	fmt.Println("in the same order:", slices.Equal(orders[0], orders[1]) && slices.Equal(orders[1], orders[2]))
}
