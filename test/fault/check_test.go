package fault

import (
	"errors"
	"math"
	"testing"

	"github.com/anishathalye/porcupine"
	"github.com/redis/go-redis/v9"
	"github.com/stretchr/testify/require"

	"github.com/p4ce/p4ce/systems/rdma/lab/store"
)

// What the other tests look for is found when it is there.

func TestModel(t *testing.T) {
	const never = math.MaxInt64
	op := func(in input, out output, call, end int64) porcupine.Operation {
		return porcupine.Operation{Input: in, Output: out, Call: call, Return: end}
	}
	get, incr := input{op: "GET", key: "n"}, input{op: "INCR", key: "n"}
	one, two := output{value: "1"}, output{value: "2"}
	for name, c := range map[string]struct {
		ok      bool
		history []porcupine.Operation
	}{
		"one after the other":      {true, []porcupine.Operation{op(incr, one, 0, 1), op(incr, two, 2, 3), op(get, two, 4, 5)}},
		"lost":                     {false, []porcupine.Operation{op(incr, one, 0, 1), op(get, output{absent: true}, 2, 3)}},
		"twice":                    {false, []porcupine.Operation{op(incr, one, 0, 1), op(get, two, 2, 3)}},
		"stale":                    {false, []porcupine.Operation{op(incr, one, 0, 1), op(incr, two, 2, 3), op(get, one, 4, 5)}},
		"at the same time":         {true, []porcupine.Operation{op(incr, two, 0, 9), op(incr, one, 0, 9), op(get, one, 0, 9)}},
		"unknown, happened":        {true, []porcupine.Operation{op(incr, output{unknown: true}, 0, never), op(incr, two, 2, 3)}},
		"unknown, did not":         {true, []porcupine.Operation{op(incr, output{unknown: true}, 0, never), op(incr, one, 2, 3)}},
		"unknown, came back":       {false, []porcupine.Operation{op(incr, output{unknown: true}, 0, never), op(get, one, 2, 3), op(get, output{absent: true}, 4, 5)}},
		"before it was asked for":  {false, []porcupine.Operation{op(get, one, 0, 1), op(incr, output{unknown: true}, 2, never)}},
		"appended":                 {true, []porcupine.Operation{op(input{"APPEND", "s", "ab"}, two, 0, 1), op(input{op: "GET", key: "s"}, output{value: "ab"}, 2, 3)}},
		"appended, another length": {false, []porcupine.Operation{op(input{"APPEND", "s", "ab"}, one, 0, 1)}},
		"set":                      {true, []porcupine.Operation{op(input{"SET", "s", "x"}, output{}, 0, 1), op(input{op: "GET", key: "s"}, output{value: "x"}, 2, 3)}},
	} {
		for i := range c.history {
			c.history[i].ClientId = i
		}
		require.Equal(t, c.ok, porcupine.CheckOperations(model, c.history), name)
	}
}

func TestDayChecks(t *testing.T) {
	broken := errors.New("broken")
	refused := errors.New("READONLY elsewhere")
	c := &dayClient{}
	require.NoError(t, c.counted(1, nil))
	require.ErrorContains(t, c.counted(1, nil), "lost")
	require.ErrorContains(t, c.counted(3, nil), "doubled")
	require.NoError(t, c.counted(0, refused))
	require.ErrorContains(t, c.counted(3, nil), "doubled", "what was refused explains nothing")
	require.NoError(t, c.counted(0, broken))
	require.NoError(t, c.counted(3, nil))
	require.ErrorContains(t, c.counted(5, nil), "doubled", "what was seen explains nothing any more")
	require.Equal(t, int64(3), c.count)

	cell := &cell{}
	require.NoError(t, cell.check("k", "", false))
	require.Error(t, cell.check("k", "1", true))
	cell.wrote("1", nil)
	require.NoError(t, cell.check("k", "1", true))
	require.ErrorContains(t, cell.check("k", "", false), "lost")
	cell.wrote("2", broken)
	cell.wrote("3", refused)
	require.NoError(t, cell.check("k", "1", true))
	require.NoError(t, cell.check("k", "2", true))
	require.ErrorContains(t, cell.check("k", "3", true), "lost")

	tokens := []token{{"1,", false}, {"2,", true}, {"3,", false}}
	for text, want := range map[string]string{
		"1,2,3,": "", "1,3,": "", "1,3,2,": "", "1,2,": "lost", "1,3,3,": "doubled", "1,2,2,3,": "doubled", "3,1,": "order", "": "lost",
	} {
		err := checkTokens("k", text, tokens)
		if want == "" {
			require.NoError(t, err, text)
		} else {
			require.ErrorContains(t, err, want, text)
		}
	}
}

func TestOutcomes(t *testing.T) {
	for text, want := range map[string][2]bool{ // refused, unknown
		"READONLY this server is a follower": {true, false},
		"MOVED 7 10.0.0.2:6379":              {true, false},
		"CLUSTERDOWN no leader":              {true, false},
		"UNKNOWN outcome unknown":            {false, true},
		"TIMEOUT no majority":                {false, true},
		"ERR value is not an integer":        {false, false},
	} {
		err := redis.Error(reply(text))
		require.Equal(t, want[0], store.Refused(err), text)
		require.Equal(t, want[1], isUnknown(err), text)
	}
	require.True(t, isUnknown(errUnanswered))
}

// reply is an answer that is an error.
type reply string

func (r reply) Error() string { return string(r) }
func (reply) RedisError()     {}
