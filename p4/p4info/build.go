package p4info

import (
	"fmt"
	"math/big"
	"regexp"
	"strconv"
	"strings"

	p4config "github.com/p4lang/p4runtime/go/p4/config/v1"

	"github.com/p4ce/p4ce/p4/lang/ir"
)

// Options choose between the forms of names and ids; the zero value is ours.
type Options struct {
	// StandardNames leaves the name of the pipeline out of every name, as the
	// public compiler does for P4Runtime clients.
	StandardNames bool
	// PublicIDs ignores @id on counters, registers and digests, as the public
	// compiler does.
	PublicIDs bool
}

// Build describes a program.
func Build(p *ir.Program, o Options) (*p4config.P4Info, error) {
	b := &builder{prog: p, opts: o, info: &p4config.P4Info{}}
	b.collect()
	if err := b.syms.assign(); err != nil {
		return nil, fmt.Errorf("p4info: %w", err)
	}
	b.pkgInfo()
	for _, build := range []func() error{b.tables, b.actions, b.profiles, b.counters, b.meters, b.registers, b.digests, b.valueSets, b.controllerHeaders} {
		if err := build(); err != nil {
			return nil, fmt.Errorf("p4info: %w", err)
		}
	}
	return b.info, nil
}

type builder struct {
	prog *ir.Program
	opts Options
	info *p4config.P4Info
	syms symbols
}

// publicAction is the name that the public compiler hashes for an action: it
// never begins with the pipeline.
func (b *builder) publicAction(name string) string {
	return strings.TrimPrefix(name, b.prog.Pipe+".")
}

func hidden(as []ir.Annotation) bool {
	for _, a := range as {
		if a.Name == "hidden" {
			return true
		}
	}
	return false
}

func (b *builder) externID(id uint32) uint32 {
	if b.opts.PublicIDs {
		return 0
	}
	return id
}

func (b *builder) collect() {
	for _, t := range b.prog.Tables {
		if !t.Part && t.ValueSet == nil {
			b.syms.add(p4config.P4Ids_TABLE, t.Name, t.ID)
		}
	}
	for _, x := range b.prog.Profiles {
		b.syms.add(p4config.P4Ids_ACTION_PROFILE, x.Name, b.externID(x.ID))
	}
	for _, v := range b.prog.ValueSets {
		b.syms.add(p4config.P4Ids_VALUE_SET, v.Name, v.ID)
	}
	for _, a := range b.prog.Actions {
		b.syms.add(p4config.P4Ids_ACTION, b.publicAction(a.Name), a.ID)
	}
	for _, c := range b.prog.Counters {
		b.syms.add(counterKind(c), c.Name, b.externID(c.ID))
	}
	for _, m := range b.prog.Meters {
		b.syms.add(meterKind(m), m.Name, b.externID(m.ID))
	}
	for _, r := range b.prog.Registers {
		if r.Table != nil { // P4Runtime has no direct registers
			continue
		}
		b.syms.add(p4config.P4Ids_REGISTER, r.Name, b.externID(r.ID))
	}
	for _, d := range b.prog.Digests {
		b.syms.add(p4config.P4Ids_DIGEST, d.Name, b.externID(d.ID))
	}
	for _, h := range []*ir.HeaderType{b.prog.PacketIn, b.prog.PacketOut} {
		if h != nil {
			b.syms.add(p4config.P4Ids_CONTROLLER_HEADER, h.Name, h.ID)
		}
	}
}

func counterKind(c *ir.Counter) p4config.P4Ids_Prefix {
	if c.Size == 0 {
		return p4config.P4Ids_DIRECT_COUNTER
	}
	return p4config.P4Ids_COUNTER
}

func meterKind(m *ir.Meter) p4config.P4Ids_Prefix {
	if m.Table != nil {
		return p4config.P4Ids_DIRECT_METER
	}
	return p4config.P4Ids_METER
}

// preamble of an object; public is its name as the public compiler hashes it.
func (b *builder) preamble(kind p4config.P4Ids_Prefix, name, public string, as []ir.Annotation) *p4config.Preamble {
	if b.opts.StandardNames {
		name = strings.TrimPrefix(name, b.prog.Pipe+".")
	}
	return &p4config.Preamble{
		Id:                    b.syms.ids[symbolKey{kind, public}],
		Name:                  name,
		Alias:                 b.syms.alias(public),
		Annotations:           annotations(as),
		StructuredAnnotations: structured(as),
		Doc:                   documentation(as),
	}
}

// annotations are the annotations that have no field of their own.
func annotations(as []ir.Annotation) []string {
	var out []string
	for _, a := range as {
		switch a.Name {
		case "name", "id", "brief", "description":
			continue
		}
		if a.Structured {
			continue
		}
		s := "@" + a.Name
		if a.Body != "" {
			s += "(" + a.Body + ")"
		}
		out = append(out, s)
	}
	return out
}

var keyValue = regexp.MustCompile(`(\w+) = ("(?:[^"\\]|\\.)*"|\w+)`)

// structured are the annotations in square brackets: lists of key = value, or
// lists of values.
func structured(as []ir.Annotation) []*p4config.StructuredAnnotation {
	var out []*p4config.StructuredAnnotation
	for _, a := range as {
		if !a.Structured {
			continue
		}
		s := &p4config.StructuredAnnotation{Name: a.Name}
		if kvs := keyValue.FindAllStringSubmatch(a.Body, -1); kvs != nil {
			l := &p4config.KeyValuePairList{}
			for _, kv := range kvs {
				l.KvPairs = append(l.KvPairs, &p4config.KeyValuePair{Key: kv[1], Value: expression(kv[2])})
			}
			s.Body = &p4config.StructuredAnnotation_KvPairList{KvPairList: l}
		} else {
			l := &p4config.ExpressionList{}
			if a.Body != "" {
				for _, x := range strings.Split(a.Body, " , ") {
					l.Expressions = append(l.Expressions, expression(x))
				}
			}
			s.Body = &p4config.StructuredAnnotation_ExpressionList{ExpressionList: l}
		}
		out = append(out, s)
	}
	return out
}

func expression(text string) *p4config.Expression {
	if s, err := strconv.Unquote(text); err == nil && strings.HasPrefix(text, `"`) {
		return &p4config.Expression{Value: &p4config.Expression_StringValue{StringValue: s}}
	}
	if n, err := strconv.ParseInt(text, 0, 64); err == nil {
		return &p4config.Expression{Value: &p4config.Expression_Int64Value{Int64Value: n}}
	}
	if text == "true" || text == "false" {
		return &p4config.Expression{Value: &p4config.Expression_BoolValue{BoolValue: text == "true"}}
	}
	return &p4config.Expression{Value: &p4config.Expression_StringValue{StringValue: text}}
}

// documentation is @brief and @description, nil without either.
func documentation(as []ir.Annotation) *p4config.Documentation {
	var d p4config.Documentation
	found := false
	for _, a := range as {
		switch a.Name {
		case "brief":
			d.Brief, found = unquote(a.Body), true
		case "description":
			d.Description, found = unquote(a.Body), true
		}
	}
	if !found {
		return nil
	}
	return &d
}

var quoted = regexp.MustCompile(`"(?:[^"\\]|\\.)*"`)

// unquote joins the strings of an annotation's body.
func unquote(body string) string {
	var b strings.Builder
	for _, q := range quoted.FindAllString(body, -1) {
		if s, err := strconv.Unquote(q); err == nil {
			b.WriteString(s)
		}
	}
	return b.String()
}

func (b *builder) pkgInfo() {
	pkg := &p4config.PkgInfo{Arch: "tna"}
	for _, a := range b.prog.Annotations {
		switch a.Name {
		case "pkginfo":
			for _, kv := range keyValue.FindAllStringSubmatch(a.Body, -1) {
				v := unquote(kv[2])
				switch kv[1] {
				case "name":
					pkg.Name = v
				case "version":
					pkg.Version = v
				case "organization":
					pkg.Organization = v
				case "contact":
					pkg.Contact = v
				case "url":
					pkg.Url = v
				}
			}
		}
	}
	pkg.Doc = documentation(b.prog.Annotations)
	b.info.PkgInfo = pkg
}

// fieldIDs gives the parts of an object their ids: those of @id, the others
// counting from 1 and passing over what is taken.
func fieldIDs(what string, wanted []uint32) ([]uint32, error) {
	taken := map[uint32]bool{}
	for _, id := range wanted {
		if id == 0 {
			continue
		}
		if taken[id] {
			return nil, fmt.Errorf("%s: @id(%d) is used twice", what, id)
		}
		taken[id] = true
	}
	out := make([]uint32, len(wanted))
	next := uint32(1)
	for i, id := range wanted {
		if id != 0 {
			out[i] = id
			next++
			continue
		}
		for taken[next] {
			next++
		}
		out[i] = next
		taken[next] = true
	}
	return out, nil
}

// wantedID is the value of @id among annotations, 0 when absent.
func wantedID(as []ir.Annotation) uint32 {
	for _, a := range as {
		if a.Name == "id" {
			n, err := strconv.ParseUint(a.Body, 0, 32)
			if err == nil {
				return uint32(n)
			}
		}
	}
	return 0
}

var matchTypes = map[ir.MatchKind]p4config.MatchField_MatchType{
	ir.Exact: p4config.MatchField_EXACT, ir.LPM: p4config.MatchField_LPM,
	ir.Ternary: p4config.MatchField_TERNARY, ir.Range: p4config.MatchField_RANGE,
	ir.Optional: p4config.MatchField_OPTIONAL,
}

func (b *builder) tables() error {
	seen := map[string]bool{}
	for _, t := range b.prog.Tables {
		if seen[t.Name] {
			return fmt.Errorf("two tables have the name %s (give one a @name)", t.Name)
		}
		seen[t.Name] = true
		if t.Part || t.ValueSet != nil || hidden(t.Annotations) {
			continue
		}
		pt, err := b.table(t)
		if err != nil {
			return err
		}
		b.info.Tables = append(b.info.Tables, pt)
	}
	return nil
}

func (b *builder) actionID(a *ir.Action) uint32 {
	if a == nil {
		return 0
	}
	return b.syms.ids[symbolKey{p4config.P4Ids_ACTION, b.publicAction(a.Name)}]
}

func (b *builder) table(t *ir.Table) (*p4config.Table, error) {
	pt := &p4config.Table{
		Preamble:          b.preamble(p4config.P4Ids_TABLE, t.Name, t.Name, t.Annotations),
		Size:              int64(t.Size),
		IsConstTable:      t.ConstEntries,
		HasInitialEntries: len(t.Entries) > 0,
	}
	pt.MatchFields = matchFields(t)
	acts := t.Visible()
	for _, r := range acts.Actions {
		ref := &p4config.ActionRef{Id: b.actionID(r.Action), Annotations: annotations(r.Annotations), StructuredAnnotations: structured(r.Annotations)}
		switch {
		case r.TableOnly && r.DefaultOnly:
			return nil, fmt.Errorf("table %s: action %s is both @tableonly and @defaultonly", t.Name, r.Action.Name)
		case r.TableOnly:
			ref.Scope = p4config.ActionRef_TABLE_ONLY
		case r.DefaultOnly:
			ref.Scope = p4config.ActionRef_DEFAULT_ONLY
		}
		pt.ActionRefs = append(pt.ActionRefs, ref)
	}
	if a := acts.Default.Action; a != nil {
		id := b.actionID(a)
		if acts.ConstDefault {
			pt.ConstDefaultActionId = id
		}
		call, err := b.defaultCall(acts, id)
		if err != nil {
			return nil, err
		}
		pt.InitialDefaultAction = call
	}
	if t.Counter != nil {
		pt.DirectResourceIds = append(pt.DirectResourceIds,
			b.syms.ids[symbolKey{p4config.P4Ids_DIRECT_COUNTER, t.Counter.Name}])
	}
	if t.Indirect != nil {
		pt.ImplementationId = b.syms.ids[symbolKey{p4config.P4Ids_ACTION_PROFILE, t.Indirect.Profile.Name}]
	}
	if t.Meter != nil {
		pt.DirectResourceIds = append(pt.DirectResourceIds,
			b.syms.ids[symbolKey{p4config.P4Ids_DIRECT_METER, t.Meter.Name}])
	}
	if t.IdleTimeout {
		pt.IdleTimeoutBehavior = p4config.Table_NOTIFY_CONTROL
	}
	return pt, nil
}

func matchFields(t *ir.Table) (out []*p4config.MatchField) {
	for _, k := range t.Keys {
		out = append(out, &p4config.MatchField{
			Id: k.ID, Name: k.Name, Bitwidth: int32(k.Width),
			Match:       &p4config.MatchField_MatchType_{MatchType: matchTypes[k.Match]},
			Annotations: annotations(k.Annotations), StructuredAnnotations: structured(k.Annotations),
			Doc: documentation(k.Annotations),
		})
	}
	return out
}

func (b *builder) valueSets() error {
	seen := map[string]bool{}
	for _, v := range b.prog.ValueSets {
		if seen[v.Name] {
			return fmt.Errorf("two value sets have the name %s (give one a @name)", v.Name)
		}
		seen[v.Name] = true
		b.info.ValueSets = append(b.info.ValueSets, &p4config.ValueSet{
			Preamble: b.preamble(p4config.P4Ids_VALUE_SET, v.Name, v.Name, v.Annotations),
			Match:    matchFields(v.Table), Size: int32(v.Table.Size),
		})
	}
	return nil
}

func (b *builder) defaultCall(t *ir.Table, id uint32) (*p4config.TableActionCall, error) {
	a := t.Default.Action
	call := &p4config.TableActionCall{ActionId: id}
	ids, err := fieldIDs("action "+a.Name, paramIDs(a))
	if err != nil {
		return nil, err
	}
	for i, v := range t.Default.Args {
		if i < len(ids) {
			call.Arguments = append(call.Arguments, &p4config.TableActionCall_Argument{ParamId: ids[i], Value: bytesOf(v)})
		}
	}
	return call, nil
}

// bytesOf is the shortest byte string of a number; zero is one byte.
func bytesOf(v *big.Int) []byte {
	if v.Sign() == 0 {
		return []byte{0}
	}
	return v.Bytes()
}

func paramIDs(a *ir.Action) []uint32 {
	ids := make([]uint32, len(a.Params))
	for i := range a.Params {
		if i < len(a.ParamAnnots) {
			ids[i] = wantedID(a.ParamAnnots[i])
		}
	}
	return ids
}

func (b *builder) actions() error {
	seen := map[string]*ir.Action{}
	for _, a := range b.prog.Actions {
		if o := seen[a.Name]; o != nil {
			if o.Pos != a.Pos {
				return fmt.Errorf("two actions have the name %s (give one a @name)", a.Name)
			}
			continue // one declaration, used by several tables
		}
		seen[a.Name] = a
		if hidden(a.Annotations) {
			continue
		}
		pa := &p4config.Action{Preamble: b.preamble(p4config.P4Ids_ACTION, a.Name, b.publicAction(a.Name), a.Annotations)}
		ids, err := fieldIDs("action "+a.Name, paramIDs(a))
		if err != nil {
			return err
		}
		for i, p := range a.Params {
			var as []ir.Annotation
			if i < len(a.ParamAnnots) {
				as = a.ParamAnnots[i]
			}
			pa.Params = append(pa.Params, &p4config.Action_Param{
				Id: ids[i], Name: p.Name, Bitwidth: int32(p.Type.Width),
				Annotations: annotations(as), StructuredAnnotations: structured(as), Doc: documentation(as),
			})
		}
		b.info.Actions = append(b.info.Actions, pa)
	}
	return nil
}

func (b *builder) counters() error {
	seen := map[string]bool{}
	for _, c := range b.prog.Counters {
		if seen[c.Name] {
			return fmt.Errorf("two counters have the name %s (give one a @name)", c.Name)
		}
		seen[c.Name] = true
		spec := &p4config.CounterSpec{Unit: map[ir.CounterKind]p4config.CounterSpec_Unit{
			ir.Packets: p4config.CounterSpec_PACKETS, ir.Bytes: p4config.CounterSpec_BYTES,
			ir.PacketsAndBytes: p4config.CounterSpec_BOTH,
		}[c.Kind]}
		pre := b.preamble(counterKind(c), c.Name, c.Name, c.Annotations)
		if c.Size > 0 {
			b.info.Counters = append(b.info.Counters, &p4config.Counter{Preamble: pre, Spec: spec, Size: int64(c.Size)})
			continue
		}
		if c.Table == nil {
			return fmt.Errorf("direct counter %s belongs to no table (give a table the property counters = …)", c.Name)
		}
		b.info.DirectCounters = append(b.info.DirectCounters, &p4config.DirectCounter{
			Preamble: pre, Spec: spec, DirectTableId: b.syms.ids[symbolKey{p4config.P4Ids_TABLE, c.Table.Name}],
		})
	}
	return nil
}

// profiles describes action profiles and selectors. A selector has the name of its profile.
func (b *builder) profiles() error {
	seen := map[string]bool{}
	for _, x := range b.prog.Profiles {
		if seen[x.Name] {
			return fmt.Errorf("two action profiles have the name %s (give one a @name)", x.Name)
		}
		seen[x.Name] = true
		out := &p4config.ActionProfile{
			Preamble:     b.preamble(p4config.P4Ids_ACTION_PROFILE, x.Name, x.Name, x.Annotations),
			WithSelector: x.Selector, Size: int64(x.Size), MaxGroupSize: int32(x.GroupSize),
		}
		for _, t := range x.Tables {
			out.TableIds = append(out.TableIds, b.syms.ids[symbolKey{p4config.P4Ids_TABLE, t.Name}])
		}
		b.info.ActionProfiles = append(b.info.ActionProfiles, out)
	}
	return nil
}

func (b *builder) meters() error {
	seen := map[string]bool{}
	for _, m := range b.prog.Meters {
		if seen[m.Name] {
			return fmt.Errorf("two meters have the name %s (give one a @name)", m.Name)
		}
		seen[m.Name] = true
		spec := &p4config.MeterSpec{Unit: p4config.MeterSpec_PACKETS, Type: p4config.MeterSpec_TWO_RATE_THREE_COLOR}
		if m.Bytes {
			spec.Unit = p4config.MeterSpec_BYTES
		}
		pre := b.preamble(meterKind(m), m.Name, m.Name, m.Annotations)
		if m.Table != nil {
			b.info.DirectMeters = append(b.info.DirectMeters, &p4config.DirectMeter{
				Preamble: pre, Spec: spec, DirectTableId: b.syms.ids[symbolKey{p4config.P4Ids_TABLE, m.Table.Name}],
			})
			continue
		}
		b.info.Meters = append(b.info.Meters, &p4config.Meter{Preamble: pre, Spec: spec, Size: int64(m.Size)})
	}
	return nil
}

// dataType describes a scalar.
func dataType(t ir.Type) *p4config.P4DataTypeSpec {
	if t.Kind == ir.Bool {
		return &p4config.P4DataTypeSpec{TypeSpec: &p4config.P4DataTypeSpec_Bool{Bool: &p4config.P4BoolType{}}}
	}
	bits := &p4config.P4BitstringLikeTypeSpec{}
	if t.Kind == ir.Int {
		bits.TypeSpec = &p4config.P4BitstringLikeTypeSpec_Int{Int: &p4config.P4IntTypeSpec{Bitwidth: int32(t.Width)}}
	} else {
		bits.TypeSpec = &p4config.P4BitstringLikeTypeSpec_Bit{Bit: &p4config.P4BitTypeSpec{Bitwidth: int32(t.Width)}}
	}
	return &p4config.P4DataTypeSpec{TypeSpec: &p4config.P4DataTypeSpec_Bitstring{Bitstring: bits}}
}

// structType describes a struct and refers to it by name.
func (b *builder) structType(name string, fields []ir.FieldType) *p4config.P4DataTypeSpec {
	if b.info.TypeInfo == nil {
		b.info.TypeInfo = &p4config.P4TypeInfo{Structs: map[string]*p4config.P4StructTypeSpec{}}
	}
	s := &p4config.P4StructTypeSpec{}
	for _, f := range fields {
		s.Members = append(s.Members, &p4config.P4StructTypeSpec_Member{Name: f.Name, TypeSpec: dataType(f.Type)})
	}
	b.info.TypeInfo.Structs[name] = s
	return &p4config.P4DataTypeSpec{TypeSpec: &p4config.P4DataTypeSpec_Struct{Struct: &p4config.P4NamedType{Name: name}}}
}

func (b *builder) registers() error {
	seen := map[string]bool{}
	for _, r := range b.prog.Registers {
		if r.Table != nil {
			continue
		}
		if seen[r.Name] {
			return fmt.Errorf("two registers have the name %s (give one a @name)", r.Name)
		}
		seen[r.Name] = true
		var spec *p4config.P4DataTypeSpec
		if r.TypeName == "" && len(r.Fields) == 1 {
			spec = dataType(r.Fields[0].Type)
		} else {
			spec = b.structType(r.TypeName, r.Fields)
		}
		b.info.Registers = append(b.info.Registers, &p4config.Register{
			Preamble: b.preamble(p4config.P4Ids_REGISTER, r.Name, r.Name, r.Annotations),
			TypeSpec: spec, Size: int32(r.Size),
		})
	}
	return nil
}

func (b *builder) digests() error {
	for _, d := range b.prog.Digests {
		b.info.Digests = append(b.info.Digests, &p4config.Digest{
			Preamble: b.preamble(p4config.P4Ids_DIGEST, d.Name, d.Name, d.Annotations),
			TypeSpec: b.structType(d.TypeName, d.Fields),
		})
	}
	return nil
}

func (b *builder) controllerHeaders() error {
	for _, h := range []*ir.HeaderType{b.prog.PacketIn, b.prog.PacketOut} {
		if h == nil {
			continue
		}
		m := &p4config.ControllerPacketMetadata{
			Preamble: b.preamble(p4config.P4Ids_CONTROLLER_HEADER, h.Name, h.Name, h.Annotations),
		}
		m.Preamble.Name, m.Preamble.Alias = h.Controller, h.Controller
		wanted := make([]uint32, len(h.Fields))
		for i, f := range h.Fields {
			wanted[i] = f.ID
		}
		ids, err := fieldIDs("header "+h.Name, wanted)
		if err != nil {
			return err
		}
		for i, f := range h.Fields {
			if hidden(f.Annotations) {
				continue
			}
			m.Metadata = append(m.Metadata, &p4config.ControllerPacketMetadata_Metadata{
				Id: ids[i], Name: f.Name, Bitwidth: int32(f.Type.Width),
				Annotations: annotations(f.Annotations), StructuredAnnotations: structured(f.Annotations),
			})
		}
		b.info.ControllerPacketMetadata = append(b.info.ControllerPacketMetadata, m)
	}
	return nil
}
