// Command amcast has six hosts send to two groups at the same time, or to one of them. All replicas of a group deliver in one
// order, and so do those of both for messages to both. Two leaves and two spines order them: processes of the p4ce in the argument.
package main

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/p4ce/p4ce/examples"
	"github.com/p4ce/p4ce/systems/amcast"
	"github.com/p4ce/p4ce/systems/amcast/lab"
)

const each = 10 // messages of a host to each set of groups
func main() {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	dir := examples.Must(os.MkdirTemp("", "amcast-"))
	defer os.RemoveAll(dir)
	net := examples.Must(lab.Start(ctx, lab.Options{Binary: append(os.Args, "bin/p4ce")[1], Dir: dir, Target: "interp"}))
	defer net.Close()
	hosts := map[string]*amcast.Host{}
	for _, name := range net.Hosts() { // on machines of their own: amcast.Open on a link
		hosts[name] = examples.Must(net.Attach(name))
		defer hosts[name].Close()
	}
	sets := []amcast.Groups{examples.Must(amcast.NewGroups(1)), examples.Must(amcast.NewGroups(2)), examples.Must(amcast.NewGroups(1, 2))}
	orders := map[string][]string{} // of replicas
	var mu sync.Mutex
	var all sync.WaitGroup
	for _, h := range hosts {
		all.Go(func() {
			for n := range each * len(sets) {
				examples.Must(h.Multicast(ctx, sets[n%len(sets)], fmt.Append(nil, "message ", n)))
			}
		})
	}
	for name, group := range map[string]uint8{"h1": 1, "h4": 1, "h2": 2, "h5": 2} { // as the network's file says
		all.Go(func() {
			for range 2 * each * len(hosts) {
				d := examples.Must(hosts[name].Deliver(ctx, group))
				mu.Lock()
				orders[name] = append(orders[name], fmt.Sprint(d.ID, d.Groups))
				mu.Unlock()
			}
		})
	}
	all.Wait()
	toBoth := func(list []string) []string {
		return slices.DeleteFunc(slices.Clone(list), func(s string) bool { return !strings.HasSuffix(s, "[1 2]") })
	}
	same := slices.Equal(orders["h1"], orders["h4"]) && slices.Equal(orders["h2"], orders["h5"])
	fmt.Printf("%d messages at each replica\nin the same order: %v\nmessages to both groups, too: %v\n", len(orders["h1"]), same, slices.Equal(toBoth(orders["h1"]), toBoth(orders["h2"])))
}
