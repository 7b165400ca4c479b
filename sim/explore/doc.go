// Package explore tries every order of events in a small world.
//
//	World ──Actions──▶ what can happen next      Search  every state, the shortest path to each
//	      ──Do───────▶ … happens                 Walk    random paths, where there are too many states
//	      ──Append───▶ the state, as bytes       Chart   one path again, as a chart
//
// A world is real programs, their memories, and the messages in flight between them. It has no
// sockets, clocks or threads. A state is its canonical bytes: two worlds with the same bytes can do
// the same, and are one state. Search visits the states breadth first, so the first violation that
// it finds is a shortest one. For each state it keeps 16 bytes of hash and a parent, and rebuilds
// the state from its parent when its turn comes. Neighbours share most of their path, so a world
// that can be cloned needs two or three steps on average.
//
// A kind of action is a Row: its name, how often it may still happen, which of it can happen now, and
// what it does. A world's Actions, Name and Do are those of its Rows.
//
// # Properties
//
// "Always": Do returns an error when a step, or the state after it, violates a property. A panic is
// a violation, too.
//
// "Sometimes": a world names its goals, and reports which it has reached. A complete search that
// has missed a goal has proved nothing about what should have happened there, and fails.
//
// # What a result says
//
// Complete means that the search has seen every state that can be reached within the world's own
// bounds (numbers of faults, messages, proposals; they are printed), and that no state violates a
// property. A search that has reached a bound of its own (states, depth, time) says so, and is not
// complete. Hashes have 128 bits: two of ten million states have the same hash with a probability
// of 10^-25.
package explore
