package kv

import (
	"bytes"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/p4ce/p4ce/host/kv/resp"
)

const textSyntax = "ERR syntax error"

func textExpireTime(name string) string { return "ERR invalid expire time in '" + name + "' command" }

func textValueTooLong(n int) string {
	return fmt.Sprintf("%s: %d bytes", textTooLong, n)
}

// parseSet parses SET, SETNX and GETSET.
func parseSet(r *request, args [][]byte) string {
	r.op = op{code: opSet, args: args[:2]}
	switch r.name {
	case "setnx":
		r.op.flags = flagNX
	case "getset":
		r.op.flags = flagGet
	}
	for i := 2; i < len(args); i++ {
		a := args[i]
		switch {
		case resp.Is(a, "nx") && r.op.flags&flagXX == 0:
			r.op.flags |= flagNX
		case resp.Is(a, "xx") && r.op.flags&flagNX == 0:
			r.op.flags |= flagXX
		case resp.Is(a, "get"):
			r.op.flags |= flagGet
		case resp.Is(a, "keepttl") && r.op.n == 0:
			r.op.flags |= flagKeepTTL
		default:
			unit, at := unitOf(a)
			if i++; unit == 0 || i == len(args) || r.op.n != 0 || r.op.flags&flagKeepTTL != 0 {
				return textSyntax
			}
			if text := r.expires(args[i], unit, at); text != "" {
				return text
			}
		}
	}
	if len(args[1]) > MaxValue {
		return textValueTooLong(len(args[1]))
	}
	return ""
}

// unitOf returns how many ms the number behind an option counts, and whether it is a point in time. 0: the option is
// another one.
func unitOf(option []byte) (unit int64, at bool) {
	switch {
	case resp.Is(option, "ex"):
		return 1000, false
	case resp.Is(option, "px"):
		return 1, false
	case resp.Is(option, "exat"):
		return 1000, true
	case resp.Is(option, "pxat"):
		return 1, true
	}
	return 0, false
}

// expires parses a time to live, or a point in time.
func (r *request) expires(arg []byte, unit int64, at bool) string {
	n, ok := resp.ParseInt(arg)
	switch {
	case !ok:
		return textNotInteger
	case n <= 0 || n > maxTime/unit:
		return textExpireTime(r.name)
	}
	if r.op.n = n * unit; at {
		r.op.flags |= flagAt
	}
	return ""
}

// parseSetEx parses SETEX and PSETEX.
func parseSetEx(r *request, args [][]byte) string {
	r.op = op{code: opSet, args: [][]byte{args[0], args[2]}}
	unit := int64(1)
	if r.name == "setex" {
		unit = 1000
	}
	if text := r.expires(args[1], unit, false); text != "" {
		return text
	}
	if len(args[2]) > MaxValue {
		return textValueTooLong(len(args[2]))
	}
	return ""
}

func parseGetEx(r *request, args [][]byte) string {
	r.op = op{code: opGetEx, args: args[:1]}
	switch len(args) {
	case 1:
		return ""
	case 2:
		if !resp.Is(args[1], "persist") {
			return textSyntax
		}
		r.op.flags = flagPersist
		return ""
	}
	unit, at := unitOf(args[1])
	if len(args) > 3 || unit == 0 {
		return textSyntax
	}
	return r.expires(args[2], unit, at)
}

func parseGetDel(r *request, args [][]byte) string {
	r.op = op{code: opGetDel, args: args}
	return ""
}

func parsePersist(r *request, args [][]byte) string {
	r.op = op{code: opPersist, args: args}
	return ""
}

func parseIncrFloat(r *request, args [][]byte) string {
	r.op = op{code: opIncrFloat, args: args}
	if f, err := strconv.ParseFloat(string(args[1]), 64); err == nil && (math.IsInf(f, 0) || math.IsNaN(f)) {
		return textInfinite
	}
	if _, ok := parseFloat(args[1]); !ok {
		return textNotFloat
	}
	return ""
}

func parseSetRange(r *request, args [][]byte) string {
	n, ok := resp.ParseInt(args[1])
	switch {
	case !ok:
		return textNotInteger
	case n < 0:
		return "ERR offset is out of range"
	case n > MaxValue || int(n)+len(args[2]) > MaxValue:
		return textTooLong
	}
	r.op = op{code: opSetRange, n: n, args: [][]byte{args[0], args[2]}}
	return ""
}

// parseCopy parses COPY, RENAME and RENAMENX.
func parseCopy(r *request, args [][]byte) string {
	r.op = op{code: opCopy, args: args[:2]}
	switch r.name {
	case "rename":
		r.op.flags = flagMove | flagReplace
	case "renamenx":
		r.op.flags = flagMove
	default:
		if bytes.Equal(args[0], args[1]) {
			return "ERR source and destination objects are the same"
		}
	}
	for i := 2; i < len(args); i++ {
		switch {
		case resp.Is(args[i], "replace"):
			r.op.flags |= flagReplace
		case resp.Is(args[i], "db") && i+1 < len(args):
			if n, ok := resp.ParseInt(args[i+1]); !ok {
				return textNotInteger
			} else if n != 0 {
				return "ERR DB index is out of range"
			}
			i++
		default:
			return textSyntax
		}
	}
	return ""
}

func parseFlush(r *request, args [][]byte) string {
	r.op = op{code: opFlush}
	if len(args) == 1 && !resp.Is(args[0], "async") && !resp.Is(args[0], "sync") {
		return textSyntax
	}
	return ""
}

// parseRange parses GETRANGE and SUBSTR.
func parseRange(r *request, args [][]byte) string {
	for i := range r.n {
		var ok bool
		if r.n[i], ok = resp.ParseInt(args[1+i]); !ok {
			return textNotInteger
		}
	}
	return ""
}

func parseMemory(r *request, args [][]byte) string {
	switch {
	case !resp.Is(args[0], "usage"):
		return textSubcommand(r)
	case len(args) == 4 && resp.Is(args[2], "samples"):
		if n, ok := resp.ParseInt(args[3]); !ok || n < 0 {
			return textNotInteger
		}
	case len(args) != 2:
		return textSyntax
	}
	return ""
}

func parseObject(r *request, args [][]byte) string {
	switch {
	case resp.Is(args[0], "idletime"), resp.Is(args[0], "freq"):
		return "ERR the store does not record when keys were used"
	case !resp.Is(args[0], "encoding") && !resp.Is(args[0], "refcount"):
		return textSubcommand(r)
	case len(args) != 2:
		return resp.Arguments(r.name + "|" + strings.ToLower(string(args[0])))
	}
	return ""
}

func textSubcommand(r *request) string {
	return resp.OneLine(fmt.Sprintf("ERR unknown subcommand '%s'. Try COMMAND DOCS %s.", r.args[0][:min(len(r.args[0]), 128)], strings.ToUpper(r.name)))
}

func parseDel(r *request, args [][]byte) string {
	r.op = op{code: opDel, args: args}
	return ""
}

// parseIncr parses INCR, INCRBY, DECR and DECRBY.
func parseIncr(r *request, args [][]byte) string {
	r.op = op{code: opIncr, n: 1, args: args[:1]}
	if len(args) == 2 {
		var ok bool
		if r.op.n, ok = resp.ParseInt(args[1]); !ok {
			return textNotInteger
		}
	}
	if r.name == "decr" || r.name == "decrby" {
		if r.op.n == math.MinInt64 {
			return "ERR decrement would overflow"
		}
		r.op.n = -r.op.n
	}
	return ""
}

func parseAppend(r *request, args [][]byte) string {
	r.op = op{code: opAppend, args: args}
	if len(args[1]) > MaxValue {
		return textValueTooLong(len(args[1]))
	}
	return ""
}

func parseMSet(r *request, args [][]byte) string {
	if len(args)%2 != 0 {
		return resp.Arguments(r.name)
	}
	r.op = op{code: opMSet, args: args}
	if r.name == "msetnx" {
		r.op.flags = flagNX
	}
	for i := 1; i < len(args); i += 2 {
		if len(args[i]) > MaxValue {
			return textValueTooLong(len(args[i]))
		}
	}
	return ""
}

// parseExpire parses EXPIRE, PEXPIRE, EXPIREAT and PEXPIREAT.
func parseExpire(r *request, args [][]byte) string {
	r.op = op{code: opExpire, args: args[:1]}
	for _, a := range args[2:] {
		switch {
		case resp.Is(a, "nx"):
			r.op.flags |= flagNX
		case resp.Is(a, "xx"):
			r.op.flags |= flagXX
		case resp.Is(a, "gt"):
			r.op.flags |= flagGT
		case resp.Is(a, "lt"):
			r.op.flags |= flagLT
		default:
			return resp.OneLine(fmt.Sprintf("ERR Unsupported option %s", a[:min(len(a), 128)]))
		}
	}
	switch f := r.op.flags; {
	case f&flagNX != 0 && f != flagNX:
		return "ERR NX and XX, GT or LT options at the same time are not compatible"
	case f&flagGT != 0 && f&flagLT != 0:
		return "ERR GT and LT options at the same time are not compatible"
	}
	unit := int64(1)
	if r.name == "expire" || r.name == "expireat" {
		unit = 1000
	}
	n, ok := resp.ParseInt(args[1])
	if !ok {
		return textNotInteger
	}
	if n > maxTime/unit || n < math.MinInt64/unit {
		return textExpireTime(r.name)
	}
	// However long ago that is, the key is removed.
	r.op.n = max(n, -1) * unit
	if strings.HasSuffix(r.name, "at") {
		r.op.flags |= flagAt
		r.op.n = max(r.op.n, 0)
	}
	return ""
}

func parseScan(r *request, args [][]byte) string {
	r.scan = scanArgs{count: defaultCount}
	var ok bool
	if r.scan.cursor, ok = resp.ParseUint(args[0]); !ok {
		return "ERR invalid cursor"
	}
	for i := 1; i < len(args); i += 2 {
		if i+1 == len(args) {
			return textSyntax
		}
		v := args[i+1]
		switch {
		case resp.Is(args[i], "match"):
			r.scan.match = v
			if bytes.Equal(v, []byte("*")) {
				r.scan.match = nil
			}
		case resp.Is(args[i], "count"):
			n, ok := resp.ParseInt(v)
			if !ok {
				return textNotInteger
			}
			if n < 1 {
				return textSyntax
			}
			r.scan.count = int(min(n, maxCount))
		case resp.Is(args[i], "type"):
			r.scan.none = !resp.Is(v, "string")
		default:
			return textSyntax
		}
	}
	return ""
}
