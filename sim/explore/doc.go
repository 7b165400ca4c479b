// Package explore looks at every order in which things can happen in a small world.
//
//	World ──Actions──▶ what can happen next      Search  every state, the shortest way to each
//	      ──Do───────▶ … happens                 Walk    random ways, where there are too many states
//	      ──Append───▶ the state, as bytes       Chart   one way again, as a chart
//
// A world is real programs, their memories and what is in flight between them; it
// knows no sockets, clocks or threads. A state is its canonical bytes: two worlds with
// the same bytes can do the same, and are one state. Search goes through the states
// breadth first, so that the first violation it finds is a shortest one. It keeps 16
// bytes of hash and a parent for each state, and makes a state anew from its parent
// when its turn comes: neighbours share most of their way, and a world that can be
// cloned is made with two or three steps on average.
//
// # Properties
//
// "Always": Do returns an error when a step or the state behind it must not be. A
// panic is one, too.
//
// "Sometimes": a world names its goals and says which it has reached. A search that is
// complete and has missed one has proved nothing about what should have happened
// there, and fails.
//
// # What a result says
//
// Complete means: every state that can be reached within the world's own bounds (how
// many faults, messages, proposals; they are printed) was seen, and no property was
// violated in any. A search that met a bound of its own (states, depth, time) says so
// and is not complete. Hashes have 128 bits: of ten million states two fall together
// with a probability of 10^-25.
package explore
