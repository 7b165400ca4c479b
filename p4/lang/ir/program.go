package ir

import "math/big"

// Program is a compiled TNA program with one pipeline.
type Program struct {
	Name    string // file name without directory and .p4
	Pipe    string // name of the Pipeline instance: prefix of control-plane names
	Ingress *Gress
	Egress  *Gress

	// Every object of the program, in declaration order, whichever gress it
	// is in. Names are control-plane names ("pipe.SwitchIngress.l2.dmac").
	Tables    []*Table
	Actions   []*Action
	Profiles  []*Profile
	Registers []*Register
	Counters  []*Counter
	Meters    []*Meter
	Filters   []*Filter
	Digests   []*Digest
	// ValueSets are those that a parser looks into. The tables with their members are among Tables.
	ValueSets []*ValueSet

	// Header types with @controller_header, nil when the program has none.
	PacketIn, PacketOut *HeaderType

	// Constants are the program's own, in the order in which they are declared.
	Constants []Constant

	// Refused is what the public compiler for the chip refuses, of which the front end warns.
	Refused Errors

	// Source is the preprocessed program: compiling it again needs no include
	// files and gives an equal Program.
	Source string
	// Annotations of the package instantiation and of the program (@pkginfo).
	Annotations []Annotation
}

// Gress is one half of the pipeline.
type Gress struct {
	Name     string // "ingress" or "egress"
	Parser   *Parser
	Control  []Stmt
	Deparser []Stmt
	Headers  []*HeaderInst // every header instance, in declaration order
	Vars     []*Var        // Meta, Intrinsic and Local variables that are used
}

// Var returns the variable with the canonical name, or nil when the gress does
// not use it.
func (g *Gress) Var(name string) *Var {
	for _, v := range g.Vars {
		if v.Name == name {
			return v
		}
	}
	return nil
}

// Canonical names of the intrinsic metadata that targets set or read. A
// program that writes (or, for inputs, reads) another intrinsic field than
// a back end knows is a compile error of that back end.
const (
	IntrIngressPort = "ig_intr_md.ingress_port"       // in, bit<9>
	IntrMacTstamp   = "ig_intr_md.ingress_mac_tstamp" // in, bit<48>, ns
	IntrResubmit    = "ig_intr_md.resubmit_flag"      // in, bit<1>, always 0
	IntrPrsrTstamp  = "ig_prsr_md.global_tstamp"      // in, bit<48>, ns
	IntrParserErr   = "ig_prsr_md.parser_err"         // in, bit<16>, a TNA parser error code

	IntrUcastPort  = "ig_tm_md.ucast_egress_port" // out, bit<9>
	IntrMcastA     = "ig_tm_md.mcast_grp_a"       // out, bit<16>; 0 is no group
	IntrMcastB     = "ig_tm_md.mcast_grp_b"       // out, bit<16>; 0 is no group
	IntrCopyToCPU  = "ig_tm_md.copy_to_cpu"       // out, bit<1>: one more copy, for the CPU port
	IntrBypassEgr  = "ig_tm_md.bypass_egress"     // out, bit<1>
	IntrDropIn     = "ig_dprsr_md.drop_ctl"       // out, bit<3>; bit 0 drops unicast and multicast, bit 1 the copy for the CPU port
	IntrDigestType = "ig_dprsr_md.digest_type"    // out, bit<3>

	IntrEgressPort = "eg_intr_md.egress_port"   // in, bit<9>
	IntrEgressRid  = "eg_intr_md.egress_rid"    // in, bit<16>: the replication id (P4Runtime instance); 0 for unicast
	IntrEnqQdepth  = "eg_intr_md.enq_qdepth"    // in, bit<19>: cells of 80 bytes in the port's queue when the packet came; 0 where a target does not know
	IntrPktLength  = "eg_intr_md.pkt_length"    // in, bit<16>: bytes of the frame as the switch received it
	IntrEgrTstamp  = "eg_prsr_md.global_tstamp" // in, bit<48>, ns
	IntrEgrErr     = "eg_prsr_md.parser_err"    // in, bit<16>
	IntrDropEg     = "eg_dprsr_md.drop_ctl"     // out, bit<3>
)

// IntrZero are intrinsic fields that are always zero, with the reason. No target knows them.
var IntrZero = map[string]string{
	"ig_intr_md.packet_version":        "a program is replaced between two packets, and there is no second version of it",
	"ig_prsr_md.global_ver":            "a program is replaced between two packets, and there is no second version of it",
	"eg_prsr_md.global_ver":            "a program is replaced between two packets, and there is no second version of it",
	"eg_intr_md.enq_congest_stat":      "no queue has thresholds",
	"eg_intr_md.enq_tstamp":            "the egress runs before the port's queue",
	"eg_intr_md.deq_qdepth":            "the egress runs before the port's queue",
	"eg_intr_md.deq_congest_stat":      "the egress runs before the port's queue",
	"eg_intr_md.app_pool_congest_stat": "no queue has a pool",
	"eg_intr_md.deq_timedelta":         "the egress runs before the port's queue",
	"eg_intr_md.egress_qid":            "a port has one queue",
	"eg_intr_md.egress_cos":            "a port has one queue",
	"eg_intr_md.deflection_flag":       "nothing is deflected",
}

// IntrIgnored are intrinsic fields that a program may write, and that no target looks at, with the reason.
var IntrIgnored = map[string]string{
	"ig_tm_md.deflect_on_drop":         "a full queue drops",
	"ig_tm_md.ingress_cos":             "a port has one queue",
	"ig_tm_md.qid":                     "a port has one queue",
	"ig_tm_md.icos_for_copy_to_cpu":    "a port has one queue",
	"ig_tm_md.packet_color":            "no queue has thresholds for a colour",
	"ig_tm_md.disable_ucast_cutthru":   "every packet is stored, then forwarded",
	"ig_tm_md.enable_mcast_cutthru":    "every packet is stored, then forwarded",
	"ig_tm_md.level1_mcast_hash":       "P4Runtime has no groups of which a hash chooses one copy",
	"ig_tm_md.level2_mcast_hash":       "P4Runtime has no groups of which a hash chooses one port",
	"ig_tm_md.level1_exclusion_id":     "P4Runtime gives no copy an exclusion id, so none is excluded",
	"ig_tm_md.level2_exclusion_id":     "P4Runtime gives no port an exclusion id, so none is excluded",
	"ig_tm_md.rid":                     "it chooses among ports with exclusion ids, which P4Runtime does not give",
	"eg_dprsr_md.coalesce_flush":       "mirrored packets are not coalesced",
	"eg_dprsr_md.coalesce_length":      "mirrored packets are not coalesced",
	"eg_oport_md.capture_tstamp_on_tx": "a port does not take the time at which it sends",
	"eg_oport_md.update_delay_on_tx":   "a port does not take the time at which it sends",
	"ig_dprsr_md.mirror_type":          "it chooses among instances of Mirror",
	"eg_dprsr_md.mirror_type":          "it chooses among instances of Mirror",
	"ig_dprsr_md.resubmit_type":        "it chooses among instances of Resubmit",
}

// NoPort is the number in ig_tm_md.ucast_egress_port that is no port: a packet
// that is sent there, and to no group, is dropped.
const NoPort = 511

// TNA parser errors (ig_prsr_md.parser_err): a program that reads parser_err
// in its ingress control gets rejected packets there; in one that does not, a
// packet that the parser rejects is dropped.
const (
	ParserOK      = 0x0000
	ParserNoMatch = 0x0001 // no case of a select matched
	ParserPartial = 0x0002 // the packet ended inside a header
	ParserCounter = 0x0004
)

// Parser is a parser's state machine. States[0] is start.
type Parser struct {
	States []*State
}

// State is a parser state.
type State struct {
	Name        string
	Annotations []Annotation
	Body        []Stmt
	// Next is where a plain transition leads.
	Next  Target
	Keys  []Expr // select keys; nil for a plain transition
	Cases []SelectCase
	Pos   Pos
}

// Target is where a transition leads: a state, or nil: accept. There is no reject:
// as on the chip, a program that says so goes on.
type Target struct{ State *State }

// SelectCase is one case; cases are tried in order. No case: reject with
// ParserNoMatch.
type SelectCase struct {
	Sets []KeySet // one per key
	Next Target
	Pos  Pos
}

// KeySet is one element of a keyset: any value, value &&& mask, or lo..hi.
// A single value has the mask all ones.
type KeySet struct {
	Any         bool
	Range       bool
	Value, Mask *big.Int // Range: lo and hi
	Name        string   // of the program's constant that is Value; "" if there is none
}

// MatchKind of a table key.
type MatchKind uint8

const (
	Exact MatchKind = iota
	LPM
	Ternary
	Range
	Optional
)

func (k MatchKind) String() string {
	return [...]string{"exact", "lpm", "ternary", "range", "optional"}[k]
}

// Key is one element of a table's key.
type Key struct {
	Name        string // p4info match field name: @name, or the source text
	ID          uint32 // match field id: position from 1, or @id
	Expr        Expr
	Width       int
	Match       MatchKind
	Annotations []Annotation
	Pos         Pos
}

// Table is a match-action table.
type Table struct {
	Name    string // control-plane name
	ID      uint32 // of @id with the prefix byte, 0 when absent
	Gress   *Gress
	Keys    []*Key
	Actions []ActionRef
	Default ActionCall // what runs on a miss, until the control plane says otherwise
	// ConstDefault: the default action cannot be changed.
	ConstDefault bool
	// Entries are those of the program text, and the first that matches wins: they are in order of priority,
	// and of a table without priorities the longest prefix comes first.
	Entries []*Entry
	// ConstEntries: the table is `const entries`: nobody else may write it.
	ConstEntries bool
	Size         int
	Counter      *Counter  // direct counter, nil when there is none
	Meter        *Meter    // direct meter, nil when there is none
	Register     *Register // direct register, nil when there is none
	Filter       *Filter   // direct filter, nil when there is none
	// ValueSet: the table has the members of a value set, and only the control plane's requests for that set change it.
	ValueSet    *ValueSet
	IdleTimeout bool
	// Indirect: what an entry runs is a member of a profile, and this table only says which.
	Indirect *Indirect
	// Part: the table belongs to a profile, or to a table that has one. Controllers do not see it.
	Part        bool
	Annotations []Annotation
	Pos         Pos
}

// Visible are the actions that controllers see: what an entry of the table, or a member in its place, may run, and its default
// action.
func (t *Table) Visible() *Table {
	if t.Indirect != nil {
		return t.Indirect.Members
	}
	return t
}

// ValueSet is a value_set of a parser: values that the control plane gives, and that a select compares its keys with. Its members
// are the entries of Table, which the state with the select applies; the select asks whether an entry matched. The table's only
// action does nothing. A table with priorities gives all members priority 1.
type ValueSet struct {
	Name        string // control-plane name, as that of Table
	ID          uint32 // of @id with the prefix byte, 0 when absent
	Table       *Table // Keys: one for each field of a member; Size: how many members there may be
	Annotations []Annotation
	Pos         Pos
}

// HasCells reports whether entries of the table have cells: of a direct meter, register or filter.
func (t *Table) HasCells() bool { return t.Meter != nil || t.Register != nil || t.Filter != nil }

// Prioritised reports whether entries of the table have priorities: it has ternary, range or optional keys.
func (t *Table) Prioritised() bool {
	for _, k := range t.Keys {
		if k.Match == Ternary || k.Match == Range || k.Match == Optional {
			return true
		}
	}
	return false
}

// ActionRef is an action in a table's list.
type ActionRef struct {
	Action      *Action
	DefaultOnly bool
	TableOnly   bool
	Annotations []Annotation
}

// ActionCall is an action with its action data, in parameter order.
type ActionCall struct {
	Action *Action
	Args   []*big.Int
}

// Entry is one entry of a table in the program text.
type Entry struct {
	Keys     []KeySet // LPM: Mask is the prefix mask
	Action   ActionCall
	Priority int // as in P4Runtime: larger wins; > 0 only for tables with ternary, range or optional keys
	Const    bool
	Pos      Pos
}

// PrefixLen is how many bits the lpm key of its table compares, 0 without such a key.
func (e *Entry) PrefixLen(t *Table) int {
	for i, k := range t.Keys {
		switch ks := e.Keys[i]; {
		case k.Match != LPM || ks.Any:
		case ks.Mask == nil:
			return k.Width
		default:
			return k.Width - int(ks.Mask.TrailingZeroBits())
		}
	}
	return 0
}

// Action is an action. Params are the directionless parameters (action data),
// in order; an action that is called directly with directional parameters is
// inlined as a Block instead of appearing here.
type Action struct {
	Name        string
	ID          uint32
	Params      []*Var
	ParamAnnots [][]Annotation
	Body        []Stmt
	Annotations []Annotation
	Pos         Pos
}

// Register is an array of elements of one or two fields. A direct one has an element for each cell of its table (see Cell), and
// belongs to no one else: P4Runtime knows none. A RegisterParam is a register of one element.
type Register struct {
	Name        string
	ID          uint32
	Gress       *Gress
	Table       *Table      // of a direct register
	TypeName    string      // of the element's struct, "" for a scalar register
	Fields      []FieldType // one unnamed field for a scalar register, else the struct's
	Size        int
	IndexType   Type
	Initial     []*big.Int // one per field
	Annotations []Annotation
	Pos         Pos
}

// RegisterAction is the body of a RegisterAction's apply.
type RegisterAction struct {
	Name     string
	Register *Register
	Value    []*Var // RegValue, one per field of the register: read, then written back
	Result   *Var   // RegResult, nil when apply has no result
	Body     []Stmt // Assign, If and Block only
	Pos      Pos
}

// CounterKind says what a counter counts.
type CounterKind uint8

const (
	Packets CounterKind = iota
	Bytes
	PacketsAndBytes
)

// Counter is an indexed or direct counter. Bytes are bytes of the frame
// without FCS.
type Counter struct {
	Name        string
	ID          uint32
	Gress       *Gress
	Kind        CounterKind
	Size        int    // 0 for a direct counter
	IndexType   Type   // of an indexed counter
	IndexName   string // the typedef or enum that is its index, "" for bit<W>: see Program.IndexValues
	Table       *Table // of a direct counter
	Annotations []Annotation
	Pos         Pos
}

// Meter is an indexed or direct meter: two rates, three colours (RFC 2698). What is not configured
// is green. Bytes are those of the frame without FCS. A direct meter has a cell for each cell of its table (see Cell).
type Meter struct {
	Name        string
	ID          uint32
	Gress       *Gress
	Table       *Table // of a direct meter
	Bytes       bool   // else packets
	Size        int
	IndexType   Type
	Annotations []Annotation
	Pos         Pos
}

// The colours of a meter, as Tofino numbers them.
const (
	MeterGreen  = 0
	MeterYellow = 1
	MeterRed    = 3
)

// Filter is an indexed or direct low-pass filter (Lpf) or random early detection (Wred): dataplane.Filter has the model. What is not
// configured gives a value back as it is, and drops nothing. P4Runtime has no such thing.
type Filter struct {
	Name         string
	Gress        *Gress
	Table        *Table // of a direct filter
	Wred         bool
	Drop, NoDrop uint8 // what a Wred answers
	Size         int
	IndexType    Type
	Pos          Pos
}

// Hash algorithms.
type HashAlgorithm uint8

const (
	HashIdentity HashAlgorithm = iota
	HashRandom
	HashXOR // of words of Width bits, counted from the end
	HashCRC8
	HashCRC16
	HashCRC32
	HashCRC64
	HashCRCCustom
)

// Hash is a Hash extern.
type Hash struct {
	Name      string
	Algorithm HashAlgorithm
	// Polynomial of HashCRC*: coefficients without the leading one.
	Width      int
	Polynomial *big.Int
	Reversed   bool
	Init, XOR  *big.Int
	Pos        Pos
}

// Digest is a Digest extern. Type is the value of digest_type for which the
// deparser packs it; the program's `if` says so, nothing is implied here.
type Digest struct {
	Name        string
	ID          uint32
	TypeName    string // of the struct
	Fields      []FieldType
	Annotations []Annotation
	Pos         Pos
}

// Checksum is a Checksum extern (16-bit one's complement).
type Checksum struct {
	Name string
	Pos  Pos
}
