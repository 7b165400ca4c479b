package roce

import "github.com/p4ce/p4ce/roce/cmsm"

// Unacked returns what a device counts as under way.
func (d *Device) Unacked() int {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.unacked
}

// WaitsForEver reports whether the loop waits for no time.
func (d *Device) WaitsForEver() bool {
	return d.still.Load() && d.until.Load() == int64(cmsm.Never)
}
