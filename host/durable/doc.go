// Package durable keeps what must not be forgotten in files, and tells damage from an end.
//
// A file can end early because the power failed while it was written: what was not yet
// acknowledged is gone, and nobody misses it. The same picture is left by a bit that has
// flipped in what was acknowledged long ago. Whoever takes one for the other loses data
// without a word, so both kinds of file here say in a second place how far they reach:
//
//	Log    records, appended. DIR/NUMBER.log are segments: a header, two slots that hold
//	       the last batches once more, then batches, whose sums are chained.
//	       DIR/mark says how far the log reached a moment ago.
//	Put    small files, replaced as a whole: NAME, and NAME.copy with the same; each says
//	       its generation. Get takes the newer one that is whole.
//
// A batch and its slot are written together and flushed together: Append returns when a
// batch that is damaged later can be told, or mended, by its slot. What is lost of a log
// below that, or of a file in both places, is ErrDamaged, and never an end.
//
// All of it is whole again after a loss of power at any moment, folders included. A disk
// that takes back everything at once, as one does that was restored from a copy, is not
// told here: others must know more than it does.
package durable
