package rsm

import (
	"sync"

	"github.com/p4ce/p4ce/systems/onepipe"
)

// maxHeld is how many bytes of messages wait for the machine. Beyond, senders have to wait.
const maxHeld = 64 << 20

// inbox keeps delivered messages until the machine takes them: a server that fetches its state does not hold up the
// others for as long as there is room.
type inbox struct {
	mu      sync.Mutex
	changed sync.Cond
	list    []onepipe.Message
	held    int
	ended   bool
}

func newInbox() *inbox {
	b := &inbox{}
	b.changed.L = &b.mu
	return b
}

// put adds a message. It waits for room.
func (b *inbox) put(m onepipe.Message) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for b.held > maxHeld && !b.ended {
		b.changed.Wait()
	}
	b.list = append(b.list, m)
	b.held += len(m.Data)
	b.changed.Broadcast()
}

// take waits for messages, and takes all of them. There are none when the inbox has ended.
func (b *inbox) take() (list []onepipe.Message) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for len(b.list) == 0 && !b.ended {
		b.changed.Wait()
	}
	list, b.list, b.held = b.list, nil, 0
	b.changed.Broadcast()
	return list
}

// end wakes everybody. What is in the inbox can still be taken.
func (b *inbox) end() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.ended = true
	b.changed.Broadcast()
}
