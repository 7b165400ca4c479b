package rdma

// slotRegisters and creditRegisters are the registers that each slot has one of.
var (
	slotRegisters   = [Slots]string{RegisterSlot0, RegisterSlot1, RegisterSlot2, RegisterSlot3, RegisterSlot4, RegisterSlot5, RegisterSlot6, RegisterSlot7}
	creditRegisters = [Slots]string{
		RegisterCredit0, RegisterCredit1, RegisterCredit2, RegisterCredit3, RegisterCredit4, RegisterCredit5, RegisterCredit6, RegisterCredit7,
	}
)

// SlotRegister is the register of what a slot holds.
func SlotRegister(slot int) string { return slotRegisters[slot] }

// CreditRegister is the register of a slot's credits.
func CreditRegister(slot int) string { return creditRegisters[slot] }

// MulticastGroup is the multicast group of a group's replicas.
func MulticastGroup(group uint16) uint16 { return group + MulticastBase }

// GroupOfMulticast is the group of a multicast group.
func GroupOfMulticast(id uint16) uint16 { return id - MulticastBase }

// RID is the replication id of a slot's copies.
func RID(group uint16, slot int) uint16 { return group*Slots + uint16(slot) }

// OfRID is the group and the slot of a replication id.
func OfRID(rid uint16) (group uint16, slot int) { return rid / Slots, int(rid % Slots) }
