package gen

import (
	"slices"

	"github.com/p4ce/p4ce/p4/lang/ir"
)

// locks is how many locks a gress has for its @atomic blocks: a power of two.
const locks = 1024

// atomics finds the @atomic blocks, and the register actions that run nowhere else: they
// need no compare-and-swap.
//
// A block is executed by one CPU at a time for each value of the one variable that indexes
// all registers in it, and by one CPU at a time at all if its registers have several indexes.
// It holds a lock from beginning to end, and leaves by its end only.
func (g *gress) atomics() {
	inside, outside := map[*ir.RegisterAction]bool{}, map[*ir.RegisterAction]bool{}
	var walk func(stmts []ir.Stmt, atomic bool)
	walk = func(stmts []ir.Stmt, atomic bool) {
		ir.Walk(stmts, func(s ir.Stmt) bool {
			switch s := s.(type) {
			case *ir.Block:
				if s.Atomic {
					g.checkAtomic(s, atomic)
					g.lockIndex(s)
					walk(s.Body, true)
					return false
				}
			case *ir.RegisterExec:
				if atomic {
					inside[s.Action] = true
				} else {
					outside[s.Action] = true
				}
			}
			ir.Runs(s, func(a *ir.Action) { walk(a.Body, atomic) })
			return true
		})
	}
	walk(g.Control, false)
	g.locked = map[*ir.RegisterAction]bool{}
	for a := range inside {
		if !outside[a] {
			g.locked[a] = true
		}
	}
}

func (g *gress) checkAtomic(s *ir.Block, nested bool) {
	g.takesLocks = true
	switch {
	case nested:
		g.fail(s.Pos, "@atomic block inside another")
	case s.UpdatesFirst:
		g.fail(s.Pos, "block that is both @atomic and @updates_first")
	case anyStmt(s.Body, func(s ir.Stmt) bool { _, ok := s.(*ir.Exit); return ok }, true), usesReturn(s.Body):
		g.fail(s.Pos, "@atomic block that is left by return or exit (not supported on XDP)")
	}
}

// lockIndex is the variable that chooses a block's lock; nil: all its packets take the same.
func (g *gress) lockIndex(s *ir.Block) *ir.Var {
	e := effectsOf(s.Body)
	if len(e.indexes) == 0 {
		g.fail(s.Pos, "@atomic block without registers")
		return nil
	}
	var index *ir.Var
	for _, x := range e.indexes {
		ref, ok := x.(*ir.Ref)
		if !ok || ref.Var.Kind == ir.Param || index != nil && ref.Var != index {
			return nil
		}
		index = ref.Var
	}
	if slices.Contains(e.assigned, index) {
		return nil
	}
	return index
}

// lockFuncs writes what takes a lock and what gives it back. Its holder runs on another CPU
// and cannot be interrupted by a packet: it is waited for, but not for ever.
func (g *gress) lockFuncs() {
	if !g.takesLocks {
		return
	}
	o := g.out
	o.line("u32 %s_locks[%d]; /* of @atomic blocks, by the index of their registers */", g.prefix, locks)
	o.line("")
	o.open("GLOBAL u32 %s_lock(u32 index)\n{", g.prefix)
	o.line("u32 *lock = &%s_locks[index & %d];", g.prefix, locks-1)
	o.open("for (u32 tries = 0; tries < 2048; tries++) {")
	o.line("if (READ_ONCE(*lock) == 0 && __sync_val_compare_and_swap(lock, 0, 1) == 0)")
	o.line("\treturn 1;")
	o.close("}")
	o.line("return 0;")
	o.close("}")
	o.line("")
	o.open("INLINE void %s_unlock(u32 index)\n{", g.prefix)
	o.line("__sync_lock_test_and_set(&%s_locks[index & %d], 0);", g.prefix, locks-1)
	o.close("}")
	o.line("")
}

func (g *gress) atomicBlock(s *ir.Block) {
	o := g.out
	if g.phase != phaseAll {
		g.fail(s.Pos, "@atomic block inside an @updates_first block")
		return
	}
	lock := "0"
	if index := g.lockIndex(s); index != nil {
		lock = g.read(index)
	}
	o.open("{ /* @atomic%s */", posText(s.Pos))
	o.line("u32 lock_ = %s;", lock)
	o.line("if (unlikely(!%s_lock(lock_))) {", g.prefix)
	o.line("\ts->contention = 1;")
	o.open("} else {")
	g.stmts(s.Body)
	o.line("%s_unlock(lock_);", g.prefix)
	o.close("}")
	o.close("}")
}
