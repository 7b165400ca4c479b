package roce

// Farewell sends frames when the process has died (package host/roce/farewell). It is not the
// device's: several may use it.
type Farewell interface {
	// Keep takes a frame over, and returns a name for Drop, or false when there is no room.
	Keep(frame []byte) (id int, ok bool)
	Drop(id int)
}

// lastWord is what the peer of a connection is told if the process dies.
type lastWord struct {
	id   int
	kept bool
}

// keep begins with it, once the connection is established.
func (l *lastWord) keep(c *Conn) {
	d := c.dev
	if d.opts.Farewell == nil {
		return
	}
	m := c.pair.CC.Farewell()
	frame, err := d.frameCM(nil, d.macs[m.Remote], m)
	if err == nil {
		l.id, l.kept = d.opts.Farewell.Keep(frame)
	}
	if !l.kept {
		d.log.Warn("the peer would not be told at once that this process has died", "peer", c.remote, "err", err)
	}
}

// drop ends it: the connection has ended.
func (l *lastWord) drop(d *Device) {
	if l.kept {
		l.kept = false
		d.opts.Farewell.Drop(l.id)
	}
}
