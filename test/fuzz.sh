#!/usr/bin/env bash
# Runs every fuzz target of the repository for a time each, and random P4 programs (P4CE_PROGRAMS, default 10000), packets and messages.
set -euo pipefail
cd "$(dirname "$0")/.."
time=${1:-30s}
for pkg in $(go list ./...); do
	for target in $(go test -list '^Fuzz' "$pkg" 2>/dev/null | grep '^Fuzz' || true); do
		echo "== $pkg $target"
		go test -run '^$' -fuzz "^$target\$" -fuzztime "$time" "$pkg"
	done
done
export P4CE_RANDOM=1 # new seeds
echo "== random programs"
go test ./test/programs -count=1 -timeout 0 -args -programs "${P4CE_PROGRAMS:-10000}"
echo "== random packets and messages"
go test ./test/conformance ./systems/paxos/test/program -count=1 -timeout 0
