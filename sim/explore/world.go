package explore

// Action is something that can happen, as a world numbers it. What it means may
// depend on the state.
type Action uint32

// World is a system in one of its states. It is used by one goroutine at a time.
type World interface {
	// Actions appends what can happen now: always in the same order in the same state.
	Actions(a []Action) []Action
	// Name says what an action is, uniquely among those that can happen now.
	Name(a Action) string
	// Do lets something happen. The error is a violation of a property; the world is
	// not used any more then. Events go to note, if it is not nil.
	Do(a Action, note func(Event)) error
	// Append appends the canonical bytes of the state.
	Append(b []byte) []byte
	// Reached has a bit for every goal (Model.Goals) that has been reached on the way.
	Reached() uint64
}

// Cloner is a World that can be copied. Others are made anew by repeating their way.
type Cloner interface {
	World
	Clone() World
}

// Converger is a World that can be asked to go on without further faults: liveness.
type Converger interface {
	Cloner
	// Converge heals some participants for good, lets everything happen in a fair order,
	// and returns an error if they do not come to what they should. pick chooses whom.
	// False: this state demands nothing. The world is not used any more then.
	Converge(pick uint64, note func(Event)) (bool, error)
}

// Model makes worlds.
type Model interface {
	// New makes the world in its first state: always the same.
	New() (World, error)
	// Goals are what must be reached, "sometimes" properties: up to 64.
	Goals() []string
	// Columns are the names of those that take part, for charts.
	Columns() []string
}

// Event is a line of a chart: something goes from one participant to another, or
// happens to one of them.
type Event struct {
	From, To int // columns; To is From if nothing moves
	Lost     bool
	Text     string
}
