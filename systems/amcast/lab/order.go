package lab

import (
	"fmt"
	"slices"

	"github.com/p4ce/p4ce/systems/amcast"
)

// Order is what a replica has delivered.
type Order struct {
	Group uint8
	Host  string
	Log   []amcast.Delivery
	// Dead: the host has failed. Its last messages may be some that no other replica has: its own client's.
	Dead bool
}

// Missing names a message that a replica that lives has not delivered, and must: another one that lives has, or must has it,
// with its destinations. It is "" if there is none.
func Missing(orders []Order, must map[amcast.ID]amcast.Groups) string {
	has := make([]map[amcast.ID]bool, len(orders))
	all := map[amcast.ID]amcast.Groups{}
	for id, groups := range must {
		all[id] = groups
	}
	for i, o := range orders {
		has[i] = make(map[amcast.ID]bool, len(o.Log))
		for _, d := range o.Log {
			has[i][d.ID] = true
			if !o.Dead {
				all[d.ID] = d.Groups
			}
		}
	}
	for id, groups := range all {
		for i, o := range orders {
			if !o.Dead && groups.Has(o.Group) && !has[i][id] {
				return fmt.Sprintf("replica %s of group %d has not delivered message %v to groups %v", o.Host, o.Group, id, groups)
			}
		}
	}
	return ""
}

// Judge checks what replicas have delivered: each message once, in the order of its one place everywhere; replicas of a group that
// live the same ones, as far as they have got; and, by the order in which messages came alone, none after itself over all groups.
func Judge(orders []Order) error {
	finals := map[amcast.ID]uint32{}
	for _, o := range orders {
		for i := range o.Log {
			d := &o.Log[i]
			if !d.Groups.Has(o.Group) {
				return fmt.Errorf("replica %s of group %d has delivered %v, which is for groups %v", o.Host, o.Group, d.ID, d.Groups)
			}
			if i > 0 && !o.Log[i-1].Before(d) {
				return fmt.Errorf("replica %s of group %d has delivered %v after %v", o.Host, o.Group, d.ID, o.Log[i-1].ID)
			}
			if f, known := finals[d.ID]; known && f != d.Final {
				return fmt.Errorf("message %v has two places in the order: %d and %d", d.ID, f, d.Final)
			}
			finals[d.ID] = d.Final
		}
	}
	for i, a := range orders {
		for _, b := range orders[:i] {
			if a.Group != b.Group || a.Dead || b.Dead {
				continue
			}
			n := min(len(a.Log), len(b.Log))
			if !slices.EqualFunc(a.Log[:n], b.Log[:n], func(x, y amcast.Delivery) bool { return x.ID == y.ID }) {
				return fmt.Errorf("replicas %s and %s of group %d have delivered in different orders", b.Host, a.Host, a.Group)
			}
		}
	}
	return acyclic(orders)
}

// acyclic takes messages off that nothing comes before: if some are left, they come after themselves.
func acyclic(orders []Order) error {
	before, after := map[amcast.ID]int{}, map[amcast.ID][]amcast.ID{}
	for _, o := range orders {
		for i, d := range o.Log {
			before[d.ID] += 0
			if i > 0 {
				before[d.ID]++
				last := o.Log[i-1].ID
				after[last] = append(after[last], d.ID)
			}
		}
	}
	var free []amcast.ID
	for id, n := range before {
		if n == 0 {
			free = append(free, id)
		}
	}
	for len(free) > 0 {
		id := free[len(free)-1]
		free = free[:len(free)-1]
		delete(before, id)
		for _, next := range after[id] {
			if before[next]--; before[next] == 0 {
				free = append(free, next)
			}
		}
	}
	for id := range before {
		return fmt.Errorf("message %v comes after itself, or after one that does", id)
	}
	return nil
}
