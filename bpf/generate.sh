#!/bin/sh
# Compiles every program of p4/: NAME/NAME.p4 to the C and the object in obj/, and the
# p4info and the Go names beside the program.
set -eu
cd "$(dirname "$0")"
for dir in ../p4/*/; do
	name=$(basename "$dir")
	if [ -f "$dir$name.p4" ]; then
		go run ../cmd/p4xc build "$dir$name.p4" -o obj --p4info "${dir%/}" --go "${dir%/}"
	fi
done
