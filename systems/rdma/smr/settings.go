package smr

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"slices"

	"github.com/p4ce/p4ce/host/durable"
	"github.com/p4ce/p4ce/systems/rdma/mu"
)

// settings are those settings of a server by which it has promised something to others. They are on
// disk before the first promise. A server that starts compares them: either the promises of another
// life bind this one, or the server does not start. (The length of leases is in the journal, beside
// the other promises. The members are in the state.)
type settings struct {
	Protocol int    `json:"protocol"` // version of the protocol between servers, and of the journal's entries
	ID       mu.ID  `json:"id"`
	Cluster  uint64 `json:"cluster"`
	LogSize  int    `json:"log_size"`
	Journal  bool   `json:"journal"`
	Salt     []byte `json:"salt"`
	Token    string `json:"token"` // a checksum by which it is recognised later
}

func (n *Node) settings(salt []byte) settings {
	mac := hmac.New(sha256.New, salt)
	_ = binary.Write(mac, binary.BigEndian, n.cfg.Token)
	return settings{protocolVersion, n.cfg.ID, n.cfg.Cluster, n.cfg.LogSize, n.cfg.Journal != "", salt, hex.EncodeToString(mac.Sum(nil)[:8])}
}

// checkSettings compares the settings of this life with those of the one before, and stores them.
func (n *Node) checkSettings(st state) error {
	path := n.cfg.Settings
	if path == "" {
		return nil
	}
	b, err := durable.Get(durable.Disk, path)
	if errors.Is(err, fs.ErrNotExist) {
		salt := make([]byte, 16)
		_, _ = rand.Read(salt) // it never fails
		return n.keepSettings(n.settings(salt))
	}
	var was settings
	if err == nil {
		if e := json.Unmarshal(b, &was); e != nil {
			err = fmt.Errorf("%s: %w: %w", path, durable.ErrDamaged, e)
		}
	}
	if errors.Is(err, durable.ErrDamaged) {
		return fmt.Errorf("settings: %w (the owner of this folder cannot be determined; to have the other servers bring this one up to date, as a server that has forgotten, empty the folder)", err)
	}
	if err != nil {
		return fmt.Errorf("settings: %w", err)
	}
	is := n.settings(was.Salt)
	switch {
	case was.Protocol > is.Protocol:
		return fmt.Errorf("settings: a newer build used the folder, with protocol version %d (this build has %d): use that build", was.Protocol, is.Protocol)
	case was.ID != is.ID:
		return fmt.Errorf("settings: the folder is that of server %d, and this one is server %d: the promises of server %d would be lost, or become those of another server (start it with its id, or server %d with an empty folder)", was.ID, is.ID, was.ID, is.ID)
	case was.Cluster != is.Cluster:
		return fmt.Errorf("settings: the folder is that of a server of cluster %d, not %d (start it with that number, or with an empty folder; force-new-cluster makes a new cluster of one server's folder)", was.Cluster, is.Cluster)
	case was.LogSize != is.LogSize && (is.Journal || was.Journal):
		return fmt.Errorf("settings: the log has %d bytes, and the journal is of a log with %d (start it with that size; to change the size, start all servers without a journal, then with the new size)", is.LogSize, was.LogSize)
	}
	if was.LogSize != is.LogSize {
		n.log.Warn("the size of the log has changed: servers with another size do not connect", "was", was.LogSize, "is", is.LogSize)
	}
	if was.Token != is.Token {
		n.log.Warn("the token has changed: servers with the old one cannot connect; the other servers and the controller of the switch must have the new one")
	}
	if !was.Journal && is.Journal {
		n.log.Warn("from now on this server has a journal; the other servers must have one, too. It counts as a server that has forgotten until the leader has brought it up to date")
	}
	if ids := memberIDs(n.cfg.Members); len(ids) > 0 && len(st.Members) > 0 && !slices.Equal(ids, memberIDs(st.Members)) {
		n.log.Warn("--member names the members of a new cluster: this cluster has other members, and keeps them", "named", ids, "members", memberIDs(st.Members))
	}
	return n.keepSettings(is)
}

func (n *Node) keepSettings(s settings) error {
	b, err := json.MarshalIndent(s, "", "  ")
	if err == nil {
		err = durable.Put(durable.Disk, n.cfg.Settings, b)
	}
	if err != nil {
		return fmt.Errorf("settings: %w", err)
	}
	return nil
}

func memberIDs(members []Member) (ids []mu.ID) {
	for _, m := range members {
		ids = append(ids, m.ID)
	}
	slices.Sort(ids)
	return ids
}
