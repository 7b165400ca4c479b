#!/usr/bin/env bash
# Fails when a generated file is not what its source makes of it now.
set -euo pipefail
cd "$(dirname "$0")/.."

generated=(cmd/*/systems.go test/explore/systems.go p4/rdma/icrc_tables.p4 p4/rdma/quorum_entries.p4 p4/*/*.p4info.txtpb p4/*/names.go
	bpf/obj bench/program/again/*.bpf.o systems/*/bench/hand/*.bpf.o systems/*/bench/*/hand/*.bpf.o)
before=$(mktemp -d)
trap 'rm -rf "$before"' EXIT
for f in "${generated[@]}"; do
	mkdir -p "$before/$(dirname "$f")"
	cp -r "$f" "$before/$f"
done
go generate ./... >/dev/null
stale=0
for f in "${generated[@]}"; do
	if ! diff -rq "$before/$f" "$f"; then stale=1; fi
done
if [ $stale -ne 0 ]; then
	echo "generated files were stale: they are fresh now, commit them (make generate)" >&2
	exit 1
fi
echo "generated files are fresh"
