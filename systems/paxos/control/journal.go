package control

import (
	"bufio"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/sys/unix"

	"github.com/p4ce/p4ce/ctrl/fleet"
	"github.com/p4ce/p4ce/host/durable"
	"github.com/p4ce/p4ce/link/files"
)

// Member is an acceptor of a round: the switch, in one of its lives.
type Member struct {
	Switch string `json:"switch"`
	Life   uint32 `json:"life"`
}

// Term is a round and who its acceptors are. A member's place is its bit.
type Term struct {
	Round   uint32   `json:"round"`
	Members []Member `json:"members"`
}

// What a Record says.
const (
	recordLife  = "life"  // Switch gets Life, in the application App
	recordRound = "round" // Round is used, for gaps
	recordBegin = "begin" // Round is used, to take over with Members
	recordLead  = "lead"  // Switch leads in Round; Members have what came before
	recordServe = "serve" // Switch leads in Round from First on; what is below may be known to members of before alone
	recordTrim  = "trim"  // First is the lowest instance
	recordRing  = "ring"  // Ring instances may be under way
	recordAnew  = "anew"  // what follows says the same as everything before
)

// Record is what is durable before it is acted upon.
type Record struct {
	Kind    string   `json:"kind"`
	App     string   `json:"app"`
	Switch  string   `json:"switch,omitempty"`
	Life    uint32   `json:"life,omitempty"`
	Round   uint32   `json:"round,omitempty"`
	First   uint32   `json:"first,omitempty"`
	Ring    uint32   `json:"ring,omitempty"`
	Members []Member `json:"members,omitempty"`
}

// ledger is what the records of one application add up to.
type ledger struct {
	round   uint32            // the highest handed out: none up to it is used again
	lives   map[string]uint32 // the last life of each switch
	given   map[uint32]string // every life, and whose it is
	active  *Term             // the last one that was completed,
	leader  string            // and who leads in it
	before  [][]Member        // members of before active, who may know alone what was chosen
	from    uint32            // below this instance; from it on they have chosen nothing, and never will
	pending []Term            // begun since: what was voted in them may have been chosen
	first   uint32            // the lowest instance; what is below is in checkpoints
	ring    uint32            // instances that may be under way; 0: not chosen yet
}

// olderRing is the ring of a journal of a build that did not record it: it is recorded before the first
// round otherwise.
const olderRing = 1 << 14

func newLedger() *ledger {
	return &ledger{lives: map[string]uint32{}, given: map[uint32]string{}, first: 1}
}

func (d *ledger) apply(r Record) {
	switch r.Kind {
	case recordLife:
		d.lives[r.Switch], d.given[r.Life] = r.Life, r.Switch
	case recordRound:
		d.round = max(d.round, r.Round)
	case recordBegin:
		d.round = max(d.round, r.Round)
		d.pending = append(d.pending, Term{r.Round, r.Members})
		d.ring = cmp.Or(d.ring, olderRing)
	case recordLead:
		d.before, d.from = nil, 0
		d.lead(r)
	case recordServe:
		d.before, d.from = d.others(r.Members), r.First
		d.lead(r)
	case recordTrim:
		d.first = r.First
	case recordRing:
		d.ring = r.Ring
	}
}

func (d *ledger) lead(r Record) {
	d.active, d.leader = &Term{r.Round, r.Members}, r.Switch
	d.ring = cmp.Or(d.ring, olderRing)
	d.pending = slices.DeleteFunc(d.pending, func(t Term) bool { return t.Round <= r.Round })
}

// configurations are those that may have chosen something, each once, the oldest first.
func (d *ledger) configurations() (out [][]Member) {
	add := func(m []Member) {
		if !slices.ContainsFunc(out, func(o []Member) bool { return slices.Equal(o, m) }) {
			out = append(out, m)
		}
	}
	for _, m := range d.before {
		add(m)
	}
	if d.active != nil {
		add(d.active.Members)
	}
	for _, t := range d.pending {
		add(t.Members)
	}
	return out
}

// others are those besides one.
func (d *ledger) others(members []Member) [][]Member {
	return slices.DeleteFunc(d.configurations(), func(m []Member) bool { return slices.Equal(m, members) })
}

// records say the same as all that have been applied.
func (d *ledger) records(app string) (out []Record) {
	for life, sw := range d.given {
		if d.lives[sw] != life {
			out = append(out, Record{Kind: recordLife, App: app, Switch: sw, Life: life})
		}
	}
	for sw, life := range d.lives {
		out = append(out, Record{Kind: recordLife, App: app, Switch: sw, Life: life})
	}
	out = append(out, Record{Kind: recordRound, App: app, Round: d.round}, Record{Kind: recordTrim, App: app, First: d.first})
	if d.ring != 0 {
		out = append(out, Record{Kind: recordRing, App: app, Ring: d.ring})
	}
	for i, members := range d.before { // each makes those above it members of before
		kind := recordServe
		if i == 0 {
			kind = recordLead
		}
		out = append(out, Record{Kind: kind, App: app, Members: members})
	}
	if d.active != nil {
		lead := Record{Kind: recordLead, App: app, Switch: d.leader, Round: d.active.Round, Members: d.active.Members}
		if len(d.before) > 0 {
			lead.Kind, lead.First = recordServe, d.from
		}
		out = append(out, lead)
	}
	for _, t := range d.pending {
		out = append(out, Record{Kind: recordBegin, App: app, Round: t.Round, Members: t.Members})
	}
	return out
}

// Journal keeps records. Append returns when the record is safe; after an error nothing
// more may be done, but for one that is store.ErrNoSpace: then the record is not stored, and may be given again.
//
// A Core may be given a Journal that returns before, if whoever carries out what the Core wants holds it back until
// the record is safe (fleet.Gate).
type Journal = fleet.Journal[Record]

// FileJournal keeps records in a durable.Log, as JSON. While it is open the folder is
// locked: two controllers with one journal would hand out the same rounds.
type FileJournal struct {
	lock *os.File
	log  *durable.Log
	list []Record
}

const (
	logFolder = "log"     // in the folder
	olderName = "journal" // the file of a build that had lines
	forgotten = "[it is damaged: it may lack rounds that were given out]"
)

// OpenJournal opens the journal in a folder, which is made when it does not exist, and
// shortens it to what still matters.
func OpenJournal(dir string) (_ *FileJournal, err error) {
	if err := durable.MakeDir(durable.Disk, dir); err != nil {
		return nil, fmt.Errorf("journal: %w", err)
	}
	if err := files.Private(dir); err != nil {
		return nil, fmt.Errorf("journal: %w", err)
	}
	lock, err := os.OpenFile(filepath.Join(dir, "lock"), os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, fmt.Errorf("journal: %w", err)
	}
	if err := unix.Flock(int(lock.Fd()), unix.LOCK_EX|unix.LOCK_NB); err != nil {
		return nil, errors.Join(fmt.Errorf("journal: folder %s is in use [is another controller running with it?]: %w", dir, err), lock.Close())
	}
	j, err := openJournal(durable.Disk, dir)
	if err != nil {
		return nil, errors.Join(err, lock.Close())
	}
	j.lock = lock
	return j, nil
}

func openJournal(f durable.FS, dir string) (_ *FileJournal, err error) {
	j := &FileJournal{}
	defer func() {
		if errors.Is(err, durable.ErrDamaged) {
			err = fmt.Errorf("%w %s", err, forgotten)
		}
		if err != nil && j.log != nil {
			err = errors.Join(err, j.log.Close())
		}
	}()
	var old []Record
	j.log, err = durable.OpenLog(f, filepath.Join(dir, logFolder), "journal of a controller of p4/paxos", func(_ uint64, b []byte) error {
		var r Record
		if err := json.Unmarshal(b, &r); err != nil {
			return fmt.Errorf("record %.40q: %w: %w", b, durable.ErrDamaged, err)
		}
		if r.Kind == recordAnew {
			old = nil
			return nil
		}
		old = append(old, r)
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("journal: %w", err)
	}
	older := filepath.Join(dir, olderName)
	if j.log.Segment() == 0 {
		if old, err = readOlder(f, older); err != nil {
			return nil, err
		}
	}
	j.list = shortened(old)
	records := make([][]byte, 0, 1+len(j.list))
	for _, r := range append([]Record{{Kind: recordAnew}}, j.list...) {
		b, err := json.Marshal(r)
		if err != nil {
			return nil, fmt.Errorf("journal: %w", err)
		}
		records = append(records, b)
	}
	if err := j.log.Begin(records...); err != nil {
		return nil, fmt.Errorf("journal: %w", err)
	}
	if err := j.log.Drop(j.log.Segment()); err != nil {
		return nil, fmt.Errorf("journal: %w", err)
	}
	if err := durable.Remove(f, older); err != nil {
		return nil, fmt.Errorf("journal: %w", err)
	}
	return j, nil
}

// readOlder reads the file of a build that had lines, "CRC RECORD": the CRC-32 (IEEE) of the
// record in hexadecimal, and the record as JSON. One that does not exist has no records.
func readOlder(f durable.FS, name string) (out []Record, err error) {
	file, err := f.Open(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("journal: %w", err)
	}
	defer file.Close()
	in := bufio.NewReader(file)
	for n := 1; ; n++ {
		line, err := in.ReadString('\n')
		if errors.Is(err, io.EOF) {
			return out, nil // what was being written when the power failed
		}
		if err != nil {
			return nil, fmt.Errorf("journal: %s: %w", name, err)
		}
		r, err := parseLine(strings.TrimSuffix(line, "\n"))
		if err != nil {
			return nil, fmt.Errorf("journal: %s: line %d: %w: %w", name, n, err, durable.ErrDamaged)
		}
		out = append(out, r)
	}
}

func parseLine(line string) (r Record, err error) {
	sum, text, _ := strings.Cut(line, " ")
	if want := fmt.Sprintf("%08x", crc32.ChecksumIEEE([]byte(text))); sum != want {
		return r, errors.New("the checksum is wrong")
	}
	return r, json.Unmarshal([]byte(text), &r)
}

// shortened are the fewest records that say what all of them do.
func shortened(list []Record) (out []Record) {
	var order []string
	apps := map[string]*ledger{}
	for _, r := range list {
		if apps[r.App] == nil {
			apps[r.App] = newLedger()
			order = append(order, r.App)
		}
		apps[r.App].apply(r)
	}
	for _, a := range order {
		out = append(out, apps[a].records(a)...)
	}
	return out
}

// Append implements Journal: it returns when the record is on the disk.
func (j *FileJournal) Append(r Record) error {
	b, err := json.Marshal(r)
	if err == nil {
		err = j.log.Append(b)
	}
	if err != nil {
		return fmt.Errorf("journal: %w", err)
	}
	return nil
}

// Records implements Journal: those that were there when it was opened.
func (j *FileJournal) Records() []Record { return j.list }

// Close unlocks the folder.
func (j *FileJournal) Close() error {
	err := j.log.Close()
	if j.lock != nil {
		err = errors.Join(err, j.lock.Close())
	}
	return err
}
