// Package rig is what simulations of the decision protocol (mu/chaos, explore/consensus) make of servers, and ask
// of what they hold.
package rig
