package session

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/p4ce/p4ce/ctrl/looptime"
)

// pulsing looks every 100 ms whom it has heard.
type pulsing struct {
	watched
	ticked time.Duration
}

func (p *pulsing) Deadline() time.Duration { return p.ticked + 100*time.Millisecond }
func (p *pulsing) Tick()                   { p.ticked = p.bound.Now() }

// TestStandsStill: while a session's loop stands still, as in a process that was stopped, its time does, too, whatever the loop
// looks at first when it goes on: nobody counts as silent whom it could not hear.
func TestStandsStill(t *testing.T) {
	for way, post := range map[string]func(s *Session, fn func()){
		"from the switch": (*Session).Post,
		"handed":          (*Session).Hand,
		"tick":            func(*Session, func()) {},
	} {
		t.Run(way, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				app := &pulsing{}
				s := &Session{app: app, inbox: make(chan func(), inboxSize), handed: newHanded(), clock: looptime.New(), life: t.Context()}
				app.bound = s
				ctx, end := context.WithCancel(t.Context())
				defer end()
				go s.loop(ctx)
				for range 5 {
					time.Sleep(time.Second)
					synctest.Wait()
					before := app.ticked
					s.Post(func() { time.Sleep(time.Hour) })
					time.Sleep(time.Hour)
					heard := before
					post(s, func() { heard = s.Now() })
					time.Sleep(time.Millisecond)
					synctest.Wait()
					require.Less(t, max(heard, app.ticked)-before, time.Second)
					time.Sleep(time.Second)
					synctest.Wait()
					require.GreaterOrEqual(t, app.ticked-before, time.Second, "time goes on")
				}
			})
		})
	}
}
