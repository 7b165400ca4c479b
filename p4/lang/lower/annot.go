package lower

import (
	"math/big"
	"slices"
	"strings"

	"github.com/p4ce/p4ce/p4/lang/diag"
	"github.com/p4ce/p4ce/p4/lang/ir"
	"github.com/p4ce/p4ce/p4/lang/syntax"
)

// Prefix bytes of P4Runtime ids.
const (
	idAction        = 0x01
	idTable         = 0x02
	idProfile       = 0x11
	idValueSet      = 0x03
	idController    = 0x04
	idCounter       = 0x12
	idDirectCounter = 0x13
	idMeter         = 0x14
	idDirectMeter   = 0x15
	idRegister      = 0x16
	idDigest        = 0x17
)

// known are annotations that have a meaning here, or that only tell Tofino's
// compiler how to lay things out: leaving those out changes nothing that a
// packet or a controller can see.
var known = map[string]bool{
	// Meaning here or in p4info.
	"name": true, "id": true, "brief": true, "description": true, "hidden": true,
	"defaultonly": true, "tableonly": true, "controller_header": true, "optional": true,
	"unused": true, "noWarn": true, "deprecated": true, "synchronous": true, "pkginfo": true,
	"pure": true, "noSideEffects": true, "platform_property": true, "proto_package": true,
	"entry_restriction": true, "action_restriction": true, "refers_to": true, "referenced_by": true,
	"format": true, "sai_acl": true, "proto_id": true, "p4runtime_role": true, "padding": true,
	"__intrinsic_metadata": true, "intrinsic_metadata": true, "flexible": true, "not_deparsed": true,
	// Layout on Tofino.
	"stage": true, "placement_priority": true, "pack": true, "ways": true, "ternary": true,
	"use_hash_action": true, "immediate": true, "force_immediate": true,
	"idletime_precision": true, "idletime_interval": true, "idletime_per_flow_idletime": true, "idletime_two_way_notification": true,
	"entries_with_ranges": true, "chain_address": true, "disable_atomic_modify": true,
	"max_actions": true, "min_width": true, "ignore_table_dependency": true, "separate_gateway": true,
	"adjust_total_size": true, "alpm": true, "alpm_partitions": true, "atcam_number_partitions": true,
	"critical": true, "dont_merge": true, "dontmerge": true, "dont_unroll": true, "do_not_bridge": true,
	"after_updates": true, // of actions, in @updates_first blocks
	"own_code":      true, // of actions and states: what follows is compiled anew for them (XDP)
	"pa_atomic":     true, "no_field_initialization": true, "field_list_field_slice": true,
	"reduction_or_group": true, "selector_max_group_size": true, "hash": true,
}

// effective are annotations that change what the chip does to packets, and that
// nothing here heeds.
var effective = map[string]string{
	"symmetric":                 "it belongs to a Hash",
	"initial_register_lo_value": "it belongs to a RegisterAction",
	"initial_register_hi_value": "it belongs to a RegisterAction",
	"force_shift":               "the parser would read other bytes",
	"terminate_parsing":         "the parser would end elsewhere",
}

// warnAnnots warns of annotations that are not known and therefore ignored, and
// refuses those that must not be; heeded are the names that the caller sees to.
func (l *lowerer) warnAnnots(as syntax.Annotations, heeded ...string) {
	for _, a := range as {
		if why := effective[a.Name]; why != "" && !slices.Contains(heeded, a.Name) {
			l.errorf(a.Pos(), diag.Annotation, "@%s is not supported here: %s", a.Name, why)
			continue
		}
		if a.Name == "dynamic_table_key_masks" {
			l.diags.Warnf(a.Pos(), diag.Annotation, "@dynamic_table_key_masks has no effect: all bits of a key are compared, and P4Runtime has no way to say otherwise")
			continue
		}
		if slices.Contains(heeded, a.Name) {
			continue
		}
		if !known[a.Name] && !strings.HasPrefix(a.Name, "pa_") && !strings.HasPrefix(a.Name, "idletime_") {
			l.diags.Warnf(a.Pos(), diag.Annotation, "annotation @%s is not known and is ignored", a.Name)
		}
	}
}

// annotations copies a list of annotations.
func (l *lowerer) annotations(as syntax.Annotations) []ir.Annotation {
	var out []ir.Annotation
	for _, a := range as {
		out = append(out, ir.Annotation{Name: a.Name, Body: a.Body(), Structured: a.Structured})
	}
	return out
}

// annotString is the one string that an annotation has as its argument.
// Adjacent strings are one, as in C.
func annotString(a *syntax.Annotation) (string, bool) {
	var b strings.Builder
	for _, t := range a.Tokens {
		if t.Kind != syntax.String {
			return "", false
		}
		b.WriteString(t.Text)
	}
	return b.String(), len(a.Tokens) > 0
}

func annotNumber(a *syntax.Annotation) (uint32, bool) {
	if len(a.Tokens) != 1 || a.Tokens[0].Kind != syntax.Number {
		return 0, false
	}
	n, err := syntax.ParseNumber(a.Tokens[0].Text)
	if err != nil || n.Value.Sign() <= 0 || n.Value.Cmp(big.NewInt(0xffffffff)) > 0 {
		return 0, false
	}
	return uint32(n.Value.Uint64()), true
}

// annotInteger is the one integer that an annotation has as its argument.
func annotInteger(a *syntax.Annotation) (*big.Int, bool) {
	toks := a.Tokens
	negative := len(toks) == 2 && toks[0].Text == "-"
	if negative {
		toks = toks[1:]
	}
	if len(toks) != 1 || toks[0].Kind != syntax.Number {
		return nil, false
	}
	n, err := syntax.ParseNumber(toks[0].Text)
	if err != nil {
		return nil, false
	}
	if negative {
		return new(big.Int).Neg(n.Value), true
	}
	return n.Value, true
}

// id is the value of @id with the prefix byte of the kind of object, or 0.
func (l *lowerer) id(as syntax.Annotations, prefix uint32, name string) uint32 {
	a := as.Find("id")
	if a == nil {
		return 0
	}
	n, ok := annotNumber(a)
	if !ok {
		l.errorf(a.Pos(), diag.Annotation, "@id needs a positive number of 32 bits")
		return 0
	}
	if n>>24 != 0 && n>>24 != prefix {
		l.errorf(a.Pos(), diag.ID, "@id(0x%08x) of %s has the prefix byte of another kind of object: this kind has 0x%02x", n, name, prefix)
		return 0
	}
	n |= prefix << 24
	if other, dup := l.ids[n]; dup && other != name {
		l.errorf(a.Pos(), diag.ID, "@id(0x%08x) of %s is the id of %s as well", n, name, other)
		return 0
	}
	l.ids[n] = name
	return n
}

// fieldID is the value of @id of a key, field or parameter, or 0.
func (l *lowerer) fieldID(as syntax.Annotations) uint32 {
	a := as.Find("id")
	if a == nil {
		return 0
	}
	n, ok := annotNumber(a)
	if !ok {
		l.errorf(a.Pos(), diag.Annotation, "@id needs a positive number of 32 bits")
	}
	return n
}

// controlName is the control-plane name of an object: the path of its control
// and its own name, or what @name says. A @name that begins with a dot is the
// whole name.
func (l *lowerer) controlName(path, name string, as syntax.Annotations) string {
	if a := as.Find("name"); a != nil {
		s, ok := annotString(a)
		switch {
		case !ok || s == "" || s == ".":
			l.errorf(a.Pos(), diag.Annotation, "@name needs a string")
		case s[0] == '.':
			return s[1:]
		default:
			name = s
		}
	}
	if path == "" {
		return name
	}
	return path + "." + name
}
