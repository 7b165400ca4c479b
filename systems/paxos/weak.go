package paxos

// Weakness is a rule that is not followed: tests show with it that the rule is needed, and that
// they would see its lack.
type Weakness string

// The weaknesses of the cores here. The names say what is done instead.
const (
	Sound          Weakness = ""
	WeakFirstFound Weakness = "first-found" // Coordinator: any vote is adopted, not that of the highest round
	WeakMinority   Weakness = "minority"    // Coordinator: one promise is enough
	WeakHighest    Weakness = "highest"     // Coordinator: the lowest answer to FLOOR is taken for the end
	WeakNewOnly    Weakness = "new-only"    // Coordinator: the acceptors of earlier configurations are not asked
	WeakUnshown    Weakness = "unshown"     // Coordinator: what was sent to acceptors is taken for voted
	WeakOrder      Weakness = "order"       // Replica: values are delivered as they come
	WeakTwice      Weakness = "twice"       // Replica: what clients send again is delivered again
	WeakInstance   Weakness = "instance"    // Replica: what learners say again is delivered again
	WeakClients    Weakness = "clients"     // Replica: a checkpoint does not have what clients have sent
	WeakLives      Weakness = "lives"       // Replica: what a host's earlier lives have sent is delivered when a later one has begun
	WeakFull       Weakness = "full"        // Replica: what a full leader says is not heard
	WeakRenumber   Weakness = "renumber"    // Proposer: what is sent again gets a new number
	WeakUnbounded  Weakness = "unbounded"   // Proposer: numbers run away from the lowest that is under way
)
