// Package damage does to files what disks do: it flips bits, cuts files short, gives back
// what was there before, and puts writes where others belong.
//
//	img := damage.Read(t, fs, "/data")             // what a program has left
//	for d := range damage.Of(seed, img, older, n) {
//		fs := d.FS(t, "/data")                     // the same, damaged
//		... the program starts: what it says is right, or it refuses, in words
//	}
//
// What is drawn is a function of the seed. One fault at a time: two that hit a file and
// what vouches for it are beyond what can be told.
package damage
