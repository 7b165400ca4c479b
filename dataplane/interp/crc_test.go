package interp

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

// The table gives what the definition gives.
func TestCRCTable(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	for range 2000 {
		p := crcParams{width: 8 + rnd.IntN(57), poly: rnd.Uint64(), init: rnd.Uint64(), xor: rnd.Uint64(), reversed: rnd.IntN(2) == 0}
		data := make([]byte, rnd.IntN(40))
		for i := range data {
			data[i] = byte(rnd.Uint32())
		}
		require.Equal(t, p.sum(data), p.table().sum(data), "%+v %x", p, data)
	}
}
