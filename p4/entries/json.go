package entries

import (
	"encoding/json"
	"strconv"
)

// Document is what a switch holds, for JSON. Values are texts, as in a Statement; counts and indexes are numbers.
type Document struct {
	Members      []memberJSON      `json:"members"`
	MemberGroups []memberGroupJSON `json:"member_groups"`
	Entries      []entryJSON       `json:"entries"`
	Groups       []groupJSON       `json:"groups"`
	Registers    []cellJSON        `json:"registers"`
	Counters     []cellJSON        `json:"counters"`
	Meters       []cellJSON        `json:"meters"`
	Digests      []digestJSON      `json:"digests"`
}

type entryJSON struct {
	Table    string            `json:"table"`
	Default  bool              `json:"default,omitempty"`
	Constant bool              `json:"const,omitempty"`
	Match    map[string]string `json:"match"`
	Action   string            `json:"action,omitempty"`
	Args     map[string]string `json:"args"`
	Priority json.Number       `json:"priority,omitempty"`
	Idle     string            `json:"idle_timeout,omitempty"`
	Metadata string            `json:"metadata,omitempty"`
	Packets  json.Number       `json:"packets,omitempty"`
	Bytes    json.Number       `json:"bytes,omitempty"`
	// Of tables with action profiles: one of these instead of an action.
	Member      json.Number   `json:"member,omitempty"`
	MemberGroup json.Number   `json:"member_group,omitempty"`
	Actions     *[]choiceJSON `json:"actions,omitempty"`
	Mode        string        `json:"mode,omitempty"`
	Size        string        `json:"size,omitempty"`
}

type memberJSON struct {
	Profile string            `json:"profile"`
	Member  json.Number       `json:"member"`
	Action  string            `json:"action"`
	Args    map[string]string `json:"args"`
}

type memberGroupJSON struct {
	Profile string       `json:"profile"`
	Group   json.Number  `json:"member_group"`
	Members []choiceJSON `json:"members"`
	MaxSize json.Number  `json:"max_size,omitempty"`
}

type choiceJSON struct {
	Member json.Number       `json:"member,omitempty"`
	Action string            `json:"action,omitempty"`
	Args   map[string]string `json:"args,omitempty"`
	Weight json.Number       `json:"weight"`
	Watch  json.Number       `json:"watch,omitempty"`
}

type groupJSON struct {
	Group    json.Number   `json:"group"`
	Replicas []replicaJSON `json:"replicas"`
	Metadata string        `json:"metadata,omitempty"`
}

type replicaJSON struct {
	Port     uint32        `json:"port"`
	Instance uint32        `json:"instance"`
	Others   []replicaJSON `json:"backups,omitempty"`
}

type cellJSON struct {
	Name    string            `json:"name"`
	Index   json.Number       `json:"index,omitempty"`
	Cell    string            `json:"cell,omitempty"` // an index that has a name
	Value   string            `json:"value,omitempty"`
	Fields  map[string]string `json:"fields,omitempty"`
	Packets json.Number       `json:"packets,omitempty"`
	Bytes   json.Number       `json:"bytes,omitempty"`
	CIR     json.Number       `json:"cir,omitempty"`
	CBurst  json.Number       `json:"cburst,omitempty"`
	PIR     json.Number       `json:"pir,omitempty"`
	PBurst  json.Number       `json:"pburst,omitempty"`
}

type digestJSON struct {
	Name    string      `json:"name"`
	MaxList json.Number `json:"max_list"`
	MaxWait string      `json:"max_wait"`
	Ack     string      `json:"ack"`
}

// NewDocument makes a document of statements that were read.
func NewDocument(list []*Statement) Document {
	d := Document{
		Members: []memberJSON{}, MemberGroups: []memberGroupJSON{},
		Entries: []entryJSON{}, Groups: []groupJSON{}, Registers: []cellJSON{}, Counters: []cellJSON{}, Meters: []cellJSON{}, Digests: []digestJSON{},
	}
	for _, s := range list {
		text := func(name string) string { v, _ := s.Attribute(name); return v }
		number := func(name string) json.Number { return json.Number(text(name)) }
		switch s.Subject {
		case Entry, Default:
			e := entryJSON{
				Table: s.Name, Default: s.Subject == Default, Constant: s.Constant, Match: asMap(s.Keys), Args: map[string]string{},
				Priority: number("priority"), Idle: text("idle"), Metadata: text("metadata"), Packets: number("packets"), Bytes: number("bytes"),
			}
			if s.Action != nil {
				e.Action, e.Args = s.Action.Name, asMap(s.Action.Args)
			}
			switch {
			case s.Refers != nil && s.Refers.Group:
				e.MemberGroup = json.Number(s.Refers.ID)
			case s.Refers != nil:
				e.Member = json.Number(s.Refers.ID)
			case s.Choices != nil:
				list := choicesJSON(s.Choices)
				e.Actions = &list
			}
			e.Mode, e.Size = text("mode"), text("size")
			d.Entries = append(d.Entries, e)
		case Member:
			d.Members = append(d.Members, memberJSON{s.Name, json.Number(s.Index), s.Action.Name, asMap(s.Action.Args)})
		case MemberGroup:
			d.MemberGroups = append(d.MemberGroups, memberGroupJSON{s.Name, json.Number(s.Index), choicesJSON(s.Choices), number("max_size")})
		case Group:
			d.Groups = append(d.Groups, groupJSON{json.Number(s.Name), replicasJSON(s.Replicas), text("metadata")})
		case Digest:
			d.Digests = append(d.Digests, digestJSON{s.Name, number("max_list"), text("max_wait"), text("ack")})
		default:
			c := cellJSON{
				Name: s.Name, Packets: number("packets"), Bytes: number("bytes"),
				CIR: number("cir"), CBurst: number("cburst"), PIR: number("pir"), PBurst: number("pburst"),
			}
			if _, err := strconv.ParseUint(s.Index, 10, 63); err == nil {
				c.Index = json.Number(s.Index)
			} else {
				c.Cell = s.Index
			}
			switch {
			case len(s.Keys) == 1 && s.Keys[0].Name == "":
				c.Value = s.Keys[0].Value
			case len(s.Keys) > 0:
				c.Fields = asMap(s.Keys)
			}
			switch s.Subject {
			case Register:
				d.Registers = append(d.Registers, c)
			case Counter:
				d.Counters = append(d.Counters, c)
			case Meter:
				d.Meters = append(d.Meters, c)
			}
		}
	}
	return d
}

func choicesJSON(list []Choice) []choiceJSON {
	out := []choiceJSON{}
	for _, c := range list {
		x := choiceJSON{Member: json.Number(c.Member), Weight: json.Number(c.Weight), Watch: json.Number(c.Watch)}
		if c.Weight == "" {
			x.Weight = "1"
		}
		if c.Action != nil {
			x.Action, x.Args = c.Action.Name, asMap(c.Action.Args)
		}
		out = append(out, x)
	}
	return out
}

func asMap(list []Pair) map[string]string {
	m := map[string]string{}
	for _, p := range list {
		m[p.Name] = p.Value
	}
	return m
}

func replicasJSON(list []Replica) []replicaJSON {
	out := []replicaJSON{}
	for _, r := range list {
		x := replicaJSON{Port: r.Port, Instance: r.Instance}
		if len(r.Others) > 0 {
			x.Others = replicasJSON(r.Others)
		}
		out = append(out, x)
	}
	return out
}
