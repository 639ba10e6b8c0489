#!/bin/sh
# Runs the benchmark of go-libp2p-pubsub 0.15.0 that RpcBatchBench is compared with, in a temporary
# folder. Needs Go, and the Go module proxy the first time; without Go it says so and does nothing.
set -eu
command -v go > /dev/null || { echo "no Go here: nothing to compare with"; exit 0; }
version=v0.15.0
folder=$(mktemp -d)
trap 'chmod -R u+w "$folder"; rm -rf "$folder"' EXIT INT TERM
cd "$folder"
GOFLAGS=-mod=mod go mod init compare > /dev/null 2>&1
source=$(go mod download -json "github.com/libp2p/go-libp2p-pubsub@$version" | sed -n 's/.*"Dir": "\(.*\)",*/\1/p')
[ -n "$source" ] || { echo "cannot fetch go-libp2p-pubsub $version"; exit 1; }
mkdir copy
cp -R "$source/." copy
chmod -R u+w copy
cd copy
go test -run '^$' -bench 'SplitRPCLargeMessages' -benchmem -count 3 .
