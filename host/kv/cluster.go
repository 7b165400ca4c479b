package kv

import (
	"context"
	"errors"
	"time"

	"github.com/p4ce/p4ce/host/kv/resp"
	"github.com/p4ce/p4ce/host/replicated"
)

// Cluster changes the servers of a store; see command CLUSTER.
type Cluster interface {
	// Members describes the servers, one string each, in the form that Add takes.
	Members() []string
	// Add brings a new server up to date and makes it a member. It returns when the change is decided.
	Add(ctx context.Context, member string) error
	// Remove removes the server with this id.
	Remove(ctx context.Context, id string) error
}

// cluster executes CLUSTER.
func (c *client) cluster(r *request) string {
	name, text := subcommand(r, map[string][2]int{"add": {1, 1}, "help": {0, 0}, "info": {0, 0}, "keyslot": {1, 1}, "members": {0, 0},
		"myid": {0, 0}, "nodes": {0, 0}, "remove": {1, 1}, "shards": {0, 0}, "slots": {0, 0}})
	switch {
	case text != "":
		return text
	case name == "help":
		c.help("CLUSTER MEMBERS", "    Return the servers of the store.",
			"CLUSTER ADD <id=address[+second],client>", "    Bring a new server up to date, and make it a member (on the leader).",
			"CLUSTER REMOVE <id>", "    Remove a server (on the leader).",
			"CLUSTER INFO | KEYSLOT <key> | MYID | NODES | SHARDS | SLOTS", "    Return what clients of a Redis cluster ask for: the leader has all slots.")
		return ""
	case name == "info" || name == "keyslot" || name == "myid" || name == "nodes" || name == "shards" || name == "slots":
		return c.shards(name, r)
	case c.s.cfg.Cluster == nil:
		return "ERR this server has no cluster to change"
	}
	ctx, cancel := context.WithTimeout(context.Background(), clusterTimeout)
	defer cancel()
	var err error
	switch name {
	case "members":
		members := c.s.cfg.Cluster.Members()
		c.w.WriteArray(len(members))
		for _, m := range members {
			c.w.WriteBulkString(m)
		}
		return ""
	case "add":
		err = c.s.cfg.Cluster.Add(ctx, string(r.args[1]))
	case "remove":
		err = c.s.cfg.Cluster.Remove(ctx, string(r.args[1]))
	}
	if err != nil {
		return c.s.clusterError(err)
	}
	c.w.WriteString("OK")
	return ""
}

// clusterTimeout limits the time for bringing a new server up to date.
const clusterTimeout = 10 * time.Minute

// clusterError is the reply to a change that was not made, or perhaps was not made.
func (s *Server) clusterError(err error) string {
	var not *replicated.NotLeaderError
	switch {
	case errors.As(err, &not):
		text, _ := s.describe(err, nil)
		return text
	case errors.Is(err, replicated.ErrUnknownOutcome):
		return resp.OneLine("UNKNOWN " + err.Error())
	}
	return resp.OneLine("ERR " + err.Error())
}
