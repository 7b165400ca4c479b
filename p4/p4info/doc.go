// Package p4info derives the control-plane description of a program
// (p4.config.v1.P4Info) from its IR.
//
//	ir.Program --Build--> *p4configv1.P4Info --Text--> NAME.p4info.txtpb
//
// Ids are what @id says, with the prefix byte of the kind of object; without
// @id they are the hash of the name that the public compiler uses (Jenkins,
// one at a time, 24 bits, linear probing in order of names). Aliases are the
// shortest suffix of the name that no other object has. Ids of match fields,
// action parameters and packet metadata count from 1 unless @id says otherwise.
//
// Names. The public compiler for Tofino knows two forms. Its own puts the
// externs of TNA into extension messages; the one for P4Runtime clients
// (--p4runtime-force-std-externs) makes counters, registers and digests
// standard objects and leaves the name of the pipeline out. Ours has standard
// objects, and keeps the names of the IR, which begin with the pipeline
// (pipe.Ingress.l2.dmac), unless Options.StandardNames is set. Aliases and ids
// are the same either way.
//
// One difference remains: the public compiler ignores @id on the externs of
// TNA (counters, registers, digests) and always hashes their names; ours
// honours it, as P4Runtime asks. Options.PublicIDs gives the public ids.
//
// Contract:
//   - Build is pure and deterministic, and so is the text.
//   - Two objects of one kind with one name, two objects with one id, and ids
//     with a wrong prefix are errors.
//   - What an action, table or header is annotated with appears as it was
//     written, but for @name, @id, @brief and @description, which have fields.
package p4info
