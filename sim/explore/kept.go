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
