package kv

import (
	"bytes"
	"fmt"
	"net"
	"strconv"
	"strings"

	"github.com/p4ce/p4ce/host/kv/resp"
	"github.com/p4ce/p4ce/host/replicated"
)

// Clients of a Redis cluster ask which server has which slots, and go where MOVED says. A store with a leader answers
// them as a cluster of one shard: the leader has all slots, and the others are its replicas.

const slots = 16384

// slotOf is the slot of a key: the CRC-16 (XMODEM) of the key, or of what is between its first braces.
func slotOf(key []byte) int {
	if i := bytes.IndexByte(key, '{'); i >= 0 {
		if n := bytes.IndexByte(key[i+1:], '}'); n > 0 {
			key = key[i+1 : i+1+n]
		}
	}
	crc := uint16(0)
	for _, b := range key {
		crc ^= uint16(b) << 8
		for range 8 {
			if crc&0x8000 != 0 {
				crc = crc<<1 ^ 0x1021
			} else {
				crc <<= 1
			}
		}
	}
	return int(crc % slots)
}

// serves reports whether this server answers commands on keys.
func (s *Server) serves() bool {
	if _, ok := s.cfg.Log.(replicated.LeaderLog); !ok {
		return true
	}
	return s.leads()
}

// elsewhere is the error by which this server refuses commands on keys that it need not ask the log about, or nil.
func (s *Server) elsewhere() error {
	if s.serves() {
		return nil
	}
	leader, ok := s.cfg.Log.Leader()
	return &replicated.NotLeaderError{Known: ok, Client: leader}
}

// mode is what INFO and HELLO say.
func (s *Server) mode() string {
	if s.clustered() {
		return "cluster"
	}
	return "standalone"
}

// clustered reports whether this server answers clients of a Redis cluster.
func (s *Server) clustered() bool {
	_, ok := s.cfg.Log.(replicated.LeaderLog)
	return ok && s.cfg.Cluster != nil
}

// shardNode is a server as clients of a cluster see it.
type shardNode struct {
	id, host string
	port     int
	leads    bool
	me       bool
}

// shard returns the servers of the store, the leader first. leader is false if none is known.
func (s *Server) shard() (nodes []shardNode, leader bool) {
	lead, known := s.cfg.Log.Leader()
	for _, m := range s.cfg.Cluster.Members() {
		id, rest, _ := strings.Cut(m, "=")
		_, client, _ := strings.Cut(rest, ",")
		host, port, err := net.SplitHostPort(client)
		n, err2 := strconv.Atoi(port)
		if err != nil || err2 != nil {
			continue // nobody has said where it serves clients
		}
		number, _ := strconv.ParseUint(id, 10, 64)
		node := shardNode{id: fmt.Sprintf("%040x", number), host: host, port: n, leads: known && client == lead, me: client == s.cfg.Client}
		if node.leads {
			nodes, leader = append([]shardNode{node}, nodes...), true
		} else {
			nodes = append(nodes, node)
		}
	}
	return nodes, leader
}

// shards executes the subcommands of CLUSTER that clients of a cluster send.
func (c *client) shards(name string, r *request) string {
	if !c.s.clustered() {
		return "ERR This instance has cluster support disabled"
	}
	nodes, leader := c.s.shard()
	switch name {
	case "info":
		c.page(clusterInfo(nodes, leader))
	case "keyslot":
		c.w.WriteInt(slotOf(r.args[1]))
	case "myid":
		for _, n := range nodes {
			if n.me {
				c.w.WriteBulkString(n.id)
				return ""
			}
		}
		return "ERR this server is no member of the store"
	case "nodes":
		var b strings.Builder
		for _, n := range nodes {
			b.WriteString(n.line(nodes, leader))
		}
		c.page(b.String())
	case "slots":
		if !leader {
			c.w.WriteArray(0)
			return ""
		}
		c.w.WriteArray(1)
		c.w.WriteArray(2 + len(nodes))
		c.w.WriteInt(0)
		c.w.WriteInt(slots - 1)
		for _, n := range nodes {
			c.w.WriteArray(4)
			c.w.WriteBulkString(n.host)
			c.w.WriteInt(n.port)
			c.w.WriteBulkString(n.id)
			c.w.WriteArray(0)
		}
	case "shards":
		c.w.WriteArray(1)
		c.pairs(2)
		c.w.WriteBulkString("slots")
		if leader {
			c.w.WriteArray(2)
			c.w.WriteInt(0)
			c.w.WriteInt(slots - 1)
		} else {
			c.w.WriteArray(0)
		}
		c.w.WriteBulkString("nodes")
		c.w.WriteArray(len(nodes))
		for _, n := range nodes {
			c.pairs(7)
			for _, f := range [][2]string{{"id", n.id}, {"ip", n.host}, {"endpoint", n.host}, {"role", n.role()}, {"health", "online"}} {
				c.w.WriteBulkString(f[0])
				c.w.WriteBulkString(f[1])
			}
			c.w.WriteBulkString("port")
			c.w.WriteInt(n.port)
			c.w.WriteBulkString("replication-offset")
			c.w.WriteInt(0)
		}
	}
	return ""
}

func (n *shardNode) role() string {
	if n.leads {
		return "master"
	}
	return "replica"
}

// line is a line of CLUSTER NODES.
func (n *shardNode) line(nodes []shardNode, leader bool) string {
	flags, of, has := "slave", "-", ""
	switch {
	case n.leads:
		flags, has = "master", fmt.Sprintf(" 0-%d", slots-1)
	case leader:
		of = nodes[0].id
	}
	if n.me {
		flags = "myself," + flags
	}
	return fmt.Sprintf("%s %s@0 %s %s 0 0 1 connected%s\n", n.id, net.JoinHostPort(n.host, strconv.Itoa(n.port)), flags, of, has)
}

func clusterInfo(nodes []shardNode, leader bool) string {
	state, assigned := "fail", 0
	if leader {
		state, assigned = "ok", slots
	}
	return fmt.Sprintf("cluster_enabled:1\r\ncluster_state:%s\r\ncluster_slots_assigned:%d\r\ncluster_slots_ok:%[2]d\r\n"+
		"cluster_slots_pfail:0\r\ncluster_slots_fail:0\r\ncluster_known_nodes:%d\r\ncluster_size:1\r\n", state, assigned, len(nodes))
}

// role executes ROLE.
func (c *client) role() {
	var nodes []shardNode
	leader := false
	if c.s.clustered() {
		nodes, leader = c.s.shard()
	}
	if c.s.serves() {
		others := 0
		for _, n := range nodes {
			if !n.leads {
				others++
			}
		}
		c.w.WriteArray(3)
		c.w.WriteBulkString("master")
		c.w.WriteInt(0)
		c.w.WriteArray(others)
		for _, n := range nodes {
			if !n.leads {
				c.w.WriteArray(3)
				c.w.WriteBulkString(n.host)
				c.w.WriteBulkString(strconv.Itoa(n.port))
				c.w.WriteBulkString("0")
			}
		}
		return
	}
	host, port, state := "", 0, "connect"
	if leader {
		host, port, state = nodes[0].host, nodes[0].port, "connected"
	}
	c.w.WriteArray(5)
	c.w.WriteBulkString("slave")
	c.w.WriteBulkString(host)
	c.w.WriteInt(port)
	c.w.WriteBulkString(state)
	c.w.WriteInt(0)
}

// wait executes WAIT: a write is answered when a majority of the servers has it, so it need not wait.
func (c *client) wait(r *request) string {
	for _, a := range r.args {
		if n, ok := resp.ParseInt(a); !ok || n < 0 {
			return textNotInteger
		}
	}
	others := 0
	if c.s.clustered() {
		if err := c.s.elsewhere(); err != nil {
			text, _ := c.s.describe(err, r)
			return text
		}
		others = len(c.s.cfg.Cluster.Members()) / 2
	}
	c.w.WriteInt(others)
	return ""
}
