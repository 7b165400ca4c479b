// Package durable keeps data that must survive in files, and distinguishes damage from the end of a
// file.
//
// A file can end early because the power failed during a write. The missing part was then never
// acknowledged. A bit that has flipped in data that was acknowledged long ago looks the same. A
// program that mistakes one for the other loses data silently. So both kinds of file record in a
// second place how far they reach:
//
//	Log    records, appended. DIR/NUMBER.log are segments: a header, two slots that hold
//	       the last batches once more, then batches with chained checksums.
//	       DIR/mark says how far the log reached a moment ago.
//	Put    small files, replaced as a whole: NAME, and NAME.copy with the same content; each
//	       has a generation. Get returns the newer intact one.
//
// A batch and its slot are written and flushed together. When Append returns, the slot can reveal
// later damage to the batch, or repair it. Loss in a log below that, or of a file in both places,
// is ErrDamaged, and never looks like an end.
//
// After a loss of power at any moment, files and folders are consistent. This package cannot detect
// a disk that goes back in time as a whole, such as one that was restored from a copy. For that,
// other servers must know more than the disk does.
package durable
