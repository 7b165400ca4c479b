-- What p4ce says, for Wireshark and tshark: the headers of P4xos (p4/paxos), 1Pipe (p4/onepipe) and P4mCast
-- (p4/amcast), the private data of connections of P4CE (systems/rdma/private), and the log entries that RDMA WRITEs carry
-- (systems/rdma/mu).
--
--   tshark -X lua_script:p4ce.lua -r run.pcapng
--
-- Wireshark loads it from a folder of plugins (Help, About, Folders). The Debian package puts it into
-- /usr/lib/x86_64-linux-gnu/wireshark/plugins.
-- Fields are as in the P4 programs, in network byte order.

-- protocol makes a protocol of a list of fields: {name, title, bytes, base or type, values, mask}.
local function protocol(name, title, fields)
	local p = Proto(name, title)
	local types = { [1] = ProtoField.uint8, [2] = ProtoField.uint16, [3] = ProtoField.uint24, [4] = ProtoField.uint32, [6] = ProtoField.uint64, [8] = ProtoField.uint64 }
	local all = {}
	for _, f in ipairs(fields) do
		local key, text, size, kind, values, mask = f[1], f[2], f[3], f[4], f[5], f[6]
		if kind == "ipv4" then
			f.field = ProtoField.ipv4(name .. "." .. key, text)
		elseif kind == "bytes" then
			f.field = ProtoField.bytes(name .. "." .. key, text)
		else
			f.field = types[size](name .. "." .. key, text, kind or base.DEC, values, mask)
		end
		all[#all + 1] = f.field
	end
	p.fields = all
	return p
end

-- add adds fields from an offset on, and returns the offset behind them. A field that shares its bytes is followed by one
-- with the same bytes; what has no size is added by the caller.
local function add(tree, tvb, fields, at)
	for _, f in ipairs(fields) do
		if f[3] > 0 then
			tree:add(f.field, tvb(at, f[3]))
			if not f.shares then at = at + f[3] end
		end
	end
	return at
end

-- header makes the dissector of a UDP datagram that begins with a header of so many bytes. info is what the column
-- says of it.
local function header(p, title, fields, length, info)
	local rest = fields[#fields].field
	function p.dissector(tvb, pinfo, tree)
		if tvb:len() < length then return 0 end
		pinfo.cols.protocol = title
		local t = tree:add(p, tvb())
		local at = add(t, tvb, fields, 0)
		if tvb:len() > at then t:add(rest, tvb(at)) end
		pinfo.cols.info = info(tvb)
		return tvb:len()
	end
end

-- P4xos

local paxos_kinds = { "REQUEST", "PREPARE", "PROMISE", "ACCEPT", "VOTE", "FLOOR", "FLOORED", "QUERY", "DELIVER", "REFUSED" }
local paxos_fields = {
	{ "kind", "Message", 1, base.DEC, paxos_kinds },
	{ "acceptor", "Acceptor", 1 },
	{ "flags", "Flags", 1, base.HEX },
	{ "value_len", "Length of the value", 1 },
	{ "inst", "Instance", 4 },
	{ "rnd", "Round", 4 },
	{ "vrnd", "Round of the vote", 4 },
	{ "client", "Client", 4, "ipv4" },
	{ "seq", "Number of the client", 4 },
	{ "reserved", "Reserved", 2, base.HEX },
	{ "not_length", "Complement of the length", 2, base.HEX },
	{ "value", "Value", 0, "bytes" },
}
local paxos = protocol("p4xos", "P4xos", paxos_fields)
header(paxos, "P4xos", paxos_fields, 28, function(tvb)
	local kind = paxos_kinds[tvb(0, 1):uint()] or ("message " .. tvb(0, 1):uint())
	return string.format("%s instance=%d round=%d seq=%d", kind, tvb(4, 4):uint(), tvb(8, 4):uint(), tvb(20, 4):uint())
end)

-- 1Pipe

local onepipe_ops = { [0] = "BEACON", "DATA", "RELIABLE", "ACK", "NAK", "RECALL", "RECALLED" }
local onepipe_fields = {
	{ "timestamp", "Timestamp of the message", 6 },
	{ "barrier", "Barrier", 4 },
	{ "commit", "Commit barrier", 4 },
	{ "opcode", "Opcode", 1, base.DEC, onepipe_ops, 0xf0, shares = true },
	{ "flags", "Flags", 1, base.HEX, { [1] = "END", [2] = "ECHO", [4] = "RELIABLE", [8] = "UNSTAMPED" }, 0x0f },
	{ "psn", "PSN", 3 },
	{ "src", "Source process", 2 },
	{ "dst", "Destination process", 2 },
	{ "checksum", "Checksum", 2, base.HEX },
	{ "data", "Data", 0, "bytes" },
}
local onepipe = protocol("onepipe", "1Pipe", onepipe_fields)
header(onepipe, "1Pipe", onepipe_fields, 24, function(tvb)
	local op = math.floor(tvb(14, 1):uint() / 16)
	return string.format("%s barrier=%d commit=%d psn=%d %d -> %d", onepipe_ops[op] or ("opcode " .. op), tvb(6, 4):uint(), tvb(10, 4):uint(), tvb(15, 3):uint(), tvb(18, 2):uint(), tvb(20, 2):uint())
end)

-- P4mCast

local amcast_kinds = { "START", "PROP", "ACK", "DELIVER", "MARK", "ASK", "TOLD", "LOOK", "KNOWN", "REFUSED" }
local amcast_fields = {
	{ "kind", "Message", 1, base.DEC, amcast_kinds },
	{ "flags", "Flags", 1, base.HEX },
	{ "from", "Group of the proposal", 1 },
	{ "by", "Group of the member that acknowledges", 1 },
	{ "groups", "Destinations", 4, base.HEX },
	{ "client", "Client", 2 },
	{ "member", "Member that acknowledges", 1 },
	{ "from_slot", "Slot of the group of the proposal", 1, base.DEC, nil, 0xf0, shares = true },
	{ "by_slot", "Slot of the group that acknowledges", 1, base.DEC, nil, 0x0f },
	{ "number", "Number of the message", 4 },
	{ "epoch", "Epoch", 4 },
	{ "lts", "Local timestamp", 4 },
	{ "seq", "Number of the proposal", 4 },
	{ "by_epoch", "Epoch of the group that acknowledges", 4 },
	{ "clock", "Clock", 4 },
	{ "mark", "Highest proposal", 4 },
	{ "digest", "Digest of the payload", 4, base.HEX },
	{ "length", "Length of the payload", 2 },
	{ "checksum", "Checksum", 2, base.HEX },
	{ "payload", "Payload", 0, "bytes" },
}
local amcast = protocol("p4mcast", "P4mCast", amcast_fields)
header(amcast, "P4mCast", amcast_fields, 48, function(tvb)
	local kind = amcast_kinds[tvb(0, 1):uint()] or ("message " .. tvb(0, 1):uint())
	return string.format("%s client=%d number=%d group=%d epoch=%d lts=%d seq=%d", kind, tvb(8, 2):uint(), tvb(12, 4):uint(), tvb(2, 1):uint(), tvb(16, 4):uint(), tvb(20, 4):uint(), tvb(24, 4):uint())
end)

local ports = DissectorTable.get("udp.port")
ports:add(0x8860, onepipe)
for i = 0, 15 do
	ports:add(0x8880 + i, paxos)
	ports:add(0x88a0 + i, amcast)
end

-- The private data of P4CE, behind Wireshark's own dissector of RoCE.

local forms = { "group", "reference", "member", "peer", "region", "ask" }
local private = Proto("p4ce", "P4CE private data")
local pf = {
	magic = ProtoField.uint16("p4ce.magic", "Magic", base.HEX),
	version = ProtoField.uint8("p4ce.version", "Version", base.DEC, nil, 0xf0),
	form = ProtoField.uint8("p4ce.form", "Form", base.DEC, forms, 0x0f),
	leader = ProtoField.uint16("p4ce.leader_id", "Leader or server"),
	term = ProtoField.uint64("p4ce.term", "Term"),
	replica = ProtoField.ipv4("p4ce.replica", "Replica"),
	name = ProtoField.string("p4ce.name", "Name of the group"),
	slot = ProtoField.uint8("p4ce.slot", "Slot"),
	address = ProtoField.ipv4("p4ce.leader", "Address of the leader"),
	cluster = ProtoField.uint64("p4ce.cluster", "Cluster"),
	peer = ProtoField.uint16("p4ce.peer", "Server that is meant"),
	rkey = ProtoField.uint32("p4ce.rkey", "R_key", base.HEX),
	va = ProtoField.uint64("p4ce.va", "Address of the memory", base.HEX),
	size = ProtoField.uint64("p4ce.size", "Size of the memory"),
	text = ProtoField.string("p4ce.refusal", "Refusal"),
}
private.fields = pf
local req_ip, req, rep, rej = Field.new("infiniband.cm.req.ip_cm.private"), Field.new("infiniband.cm.req.private"), Field.new("infiniband.cm.rep.private"), Field.new("infiniband.cm.rej.private")

local function begins(b) return b and b:len() >= 4 and b(0, 2):uint() == 0x50ce end

function private.dissector(tvb, pinfo, tree)
	local f = req_ip() or req()
	local b = f and f.range
	if begins(b) and b:len() >= 48 then
		local t = tree:add(private, b)
		t:add(pf.magic, b(0, 2))
		t:add(pf.version, b(2, 1))
		t:add(pf.form, b(2, 1))
		t:add(pf.leader, b(4, 2))
		local form = b(2, 1):uint() % 16
		if form ~= 6 and form ~= 4 then t:add(pf.term, b(8, 8)) end
		if form == 1 then
			local n = b(3, 1):uint() % 16
			for i = 0, math.min(n, 8) - 1 do t:add(pf.replica, b(16 + 4 * i, 4)) end
		elseif form == 2 then
			t:add(pf.name, b(16, 32))
		elseif form == 3 then
			t:add(pf.slot, b(3, 1))
			t:add(pf.address, b(16, 4))
		elseif form == 4 then
			t:add(pf.cluster, b(16, 8))
			t:add(pf.peer, b(24, 2))
		elseif form == 5 then
			t:add(pf.slot, b(3, 1))
			t:add(pf.va, b(24, 8))
			t:add(pf.size, b(32, 8))
		elseif form == 6 then
			t:add(pf.cluster, b(8, 8))
		end
		pinfo.cols.info:append(" P4CE " .. (forms[form] or form))
	end
	f = rep()
	b = f and f.range
	if begins(b) and b:len() >= 24 then
		local t = tree:add(private, b(0, 24))
		t:add(pf.version, b(2, 1))
		t:add(pf.rkey, b(4, 4))
		t:add(pf.va, b(8, 8))
		t:add(pf.size, b(16, 8))
		pinfo.cols.info:append(" P4CE region")
	end
	f = rej()
	b = f and f.range
	if begins(b) then
		local t = tree:add(private, b)
		t:add(pf.version, b(2, 1))
		local text = b(4):string():match("[%g ]+$") or b(4):string():match("[%g ][%g ][%g ][%g ]+")
		if text then t:add(pf.text, b, text) end
		pinfo.cols.info:append(" P4CE refusal")
	end
end
register_postdissector(private)

-- Log entries. They are little-endian.

local log = Proto("p4ce_log", "P4CE log entries")
local lf = {
	crc = ProtoField.uint32("p4ce_log.crc", "CRC-32C", base.HEX),
	valid = ProtoField.bool("p4ce_log.valid", "The checksum is right"),
	skip = ProtoField.bool("p4ce_log.skip", "The rest of the ring is unused", 32, nil, 0x80000000),
	members = ProtoField.bool("p4ce_log.members", "The record is a membership", 32, nil, 0x40000000),
	length = ProtoField.uint32("p4ce_log.length", "Length of the record", base.DEC, nil, 0x3fffffff),
	position = ProtoField.uint64("p4ce_log.position", "Position"),
	index = ProtoField.uint64("p4ce_log.index", "Index"),
	commit = ProtoField.uint64("p4ce_log.commit", "Committed up to"),
	term = ProtoField.string("p4ce_log.term", "Term (round.server)"),
	record = ProtoField.bytes("p4ce_log.record", "Record"),
}
log.fields = lf
local opcode, pad = Field.new("infiniband.bth.opcode"), Field.new("infiniband.bth.padcnt")
local write_size = Field.new("infiniband.reth.dmalen") -- the payload begins behind it
local bits = bit or bit32

local castagnoli = {}
for i = 0, 255 do
	local c = i
	for _ = 1, 8 do
		local low = bits.band(c, 1)
		c = bits.rshift(c, 1)
		if low == 1 then c = bits.bxor(c, 0x82f63b78) end
	end
	castagnoli[i] = c
end

local function crc32c(b)
	local c, data = 0xffffffff, b:bytes()
	for i = 0, b:len() - 1 do c = bits.bxor(bits.rshift(c, 8), castagnoli[bits.band(bits.bxor(c, data:get_index(i)), 0xff)]) end
	return bits.tohex and bits.tohex(bits.bnot(c)) or string.format("%08x", bits.bnot(c))
end

-- entry adds the entry at an offset of a WRITE, and returns the offset behind it; nil when there is none. The checksum tells an
-- entry from other data, unless the packet has only a part of it: then its numbers must go together.
local function entry(b, at, size, tree, first)
	if b:len() < at + 40 then return end
	local flags = b(at + 4, 4):le_uint()
	local length = bits.band(flags, 0x3fffffff)
	if flags >= 0x80000000 then length = 0 end
	if at + 40 + length > size then return end
	local position, commit = b(at + 8, 8):le_uint64(), b(at + 24, 8):le_uint64()
	if position % 8 ~= UInt64(0) or commit > position then return end
	local whole = b:len() >= at + 40 + length
	local valid = whole and crc32c(b(at + 4, 36 + length)) == string.format("%08x", b(at, 4):le_uint())
	if not valid and (whole or not first) then return end
	local t = tree:add(log, b(at, math.min(40 + length, b:len() - at)))
	t:add_le(lf.crc, b(at, 4))
	if whole then t:add(lf.valid, b(at, 4), true) end
	t:add_le(lf.skip, b(at + 4, 4))
	t:add_le(lf.members, b(at + 4, 4))
	t:add_le(lf.length, b(at + 4, 4))
	t:add_le(lf.position, b(at + 8, 8))
	t:add_le(lf.index, b(at + 16, 8))
	t:add_le(lf.commit, b(at + 24, 8))
	local term = b(at + 32, 8):le_uint64()
	t:add(lf.term, b(at + 32, 8), tostring(term:rshift(8)) .. "." .. tostring(b(at + 32, 1):uint()))
	if length > 0 and b:len() > at + 40 then t:add(lf.record, b(at + 40, math.min(length, b:len() - at - 40))) end
	return at + 40 + math.ceil(length / 8) * 8
end

function log.dissector(tvb, pinfo, tree)
	local op, size, padding = opcode(), write_size(), pad()
	if not op or not size or not padding or (op.value ~= 6 and op.value ~= 10) then return end
	local begins = size.range:offset() + 4
	local length = tvb:len() - begins - padding.value - 4 -- before the ICRC
	if length < 40 then return end
	local payload, at, n = tvb(begins, length), 0, 0
	while at do
		at = entry(payload, at, size.value, tree, n == 0)
		if at then n = n + 1 end
	end
	if n > 0 then pinfo.cols.info:append(" P4CE " .. n .. (n == 1 and " entry" or " entries")) end
end
register_postdissector(log)
