package fabric

import (
	"bytes"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
)

// span is how long a load takes for so many requests, from h2 to h1, and the network afterwards.
func span(t *testing.T, costs Costs, packet Time, count int) (Time, *Fabric) {
	f := New(1)
	require.NoError(t, f.Use(echo, &echoSettings{Again: Span(Second)}))
	c := rack(2)
	c.Host.CPU, c.Host.Packet = costs, packet
	require.NoError(t, f.Build(c))
	require.NoError(t, f.Start())
	l, err := f.NewLoad(0, LoadConfig{Name: "x", From: "h2", To: []string{"h1"}, Size: 100, Count: count, Outstanding: 64}, &echoLoad{})
	require.NoError(t, err)
	require.NoError(t, f.RunWhile(Second, func() bool {
		require.NoError(t, f.Check())
		return !l.Over()
	}))
	require.Equal(t, count, l.Result.Done)
	return l.Result.Last - l.Result.First, f
}

// A host does as many requests as its costs leave it, to the picosecond; what takes it time is on one thread, or on several.
func TestCosts(t *testing.T) {
	const us = Microsecond
	for _, c := range []struct {
		name   string
		costs  Costs
		packet Time
		each   Time // what a request then takes
	}{
		{"value", Costs{Value: us}, 0, us},
		{"sent", Costs{Sent: us}, 0, us},
		{"received", Costs{Received: us}, 0, us},
		{"interface", Costs{}, us, us},
		{"threads of their own", Costs{Value: us, Sent: 2 * us, Received: 3 * us / 2}, us / 2, 2 * us},
		{"one thread", Costs{Value: us, Sent: 2 * us, Received: 3 * us / 2, RunToCompletion: true}, us / 2, 9 * us / 2},
		{"the interface is slower", Costs{Value: us, Sent: us, RunToCompletion: true}, 3 * us, 3 * us},
	} {
		few, _ := span(t, c.costs, c.packet, 300)
		many, f := span(t, c.costs, c.packet, 500)
		require.Equal(t, 200*c.each, many-few, c.name)
		full := 0
		for _, h := range f.Hosts {
			for _, th := range h.Threads() {
				require.LessOrEqual(t, th.Utilization(), 1.0, th.Name)
				if th.Utilization() > 0.95 {
					full++
				}
			}
		}
		require.NotZero(t, full, "%s: nothing is the limit", c.name)
	}
	none, f := span(t, Costs{}, 0, 300)
	require.Less(t, none, 300*us/2)
	for _, h := range f.Hosts {
		for _, th := range h.Threads() {
			require.Zero(t, th.Utilization())
		}
	}
}

// A thread counts the time that it was busy, and none of what waits.
func TestThreadBusy(t *testing.T) {
	f := New(1)
	th := &Thread{f: f}
	var done []Time
	f.At(10, func() {
		th.Do(5, func() { done = append(done, f.Now()) })
		th.Do(0, func() { done = append(done, f.Now()) })
		th.Do(5, func() { done = append(done, f.Now()) })
	})
	f.At(12, func() { require.EqualValues(t, 2, th.Busy()) })
	f.At(30, func() {
		require.EqualValues(t, 10, th.Busy())
		th.Do(0, func() { done = append(done, f.Now()) })
		require.Len(t, done, 4, "an idle thread does at once what takes no time")
		f.measure()
		th.before = th.Busy()
		th.Take(5)
	})
	f.At(40, func() { require.InDelta(t, 0.5, th.Utilization(), 1e-9) })
	require.NoError(t, f.Run(Second))
	require.Equal(t, []Time{15, 15, 20, 30}, done)
	require.EqualValues(t, 3, th.Jobs)
}

// Costs are named, or given one by one; both say so in the result.
func TestScenarioCosts(t *testing.T) {
	const text = "system: echo\ntopology: {kind: rack, hosts: 2, interfaces: {packet: 10ns, cpu: %s}}\nloads: [{from: h2, to: [h1], count: 50}]"
	for cpu, want := range map[string]string{
		"xdp":                       "CPU of a host: value 450ns, request 150ns, completion 100ns, frame sent 800ns, received 400ns, on one thread\n",
		"{like: rnic, value: 1us}":  "CPU of a host: value 1µs, request 210ns, completion 210ns, frame sent 0s, received 0s, on one thread\n",
		"{sent: 2us, received: 0}":  "CPU of a host: value 0s, request 0s, completion 0s, frame sent 2µs, received 0s\n",
		"{run-to-completion: true}": "a packet takes each direction of a host's interface 10ns\n",
	} {
		s, err := systems.Scenario(fmt.Appendf(nil, text, cpu))
		require.NoError(t, err)
		run, err := s.Begin()
		require.NoError(t, err)
		require.NoError(t, run.Finish())
		var out bytes.Buffer
		require.NoError(t, run.Write(&out))
		require.Contains(t, out.String(), want)
		require.Regexp(t, `(?m)^ +thread +jobs +busy\n(.*\n)* +h[12] .* 50 +\d+\.\d%`, out.String())
	}
	for cpu, want := range map[string]string{
		"gpu":         `line 2: cpu like "gpu": want xdp or rnic`,
		"{like: gpu}": `want xdp or rnic`,
		"{valu: 1us}": "field valu not found",
		"{sent: -1s}": "cpu sent: below 0",
		"[1]":         "cannot unmarshal",
	} {
		_, err := systems.Scenario(fmt.Appendf(nil, text, cpu))
		require.ErrorContains(t, err, want, cpu)
	}
}
