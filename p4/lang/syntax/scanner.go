package syntax

import (
	"strings"

	"github.com/p4ce/p4ce/p4/lang/diag"
)

// scan cuts a whole file into tokens. It never fails: what is no token becomes
// an Illegal token, which is reported only if it survives preprocessing (text
// in a skipped #if group may be anything).
func scan(f *diag.File) []Token {
	s := scanner{file: f, src: f.Text, line: 1, bol: true}
	toks := make([]Token, 0, len(f.Text)/4+1)
	for {
		t := s.next()
		toks = append(toks, t)
		if t.Kind == EOF {
			return toks
		}
	}
}

type scanner struct {
	file      *diag.File
	src       string
	off       int
	line      int32
	lineStart int
	bol       bool
	space     bool
}

func (s *scanner) pos() diag.Pos {
	return diag.Pos{File: s.file, Line: s.line, Col: int32(s.off-s.lineStart) + 1}
}

func (s *scanner) newline() {
	s.off++
	s.line++
	s.lineStart = s.off
}

// skip passes over white space, comments and line splices. It returns an
// Illegal token for a comment that never ends.
func (s *scanner) skip() (Token, bool) {
	for s.off < len(s.src) {
		switch c := s.src[s.off]; {
		case c == '\n':
			s.newline()
			s.bol, s.space = true, true
		case c == ' ' || c == '\t' || c == '\r' || c == '\f' || c == '\v':
			s.off++
			s.space = true
		case c == '\\' && strings.HasPrefix(s.src[s.off+1:], "\n"):
			s.off++
			s.newline()
			s.space = true
		case c == '\\' && strings.HasPrefix(s.src[s.off+1:], "\r\n"):
			s.off += 2
			s.newline()
			s.space = true
		case c == '/' && strings.HasPrefix(s.src[s.off:], "//"):
			for s.off < len(s.src) && s.src[s.off] != '\n' {
				s.off++
			}
			s.space = true
		case c == '/' && strings.HasPrefix(s.src[s.off:], "/*"):
			start := s.pos()
			s.off += 2
			for {
				if s.off >= len(s.src) {
					return Token{Kind: Illegal, Text: "/*", Pos: start, Space: s.space, BOL: s.bol,
						Err: "comment is not terminated", ErrCode: diag.Unterminated}, true
				}
				if strings.HasPrefix(s.src[s.off:], "*/") {
					s.off += 2
					break
				}
				// A comment that spans lines does not make what follows it the
				// first of a line for directives, but C compilers accept it.
				if s.src[s.off] == '\n' {
					s.newline()
					s.bol = true
				} else {
					s.off++
				}
			}
			s.space = true
		default:
			return Token{}, false
		}
	}
	return Token{}, false
}

func isLetter(c byte) bool {
	return c == '_' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || c == '$'
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

// operators by length, longest first.
var operators = []struct {
	text string
	kind Kind
}{
	{"&&&", Mask}, {"|+|", PlusSat}, {"|-|", MinusSat}, {"...", Ellipsis}, {"<<=", OpAssign},
	{"&&", AndAnd}, {"||", OrOr}, {"==", EqEq}, {"!=", NotEq}, {"<=", LessEq}, {">=", GreaterEq},
	{"<<", Shl}, {"++", Concat}, {"..", DotDot}, {"##", HashHash},
	{"+=", OpAssign}, {"-=", OpAssign}, {"*=", OpAssign}, {"/=", OpAssign}, {"%=", OpAssign},
	{"&=", OpAssign}, {"|=", OpAssign}, {"^=", OpAssign},
	{"(", LParen}, {")", RParen}, {"[", LBrack}, {"]", RBrack}, {"{", LBrace}, {"}", RBrace},
	{"<", Less}, {">", Greater}, {",", Comma}, {";", Semi}, {":", Colon}, {".", Dot}, {"@", At},
	{"#", Hash}, {"?", Question}, {"=", Assign}, {"!", Not}, {"~", Tilde}, {"+", Plus},
	{"-", Minus}, {"*", Star}, {"/", Slash}, {"%", Percent}, {"&", And}, {"|", Or}, {"^", Xor},
}

func (s *scanner) next() Token {
	if t, bad := s.skip(); bad {
		s.bol, s.space = false, false
		return t
	}
	t := Token{Pos: s.pos(), Space: s.space, BOL: s.bol}
	s.bol, s.space = false, false
	if s.off >= len(s.src) {
		t.Kind, t.BOL = EOF, true
		return t
	}
	start := s.off
	c := s.src[s.off]
	switch {
	case isLetter(c):
		for s.off < len(s.src) && (isLetter(s.src[s.off]) || isDigit(s.src[s.off])) {
			s.off++
		}
		t.Kind, t.Text = Name, s.src[start:s.off]
		return t
	case isDigit(c):
		for s.off < len(s.src) && (isLetter(s.src[s.off]) || isDigit(s.src[s.off])) {
			s.off++
		}
		t.Kind, t.Text = Number, s.src[start:s.off]
		return t
	case c == '"':
		return s.str(t)
	}
	for _, op := range operators {
		if strings.HasPrefix(s.src[s.off:], op.text) {
			s.off += len(op.text)
			t.Kind, t.Text = op.kind, op.text
			return t
		}
	}
	// Take a whole run of foreign bytes (a UTF-8 character, say) as one token.
	s.off++
	for c >= 0x80 && s.off < len(s.src) && s.src[s.off] >= 0x80 {
		s.off++
	}
	t.Kind, t.Text = Illegal, strings.ToValidUTF8(s.src[start:s.off], "?")
	t.Err, t.ErrCode = "illegal character '"+printable(t.Text)+"'", diag.IllegalChar
	return t
}

func printable(s string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f {
			return '?'
		}
		return r
	}, s)
}

func (s *scanner) str(t Token) Token {
	var b strings.Builder
	s.off++
	for s.off < len(s.src) {
		switch c := s.src[s.off]; {
		case c == '"':
			s.off++
			t.Kind, t.Text = String, b.String()
			return t
		case c == '\n':
			// P4 allows a string over several lines. We do not: a missing
			// quote would hide all the errors up to the next one.
			t.Kind, t.Text = Illegal, "\""
			t.Err, t.ErrCode = "string is not terminated on its line", diag.Unterminated
			return t
		case c == '\\' && s.off+1 < len(s.src) && s.src[s.off+1] != '\n':
			s.off++
			switch e := s.src[s.off]; e {
			case 'n':
				b.WriteByte('\n')
			case 't':
				b.WriteByte('\t')
			case 'r':
				b.WriteByte('\r')
			default:
				b.WriteByte(e)
			}
			s.off++
		default:
			b.WriteByte(c)
			s.off++
		}
	}
	t.Kind, t.Text = Illegal, "\""
	t.Err, t.ErrCode = "string is not terminated", diag.Unterminated
	return t
}
