#!/usr/bin/env bash
# Topspin beside the reference node in P2P mode, all on loopback: it dials and is dialled, stays connected, follows
# the chain by either block service, and transactions go both ways.
#
#   reference-node.sh PATH_TO_ALGOD [MINUTES]
#
# goal is expected beside algod. Without a path nothing is done. MINUTES is how long the two are watched, 2 if not said.
# TOPSPIN names another launcher; SKIP_MAVEN leaves out the part that Maven runs.
set -euo pipefail

algod=${1:-}
minutes=${2:-2}
if [ -z "$algod" ] || [ ! -x "$algod" ]; then
    echo "skipped: no algod${algod:+ at $algod}"
    exit 0
fi
goal=$(dirname "$algod")/goal
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../../../.." && pwd -P)
topspin=${TOPSPIN:-$root/node/bin/topspin}
dir=$(mktemp -d)
pids=()

finish() {
    status=$?
    for pid in "${pids[@]}"; do kill "$pid" 2>/dev/null || true; done
    wait 2>/dev/null || true
    if [ "$status" = 0 ]; then rm -rf "$dir"; else echo "failed; what was written is in $dir" >&2; fi
}
trap finish EXIT

fail() { echo "FAILED: $*" >&2; exit 1; }
say() { printf '%s  %s\n' "$(date +%T)" "$*"; }

# WHAT SECONDS COMMAND...: runs the command until it succeeds.
await() {
    local what=$1 end=$((SECONDS + $2))
    shift 2
    until "$@" 2>/dev/null; do
        [ "$SECONDS" -lt "$end" ] || fail "never: $what"
        sleep 0.3
    done
}

url() { local net; net=$(cat "$1/algod.net"); printf 'http://%s' "${net#http://}"; }
rest() { curl -sSf -H "X-Algo-API-Token: $(cat "$1/algod.token")" "${@:3}" "$(url "$1")$2"; }
round() { rest "$1" /v2/status | sed 's/.*"last-round":\([0-9]*\).*/\1/'; }
metric() { rest "$1" /metrics | awk -v name="$2" '$1 == name { printf "%d", $2 }'; }
is_at_least() { [ "$(metric "$1" "$2")" -ge "$3" ]; }
reached() { [ "$(round "$1")" -ge "$2" ]; }
confirmed() { rest "$1" "/v2/transactions/pending/$2" | grep '"confirmed-round": *[1-9]' > /dev/null; }

# A network without state proofs: a relay that holds all of the stake, so that it need not wait for anybody, and a
# second node, which serves blocks by HTTP alone.
cat > "$dir/template.json" <<'JSON'
{ "Genesis": { "NetworkName": "tbd", "LastPartKeyRound": 3000,
    "Wallets": [ { "Name": "Wallet1", "Stake": 100, "Online": true } ] },
  "Nodes": [
    { "Name": "relay", "IsRelay": true, "Wallets": [ { "Name": "Wallet1", "ParticipationOnly": false } ],
      "ConfigJSONOverride": "{\"EnableP2P\":true,\"DeadlockDetection\":-1,\"EndpointAddress\":\"127.0.0.1:0\"}" },
    { "Name": "other", "IsRelay": true, "Wallets": [],
      "ConfigJSONOverride": "{\"EnableP2P\":true,\"DeadlockDetection\":-1,\"EndpointAddress\":\"127.0.0.1:0\",\"EnableGossipBlockService\":false}" } ] }
JSON
net=$dir/network
"$goal" network create -r "$net" -n private -t "$dir/template.json" > "$dir/create.log" 2>&1 ||
    { cat "$dir/create.log" >&2; fail "no network"; }
sed -i -E 's/"stprf": *"[^"]*",?//' "$net"/genesis.json "$net"/*/genesis.json
sed -i -E 's/"GossipFanout": *[0-9]+/"GossipFanout": 4/' "$net"/*/config.json
grep -q '"stprf"' "$net"/*/genesis.json && fail "state proof keys are left"

start_algod() { # NAME [PEERS]
    "$algod" -d "$net/$1" ${2:+-p "$2"} > "$dir/$1.out" 2>&1 &
    pids+=($!)
    await "$1 listens" 60 test -s "$net/$1/algod-listen.net"
}

start_topspin() { # NAME PRODUCER
    mkdir "$dir/$1"
    cp "$net/relay/genesis.json" "$dir/$1/"
    printf '{"Producer": "%s", "EndpointAddress": "127.0.0.1:0", "NetAddress": "127.0.0.1:0"}\n' "$2" > "$dir/$1/config.json"
    "$topspin" node run --data "$dir/$1" > "$dir/$1.out" 2>&1 &
    pids+=($!)
    await "$1 serves" 120 test -s "$dir/$1/algod-listen.net"
}

start_algod relay
relay=$net/relay
start_topspin ours "$(cat "$relay/algod-listen.net")"
ours=$dir/ours
await "we dialled the relay" 30 is_at_least "$ours" topspin_net_peers 1
say "we dialled the relay: $(rest "$relay" /versions | grep -o '"build":{[^}]*' | head -c 120)"

start_algod other "$(cat "$relay/algod-listen.net");$(cat "$ours/algod-listen.net")"
await "the other node dialled us" 30 is_at_least "$ours" topspin_net_peers 2
await "both are neighbours in the gossip" 30 is_at_least "$ours" topspin_gossip_mesh_peers 2
say "the other node dialled us; both are in our mesh"
await "round 3 is followed" 60 reached "$ours" 3

# One that follows the node which leaves block requests unanswered, and serves HTTP.
start_topspin byhttp "$(cat "$net/other/algod-listen.net")"
await "round 3 comes by HTTP" 90 reached "$dir/byhttp" 3
say "blocks come on the tagged stream and by HTTP"

# Transactions: theirs to us, ours to them; alone, three and sixteen in a group.
export ALGORAND_DATA=$relay
from=$("$goal" account list | awk '{ print $3; exit }')
before=$(metric "$ours" topspin_gossip_fresh_total)
"$goal" clerk send -a 100000 -f "$from" -t "$from" -n theirs > "$dir/send.log" 2>&1 || fail "$(cat "$dir/send.log")"
await "their transaction is gossiped to us" 20 is_at_least "$ours" topspin_gossip_fresh_total $((before + 1))
say "their transaction came to us by gossip"

for size in 1 3 16; do
    : > "$dir/group.tx"
    for number in $(seq "$size"); do
        "$goal" clerk send -a "$number" -f "$from" -t "$from" -n "ours $size $number $RANDOM" -o "$dir/one.tx" > /dev/null
        cat "$dir/one.tx" >> "$dir/group.tx"
    done
    if [ "$size" -gt 1 ]; then
        "$goal" clerk group -i "$dir/group.tx" -o "$dir/grouped.tx" > /dev/null
        mv "$dir/grouped.tx" "$dir/group.tx"
    fi
    "$goal" clerk sign -i "$dir/group.tx" -o "$dir/signed.tx" > /dev/null
    id=$(rest "$ours" /v2/transactions --data-binary @"$dir/signed.tx" | sed 's/.*"txId":"\([A-Z2-7]*\)".*/\1/')
    await "ours of $size is confirmed there" 30 confirmed "$relay" "$id"
    say "ours, $size in a group, confirmed by the reference: $id"
    rm -f "$dir"/*.tx
done

# What a peer that says more than a node may, and one that is malformed, is told: in Java, see ReferenceNodeTest.
if command -v mvn > /dev/null && [ -z "${SKIP_MAVEN:-}" ]; then
    (cd "$root" && mvn -B -q -pl net -am -Pinterop test -Dtest=ReferenceNodeTest -Dsurefire.failIfNoSpecifiedTests=false \
        -Dtopspin.reference="$(cat "$relay/algod-listen.net")") > "$dir/test.log" 2>&1 ||
        { tail -n 40 "$dir/test.log" >&2; fail "ReferenceNodeTest"; }
    say "votes and proposals arrive whole; a malformed transaction cost the mesh and no more"
fi

say "watching for $minutes minutes"
end=$((SECONDS + 60 * minutes))
while [ "$SECONDS" -lt "$end" ]; do
    sleep 5
    there=$(round "$relay")
    here=$(round "$ours")
    [ "$here" -ge $((there - 2)) ] || fail "we are at round $here, the relay at $there"
    [ "$(metric "$ours" topspin_net_peers)" = 2 ] || fail "a connection was lost"
    [ "$(metric "$ours" topspin_gossip_mesh_peers)" = 2 ] || fail "a neighbour was lost"
done
grep -q 'connection lost' "$ours/node.log" && fail "a connection was lost"
say "round $(round "$ours"); $(metric "$ours" topspin_net_messages_received_total) messages; drops:"
rest "$ours" /metrics | grep -E '^topspin_(net|gossip)_dropped_total' | grep -vE ' 0(\.0)?$' || echo "none"
say "done"
