package p4rt

import (
	"math/big"

	p4 "github.com/p4lang/p4runtime/go/p4/v1"
)

// decode splits a frame that left through the CPU port into metadata and
// payload. nil: it is shorter than the header. A nil schema is a program
// without a packet_in header.
func (p *packetSchema) decode(frame []byte) *p4.PacketIn {
	if p == nil {
		return &p4.PacketIn{Payload: append([]byte{}, frame...)}
	}
	if len(frame) < p.bytes {
		return nil
	}
	in := &p4.PacketIn{Payload: append([]byte{}, frame[p.bytes:]...)}
	header := new(big.Int).SetBytes(frame[:p.bytes])
	left := p.bytes * 8
	for _, f := range p.fields {
		left -= f.width
		v := new(big.Int).Rsh(header, uint(left))
		v.And(v, new(big.Int).SetBytes(ones(f.width)))
		in.Metadata = append(in.Metadata, &p4.PacketMetadata{
			MetadataId: f.id, Value: canonical(v.FillBytes(make([]byte, (f.width+7)/8))),
		})
	}
	return in
}

// port is the port that a packet came in by, if the program's header says that in a field of the
// usual name; else noPort.
func (p *packetSchema) port(in *p4.PacketIn) int {
	if p == nil || p.ingress < 0 {
		return noPort
	}
	return int(new(big.Int).SetBytes(in.GetMetadata()[p.ingress].GetValue()).Int64())
}

// encode builds the frame of a packet-out: the header from the metadata, every
// field of which must be given once, and the payload.
func (p *packetSchema) encode(out *p4.PacketOut) ([]byte, error) {
	if len(out.GetPayload()) == 0 {
		return nil, invalid("packet-out: payload: empty")
	}
	if p == nil {
		if len(out.GetMetadata()) != 0 {
			return nil, invalid("packet-out: metadata id %d: the program has no packet_out header", out.GetMetadata()[0].GetMetadataId())
		}
		return append([]byte{}, out.GetPayload()...), nil
	}
	values := make([]*big.Int, len(p.fields))
	for _, m := range out.GetMetadata() {
		i, ok := p.byID[m.GetMetadataId()]
		switch {
		case !ok:
			return nil, invalid("packet-out: metadata id %d: not in the packet_out header", m.GetMetadataId())
		case values[i] != nil:
			return nil, invalid("packet-out: metadata %q: given twice", p.fields[i].name)
		}
		v, err := fixed(m.GetValue(), p.fields[i].width, "packet-out: metadata \""+p.fields[i].name+"\"")
		if err != nil {
			return nil, err
		}
		values[i] = new(big.Int).SetBytes(v)
	}
	header := new(big.Int)
	for i, f := range p.fields {
		if values[i] == nil {
			return nil, invalid("packet-out: metadata %q: missing", f.name)
		}
		header.Lsh(header, uint(f.width))
		header.Or(header, values[i])
	}
	frame := header.FillBytes(make([]byte, p.bytes, p.bytes+len(out.GetPayload())))
	return append(frame, out.GetPayload()...), nil
}
