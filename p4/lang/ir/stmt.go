package ir

// Stmt is a statement of a parser state, control, action, register action or
// deparser.
type Stmt interface {
	// At is where the statement is in the source.
	At() Pos
}

type (
	// Assign sets Dst, or its bits Hi..Lo when Slice is set. A write to a
	// field of an invalid header has no effect, unless the header is Kept.
	Assign struct {
		Dst    *Var
		Slice  bool
		Hi, Lo int
		Src    Expr
		Pos    Pos
	}
	// If runs Then or Else.
	If struct {
		Cond       Expr
		Then, Else []Stmt
		Pos        Pos
	}
	// Block is an inlined callable (sub-control, function, action body called
	// directly) when Callable is set: Return leaves it. Atomic is set for a
	// block annotated @atomic: no other packet's accesses to the registers
	// that it touches come between its own.
	//
	// UpdatesFirst is set for a block annotated @updates_first: of the register
	// accesses in it, those that may modify their register happen, in the eyes
	// of every other packet, before those that only read and those in actions
	// annotated @after_updates. Tofino gives more
	// than that (a packet at a time in each stage); a target that handles
	// packets in parallel has to arrange it. Conditions and table keys in such
	// a block do not depend on what is assigned in it.
	//
	// OwnFunction is set for a block annotated @own_function: it means the same without,
	// and a target that verifies programs may verify it by itself.
	Block struct {
		Name         string // for comments: the instance or action
		Callable     bool
		Atomic       bool
		UpdatesFirst bool
		OwnFunction  bool
		Body         []Stmt
		Pos          Pos
	}
	// Return leaves the innermost callable Block, or the body that it is in.
	Return struct{ Pos Pos }
	// Exit ends the control; the deparser runs next.
	Exit struct{ Pos Pos }

	// Apply applies a table. Hit, when not nil, is set to whether an entry
	// matched. When Switch is set, the case that names the action that ran is
	// run afterwards, or Default when no case names it.
	Apply struct {
		Table   *Table
		Hit     *Var
		Switch  bool
		Cases   []ActionCase
		Default []Stmt
		Pos     Pos
	}
	// Call runs an action directly. Args bind Action.Params by position.
	Call struct {
		Action *Action
		Args   []Expr
		Pos    Pos
	}

	// SetValid makes a header valid (its fields are what was written to them since
	// the header became invalid, when it is Kept; else they are zero when it was invalid
	// before) or invalid.
	SetValid struct {
		Header *HeaderInst
		Valid  bool
		Pos    Pos
	}
	// CopyHeader is hdr.a = hdr.b: validity and all fields.
	CopyHeader struct {
		Dst, Src *HeaderInst
		Pos      Pos
	}

	// Count adds the packet to an indexed counter. Out of range: no effect.
	Count struct {
		Counter *Counter
		Index   Expr
		Pos     Pos
	}
	// DirectCount adds the packet to the direct counter of the entry that
	// matched. Only in actions.
	DirectCount struct {
		Counter *Counter
		Pos     Pos
	}

	// MeterExec gives a packet to a meter and Dst, when not nil, its colour (Meter*). Color, when not nil, is the colour that the
	// packet has already (RFC 2698, 4.2, colour-aware): it never gets a better one. MeterGreen and MeterRed are themselves, all others
	// are yellow. Adjust, when not nil, is subtracted from the length of the packet, as a number of 32 bits with a sign; a length below
	// 0 is 0. A meter of packets does not look at it. Not configured or out of range: no effect, and the packet's own colour, or green.
	MeterExec struct {
		Meter         *Meter
		Index         Expr
		Color, Adjust Expr
		Dst           *Var
		Pos           Pos
	}

	// FilterExec gives a value of at most 32 bits to a filter, and Dst what comes of it. Out of range: as if not configured.
	FilterExec struct {
		Filter       *Filter
		Index, Value Expr
		Dst          *Var
		Pos          Pos
	}

	// RegisterExec runs a register action on one element, atomically. Dst,
	// when not nil, gets its result. Index out of range: no effect, result 0.
	RegisterExec struct {
		Action *RegisterAction
		Index  Expr
		Dst    *Var
		Pos    Pos
	}
	// RegisterRead is register.read(index).
	RegisterRead struct {
		Register *Register
		Index    Expr
		Dst      []*Var // one per element field
		Pos      Pos
	}
	// RegisterWrite is register.write(index, value).
	RegisterWrite struct {
		Register *Register
		Index    Expr
		Src      []Expr // one per element field
		Pos      Pos
	}

	// HashGet computes a hash over the concatenation of Inputs (most
	// significant first): Dst = Base + hash % Max, or the low bits of the hash
	// when Max is nil.
	HashGet struct {
		Hash      *Hash
		Inputs    []Expr
		Base, Max Expr // nil when not given
		Dst       *Var
		Pos       Pos
	}
	// RandomGet is random.get().
	RandomGet struct {
		Name string
		Dst  *Var
		Pos  Pos
	}
	// DigestPack is digest.pack({...}) in the ingress deparser.
	DigestPack struct {
		Digest *Digest
		Fields []Expr
		Pos    Pos
	}

	// Extract reads a header at the cursor and makes it valid. Too short:
	// reject.
	Extract struct {
		Header *HeaderInst
		Pos    Pos
	}
	// Advance moves the cursor.
	Advance struct {
		Bits Expr
		Pos  Pos
	}
	// Lookahead reads the bits at the cursor without moving it, into Dst one
	// after the other.
	Lookahead struct {
		Dst []*Var
		Pos Pos
	}

	// ChecksumAdd adds (or, with Subtract, removes) words to a Checksum unit
	// in a parser.
	ChecksumAdd struct {
		Checksum *Checksum
		Subtract bool
		Inputs   []Expr
		Pos      Pos
	}
	// ChecksumGet sets Dst to the sum that a Checksum unit in a parser has by now: that of what was added, less what was
	// subtracted. A ChecksumUpdate over it and what takes the place of the latter gives the checksum of the whole.
	ChecksumGet struct {
		Checksum *Checksum
		Dst      *Var
		Pos      Pos
	}
	// ChecksumVerify sets Dst to 1 when the sum is wrong (TNA: verify()
	// returns true when the checksum error is present).
	ChecksumVerify struct {
		Checksum *Checksum
		Dst      *Var
		Pos      Pos
	}
	// ChecksumUpdate is checksum.update({...}) in a deparser: the 16-bit one's
	// complement sum over Inputs, complemented.
	ChecksumUpdate struct {
		Checksum    *Checksum
		Inputs      []Expr
		ZerosAsOnes bool
		Dst         *Var
		Pos         Pos
	}
	// Emit appends a header when it is valid.
	Emit struct {
		Header *HeaderInst
		Pos    Pos
	}
)

// ActionCase is one case of `switch (t.apply().action_run)`.
type ActionCase struct {
	Actions []*Action
	Body    []Stmt
}

func (s *Assign) At() Pos         { return s.Pos }
func (s *If) At() Pos             { return s.Pos }
func (s *Block) At() Pos          { return s.Pos }
func (s *Return) At() Pos         { return s.Pos }
func (s *Exit) At() Pos           { return s.Pos }
func (s *Apply) At() Pos          { return s.Pos }
func (s *Call) At() Pos           { return s.Pos }
func (s *SetValid) At() Pos       { return s.Pos }
func (s *CopyHeader) At() Pos     { return s.Pos }
func (s *Count) At() Pos          { return s.Pos }
func (s *DirectCount) At() Pos    { return s.Pos }
func (s *MeterExec) At() Pos      { return s.Pos }
func (s *FilterExec) At() Pos     { return s.Pos }
func (s *RegisterExec) At() Pos   { return s.Pos }
func (s *RegisterRead) At() Pos   { return s.Pos }
func (s *RegisterWrite) At() Pos  { return s.Pos }
func (s *HashGet) At() Pos        { return s.Pos }
func (s *RandomGet) At() Pos      { return s.Pos }
func (s *DigestPack) At() Pos     { return s.Pos }
func (s *Extract) At() Pos        { return s.Pos }
func (s *Advance) At() Pos        { return s.Pos }
func (s *Lookahead) At() Pos      { return s.Pos }
func (s *ChecksumAdd) At() Pos    { return s.Pos }
func (s *ChecksumGet) At() Pos    { return s.Pos }
func (s *ChecksumVerify) At() Pos { return s.Pos }
func (s *ChecksumUpdate) At() Pos { return s.Pos }
func (s *Emit) At() Pos           { return s.Pos }
