package bench

import (
	_ "embed"
	"fmt"

	"github.com/p4ce/p4ce/bench/byhand"
	"github.com/p4ce/p4ce/bench/program"
	names "github.com/p4ce/p4ce/p4/paxos"
)

//go:generate go run ../../../cmd/p4xc object hand/hand.bpf.c -o hand/hand.bpf.o

//go:embed hand/hand.bpf.o
var handObject []byte

// The layouts are those of the structs in hand.bpf.c; addresses and ports as on the wire.
type (
	handService struct {
		IP   [4]byte
		Port [4]byte
	}
	handRole  struct{ Role, App, Life uint32 }
	handApp   struct{ Life, First, Last, Next, Floor, Highest, Round, Group, Index, Members uint32 }
	handRound struct {
		App, Round uint32
		From       [4]byte
	}
	handCopy struct {
		Kind       uint32
		SMAC, DMAC [6]byte
		Src, Dst   [4]byte
		Port       [4]byte
	}
	handPort struct{ Ifindex, Prog uint32 }
)

var handUDPPort = [4]byte{byte(udpPort >> 8), byte(udpPort & 0xff)}

// newHand makes a switch of the hand-written program.
func newHand(r *role) (*device, error) {
	c, err := program.Load(handObject)
	if err != nil {
		return nil, fmt.Errorf("hand-written program: %w", err)
	}
	d := &device{role: r, hand: c}
	if err := r.hand(d); err != nil {
		return nil, err
	}
	if d.err != nil {
		c.Close()
		return nil, fmt.Errorf("%s by hand: %w", r.name, d.err)
	}
	return d, nil
}

func (d *device) put(name string, key, value any) {
	if d.err == nil {
		if err := d.hand.Maps[name].Put(key, value); err != nil {
			d.err = fmt.Errorf("map %s: %w", name, err)
		}
	}
}

// loopback stands for the interface of every port in test runs, where nothing is sent.
const loopback = 1

// handRole gives the program its role, and the copies of what it makes.
func (d *device) handRole(at names.At, where place, a handApp) {
	a.Life, a.First, a.Last, a.Round, a.Group = life, 1, last, round, group
	d.put("services", handService{where.ip(), handUDPPort}, handRole{uint32(at), application, life})
	d.put("apps", uint32(application), a)
	var copies []byhand.Copy
	for i, c := range d.role.copies {
		copies = append(copies, byhand.Copy{Port: uint16(c.to), RID: uint16(i + 1)})
		d.put("rewrites", uint32(i+1), handCopy{uint32(c.kind), c.from.mac(), c.to.mac(), c.from.ip(), c.to.ip(), handUDPPort})
	}
	if d.err == nil {
		d.err = byhand.PutGroup(d.hand.Maps, group, copies)
	}
}

func (d *device) handForwarder() error {
	var mac [8]byte
	hw := replicaAt.mac()
	copy(mac[:], hw[:])
	d.put("l2", mac, uint32(replicaAt))
	d.put("ports", uint32(replicaAt), handPort{Ifindex: loopback})
	return nil
}

func (d *device) handLeader() error {
	d.handRole(names.AtLeader, leaderAt, handApp{Next: 1})
	return nil
}

func (d *device) handAcceptor() error {
	d.handRole(names.AtAcceptor, acceptorAt, handApp{})
	d.put("owners", handRound{application, round, leaderAt.ip()}, uint32(1))
	return nil
}

func (d *device) handLearner() error {
	d.handRole(names.AtLearner, learnerAt, handApp{Members: acceptors})
	for i := range place(acceptors) {
		d.put("voters", handRound{application, round, (acceptorAt + i).ip()}, uint32(1)<<i)
	}
	return nil
}
