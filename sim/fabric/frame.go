package fabric

// maxFrame is room for a path MTU of 4096 with all headers, and for a packet-in's.
const maxFrame = 4096 + 128

// Frame is an Ethernet frame, without preamble and FCS. It has one owner, who sends it on or
// gives it back.
type Frame struct {
	B     []byte
	store [maxFrame]byte
	in    *ingress // by which it came into the switch that holds it: whom PFC stops

	// damaged: a wire has flipped one of its bits, or one of the frame that a switch made it of. That
	// happens once: two flips may make up for each other in an Internet checksum.
	damaged bool
}

// frame takes an empty frame.
func (f *Fabric) frame() *Frame {
	if n := len(f.free); n > 0 {
		fr := f.free[n-1]
		f.free = f.free[:n-1]
		return fr
	}
	f.frames++
	fr := &Frame{}
	fr.B = fr.store[:0]
	return fr
}

// copied takes a frame with these bytes.
func (f *Fabric) copied(b []byte) *Frame {
	fr := f.frame()
	fr.B = append(fr.B, b...)
	return fr
}

// release gives a frame back.
func (f *Fabric) release(fr *Frame) {
	f.leaves(fr)
	fr.B, fr.damaged = fr.store[:0], false
	f.free = append(f.free, fr)
}

// Held is how many frames are somewhere in the network.
func (f *Fabric) Held() int { return f.frames - len(f.free) }
