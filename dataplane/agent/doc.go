// Package agent is the switch daemon: a target with its ports, the P4Runtime
// server in front of it, and metrics. It is what `p4ce switch` runs.
//
//	ports ── target (xdp | interp) ── P4Runtime ── controllers
//	              \________ /metrics, /healthz ____ Prometheus
//
// The agent starts without a program: a controller pushes one. Run returns when its context ends or
// a part fails. It leaves nothing behind: it tells the clients, releases the ports and closes the
// sockets.
package agent
