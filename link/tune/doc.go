// Package tune gives a network interface what a program needs of it, and puts it back at the end.
//
//	Lacks      what an interface lacks for a use: why, how bad it is, and the command that mends it. Pure: the doctor
//	           prints this list, and nothing else judges an interface
//	Take       changes what can be changed back without anybody noticing (offloads, promiscuous mode, up), and
//	           refuses what it does not change (MTU, queues, another program), with the command
//	Close      puts back what Take has changed, once no other program relies on it
//	Refused    why the kernel did not take a program, in words
//
// What was there before is kept in a file for each interface, below /run/p4ce/interfaces for root. Who relies on an
// interface holds a lock on its file, and the last one puts back. So two programs may share an interface, and what a
// killed program has changed is put back by the next one that ends. The file is named after the network namespace and
// the index of the interface, of which the kernel gives none twice.
package tune
