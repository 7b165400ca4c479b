package xdp

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"net"
	"slices"
	"sync"

	"github.com/cilium/ebpf"
	"github.com/cilium/ebpf/link"
	"github.com/cilium/ebpf/rlimit"

	"github.com/p4ce/p4ce/bpf/gen"
	"github.com/p4ce/p4ce/bpf/trace"
	"github.com/p4ce/p4ce/dataplane"
	"github.com/p4ce/p4ce/link/nic"
	"github.com/p4ce/p4ce/link/tune"
	"github.com/p4ce/p4ce/p4/lang/ir"
)

// Config says how a target is set up.
type Config struct {
	// CPUPort is the number of the port that leads to the controller.
	CPUPort dataplane.Port
	// CPUInterface is the name of the switch end of the CPU port's veth; the
	// far end has the same name with "x" behind it. Default "p4cpu".
	CPUInterface string
	// PacketTest makes a target for Inject: every port number exists, and no
	// interface, not even the CPU port's, is needed or touched.
	PacketTest bool
	// Pins is a folder in a BPF file system that keeps the data plane, so that it continues when the
	// process ends in any way. "": the data plane ends with the target.
	Pins string
	// Capture, when not nil, gets every packet that comes in or goes out through
	// a port, the CPU port excepted, as pcapng.
	Capture io.Writer
	Log     *slog.Logger
}

// maxPorts and maxGroups are the sizes of the maps in p4xdp_forward.h.
const (
	maxPorts      = 512
	maxGroups     = 16384
	maxCopies     = 64 // of a group
	fewCopies     = 16 // of most: the kernel looks at all places of a devmap for each packet
	maxInterfaces = 65536
)

// MaxMTU is the largest MTU of an interface that a native program without
// multi-buffer support can be attached to.
const MaxMTU = tune.MaxMTU

// Target is the XDP target. The zero value is not usable; call New.
type Target struct {
	cfg  Config
	log  *slog.Logger
	pins *pins // nil without

	mu     sync.Mutex
	ports  map[dataplane.Port]*port
	events dataplane.Events
	cpu    *cpuPort
	p      *pipeline
	closed bool

	inject *injector
}

// port is an interface that is, or will be, part of the switch.
type port struct {
	info dataplane.PortInfo
	ifi  *net.Interface
	link link.Link
	gone bool // the interface was deleted, and there is no other one yet

	about nic.Interface // as it was when the port was opened, but for the members of a bond
	tuned *tune.Tuned
}

// pipeline is a loaded program.
type pipeline struct {
	desc      *gen.Description
	coll      *ebpf.Collection
	registers *registers
	groups    map[uint16]*group
	shared    map[string]*destinations // by their ports: those of groups
	free      []*destinations          // of no group, in the order in which they became so
	made      uint32                   // destinations
	spread    map[dataplane.Port]int   // port -> its entries in the map of the same name
	lists     map[*gen.Table]*list
	cells     map[*gen.Table]*cells
	full      sync.Mutex         // guards used, and inserting into these tables
	used      map[*gen.Table]int // entries of tables whose maps have room for more than the program says
	digests   *digestReader
	capture   *capture
}

// New returns a target without ports or a pipeline, and makes the CPU port.
func New(cfg Config) (*Target, error) {
	if cfg.Log == nil {
		cfg.Log = slog.New(slog.DiscardHandler)
	}
	if cfg.CPUInterface == "" {
		cfg.CPUInterface = "p4cpu"
	}
	if err := cfg.CPUPort.Check(); err != nil {
		return nil, fmt.Errorf("CPU %w", err)
	}
	if err := checkKernel(); err != nil {
		return nil, err
	}
	if err := rlimit.RemoveMemlock(); err != nil {
		return nil, fmt.Errorf("locked memory limit: %w", err)
	}
	t := &Target{cfg: cfg, log: cfg.Log, ports: map[dataplane.Port]*port{}}
	if cfg.Pins != "" {
		p, err := openPins(cfg.Pins)
		if err != nil {
			return nil, err
		}
		t.pins = p
	}
	if err := t.open(); err != nil {
		if t.pins != nil {
			t.pins.close()
		}
		return nil, err
	}
	return t, nil
}

// open makes the CPU port.
func (t *Target) open() error {
	cfg := &t.cfg
	if cfg.PacketTest {
		t.inject = newInjector()
	} else {
		cpu, err := newCPUPort(cfg.CPUInterface)
		if err != nil {
			return err
		}
		t.cpu = cpu
		ifi, err := net.InterfaceByName(cfg.CPUInterface)
		if err != nil {
			cpu.close()
			return fmt.Errorf("CPU port: %w", err)
		}
		t.ports[cfg.CPUPort] = &port{ifi: ifi, info: dataplane.PortInfo{Port: cfg.CPUPort, Interface: ifi.Name, CPU: true}}
		cpu.receive(func(frame []byte) {
			t.mu.Lock()
			f := t.events.PacketIn
			t.mu.Unlock()
			if f != nil {
				f(frame)
			}
		})
	}
	return nil
}

// Kind implements dataplane.Target.
func (t *Target) Kind() string { return "xdp" }

// CPUPort implements dataplane.Target.
func (t *Target) CPUPort() dataplane.Port { return t.cfg.CPUPort }

// SetEvents implements dataplane.Target.
func (t *Target) SetEvents(ev dataplane.Events) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.events = ev
}

// staged is a pipeline that is in the kernel and on no port.
type staged struct {
	t  *Target
	p  *dataplane.Pipeline
	pl *pipeline
}

// Stage implements dataplane.Target. It loads the object without attaching it: refusals of the
// kernel's verifier show here.
func (t *Target) Stage(p *dataplane.Pipeline) (dataplane.Staged, error) {
	pl, err := t.load(p)
	if err != nil {
		return nil, err
	}
	return &staged{t, p, pl}, nil
}

// Commit implements dataplane.Staged.
func (s *staged) Commit() error { return s.t.commit(s.p, s.pl) }

// Discard implements dataplane.Staged.
func (s *staged) Discard() { s.pl.close() }

// parse reads a pipeline's object and checks that it is of its program.
func (t *Target) parse(p *dataplane.Pipeline) (*ebpf.CollectionSpec, *gen.Description, error) {
	if len(p.Object) == 0 {
		return nil, nil, fmt.Errorf("program %s: the device config has no eBPF object (was it made for the interpreter only?): %w", p.Program.Name, dataplane.ErrUnsupported)
	}
	if _, err := gen.Describe(p.Program); err != nil {
		return nil, nil, fmt.Errorf("program %s: %w: %w", p.Program.Name, err, dataplane.ErrUnsupported)
	}
	spec, err := ebpf.LoadCollectionSpecFromReader(bytes.NewReader(p.Object))
	if err != nil {
		return nil, nil, fmt.Errorf("program %s: eBPF object: %w", p.Program.Name, err)
	}
	desc, err := describe(p.Program, spec)
	if err != nil {
		return nil, nil, fmt.Errorf("program %s: eBPF object does not fit the P4 source (was it built from another version?): %w", p.Program.Name, err)
	}
	if t.cfg.Capture != nil {
		if err := trace.Enable(spec); err != nil {
			return nil, nil, fmt.Errorf("program %s: %w", p.Program.Name, err)
		}
	}
	return spec, desc, nil
}

// describe finds the layout that an object has, and makes room for all CPUs where that depends on how many they are.
func describe(p *ir.Program, spec *ebpf.CollectionSpec) (desc *gen.Description, err error) {
	for _, layout := range slices.Backward(gen.Layouts) { // the error is that of the first
		if desc, err = layout.Describe(p); err != nil {
			continue
		}
		if err = checkObject(spec, desc); err == nil {
			break
		}
	}
	if err != nil {
		return nil, err
	}
	cpus, err := ebpf.PossibleCPU()
	if err != nil {
		return nil, err
	}
	for _, rows := range desc.Rows {
		if rows.PerCPU {
			spec.Maps[rows.Var].MaxEntries = uint32(rows.Stride * cpus)
		}
	}
	return desc, nil
}

func newPipeline(desc *gen.Description, coll *ebpf.Collection) *pipeline {
	p := &pipeline{desc: desc, coll: coll, groups: map[uint16]*group{}, shared: map[string]*destinations{}, spread: map[dataplane.Port]int{}, lists: map[*gen.Table]*list{}, used: map[*gen.Table]int{}, cells: map[*gen.Table]*cells{}}
	for _, t := range desc.Tables {
		if t.Cell > 0 {
			p.cells[t] = &cells{used: map[uint32]bool{}}
		}
	}
	return p
}

// load brings a pipeline into the kernel, with the entries of the program.
func (t *Target) load(p *dataplane.Pipeline) (*pipeline, error) {
	spec, desc, err := t.parse(p)
	if err != nil {
		return nil, err
	}
	coll, err := ebpf.NewCollection(spec)
	if err != nil {
		var ve *ebpf.VerifierError
		if errors.As(err, &ve) {
			t.log.Debug("verifier", "log", fmt.Sprintf("%+v", ve))
		}
		return nil, fmt.Errorf("program %s: load into the kernel: %w", p.Program.Name, err)
	}
	pl := newPipeline(desc, coll)
	if pl.registers, err = newRegisters(coll, spec, desc); err != nil {
		pl.close()
		return nil, fmt.Errorf("program %s: %w", p.Program.Name, err)
	}
	if err := pl.initialise(p.Program); err != nil {
		pl.close()
		return nil, err
	}
	return pl, nil
}

// listen reads a pipeline's digests from now on; in packet tests, Inject does.
func (t *Target) listen(pl *pipeline) (err error) {
	m := pl.coll.Maps["digests"]
	if m == nil {
		return nil
	}
	pl.digests, err = newDigestReader(m, pl.desc, func(d dataplane.Digest) {
		t.mu.Lock()
		f := t.events.Digest
		t.mu.Unlock()
		if f != nil {
			f(d)
		}
	})
	if err == nil && t.inject == nil {
		pl.digests.run()
	}
	return err
}

// checkObject compares the object's maps with what the program asks for. Their types tell layouts apart.
func checkObject(spec *ebpf.CollectionSpec, d *gen.Description) error {
	for _, p := range []string{"ingress", "egress", "test_ingress", "test_egress"} {
		if spec.Programs[p] == nil {
			return fmt.Errorf("no program %s", p)
		}
	}
	for _, m := range wantedMaps(d) {
		got := spec.Maps[m.name]
		if got == nil {
			return fmt.Errorf("no map %s", m.name)
		}
		if int(got.KeySize) != m.key || m.value > 0 && int(got.ValueSize) != m.value || got.Type != m.kind {
			return fmt.Errorf("map %s: %s with keys of %d and values of %d bytes, want %s with %d and %d", m.name, got.Type, got.KeySize, got.ValueSize, m.kind, m.key, m.value)
		}
	}
	for _, r := range d.Rows {
		if r.Mapped {
			continue
		}
		v := spec.Variables[r.Var]
		if v == nil || v.SectionName != ".bss" {
			return fmt.Errorf("no registers %s", r.Var)
		}
		if int(v.Size()) != r.Size*r.RowSize {
			return fmt.Errorf("registers %s: %d bytes, want %d", r.Var, v.Size(), r.Size*r.RowSize)
		}
	}
	return nil
}

// wantedMap is a map that an object must have; value 0: of any size.
type wantedMap struct {
	name       string
	kind       ebpf.MapType
	key, value int
}

// tableMaps are the types of the maps of tables.
var tableMaps = map[gen.TableKind]ebpf.MapType{gen.TableHash: ebpf.Hash, gen.TableLPM: ebpf.LPMTrie, gen.TableIndex: ebpf.Array, gen.TableList: ebpf.ArrayOfMaps}

// wantedMaps are the maps of a program's tables, registers, counters, meters and groups.
func wantedMaps(d *gen.Description) []wantedMap {
	out := []wantedMap{
		{"destinations", ebpf.ArrayOfMaps, 4, 4},
		{"groups", ebpf.Array, 4, binary.Size(groupCell{})},
		{"copies", ebpf.Hash, binary.Size(copyKey{}), 4},
	}
	for _, t := range d.Tables {
		switch t.Kind {
		case gen.TableConst:
		case gen.TableList:
			out = append(out, wantedMap{t.Map, tableMaps[t.Kind], 4, 0})
		default:
			out = append(out, wantedMap{t.Map, tableMaps[t.Kind], t.KeySize, t.ValueSize})
		}
		if t.Rest != "" {
			out = append(out, wantedMap{t.Rest, ebpf.Hash, t.KeySize, t.ValueSize})
		}
		if t.Default != "" {
			out = append(out, wantedMap{t.Default, ebpf.Array, 4, t.ValueSize})
		}
	}
	for _, s := range d.Shapes {
		out = append(out, wantedMap{s.Map, ebpf.ArrayOfMaps, 4, 0})
	}
	for _, r := range d.Rows {
		if r.Mapped {
			out = append(out, wantedMap{r.Var, ebpf.Array, 4, r.RowSize})
		}
	}
	for _, c := range d.Counters {
		if c.Rows == nil {
			out = append(out, wantedMap{c.Map, ebpf.PerCPUArray, 4, binary.Size(counterCell{})})
		}
	}
	for _, m := range d.Meters {
		out = append(out, wantedMap{m.Map, ebpf.Array, 4, gen.MeterSize})
	}
	for _, f := range d.Filters {
		out = append(out, wantedMap{f.Map, ebpf.Array, 4, gen.FilterSize})
	}
	return out
}

// Load implements dataplane.Target.
func (t *Target) Load(p *dataplane.Pipeline) error {
	s, err := t.Stage(p)
	if err != nil {
		return err
	}
	return s.Commit()
}

// commit attaches a pipeline that is in the kernel; after an error it is not there any more.
func (t *Target) commit(p *dataplane.Pipeline, pl *pipeline) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.closed {
		pl.close()
		return net.ErrClosed
	}
	for _, pt := range t.ports {
		if pt.gone {
			continue
		}
		if err := pl.setPort(pt.info.Port, pt.indexes()); err != nil {
			pl.close()
			return err
		}
	}
	if t.inject != nil {
		for n := range dataplane.Port(maxPorts) {
			if err := pl.setPort(n, []int{loopback}); err != nil {
				pl.close()
				return err
			}
		}
	}
	if err := t.listen(pl); err != nil {
		pl.close()
		return err
	}
	if t.pins != nil {
		if err := t.pins.store(pl, p.Config); err != nil {
			t.pins.abandon()
			pl.close()
			return err
		}
	}
	// Port by port; a failure puts back what was there.
	old := t.p
	undo, err := t.attachAll(pl)
	if err != nil {
		undo()
		if t.pins != nil {
			t.pins.abandon()
		}
		pl.close()
		return err
	}
	if t.cfg.Capture != nil {
		if old != nil && old.capture != nil {
			old.capture.close()
			old.capture = nil
		}
		c, err := newCapture(pl, t.portNames(), t.cfg.Capture, t.log)
		if err != nil {
			t.log.Error("capture", "err", err)
		} else {
			pl.capture = c
		}
	}
	t.p = pl
	if old != nil {
		t.keepCounts(old)
		old.close()
	}
	if t.pins == nil {
		return nil
	}
	// From here on a failure costs a later process what it could have taken over.
	_, err = t.pins.prune(t.ports)
	if err := errors.Join(t.pins.commit(), err); err != nil {
		t.log.Error("a restarted switch will start empty", "err", err)
	}
	return nil
}

// portNames names the ports that a capture records: all but the CPU port, whose
// frames are no Ethernet.
func (t *Target) portNames() map[uint16]string {
	out := map[uint16]string{}
	for _, pt := range t.ports {
		if pt.info.CPU {
			continue
		}
		out[uint16(pt.info.Port)] = fmt.Sprintf("port %d (%s)", pt.info.Port, pt.ifi.Name)
	}
	return out
}

// attachAll puts the pipeline's ingress program on all ports, the lowest first. undo puts
// back what was there before, on those that have got it.
func (t *Target) attachAll(pl *pipeline) (undo func(), err error) {
	var done []func()
	undo = func() {
		for _, f := range slices.Backward(done) {
			f()
		}
	}
	for _, n := range slices.Sorted(maps.Keys(t.ports)) {
		if t.ports[n].gone {
			continue
		}
		f, err := t.attach(pl, t.ports[n])
		if err != nil {
			return undo, err
		}
		done = append(done, f)
	}
	return undo, nil
}

// attach puts the pipeline's ingress program on a port; undo puts back what was there.
func (t *Target) attach(pl *pipeline, pt *port) (undo func(), err error) {
	if undo, err = t.attachProgram(pl, pt); err != nil || !pl.desc.Ordered {
		return undo, err
	}
	if err := t.pollByOne(pt); err != nil {
		undo()
		return nil, err
	}
	return undo, nil
}

func (t *Target) attachProgram(pl *pipeline, pt *port) (undo func(), err error) {
	prog := pl.coll.Programs["ingress"]
	if pt.link != nil {
		if err := pt.link.Update(prog); err != nil {
			return nil, fmt.Errorf("port %d (%s): replace the program: %w", pt.info.Port, pt.ifi.Name, err)
		}
		return func() {
			if t.p != nil {
				_ = pt.link.Update(t.p.coll.Programs["ingress"])
			}
		}, nil
	}
	if t.pins != nil && !pt.info.CPU {
		l, err := t.pins.link(pt.info.Port, pt.ifi.Index)
		if err != nil {
			return nil, err
		}
		if l != nil {
			if err := l.Update(prog); err != nil {
				l.Close()
				return nil, fmt.Errorf("port %d (%s): replace the program: %w", pt.info.Port, pt.ifi.Name, err)
			}
			pt.link = l
			return func() {
				t.pins.restore(l)
				l.Close()
				pt.link = nil
			}, nil
		}
	}
	l, err := link.AttachXDP(link.XDPOptions{Program: prog, Interface: pt.ifi.Index, Flags: link.XDPDriverMode})
	if err != nil {
		return nil, fmt.Errorf("port %d (%s): %w", pt.info.Port, pt.ifi.Name, tune.Refused(pt.about, err))
	}
	if t.pins != nil && !pt.info.CPU {
		if err := l.Pin(t.pins.port(pt.info.Port)); err != nil {
			l.Close()
			return nil, fmt.Errorf("pins: port %d: %w", pt.info.Port, err)
		}
	}
	pt.link = l
	return func() {
		_ = l.Unpin() // if it is pinned
		l.Close()
		pt.link = nil
	}, nil
}

// PacketOut implements dataplane.Target.
func (t *Target) PacketOut(frame []byte) error {
	t.mu.Lock()
	cpu, running := t.cpu, t.p != nil
	t.mu.Unlock()
	switch {
	case !running:
		return dataplane.ErrNoPipeline
	case cpu == nil:
		return fmt.Errorf("packet-out: this target has no CPU port: %w", dataplane.ErrUnsupported)
	}
	return cpu.send(frame)
}

// Close implements dataplane.Target.
func (t *Target) Close() error {
	t.mu.Lock()
	if t.closed {
		t.mu.Unlock()
		return nil
	}
	t.closed = true
	var errs []error
	for _, pt := range t.ports {
		if pt.link != nil {
			errs = append(errs, pt.link.Close())
		}
		if t.pins != nil {
			pt.tuned.Leave() // the data plane continues
		} else {
			errs = append(errs, pt.tuned.Close())
		}
	}
	cpu, p, inj := t.cpu, t.p, t.inject
	t.p = nil
	t.mu.Unlock()
	if inj != nil {
		inj.close()
	}
	if cpu != nil {
		errs = append(errs, cpu.close())
	}
	if p != nil {
		p.close()
	}
	if t.pins != nil {
		t.pins.close()
	}
	return errors.Join(errs...)
}

// pipeline returns the running pipeline.
func (t *Target) running() (*pipeline, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.p == nil {
		return nil, dataplane.ErrNoPipeline
	}
	return t.p, nil
}

// stats are the names of enum p4_stat in p4xdp_count.h, in its order.
var stats = []string{
	"no_metadata", "unknown_interface", dataplane.DropNoDestination, dataplane.DropNoPort,
	dataplane.DropUnknownGroup, dataplane.DropIngressParser, dataplane.DropIngress,
	dataplane.DropEgressParser, dataplane.DropEgress, "unknown_copy", "no_headroom",
	"register_contention", "digest_lost", "no_bridge", "trace_lost",
}

// Drops implements dataplane.DropCounter.
func (t *Target) Drops() map[string]uint64 {
	p, err := t.running()
	if err != nil {
		return nil
	}
	out := map[string]uint64{}
	for i, name := range stats {
		var per []uint64
		if err := p.coll.Maps["stats"].Lookup(uint32(i), &per); err != nil {
			continue
		}
		for _, n := range per {
			out[name] += n
		}
	}
	return out
}
