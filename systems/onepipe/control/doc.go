// Package control is the controller's part of 1Pipe: which links are inputs of which switch, what
// counts for what, and where processes are.
//
//	Config: topology with levels --> plan of a switch: inputs, members, outputs, senders, l2 --> App
//
// What is below and above is the topology's levels. A switch has inputs at its ports, in a tree of four
// groups of four: links from below in the first half, links from above in the second. A switch
// with nothing above uses all of it for what is below.
package control
