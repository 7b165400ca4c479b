package lang_test

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/p4ce/p4ce/p4/lang"
)

var tokenRE = regexp.MustCompile(`[A-Za-z_]\w*|\d\w*|"[^"]*"|\s+|&&&|\+\+|[^\s\w]`)

// TestMutations damages good programs token by token: whatever comes of it,
// the compiler answers with errors or a program, and does not panic. Unlike
// the fuzz targets' bytes, most of these get past the parser.
func TestMutations(t *testing.T) {
	files, err := filepath.Glob("testdata/ir/*.p4")
	require.NoError(t, err)
	files = append(files, "../p4info/testdata/l2.p4")
	rounds := 60
	if testing.Short() {
		rounds = 10
	}
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	rnd := rand.New(rand.NewPCG(seed, 0))
	good := 0
	for _, f := range files {
		text, err := os.ReadFile(f)
		require.NoError(t, err)
		toks := tokenRE.FindAllString(string(text), -1)
		require.Equal(t, string(text), strings.Join(toks, ""), "tokens are the whole text")
		for range rounds {
			m := append([]string(nil), toks...)
			for range 1 + rnd.IntN(3) {
				i, j := rnd.IntN(len(m)), rnd.IntN(len(m))
				switch rnd.IntN(4) {
				case 0:
					m[i] = ""
				case 1:
					m[i] = m[j]
				case 2:
					m[i], m[j] = m[j], m[i]
				case 3:
					m[i] += " " + m[j]
				}
			}
			src := strings.Join(m, "")
			func() {
				defer func() {
					if r := recover(); r != nil {
						t.Fatalf("%s, mutated (seed %d): panic: %v\n%s", f, seed, r, src)
					}
				}()
				p, l := lang.Compile(lang.Options{Path: f, Source: []byte(src), IncludeDirs: []string{"testdata/errors/include"}})
				require.Equal(t, p == nil, l.HasErrors())
				_ = l.String()
				if p != nil {
					good++
				}
			}()
		}
	}
	t.Logf("%d of %d mutants compile", good, rounds*len(files))
}
