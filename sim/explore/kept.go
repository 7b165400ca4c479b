package explore

import "time"

// Kept is a world that is explored again and again.
type Kept struct {
	Name, Shows string
	Bounds      string
	// Walk is for how long random ways are gone, of so many steps each; 0: every state is
	// looked at.
	Walk  time.Duration
	Steps int
	// Large says that it takes longer than a test may.
	Large bool
}

// Kind is a kind of world, which a system offers to the explorer: the variable Kinds of its package
// explore has all of them.
type Kind struct {
	Name   string // before the bounds, where a world is named: "mu entries=2 batch"
	Prefix string // of the names of its kept worlds
	Kept   []Kept
	// Shared says that all worlds of a model share something that one goroutine at a time may use, such
	// as a switch (interp.Target): a search has one worker.
	Shared bool
	Model  func(bounds string) (Model, error)
}

// Models makes a Kind's Model of how bounds are read and of what is made of them.
func Models[B any, M Model](parse func(string) (B, error), model func(B) (M, error)) func(string) (Model, error) {
	return func(text string) (Model, error) {
		b, err := parse(text)
		if err != nil {
			return nil, err
		}
		return model(b)
	}
}
