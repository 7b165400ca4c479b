package lab

// Fault is what may die in Small.
type Fault struct {
	Name, Text string
	Switch     string
	Hosts      []string // those behind the switch die with it
	Controller bool
}

// Faults of Small.
var (
	LeaderDies     = Fault{Name: "leader", Text: "leaf1, which leads groups 1 and 3, and the hosts behind it", Switch: "leaf1", Hosts: []string{"h1", "h2", "h3"}}
	SpineDies      = Fault{Name: "spine", Text: "spine1, a follower of all groups", Switch: "spine1"}
	HostDies       = Fault{Name: "host", Text: "host h2, a replica of group 2", Hosts: []string{"h2"}}
	ControllerDies = Fault{Name: "controller", Text: "the controller", Controller: true}
)
