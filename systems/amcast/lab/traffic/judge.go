package traffic

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/p4ce/p4ce/host/latency"
	"github.com/p4ce/p4ce/internal/history"
	"github.com/p4ce/p4ce/systems/amcast"
	"github.com/p4ce/p4ce/systems/amcast/lab"
)

// Judge checks, when all is settled, that what was done is done once by all replicas of its partitions, in one order, and
// that what clients have seen is serializable, and in each partition in the order of real time. It says how many values clients
// have seen.
func (t *Traffic) Judge() (seen int, err error) {
	orders := t.orders()
	if err := lab.Judge(orders); err != nil {
		return 0, err
	}
	if what := cmp.Or(t.lost(orders), t.strange(orders)); what != "" {
		return 0, errors.New(what)
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.err != nil {
		return 0, t.err
	}
	list := make([]history.Txn, 0, len(t.list))
	for _, x := range t.list {
		list = append(list, x.Txn)
		if x.Fate == history.Done {
			seen += len(x.Ops)
		}
	}
	return seen, history.CheckParts(list, t.partitions.Of)
}

// sent is how often a message was sent, and how often its transaction has ended.
type sent struct {
	groups     amcast.Groups
	count, end int
}

func (t *Traffic) sent() map[message]*sent {
	t.mu.Lock()
	defer t.mu.Unlock()
	all := map[message]*sent{}
	for _, x := range t.list {
		s := all[x.message]
		if s == nil {
			s = &sent{groups: x.groups}
			all[x.message] = s
		}
		s.count++
		if x.Fate == history.Done {
			s.end++
		}
	}
	return all
}

// lost is a transaction that has ended, and that a replica that lives has not executed; "": none.
func (t *Traffic) lost(orders []lab.Order) string {
	all := t.sent()
	for _, o := range orders {
		if o.Dead {
			continue
		}
		has := map[message]int{}
		for _, d := range o.Log {
			has[message{t.clients[d.ID.Client], string(d.Payload)}]++
		}
		for m, s := range all {
			if s.groups.Has(o.Group) && has[m] < s.end {
				return fmt.Sprintf("replica %s of group %d has executed %d of %d transactions of %s to groups %v that have ended, with one message", o.Host, o.Group, has[m], s.end, m.host, s.groups)
			}
		}
	}
	return ""
}

// strange is what a replica has executed that was not sent, or more often than it was; "": nothing.
func (t *Traffic) strange(orders []lab.Order) string {
	all := t.sent()
	for _, o := range orders {
		has := map[message]int{}
		for _, d := range o.Log {
			m := message{t.clients[d.ID.Client], string(d.Payload)}
			has[m]++
			if s := all[m]; s == nil || d.Groups != s.groups || has[m] > s.count {
				return fmt.Sprintf("replica %s of group %d has executed message %v, which was not sent, or not to groups %v, or not so often", o.Host, o.Group, d.ID, d.Groups)
			}
		}
	}
	return ""
}

// Replica is what a replica has done.
type Replica struct {
	lab.Order
	Took latency.Summary // from the begin of a transaction until the replica has executed it
	Gap  time.Duration   // the longest between two transactions
}

// Replicas are all replicas, in the order of the network's file.
func (t *Traffic) Replicas() (out []Replica) {
	t.mu.Lock()
	defer t.mu.Unlock()
	begun := map[message][]time.Duration{}
	for _, x := range t.list {
		begun[x.message] = append(begun[x.message], time.Duration(x.Begin))
	}
	for _, x := range t.replicas {
		took, count := latency.New(), map[message]int{}
		r := Replica{Order: lab.Order{Group: x.group, Host: x.host, Dead: t.dead[x.host]}}
		x.mu.Lock()
		r.Log = slices.Clone(x.log)
		for i, d := range r.Log {
			m := message{t.clients[d.ID.Client], string(d.Payload)}
			if n := count[m]; n < len(begun[m]) {
				took.Add(x.at[i] - begun[m][n])
			}
			count[m]++
			if i > 0 {
				r.Gap = max(r.Gap, x.at[i]-x.at[i-1])
			}
		}
		x.mu.Unlock()
		r.Took = took.Summary()
		out = append(out, r)
	}
	return out
}

// Count is the transactions of so many partitions.
type Count struct {
	Partitions int
	Took       latency.Summary // of those that have ended
	Open       int             // those that have not: their clients are dead
}

// Counts are by how many partitions transactions have, and of all, for which Partitions is 0.
func (t *Traffic) Counts() []Count {
	t.mu.Lock()
	defer t.mu.Unlock()
	var out []Count
	var took []*latency.Histogram
	for n := range len(slices.MaxFunc(t.sets, func(a, b []uint8) int { return len(a) - len(b) })) + 1 {
		out, took = append(out, Count{Partitions: n}), append(took, latency.New())
	}
	for _, x := range t.list {
		if x.last {
			continue
		}
		for _, n := range [...]int{0, len(x.groups.List())} {
			if x.Fate == history.Done {
				took[n].Add(time.Duration(x.End - x.Begin))
			} else {
				out[n].Open++
			}
		}
	}
	for n := range out {
		out[n].Took = took[n].Summary()
	}
	return append(out[1:], out[0])
}

// Lasted is for how long clients ran.
func (t *Traffic) Lasted() time.Duration { return t.over - t.begun }

// Gap is the longest time in which no transaction of a partition ended while clients ran, and the partition.
func (t *Traffic) Gap() (gap time.Duration, of uint8) {
	t.mu.Lock()
	defer t.mu.Unlock()
	ends := map[uint8][]time.Duration{}
	for _, x := range t.list {
		if x.Fate == history.Done && !x.last {
			for _, p := range x.groups.List() {
				ends[p] = append(ends[p], time.Duration(x.End))
			}
		}
	}
	for _, p := range t.partitions {
		slices.Sort(ends[p])
		last := t.begun
		for _, at := range ends[p] {
			if at-last > gap {
				gap, of = at-last, p
			}
			last = at
		}
	}
	return gap, of
}

// String is a line about transactions.
func (t *Traffic) String() string {
	counts := t.Counts()
	all := counts[len(counts)-1]
	gap, of := t.Gap()
	return fmt.Sprintf("%d transactions ended in %v, %d of them of several partitions; of %d nobody knows; the longest without one that ended: %v, in partition %d",
		all.Took.Count, t.Lasted().Round(time.Millisecond), all.Took.Count-counts[0].Took.Count, all.Open, gap.Round(time.Millisecond), of)
}
