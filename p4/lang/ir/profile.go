package ir

// Profile is an ActionProfile, or an ActionSelector with its ActionProfile. Its members are actions with their data; its groups,
// which only a selector has, are sets of members.
//
// The lowering makes tables of it, and back ends need nothing else. Where the program applies a table of a profile with
// selector, a packet passes
//
//	member = 0, group = 0, size = 0
//	table                  entry -> member = M, or group = G
//	group != 0: Groups     G -> size = S           how many slots the group has
//	size != 0:  hash of the selector keys, slot = hash % size
//	            Slots      G, slot -> member = M
//	Members                M -> the action         its default action is the table's: ids are not 0
//
// So whatever ends without a member is a miss of the table: no entry, an empty group, a member that is not there.
type Profile struct {
	Name      string // control-plane name of the ActionProfile; of the ActionSelector, when it has none
	ID        uint32
	Gress     *Gress
	Selector  bool
	Resilient bool // SelectorMode_t.RESILIENT: a change of a group moves packets of members that leave, and no others
	// Size is the number of members. GroupSize is the largest sum of weights of a group, and MaxGroups the number of groups; both
	// are 0 without selector.
	Size, GroupSize, MaxGroups int
	// SlotRoom is the largest sum of the slots of all groups.
	SlotRoom int
	Tables   []*Table // whose implementation it is
	// Groups and Slots are its tables, nil without selector, and when no table has it.
	//
	//	Groups  key group        SetSize(size, max_size, half)         all but the size is for who reads it back
	//	Slots   key group, slot  SetMember(member)
	//	                         Describe(member, weight, watch_port)  slots that no packet reaches: the members of the group as
	//	                                                               they were written
	//
	// Descriptions have two halves, from DescribedFrom and from DescribedFrom + DescribedHalf on. The group names the one that holds,
	// so that other members take the place of all of them at once.
	Groups, Slots                *Table
	SetSize, SetMember, Describe *Action
	Slot                         *Var // the slot that a packet gets
	Annotations                  []Annotation
	Pos                          Pos
}

const (
	DescribedFrom = 1 << 31 // the first slot that describes a member of a group
	DescribedHalf = 1 << 30
	NoWatch       = 0xffff    // in place of a member's watch port: it has none
	OwnedGroup    = 1<<32 - 1 // in place of the max_size of a group that belongs to an entry: see Indirect.ToSet
)

// Indirect is what a table with a profile has.
type Indirect struct {
	Profile *Profile
	// Members has the table's actions: key member.
	Members *Table
	// What entries run: each counts, when the table has a direct counter, and has the id of a member or of a group as its parameter. ToSet is ToGroup of a group that belongs to the
	// entry. ToGroup and ToSet are nil without selector.
	ToMember, ToGroup, ToSet *Action
}
