package types

// unify binds type parameters in want so that it becomes have. It reports
// whether that is possible; m collects the bindings.
func unify(want, have Type, m map[*TypeParam]Type) bool {
	if have == Invalid || have == DontCare || want == DontCare {
		return true
	}
	switch w := want.(type) {
	case *TypeParam:
		if b, ok := m[w]; ok && b != nil {
			if b == DontCare {
				return true
			}
			if b == Int && isBits(have) {
				m[w] = have
				return true
			}
			if have == Int && isBits(b) {
				return true
			}
			return Identical(b, have)
		}
		if _, ours := m[w]; !ours {
			return want == have
		}
		m[w] = have
		return true
	case *ExternType:
		h, ok := have.(*ExternType)
		return ok && w.Extern == h.Extern && unifyLists(w.Args, h.Args, m)
	case *Tuple:
		h, ok := have.(*Tuple)
		return ok && unifyLists(w.Elems, h.Elems, m)
	case *Struct:
		h, ok := have.(*Struct)
		return ok && w.Decl == h.Decl && unifyLists(w.Args, h.Args, m)
	case *List:
		switch h := have.(type) {
		case *List:
			return unify(w.Elem, h.Elem, m)
		case *Tuple:
			for _, e := range h.Elems {
				if !unify(w.Elem, e, m) {
					return false
				}
			}
			return true
		}
		return false
	case *Stack:
		h, ok := have.(*Stack)
		return ok && w.Size == h.Size && unify(w.Elem, h.Elem, m)
	case *applied:
		return unifyBlock(w, have, m)
	case *Control, *Parser:
		return want == have || unifyBlock(&applied{of: want}, have, m)
	}
	return Identical(want, have)
}

func unifyLists(ws, hs []Type, m map[*TypeParam]Type) bool {
	if len(ws) != len(hs) {
		return false
	}
	for i := range ws {
		if !unify(ws[i], hs[i], m) {
			return false
		}
	}
	return true
}

func isBits(t Type) bool {
	_, ok := t.(*Bits)
	return ok
}

// unifyBlock matches a control, parser or package against a block type with
// type arguments, parameter by parameter. Optional parameters at the end of
// the block type may be missing.
func unifyBlock(w *applied, have Type, m map[*TypeParam]Type) bool {
	if h, ok := have.(*applied); ok && h.of == w.of {
		return unifyLists(w.args, h.args, m)
	}
	wtps, wps := blockParams(w.of)
	own := map[*TypeParam]Type{}
	if h, ok := have.(*applied); ok {
		have = h.of
		tps, _ := blockParams(have)
		for i, tp := range tps {
			own[tp] = h.args[i]
		}
	}
	_, hps := blockParams(have)
	switch w.of.(type) {
	case *Control:
		if _, ok := have.(*Control); !ok {
			return false
		}
	case *Parser:
		if _, ok := have.(*Parser); !ok {
			return false
		}
	default:
		return false
	}
	inner := map[*TypeParam]Type{}
	for i, tp := range wtps {
		if i < len(w.args) {
			inner[tp] = w.args[i]
		}
	}
	for i, p := range wps {
		if i >= len(hps) {
			if !p.Optional {
				return false
			}
			continue
		}
		if hps[i].Dir != p.Dir || !unify(subst(p.Type, inner), subst(hps[i].Type, own), m) {
			return false
		}
	}
	return len(hps) <= len(wps)
}

func blockParams(t Type) ([]*TypeParam, []*Param) {
	switch t := t.(type) {
	case *Control:
		return t.TypeParams, t.Params
	case *Parser:
		return t.TypeParams, t.Params
	case *Package:
		return t.TypeParams, t.Params
	}
	return nil, nil
}
