package lab

// Tree is a network of three tiers: pods of aggregation switches and racks, and a spine.
//
//	              spine                     leads
//	   /     /      |      \      \
//	agg1   agg2    agg3    agg4   agg5      acceptors
//	  |        \    |     /
//	 tor1         tor2                      counts votes
//	/ | \        / | \
//	p a1..a3    r1 r2 l
//
// p proposes, r1 and r2 are replicas. The first application, Log, has its acceptors in the pod of the replicas: agg2, agg3 and
// agg4. Those of the other one, Pods, are in three pods: agg1, agg2 and agg5. l, a1, a2 and a3 have no part in either: with
// TreeSeats they have the roles of a third log, as programs, each step of which leads to another pod.
const Tree = `{
  "controller": {"address": "10.0.0.250", "mac": "02:00:00:00:00:fa"},
  "switches": [
    {"name": "spine", "p4runtime": "unix:%[1]s/spine.rt", "mac": "02:00:00:00:01:01"},
    {"name": "agg1",  "p4runtime": "unix:%[1]s/agg1.rt",  "mac": "02:00:00:00:01:11", "acceptor": "10.0.1.1"},
    {"name": "agg2",  "p4runtime": "unix:%[1]s/agg2.rt",  "mac": "02:00:00:00:01:12", "acceptor": "10.0.1.2"},
    {"name": "agg3",  "p4runtime": "unix:%[1]s/agg3.rt",  "mac": "02:00:00:00:01:13", "acceptor": "10.0.1.3"},
    {"name": "agg4",  "p4runtime": "unix:%[1]s/agg4.rt",  "mac": "02:00:00:00:01:14", "acceptor": "10.0.1.4"},
    {"name": "agg5",  "p4runtime": "unix:%[1]s/agg5.rt",  "mac": "02:00:00:00:01:15", "acceptor": "10.0.1.5"},
    {"name": "tor1",  "p4runtime": "unix:%[1]s/tor1.rt",  "mac": "02:00:00:00:01:21"},
    {"name": "tor2",  "p4runtime": "unix:%[1]s/tor2.rt",  "mac": "02:00:00:00:01:22", "learner": "10.0.2.1"}
  ],
  "links": [
    ["spine:1", "agg1:1"], ["spine:2", "agg2:1"], ["spine:3", "agg3:1"], ["spine:4", "agg4:1"], ["spine:5", "agg5:1"],
    ["agg1:2", "tor1:1"], ["agg2:2", "tor2:1"], ["agg3:2", "tor2:2"], ["agg4:2", "tor2:3"]
  ],
  "hosts": [
    {"name": "p",  "at": "tor1:11", "address": "10.0.3.1",  "mac": "02:00:00:00:03:01"},
    {"name": "a1", "at": "tor1:12", "address": "10.0.3.11", "mac": "02:00:00:00:03:11"},
    {"name": "a2", "at": "tor1:13", "address": "10.0.3.12", "mac": "02:00:00:00:03:12"},
    {"name": "a3", "at": "tor1:14", "address": "10.0.3.13", "mac": "02:00:00:00:03:13"},
    {"name": "r1", "at": "tor2:11", "address": "10.0.3.21", "mac": "02:00:00:00:03:21"},
    {"name": "r2", "at": "tor2:12", "address": "10.0.3.22", "mac": "02:00:00:00:03:22"},
    {"name": "l",  "at": "tor2:13", "address": "10.0.3.31", "mac": "02:00:00:00:03:31"}
  ],
  "applications": [{
    "name": "log", "leader": {"address": "10.0.0.100", "mac": "02:00:00:00:00:64"},
    "leaders": ["spine"], "acceptors": ["agg2", "agg3", "agg4"], "learners": ["tor2"], "replicas": ["r1", "r2"], "proposers": ["p", "r1", "r2"]
  }, {
    "name": "pods", "leader": {"address": "10.0.0.101", "mac": "02:00:00:00:00:65"},
    "leaders": ["spine"], "acceptors": ["agg1", "agg2", "agg5"], "learners": ["tor2"], "replicas": ["r1", "r2"], "proposers": ["p", "r1", "r2"]
  }]
}
`

// Pods is the application of Tree whose acceptors are in three pods.
const Pods = "pods"

// TreeHosts are the hosts of Tree.
var TreeHosts = []string{"p", "a1", "a2", "a3", "r1", "r2", "l"}

// TreeSeats has the roles be programs at hosts of Tree. The learner is at a replica, and the controller at the leader.
func TreeSeats() Seats {
	return Seats{Leader: "l", Acceptors: []string{"a1", "a2", "a3"}, Learner: "r1", Controller: "l", Replicas: []string{"r1", "r2"}, Guests: []string{"p"}}
}
