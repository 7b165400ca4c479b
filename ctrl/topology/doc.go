// Package topology describes how the switches of a controller are wired: switches, the links
// between their ports, and the hosts at other ports. It says which port of each switch leads to
// every other switch and host. The path is one of the shortest, and always the same one (breadth
// first, links in the given order).
//
//	host r1 ---8 t 1---1 l          Switch, Link, Host
//	             2 ----1 a1         Network.Port("a1", "r1") is 1
//
// Routes does more: all ports of the shortest paths (ECMP), up-down routing where switches have
// levels, the paths that remain when links and switches have failed, the path that a flow picks,
// and the tree by which a group's packets reach their receivers (Tree).
//
// The package knows names and ports only, and no program.
package topology
