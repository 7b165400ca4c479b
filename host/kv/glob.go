package kv

// globMatch reports whether s matches a pattern of Redis: * any bytes, ? one byte,
// [abc], [a-z], [^a] one byte of a set, \x the byte x. It takes at most
// len(pattern) * len(s) steps.
func globMatch(pattern, s []byte) bool {
	p, i := 0, 0
	// Where to continue when the bytes after the last star do not match: the star takes one byte more.
	star, at := -1, 0
	for i < len(s) {
		if p < len(pattern) {
			if pattern[p] == '*' {
				star, at = p, i
				p++
				continue
			}
			if n, ok := globByte(pattern[p:], s[i]); ok {
				p += n
				i++
				continue
			}
		}
		if star < 0 {
			return false
		}
		at++
		p, i = star+1, at
	}
	for p < len(pattern) && pattern[p] == '*' {
		p++
	}
	return p == len(pattern)
}

// globByte matches one byte against the first element of a pattern, which is not a star, and returns
// the element's length.
func globByte(p []byte, c byte) (int, bool) {
	switch p[0] {
	case '?':
		return 1, true
	case '\\':
		if len(p) > 1 {
			return 2, p[1] == c
		}
	case '[':
		i, not, match := 1, false, false
		if i < len(p) && p[i] == '^' {
			not = true
			i++
		}
		// As in Redis, a set that is not closed ends with the pattern, and an empty set matches
		// nothing.
		for ; i < len(p) && p[i] != ']'; i++ {
			switch {
			case p[i] == '\\' && i+1 < len(p):
				i++
				match = match || p[i] == c
			case i+2 < len(p) && p[i+1] == '-':
				lo, hi := p[i], p[i+2]
				if lo > hi {
					lo, hi = hi, lo
				}
				match = match || lo <= c && c <= hi
				i += 2
			default:
				match = match || p[i] == c
			}
		}
		if i < len(p) {
			i++
		}
		return i, match != not
	}
	return 1, p[0] == c
}
