package p4runtime

import (
	"fmt"

	"github.com/stretchr/testify/require"
	"google.golang.org/grpc/codes"

	"github.com/p4ce/p4ce/p4/lang/ir"
)

const (
	meteredB   = `match { field_id: 1 exact { value: "\x01" } }`
	meteredC   = `match { field_id: 1 exact { value: "\x02" } }`
	onePacket  = "config { cburst: 1 pburst: 1 }"
	twoPackets = "config { cburst: 1 pburst: 2 }"
)

var (
	metered   = action(16, "")
	unmetered = action(17, "")
)

// limitOf is the direct meter of an entry, or of the default one.
func limitOf(match, config string) string {
	return fmt.Sprintf("direct_meter_entry { table_entry { table_id: 0x0200000d %s } %s }", match, config)
}

// colors are those of packets that come one after the other.
func (d *device) colors(b uint16, n int) (out []int) {
	d.Helper()
	for range n {
		o := d.outs(frame(21, 0, b, 0))
		require.Len(d, o, 1)
		out = append(out, int(o[0].Frame[7]))
	}
	return out
}

// limits are the requirements of direct meters.
var limits = []requirement{
	{"limit.modify", func(d *device) {
		d.writes(d.ins(entry(13, meteredB, metered)), d.ins(entry(13, meteredC, metered)), d.mod(limitOf(meteredB, twoPackets)))
		d.has(limitOf(meteredB, ""), limitOf(meteredB, twoPackets))
		require.Equal(d, []int{ir.MeterGreen, ir.MeterYellow, ir.MeterRed}, d.colors(1, 3))
		require.Equal(d, []int{ir.MeterGreen, ir.MeterGreen}, d.colors(2, 2), "another entry's")
		d.writes(d.mod(limitOf(meteredB, "")))
		require.Equal(d, []int{ir.MeterGreen, ir.MeterGreen}, d.colors(1, 2), "without a configuration there is no limit")
	}},
	{"limit.insert-delete", func(d *device) {
		d.writes(d.ins(entry(13, meteredB, metered)))
		d.refuses(codes.InvalidArgument, d.ins(limitOf(meteredB, onePacket)), d.del(limitOf(meteredB, "")))
	}},
	{"limit.missing", func(d *device) {
		d.refuses(codes.NotFound, d.mod(limitOf(meteredB, onePacket)))
		d.refusesRead(codes.NotFound, limitOf(meteredB, ""))
	}},
	{"limit.no-meter", func(d *device) {
		d.writes(d.ins(entry(1, one, hit5)))
		other := "direct_meter_entry { table_entry { table_id: 0x02000001 " + one + " } }"
		d.refuses(codes.InvalidArgument, d.mod(other), d.mod("direct_meter_entry { }"), d.mod("direct_meter_entry { table_entry { table_id: 0x77 } }"))
		d.refusesRead(codes.InvalidArgument, other)
	}},
	{"limit.malformed", func(d *device) {
		d.writes(d.ins(entry(13, meteredB, metered)))
		d.refuses(codes.InvalidArgument, d.mod(limitOf(meteredB, "config { cir: 2 pir: 1 }")), d.mod(limitOf(meteredB, "config { cir: -1 }")),
			d.ins(entry(13, meteredC, metered+" meter_config { cir: 2 pir: 1 }")))
		d.refuses(codes.Unimplemented, d.mod(limitOf(meteredB, "counter_data { }")))
		d.has(entry(13, "", ""), entry(13, meteredB, metered))
	}},
	{"limit.with-the-entry", func(d *device) {
		e := entry(13, meteredB, metered+" meter_config { cburst: 1 pburst: 1 }")
		d.writes(d.ins(e))
		d.has(limitOf(meteredB, ""), limitOf(meteredB, onePacket))
		require.Equal(d, []int{ir.MeterGreen, ir.MeterRed}, d.colors(1, 2))
		d.has(entry(13, meteredB, ""), entry(13, meteredB, metered)) // only who asks gets it
		d.has(entry(13, meteredB, "meter_config { }"), e)
	}},
	{"limit.modify-of-the-entry", func(d *device) {
		d.writes(d.ins(entry(13, meteredB, metered)), d.mod(entry(13, meteredB, metered+" meter_config { cburst: 1 pburst: 1 }")))
		require.Equal(d, []int{ir.MeterGreen, ir.MeterRed}, d.colors(1, 2))
		d.writes(d.mod(entry(13, meteredB, metered))) // unlike a counter, it does not stay
		d.has(limitOf(meteredB, ""), limitOf(meteredB, ""))
		require.Equal(d, []int{ir.MeterGreen, ir.MeterGreen}, d.colors(1, 2))
	}},
	{"limit.action-without", func(d *device) {
		d.refuses(codes.InvalidArgument, d.ins(entry(13, meteredB, unmetered+" meter_config { cburst: 1 pburst: 1 }")))
		d.writes(d.ins(entry(13, meteredB, unmetered)))
		require.Equal(d, []int{7}, d.colors(1, 1))
	}},
	{"limit.gone-with-the-entry", func(d *device) {
		d.writes(d.ins(entry(13, meteredB, metered+" meter_config { cburst: 1 pburst: 1 }")), d.del(entry(13, meteredB, "")), d.ins(entry(13, meteredC, metered)))
		d.has(limitOf(meteredC, ""), limitOf(meteredC, ""))
		require.Equal(d, []int{ir.MeterGreen, ir.MeterGreen}, d.colors(2, 2))
	}},
	{"limit.default-entry", func(d *device) {
		d.writes(d.mod(limitOf("is_default_action: true", onePacket)), d.ins(entry(13, meteredB, metered)))
		require.Equal(d, []int{ir.MeterGreen, ir.MeterRed}, d.colors(9, 2))
		require.Equal(d, []int{ir.MeterGreen, ir.MeterGreen}, d.colors(1, 2))
	}},
	{"limit.wildcard", func(d *device) {
		d.writes(d.ins(entry(13, meteredB, metered)), d.ins(entry(13, meteredC, metered+" meter_config { cburst: 1 pburst: 1 }")))
		d.has(limitOf("", ""), limitOf(meteredB, ""), limitOf(meteredC, onePacket))
		d.has("direct_meter_entry { }", limitOf(meteredB, ""), limitOf(meteredC, onePacket))
	}},
}
