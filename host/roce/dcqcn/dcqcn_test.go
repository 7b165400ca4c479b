package dcqcn

import (
	"math"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"
)

const line = 100e9

func limiter(t *testing.T, change func(*Params)) *Limiter {
	t.Helper()
	p := Params{LineRate: line}
	if change != nil {
		change(&p)
	}
	l, err := New(p)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func near(t *testing.T, what string, got, want float64) {
	t.Helper()
	if math.Abs(got-want) > 1e-9*want {
		t.Errorf("%s: %.6g, want %.6g", what, got, want)
	}
}

// The first CNP halves the rate (α is 1), the target is the rate before; then α is
// still 1, and falls by g with each interval without a CNP (equations 1 and 2).
func TestCut(t *testing.T) {
	l := limiter(t, nil)
	if l.Limited() || l.Next(5) != 5 {
		t.Error("a flow that has seen no CNP is delayed")
	}
	l.Notified(0)
	near(t, "rate", l.Rate(), line/2)
	near(t, "target", l.Target(), line)
	near(t, "alpha", l.Alpha(), 1)
	l.Next(54 * time.Microsecond)
	near(t, "alpha before the interval", l.Alpha(), 1)
	l.Next(55 * time.Microsecond)
	near(t, "alpha after it", l.Alpha(), 255./256)
	rate, alpha := l.Rate(), l.Alpha()
	l.Notified(56 * time.Microsecond)
	near(t, "rate", l.Rate(), rate*(1-alpha/2))
	near(t, "target", l.Target(), rate)
	near(t, "alpha", l.Alpha(), 255./256*alpha+1./256)
}

// On a slow link the defaults are those of the paper for 40 Gb/s in proportion, and the timers wait for packets.
func TestSlowLink(t *testing.T) {
	for rate, want := range map[uint64]Params{
		100e9: {RateAI: 40e6, RateHAI: 200e6, MinRate: 40e6, IncreaseTimer: 55 * time.Microsecond},
		40e9:  {RateAI: 40e6, RateHAI: 200e6, MinRate: 40e6, IncreaseTimer: 55 * time.Microsecond},
		1e9:   {RateAI: 1e6, RateHAI: 5e6, MinRate: 10e6, IncreaseTimer: 65536 * time.Nanosecond},
		100e6: {RateAI: 100e3, RateHAI: 500e3, MinRate: 1e6, IncreaseTimer: 655360 * time.Nanosecond},
	} {
		got := limiter(t, func(p *Params) { p.LineRate = rate }).p
		want.LineRate, want.AlphaInterval = rate, want.IncreaseTimer
		want.G, want.ByteCounter, want.FastRecovery = 1./256, 10e6, 5
		if got != want {
			t.Errorf("%d bit/s: %+v, want %+v", rate, got, want)
		}
	}
}

// Five steps of fast recovery halve the distance to the target each; then the target rises by R_AI.
func TestRecovery(t *testing.T) {
	l := limiter(t, nil)
	l.Notified(0)
	l.Notified(0) // the target is half the line rate, the rate a quarter
	rate := line / 4.
	for i := 1; i <= 5; i++ {
		l.Next(time.Duration(i) * 55 * time.Microsecond)
		rate = (rate + line/2) / 2
		near(t, "rate in fast recovery", l.Rate(), rate)
		near(t, "target in fast recovery", l.Target(), line/2)
	}
	l.Next(6 * 55 * time.Microsecond)
	near(t, "target in additive increase", l.Target(), line/2+40e6)
	near(t, "rate in additive increase", l.Rate(), (rate+line/2+40e6)/2)
	l.Notified(6 * 55 * time.Microsecond) // begins anew
	target := l.Target()
	for i := 7; i <= 11; i++ {
		l.Next(time.Duration(i) * 55 * time.Microsecond)
	}
	near(t, "target in fast recovery after another CNP", l.Target(), target)
}

// The byte counter raises the rate as the timer does; with both beyond F, the increase is hyper.
func TestBytes(t *testing.T) {
	l := limiter(t, func(p *Params) { p.ByteCounter = 10000 })
	l.Notified(0)
	l.Notified(0)
	for range 5 {
		l.Sent(1, 10000)
	}
	near(t, "rate after five", l.Rate(), line/2-line/4./32)
	l.Sent(1, 9999)
	near(t, "target before six", l.Target(), line/2)
	l.Sent(1, 1)
	near(t, "target after six", l.Target(), line/2+40e6)
	l.Next(5 * 55 * time.Microsecond)
	near(t, "target with the timer at F", l.Target(), line/2+6*40e6)
	l.Next(6 * 55 * time.Microsecond)
	near(t, "target with both beyond F", l.Target(), line/2+6*40e6+200e6)
	l.Sent(6*55*time.Microsecond, 10000)
	l.Next(7 * 55 * time.Microsecond)
	near(t, "i is that of the lesser, less F", l.Target(), line/2+6*40e6+200e6+200e6+2*200e6)
}

// A limited flow gets its rate, whatever the length of frames, and to the nanosecond; it is
// free when it has recovered.
func TestPacing(t *testing.T) {
	l := limiter(t, func(p *Params) { p.IncreaseTimer, p.AlphaInterval, p.ByteCounter = time.Hour, time.Hour, 1e15 })
	for range 4 {
		l.Notified(0)
	}
	now, bytes := time.Duration(0), 0
	for i := range 10000 {
		now = max(now, l.Next(now))
		n := 60 + i%1000
		l.Sent(now, n)
		bytes += n + wireOverhead
	}
	if got := float64(bytes) * 8 / now.Seconds(); math.Abs(got/(line/16.)-1) > 1e-3 {
		t.Errorf("sent at %.4g bit/s, want %.4g", got, line/16.)
	}
	l = limiter(t, nil)
	l.Notified(0)
	now = 0
	for l.Limited() {
		now += time.Microsecond
		l.Next(now)
		if now > time.Second {
			t.Fatal("never recovers")
		}
	}
	near(t, "rate", l.Rate(), line)
	if l.Next(now) > now {
		t.Error("delayed at the line rate")
	}
}

// Who was idle does not send what it might have sent meanwhile, beyond a burst.
func TestBurst(t *testing.T) {
	for _, burst := range []time.Duration{0, 100 * time.Microsecond} {
		l := limiter(t, func(p *Params) { p.IncreaseTimer, p.Burst = time.Hour, burst })
		l.Notified(0)
		now, sent := time.Millisecond, 0
		for l.Next(now) <= now {
			l.Sent(now, 1000)
			sent += 1000 + wireOverhead
		}
		want := burst.Seconds() * line / 2 / 8
		if float64(sent) < want || float64(sent) > want+3000 {
			t.Errorf("burst %v: %d bytes at once, want %.0f and a frame", burst, sent, want)
		}
	}
}

// Whatever comes: the rate is never above the target, the target not above the line rate, the rate
// not below the least one, and no more is sent in any time than the line carries.
func TestBounds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := Params{
			LineRate: rapid.Uint64Range(1e6, 400e9).Draw(t, "line"), G: rapid.Float64Range(1./1024, 1).Draw(t, "g"),
			RateAI: rapid.Uint64Range(1e6, 10e9).Draw(t, "ai"), RateHAI: rapid.Uint64Range(1e6, 50e9).Draw(t, "hai"),
			ByteCounter: rapid.Uint64Range(1000, 10e6).Draw(t, "bytes"), FastRecovery: rapid.IntRange(1, 8).Draw(t, "f"),
		}
		l, err := New(p)
		if err != nil {
			t.Fatal(err)
		}
		now := time.Duration(0)
		t.Repeat(map[string]func(*rapid.T){
			"cnp":  func(*rapid.T) { l.Notified(now) },
			"wait": func(t *rapid.T) { now += time.Duration(rapid.IntRange(1, 300000).Draw(t, "ns")) },
			"send": func(t *rapid.T) {
				at := l.Next(now)
				now = max(now, at)
				l.Sent(now, rapid.IntRange(60, 4200).Draw(t, "n"))
			},
			"": func(t *rapid.T) {
				switch {
				case l.Rate() < min(40e6, float64(p.LineRate)/100)-1 || l.Rate() > l.Target() || l.Target() > float64(p.LineRate):
					t.Fatalf("rate %v, target %v, line %v", l.Rate(), l.Target(), p.LineRate)
				case l.Alpha() < 0 || l.Alpha() > 1:
					t.Fatalf("alpha %v", l.Alpha())
				case !l.Limited() && l.Rate() != float64(p.LineRate):
					t.Fatalf("free at %v", l.Rate())
				}
			},
		})
	})
}

func TestCheck(t *testing.T) {
	for _, c := range []struct {
		p    Params
		want string
	}{
		{Params{}, "line rate"},
		{Params{LineRate: 1e9, MinRate: 2e9}, "minimum rate"},
		{Params{LineRate: 1e9, G: 2}, "g of 2"},
		{Params{LineRate: 1e9, G: math.NaN()}, "g of NaN"},
		{Params{LineRate: 1e9, IncreaseTimer: 1}, "intervals"},
		{Params{LineRate: 1e9, FastRecovery: -1}, "fast recovery"},
		{Params{LineRate: 1e9, RateAI: 9e12}, "rates of increase"},
	} {
		if _, err := New(c.p); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: %v, want something about %s", c.p, err, c.want)
		}
	}
}
