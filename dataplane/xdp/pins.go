package xdp

import (
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/cilium/ebpf"
	"github.com/cilium/ebpf/link"
	"golang.org/x/sys/unix"

	"github.com/p4ce/p4ce/bpf/gen"
	"github.com/p4ce/p4ce/dataplane"
	"github.com/p4ce/p4ce/link/tune"
)

// pins is a folder in a BPF file system that keeps a data plane alive without its
// agent:
//
//	pipeline/  the running pipeline: program-NAME, map-NAME, and config, a map whose
//	           only value is what dataplane.Pipeline.Config was
//	next/      one that is being loaded; the rest of a process that was killed
//	ports/N    the link that attaches the ingress program to port N
//
// A pipeline becomes the running one by a rename. Whoever holds the lock on the
// folder owns it; the lock ends with the process.
type pins struct {
	dir  string
	lock *os.File
}

// pinned are the programs that packets run.
var pinned = []string{"ingress", "egress"}

// openPins takes a folder, making it if it does not exist.
func openPins(dir string) (*pins, error) {
	if err := os.MkdirAll(filepath.Join(dir, "ports"), 0o700); err != nil {
		if errors.Is(err, fs.ErrPermission) {
			return nil, fmt.Errorf("pins: folder %s (it must be in a BPF file system; names in one have no dots): %w", dir, err)
		}
		return nil, fmt.Errorf("pins: %w", err)
	}
	var st unix.Statfs_t
	if err := unix.Statfs(dir, &st); err != nil {
		return nil, fmt.Errorf("pins: folder %s: %w", dir, err)
	}
	if int64(st.Type) != unix.BPF_FS_MAGIC {
		return nil, fmt.Errorf("pins: folder %s is not in a BPF file system (mount -t bpf bpf /sys/fs/bpf, and choose a folder below it)", dir)
	}
	f, err := os.Open(dir)
	if err != nil {
		return nil, fmt.Errorf("pins: %w", err)
	}
	if err := unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB); err != nil {
		f.Close()
		return nil, fmt.Errorf("pins: folder %s is in use by another switch (stop that one, or choose another folder): %w", dir, err)
	}
	return &pins{dir, f}, nil
}

func (p *pins) close() { p.lock.Close() }

func (p *pins) port(n dataplane.Port) string {
	return filepath.Join(p.dir, "ports", strconv.Itoa(int(n)))
}

// Detach ends a data plane that runs under a folder: it detaches the programs from their
// interfaces.
func Detach(dir string) error {
	if _, err := os.Stat(filepath.Join(dir, "ports")); err != nil {
		return fmt.Errorf("pins: folder %s holds no data plane: %w", dir, err)
	}
	p, err := openPins(dir)
	if err != nil {
		return err
	}
	defer p.close()
	if _, err := p.prune(nil); err != nil {
		return err
	}
	if err := os.RemoveAll(dir); err != nil {
		return fmt.Errorf("pins: %w", err)
	}
	return nil
}

// mapFile is the name under which a map is pinned: there are no dots in a BPF file
// system.
func mapFile(name string) string { return "map-" + strings.ReplaceAll(name, ".", "_") }

// store pins a pipeline as the next one.
func (p *pins) store(pl *pipeline, config []byte) error {
	dir := filepath.Join(p.dir, "next")
	if err := os.RemoveAll(dir); err != nil {
		return fmt.Errorf("pins: %w", err)
	}
	if err := os.Mkdir(dir, 0o700); err != nil {
		return fmt.Errorf("pins: %w", err)
	}
	for name, m := range pl.coll.Maps {
		if err := m.Pin(filepath.Join(dir, mapFile(name))); err != nil {
			return fmt.Errorf("pins: map %s: %w", name, err)
		}
	}
	for _, name := range pinned {
		if err := pl.coll.Programs[name].Pin(filepath.Join(dir, "program-"+name)); err != nil {
			return fmt.Errorf("pins: program %s: %w", name, err)
		}
	}
	// The size of the value is that of what is in it.
	m, err := ebpf.NewMap(&ebpf.MapSpec{Name: "config", Type: ebpf.Array, KeySize: 4, ValueSize: uint32(max(1, len(config))), MaxEntries: 1})
	if err != nil {
		return fmt.Errorf("pins: config of %d bytes: %w", len(config), err)
	}
	defer m.Close()
	if len(config) > 0 {
		if err := m.Put(uint32(0), config); err != nil {
			return fmt.Errorf("pins: config: %w", err)
		}
	}
	if err := m.Pin(filepath.Join(dir, "config")); err != nil {
		return fmt.Errorf("pins: config: %w", err)
	}
	return nil
}

// commit makes the next pipeline the running one.
func (p *pins) commit() error {
	running := filepath.Join(p.dir, "pipeline")
	err := os.RemoveAll(running)
	if err == nil {
		err = os.Rename(filepath.Join(p.dir, "next"), running)
	}
	if err != nil {
		return fmt.Errorf("pins: %w", err)
	}
	return nil
}

// abandon takes the next pipeline back.
func (p *pins) abandon() { _ = os.RemoveAll(filepath.Join(p.dir, "next")) }

// config returns the configuration of the running pipeline, nil if there is none.
func (p *pins) config() ([]byte, error) {
	m, err := ebpf.LoadPinnedMap(filepath.Join(p.dir, "pipeline", "config"), nil)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("pins: config: %w", err)
	}
	defer m.Close()
	config, err := m.LookupBytes(uint32(0))
	if err != nil {
		return nil, fmt.Errorf("pins: config: %w", err)
	}
	return config, nil
}

// load opens the running pipeline, which must be of this object.
func (p *pins) load(spec *ebpf.CollectionSpec) (*ebpf.Collection, error) {
	coll := &ebpf.Collection{Programs: map[string]*ebpf.Program{}, Maps: map[string]*ebpf.Map{}}
	dir := filepath.Join(p.dir, "pipeline")
	for name, ms := range spec.Maps {
		m, err := ebpf.LoadPinnedMap(filepath.Join(dir, mapFile(name)), nil)
		if err != nil {
			coll.Close()
			return nil, fmt.Errorf("pins: map %s: %w", name, err)
		}
		coll.Maps[name] = m
		if m.Type() != ms.Type || m.KeySize() != ms.KeySize || m.ValueSize() != ms.ValueSize && ms.Type != ebpf.PerfEventArray || m.MaxEntries() != ms.MaxEntries && ms.Type != ebpf.PerfEventArray {
			coll.Close()
			return nil, fmt.Errorf("pins: map %s does not belong to this program", name)
		}
	}
	for _, name := range pinned {
		prog, err := ebpf.LoadPinnedProgram(filepath.Join(dir, "program-"+name), nil)
		if err != nil {
			coll.Close()
			return nil, fmt.Errorf("pins: program %s: %w", name, err)
		}
		coll.Programs[name] = prog
	}
	return coll, nil
}

// link returns the link of a port, nil if there is none for this interface.
func (p *pins) link(n dataplane.Port, ifindex int) (link.Link, error) {
	file := p.port(n)
	l, err := link.LoadPinnedLink(file, nil)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("pins: port %d: %w", n, err)
	}
	if linkInterface(l) == ifindex {
		return l, nil
	}
	// The interface has been replaced: the link is attached to nothing, or to what
	// is not the port any more.
	err = errors.Join(os.Remove(file), l.Close())
	if err != nil {
		return nil, fmt.Errorf("pins: port %d: %w", n, err)
	}
	return nil, nil
}

// restore puts the program of the running pipeline back on a link.
func (p *pins) restore(l link.Link) {
	prog, err := ebpf.LoadPinnedProgram(filepath.Join(p.dir, "pipeline", "program-ingress"), nil)
	if err != nil {
		return // none runs
	}
	defer prog.Close()
	_ = l.Update(prog)
}

// linkInterface is the index of the interface that a link is attached to, 0 when
// that is gone.
func linkInterface(l link.Link) int {
	info, err := l.Info()
	if err != nil || info.XDP() == nil {
		return 0
	}
	return int(info.XDP().Ifindex)
}

// prune detaches ports that are none any more and returns their interfaces.
func (p *pins) prune(keep map[dataplane.Port]*port) ([]int, error) {
	files, err := os.ReadDir(filepath.Join(p.dir, "ports"))
	if err != nil {
		return nil, fmt.Errorf("pins: %w", err)
	}
	var gone []int
	for _, f := range files {
		n, err := strconv.Atoi(f.Name())
		if pt := keep[dataplane.Port(n)]; err == nil && pt != nil && !pt.info.CPU {
			continue
		}
		file := filepath.Join(p.dir, "ports", f.Name())
		if l, err := link.LoadPinnedLink(file, nil); err == nil {
			gone = append(gone, linkInterface(l))
			err = l.Detach() // at once: without a pin it would be some time later
			l.Close()
			if err != nil {
				return nil, fmt.Errorf("pins: port %s: detach: %w", f.Name(), err)
			}
			if err := tune.Restore(gone[len(gone)-1], slog.New(slog.DiscardHandler)); err != nil {
				return nil, fmt.Errorf("pins: port %s: %w", f.Name(), err)
			}
		}
		if err := os.Remove(file); err != nil {
			return nil, fmt.Errorf("pins: %w", err)
		}
	}
	return gone, nil
}

// Kept implements dataplane.Keeper.
func (t *Target) Kept() ([]byte, error) {
	if t.pins == nil {
		return nil, nil
	}
	return t.pins.config()
}

// Adopt implements dataplane.Keeper.
func (t *Target) Adopt(p *dataplane.Pipeline) (*dataplane.State, error) {
	spec, desc, err := t.parse(p)
	if err != nil {
		return nil, err
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	switch {
	case t.pins == nil:
		return nil, fmt.Errorf("nothing is kept without pins: %w", dataplane.ErrUnsupported)
	case t.closed:
		return nil, os.ErrClosed
	}
	coll, err := t.pins.load(spec)
	if err != nil {
		return nil, err
	}
	pl := newPipeline(desc, coll)
	st, err := t.adopt(pl, spec)
	if err != nil {
		pl.close()
		return nil, err
	}
	t.p = pl
	return st, nil
}

// adopt makes a pipeline that runs already the target's.
func (t *Target) adopt(pl *pipeline, spec *ebpf.CollectionSpec) (st *dataplane.State, err error) {
	if pl.registers, err = mapRegisters(pl.coll, spec, pl.desc); err != nil {
		return nil, err
	}
	if st, err = pl.readBack(); err != nil {
		return nil, err
	}
	gone, err := t.pins.prune(t.ports)
	if err != nil {
		return nil, err
	}
	for _, ifindex := range gone {
		_ = pl.coll.Maps["interfaces"].Put(uint32(ifindex), uint32(0))
	}
	for n := range dataplane.Port(maxPorts) {
		if t.ports[n] == nil {
			_ = pl.coll.Maps["ports"].Delete(uint32(n))
			pl.clearSpread(n)
		}
	}
	for n, pt := range t.ports {
		if err := pl.setPort(n, pt.indexes()); err != nil {
			return nil, err
		}
	}
	undo, err := t.attachAll(pl)
	defer func() {
		if err != nil {
			undo()
		}
	}()
	if err != nil {
		return nil, err
	}
	if st.Groups, err = pl.readGroups(t.ports); err != nil {
		return nil, fmt.Errorf("multicast groups: %w", err)
	}
	// Interfaces that were replaced, as the CPU port's is, have left the groups.
	for id, replicas := range st.Groups {
		if err := t.setGroup(pl, id, replicas); err != nil {
			return nil, err
		}
	}
	if err := t.listen(pl); err != nil {
		return nil, err
	}
	return st, nil
}

// readBack reads the tables: what they were given, from what they do with it.
func (p *pipeline) readBack() (*dataplane.State, error) {
	st := &dataplane.State{}
	for _, t := range p.desc.Tables {
		if t.Default != "" {
			value, err := p.coll.Maps[t.Default].LookupBytes(uint32(t.DefaultElement))
			if err != nil {
				return nil, fmt.Errorf("table %s: default action: %w", t.Name, err)
			}
			a, err := decodeValue(t, value)
			if err != nil {
				return nil, err
			}
			if own := t.Table.Default; own.Action == nil || !sameCall(a, dataplane.ProgramAction(own)) {
				if own.Action != nil {
					st.Defaults = append(st.Defaults, dataplane.Entry{Table: t.Table, Action: a})
				}
			}
		}
		var err error
		switch t.Kind {
		case gen.TableHash, gen.TableLPM, gen.TableIndex:
			err = p.readTable(t, st)
		case gen.TableList:
			err = p.readList(t, st)
		}
		if err != nil {
			return nil, err
		}
	}
	return st, nil
}

func sameCall(a, b dataplane.Action) bool {
	if a.Action != b.Action {
		return false
	}
	for i := range a.Args {
		if string(a.Args[i]) != string(b.Args[i]) {
			return false
		}
	}
	return true
}

func (p *pipeline) readTable(t *gen.Table, st *dataplane.State) error {
	err := p.readMap(t, t.Map, st)
	if err == nil && t.Rest != "" {
		err = p.readMap(t, t.Rest, st)
	}
	return err
}

// readMap reads the entries of a table that are in one of its maps.
func (p *pipeline) readMap(t *gen.Table, name string, st *dataplane.State) error {
	var key, value []byte
	it := p.coll.Maps[name].Iterate()
	for it.Next(&key, &value) {
		if t.Kind == gen.TableIndex {
			n := binary.NativeEndian.Uint32(value)
			if n == 0 {
				continue
			}
			binary.NativeEndian.PutUint32(value, n-1)
			p.used[t]++
		}
		a, err := decodeValue(t, value)
		if err != nil {
			return err
		}
		if t.Cell > 0 {
			p.cells[t].keep(cellOf(t, value))
		}
		st.Entries = append(st.Entries, &dataplane.Entry{Table: t.Table, Matches: decodeKey(t, key), Action: a, IdleTimeout: idleTimeout(t, value)})
	}
	if err := it.Err(); err != nil {
		return fmt.Errorf("table %s: %w", t.Name, err)
	}
	return nil
}

func (p *pipeline) readList(t *gen.Table, st *dataplane.State) error {
	l := &list{}
	p.lists[t] = l
	m, err := p.listMap(t)
	if m == nil {
		return err
	}
	defer m.Close()
	for i := range t.Size {
		b, err := m.LookupBytes(uint32(i))
		if err != nil {
			return fmt.Errorf("table %s: %w", t.Name, err)
		}
		e, err := decodeListEntry(t, b)
		if err != nil {
			return err
		}
		if e == nil {
			break // those behind the last are not valid
		}
		if t.Cell > 0 {
			p.cells[t].keep(cellOf(t, b[8+2*t.KeySize:]))
		}
		l.entries = append(l.entries, listEntry{e, b})
		st.Entries = append(st.Entries, e)
	}
	return nil
}

// readGroups reads the multicast groups, without the copies for ports that there are no more.
func (p *pipeline) readGroups(ports map[dataplane.Port]*port) (map[uint16][]dataplane.Replica, error) {
	if err := p.readDestinations(); err != nil {
		return nil, err
	}
	large, err := p.readCopies()
	if err != nil {
		return nil, err
	}
	cells, out := p.coll.Maps["groups"], map[uint16][]dataplane.Replica{}
	for id := range uint32(maxGroups) {
		var c groupCell
		if err := cells.Lookup(id, &c); err != nil {
			return nil, err
		}
		if c.Destinations == 0 {
			continue
		}
		g := p.readGroup(&c, large[uint16(id)])
		p.groups[uint16(id)] = g
		delete(large, uint16(id))
		var replicas []dataplane.Replica
		for i, k := range g.copies {
			if n := dataplane.Port(k.Port); ports[n] != nil {
				replicas = append(replicas, dataplane.Replica{Port: n, Instance: g.rids[i]})
			}
		}
		out[uint16(id)] = replicas
	}
	// A process that was killed while it made a group may have left these.
	for _, copies := range large {
		for k := range copies {
			if err := p.coll.Maps["copies"].Delete(k); err != nil && !errors.Is(err, ebpf.ErrKeyNotExist) {
				return nil, err
			}
		}
	}
	return out, nil
}

// readCopies reads the copies of large groups.
func (p *pipeline) readCopies() (map[uint16]map[copyKey]uint32, error) {
	out := map[uint16]map[copyKey]uint32{}
	var key copyKey
	var value uint32
	it := p.coll.Maps["copies"].Iterate()
	for it.Next(&key, &value) {
		if out[key.Group] == nil {
			out[key.Group] = map[copyKey]uint32{}
		}
		out[key.Group][key] = value
	}
	return out, it.Err()
}

// readGroup is a group of which packets see this; large are its copies if they are too many for that. It has no destinations if a
// process was killed while it changed the group.
func (p *pipeline) readGroup(c *groupCell, large map[copyKey]uint32) *group {
	g := &group{}
	if int(c.Copies) <= len(c.Copy) {
		for _, x := range c.Copy[:c.Copies] {
			g.copies, g.rids = append(g.copies, copyKey{Port: x.Port}), append(g.rids, x.RID)
		}
	} else {
		for _, k := range slices.SortedFunc(maps.Keys(large), func(a, b copyKey) int { return cmp.Compare(large[a], large[b]) }) {
			g.copies, g.rids = append(g.copies, k), append(g.rids, uint16(large[k]))
		}
	}
	ports, number := portList(g.copies), c.Destinations-1
	if i := slices.IndexFunc(p.free, func(d *destinations) bool { return d.number == number }); i >= 0 && p.shared[ports] == nil {
		p.shared[ports] = p.free[i]
		p.shared[ports].ports = ports
		p.free = slices.Delete(p.free, i, i+1)
	}
	if d := p.shared[ports]; d != nil && d.number == number {
		d.groups++
		g.to = d
	}
	return g
}
