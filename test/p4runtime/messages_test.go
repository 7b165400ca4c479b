package p4runtime

import (
	"time"

	p4 "github.com/p4lang/p4runtime/go/p4/v1"
	"github.com/stretchr/testify/require"
	"google.golang.org/grpc/codes"
	"google.golang.org/protobuf/proto"
)

// toController is a packet-out that comes back as a packet-in.
const toController = `payload: "hello" metadata { metadata_id: 1 value: "\x40" } metadata { metadata_id: 2 value: "\x00" }`

// packets are the requirements of packet I/O.
var packets = []requirement{
	{"packet.in", func(d *device) {
		d.main.out(toController)
		in := d.main.next().GetPacket()
		require.Equal(d, "hello", string(in.GetPayload()))
		got := map[uint32]string{}
		for _, m := range in.GetMetadata() {
			got[m.GetMetadataId()] = string(m.GetValue())
		}
		require.Len(d, in.GetMetadata(), 2)
		require.Equal(d, map[uint32]string{1: "\x40", 2: "\x00"}, got, "each field once, in the shortest form")
	}},
	{"packet.only-primary-receives", func(d *device) {
		b := d.stream()
		b.watch("")
		b.is(codes.AlreadyExists, 1)
		d.main.out(toController)
		require.NotNil(d, d.main.next().GetPacket())
		d.main.cancel()
		b.is(codes.NotFound, 1) // the next that the backup hears
	}},
	{"packet.out-not-primary", func(d *device) {
		b := d.stream()
		b.watch("")
		b.is(codes.AlreadyExists, 1)
		p := b.out(toController)
		require.True(d, proto.Equal(p, b.fails(codes.PermissionDenied).GetPacketOut().GetPacketOut()))
		d.main.out(toController)
		require.NotNil(d, d.main.next().GetPacket())
		require.EqualValues(d, 1, d.server.Stats().PacketIns, "only that of the primary was sent")
	}},
	{"packet.out-before-arbitration", func(d *device) {
		b := d.stream()
		b.out(toController)
		b.fails(codes.PermissionDenied)
	}},
	{"packet.out-any-order", func(d *device) {
		d.main.out(`payload: "hello" metadata { metadata_id: 2 value: "\x00\x00" } metadata { metadata_id: 1 value: "\x00\x40" }`)
		require.Equal(d, "hello", string(d.main.next().GetPacket().GetPayload()))
	}},
	{"packet.out-metadata-missing", func(d *device) {
		d.main.out(`payload: "x" metadata { metadata_id: 1 value: "\x40" }`)
		d.main.fails(codes.InvalidArgument)
		require.Zero(d, d.server.Stats().PacketOuts)
	}},
	{"packet.out-metadata-unknown", func(d *device) {
		p := d.main.out(`payload: "x" metadata { metadata_id: 7 value: "\x40" }`)
		e := d.main.fails(codes.InvalidArgument)
		require.True(d, proto.Equal(p, e.GetPacketOut().GetPacketOut()))
		require.NotEmpty(d, e.GetMessage())
		require.Zero(d, d.server.Stats().PacketOuts)
	}},
	{"packet.out-metadata-twice", func(d *device) {
		d.main.out(`payload: "x" metadata { metadata_id: 1 value: "\x40" } metadata { metadata_id: 1 value: "\x40" } metadata { metadata_id: 2 value: "\x00" }`)
		d.main.fails(codes.InvalidArgument)
	}},
	{"packet.out-metadata-too-wide", func(d *device) {
		d.main.out(`payload: "x" metadata { metadata_id: 1 value: "\x02\x00" } metadata { metadata_id: 2 value: "\x00" }`)
		d.main.fails(codes.OutOfRange)
		d.main.out(`payload: "x" metadata { metadata_id: 1 value: "" } metadata { metadata_id: 2 value: "\x00" }`)
		d.main.fails(codes.OutOfRange)
	}},
	{"packet.of-every-role", func(d *device) {
		b := d.stream()
		b.claim("other", 1)
		b.is(codes.OK, 1)
		d.main.out(toController)
		require.NotNil(d, d.main.next().GetPacket())
		require.NotNil(d, b.next().GetPacket())
	}},
}

const digestID = 0x17000001

func digest(config string) string { return "digest_entry { digest_id: 0x17000001 " + config + " }" }

const forever = "max_timeout_ns: 3600000000000 ack_timeout_ns: 3600000000000"

// sees has the data plane make a digest message.
func (d *device) sees(a uint32) { d.Helper(); require.Len(d, d.outs(frame(12, a, 1, 0)), 1) }

// list waits for a digest list, and returns the first member of each message.
func (d *device) list() (l *p4.DigestList, values []byte) {
	d.Helper()
	m := d.main.next()
	require.NotNil(d, m.GetDigest(), "%v", m)
	for _, x := range m.GetDigest().GetData() {
		members := x.GetStruct().GetMembers()
		require.Len(d, members, 2)
		require.Equal(d, []byte{1}, members[1].GetBitstring())
		values = append(values, members[0].GetBitstring()...)
	}
	return m.GetDigest(), values
}

// handled waits until the server has handled what the stream has sent.
func (d *device) handled() {
	d.Helper()
	d.main.out(`payload: "x"`)
	d.main.fails(codes.InvalidArgument)
}

// digests are the requirements of digests.
var digests = []requirement{
	{"digest.insert", func(d *device) {
		d.sees(1)
		d.writes(d.ins(digest("config { max_list_size: 1 }")))
		d.has("digest_entry { }", digest("config { max_list_size: 1 }"))
		d.sees(2)
		l, values := d.list()
		require.Equal(d, []byte{2}, values, "and nothing of before")
		require.EqualValues(d, digestID, l.GetDigestId())
		require.Positive(d, l.GetTimestamp())
	}},
	{"digest.exists", func(d *device) {
		d.writes(d.ins(digest("config { max_list_size: 1 }")))
		d.refuses(codes.AlreadyExists, d.ins(digest("config { max_list_size: 1 }")))
	}},
	{"digest.config-needed", func(d *device) {
		d.refuses(codes.InvalidArgument, d.ins(digest("")), d.ins(digest("config { max_timeout_ns: -1 }")), d.ins(digest("config { max_list_size: -1 }")), d.ins(digest("config { ack_timeout_ns: -1 }")))
	}},
	{"digest.modify", func(d *device) {
		d.refuses(codes.NotFound, d.mod(digest("config { max_list_size: 1 }")))
		d.writes(d.ins(digest("config { max_list_size: 3 "+forever+" }")), d.mod(digest("config { max_list_size: 2 "+forever+" }")))
		d.sees(1)
		d.sees(2)
		_, values := d.list()
		require.Equal(d, []byte{1, 2}, values)
	}},
	{"digest.delete", func(d *device) {
		d.refuses(codes.NotFound, d.del(digest("")))
		d.writes(d.ins(digest("config { max_list_size: 1 }")), d.del(digest("")))
		d.has("digest_entry { }")
		d.sees(1)
		d.handled() // without a list before
	}},
	{"digest.id-unknown", func(d *device) {
		d.refuses(codes.InvalidArgument, d.ins("digest_entry { digest_id: 0x17000077 config { } }"))
		d.refusesRead(codes.InvalidArgument, "digest_entry { digest_id: 0x17000077 }")
	}},
	{"digest.list-size", func(d *device) {
		d.writes(d.ins(digest("config { max_list_size: 3 " + forever + " }")))
		for i := range 3 {
			d.sees(uint32(i))
		}
		_, values := d.list()
		require.Equal(d, []byte{0, 1, 2}, values)
	}},
	{"digest.list-distinct", func(d *device) {
		d.writes(d.ins(digest("config { max_list_size: 2 " + forever + " }")))
		d.sees(1)
		d.sees(1)
		d.sees(2)
		_, values := d.list()
		require.Equal(d, []byte{1, 2}, values)
	}},
	{"digest.timeout", func(d *device) {
		d.writes(d.ins(digest("config { max_timeout_ns: 1000000 max_list_size: 100 }")))
		d.sees(1)
		_, values := d.list()
		require.Equal(d, []byte{1}, values)
	}},
	{"digest.no-list-size", func(d *device) {
		d.writes(d.ins(digest("config { max_timeout_ns: 1000000 }")))
		d.sees(1)
		_, values := d.list()
		require.Equal(d, []byte{1}, values)
	}},
	{"digest.at-once", func(d *device) {
		d.writes(d.ins(digest("config { max_list_size: 50 }"))) // max_timeout_ns: 0
		for i := range 3 {
			d.sees(uint32(i))
			_, values := d.list()
			require.Equal(d, []byte{byte(i)}, values)
		}
	}},
	{"digest.no-cache", func(d *device) {
		d.writes(d.ins(digest("config { max_list_size: 1 }"))) // ack_timeout_ns: 0
		for range 3 {
			d.sees(1)
			_, values := d.list()
			require.Equal(d, []byte{1}, values)
		}
	}},
	{"digest.not-repeated", func(d *device) {
		d.writes(d.ins(digest("config { max_list_size: 1 " + forever + " }")))
		d.sees(1)
		d.list()
		d.sees(1)
		d.sees(2)
		_, values := d.list()
		require.Equal(d, []byte{2}, values)
	}},
	{"digest.ack", func(d *device) {
		d.writes(d.ins(digest("config { max_list_size: 1 " + forever + " }")))
		d.sees(1)
		l, _ := d.list()
		d.main.ack(digestID, l.GetListId())
		d.handled()
		d.sees(1)
		_, values := d.list()
		require.Equal(d, []byte{1}, values)
	}},
	{"digest.ack-of-another-list", func(d *device) {
		d.writes(d.ins(digest("config { max_list_size: 1 " + forever + " }")))
		d.sees(1)
		l, _ := d.list()
		d.main.ack(digestID, l.GetListId()+7)
		d.handled()
		d.sees(1)
		d.sees(2)
		_, values := d.list()
		require.Equal(d, []byte{2}, values)
	}},
	{"digest.ack-timeout", func(d *device) {
		d.writes(d.ins(digest("config { max_list_size: 1 ack_timeout_ns: 1 }")))
		for range 3 {
			d.sees(1)
			_, values := d.list()
			require.Equal(d, []byte{1}, values)
		}
	}},
	{"digest.ack-unknown", func(d *device) {
		d.main.ack(0x17000077, 1)
		e := d.main.fails(codes.InvalidArgument)
		require.EqualValues(d, 0x17000077, e.GetDigestListAck().GetDigestListAck().GetDigestId())
	}},
	{"digest.ack-not-primary", func(d *device) {
		b := d.stream()
		b.watch("")
		b.is(codes.AlreadyExists, 1)
		b.ack(digestID, 1)
		require.NotNil(d, b.fails(codes.PermissionDenied).GetDigestListAck())
	}},
	{"digest.only-primary-receives", func(d *device) {
		b := d.stream()
		b.watch("")
		b.is(codes.AlreadyExists, 1)
		d.writes(d.ins(digest("config { max_list_size: 1 }")))
		d.sees(1)
		d.list()
		d.main.cancel()
		b.is(codes.NotFound, 1)
	}},
}

const shortly = "idle_timeout_ns: 20000000 "

// idle waits for an entry of a notification.
func (d *device) idle() *p4.TableEntry {
	d.Helper()
	n := d.main.next().GetIdleTimeoutNotification()
	require.NotNil(d, n)
	require.Positive(d, n.GetTimestamp())
	require.NotEmpty(d, n.GetTableEntry())
	return n.GetTableEntry()[0]
}

// timeouts are the requirements of idle time-outs.
var timeouts = []requirement{
	{"idle.read-back", func(d *device) {
		e := entry(7, idle1, fwd5+" idle_timeout_ns: 123456789")
		d.writes(d.ins(e))
		d.has(entry(7, "", ""), e)
		e = entry(7, idle1, fwd5+" idle_timeout_ns: 987654321")
		d.writes(d.mod(e))
		d.has(entry(7, "", ""), e)
	}},
	{"idle.unsupported-table", func(d *device) {
		d.refuses(codes.InvalidArgument, d.ins(entry(2, ten, fwd5+" idle_timeout_ns: 5")), d.ins(entry(2, ten, fwd5+" time_since_last_hit { }")))
		d.refusesRead(codes.InvalidArgument, entry(2, "", "time_since_last_hit { }"))
	}},
	{"idle.last-hit-read-only", func(d *device) {
		d.refuses(codes.InvalidArgument, d.ins(entry(7, idle1, fwd5+" time_since_last_hit { }")))
	}},
	{"idle.last-hit", func(d *device) {
		d.writes(d.ins(entry(7, idle1, fwd5)))
		require.Nil(d, d.reads(entry(7, "", ""))[0].GetTableEntry().GetTimeSinceLastHit(), "only if it is asked for")
		ask := func() time.Duration {
			d.Helper()
			e := d.reads(entry(7, "", "time_since_last_hit { }"))[0].GetTableEntry()
			require.NotNil(d, e.GetTimeSinceLastHit(), "though there is no timeout")
			return time.Duration(e.GetTimeSinceLastHit().GetElapsedNs())
		}
		require.Eventually(d, func() bool { return ask() > 5*time.Millisecond }, 20*time.Second, time.Millisecond, "since it was written")
		before := time.Now()
		require.Equal(d, to(5), d.goes(frame(7, 1, 0, 0)))
		require.LessOrEqual(d, ask(), time.Since(before))
	}},
	{"idle.notification", func(d *device) {
		d.writes(d.ins(entry(7, idle1, fwd5+shortly+`metadata: "m" controller_metadata: 6`)))
		e := d.idle()
		e.Action = nil // may be there
		require.True(d, proto.Equal(entity(d, entry(7, idle1, shortly+`metadata: "m" controller_metadata: 6`)).GetTableEntry(), e), "%v", e)
	}},
	{"idle.never-for-zero", func(d *device) {
		d.writes(d.ins(entry(7, `match { field_id: 1 exact { value: "\x02" } }`, fwd5)), d.ins(entry(7, idle1, fwd5+shortly)))
		for range 3 {
			require.Equal(d, []byte{1}, d.idle().GetMatch()[0].GetExact().GetValue())
		}
	}},
	{"idle.again", func(d *device) {
		d.writes(d.ins(entry(7, idle1, fwd5+shortly)))
		for range 3 {
			d.idle()
		}
	}},
	{"idle.entry-stays", func(d *device) {
		e := entry(7, idle1, fwd5+shortly)
		d.writes(d.ins(e))
		d.idle()
		d.has(entry(7, "", ""), e)
		require.Equal(d, to(5), d.goes(frame(7, 1, 0, 0)))
	}},
	{"idle.small-values", func(d *device) {
		d.writes(d.ins(entry(7, idle1, fwd5+" idle_timeout_ns: 1")))
		require.EqualValues(d, 1, d.idle().GetIdleTimeoutNs())
	}},
	{"idle.only-primary-receives", func(d *device) {
		b := d.stream()
		b.watch("")
		b.is(codes.AlreadyExists, 1)
		d.writes(d.ins(entry(7, idle1, fwd5+shortly)))
		d.idle()
		d.main.cancel()
		b.is(codes.NotFound, 1)
	}},
}
