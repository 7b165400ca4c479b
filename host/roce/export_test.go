package roce

// Unacked returns what a device counts as under way.
func (d *Device) Unacked() int {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.unacked
}
