package p4rtclient

import p4 "github.com/p4lang/p4runtime/go/p4/v1"

// Row is one report of a digest: its fields, in the order of the program.
type Row [][]byte

// Uint is a field as an integer, 0 when the report does not have it.
func (r Row) Uint(field int) uint64 {
	if field >= len(r) {
		return 0
	}
	return ToUint(r[field])
}

// Digest decodes a list: the alias of the digest, "" when the p4info has none of this
// id, and its reports.
func (i *Info) Digest(l *p4.DigestList) (name string, rows []Row) {
	for _, d := range l.GetData() {
		row := Row{}
		if s := d.GetStruct(); s != nil {
			for _, m := range s.GetMembers() {
				row = append(row, m.GetBitstring())
			}
		} else {
			row = append(row, d.GetBitstring())
		}
		rows = append(rows, row)
	}
	return i.DigestName(l.GetDigestId()), rows
}

// Updates appends updates of one kind for table entries.
func (i *Info) Updates(out []*p4.Update, op p4.Update_Type, list ...Entry) ([]*p4.Update, error) {
	for _, e := range list {
		ent, err := i.Entry(e)
		if err != nil {
			return nil, err
		}
		out = append(out, &p4.Update{Type: op, Entity: ent})
	}
	return out, nil
}
