// Package topology is what a controller of several switches knows about how they are wired:
// switches, the links between their ports, and the hosts at others. It says by which port of
// each switch everybody else is reached: by one of the shortest paths, always the same one
// (breadth first, links in the order in which they were given).
//
//	host r1 ---8 t 1---1 l          Switch, Link, Host
//	             2 ----1 a1         Network.Port("a1", "r1") is 1
//
// Routes is the same with everything: all ports of the shortest ways (ECMP), up-down routing
// where switches have levels, what is left when links and switches have failed, the way
// that a flow picks, and the tree by which a group's packets reach their receivers (Tree).
//
// Nothing here is about a program: names and ports only.
package topology
