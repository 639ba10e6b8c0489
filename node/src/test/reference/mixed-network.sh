#!/usr/bin/env bash
# A network of two nodes that hold half of the stake each, the reference node (P2P mode) and Topspin, all on loopback:
# neither makes a block without the other's votes. Payments are submitted to both. At the end both serve the same
# blocks, each of them proposed some, and a third node of either kind that starts then takes all blocks, with their
# certificates, from the node of the other kind.
#
#   mixed-network.sh PATH_TO_ALGOD [ROUNDS] [v42|fast]
#
# goal is expected beside algod, and python3 in the path. Without a path nothing is done. ROUNDS is 300 if not said.
# TOPSPIN names another launcher.
set -euo pipefail

algod=${1:-}
rounds=${2:-300}
profile=${3:-v42}
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
    for node in theirs keys; do "$goal" kmd stop -d "$dir/network/$node" > /dev/null 2>&1 || true; done
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
round() { rest "$1" /v2/status | sed 's/.*"last-round": *\([0-9]*\).*/\1/'; }
reached() { [ "$(round "$1")" -ge "$2" ]; }

# What a tool that signs must know; simple signatures are the same in all versions.
v42=https://github.com/algorandfoundation/specs/tree/268b63433a907455d439995bf916f6b296018f4f
case $profile in
    v42) options=() ;;
    fast) options=(-d "$dir/versions"); mkdir "$dir/versions"; cp "$root/config/consensus.json" "$dir/versions/" ;;
    *) fail "v42 or fast, not $profile" ;;
esac
settings='{\"EnableP2P\":true,\"DeadlockDetection\":-1,\"EndpointAddress\":\"127.0.0.1:0\",\"GossipFanout\":4}'
cat > "$dir/template.json" <<JSON
{ "Genesis": { "NetworkName": "tbd", "LastPartKeyRound": 3000,$([ "$profile" = fast ] && echo ' "ConsensusProtocol": "fast",')
    "Wallets": [ { "Name": "Wallet1", "Stake": 50, "Online": true }, { "Name": "Wallet2", "Stake": 50, "Online": true } ] },
  "Nodes": [
    { "Name": "theirs", "IsRelay": true, "ConfigJSONOverride": "$settings",
      "Wallets": [ { "Name": "Wallet1", "ParticipationOnly": false } ] },
    { "Name": "keys", "Wallets": [ { "Name": "Wallet2", "ParticipationOnly": false } ] },
    { "Name": "late", "IsRelay": true, "ConfigJSONOverride": "$settings", "Wallets": [] } ] }
JSON
net=$dir/network
"$goal" network create -r "$net" -n private -t "$dir/template.json" ${options[@]+"${options[@]}"} > "$dir/create.log" 2>&1 ||
    { cat "$dir/create.log" >&2; fail "no network"; }
# Without state-proof keys, else state proofs enter the chain.
sed -i -E 's/"stprf": *"[^"]*",?//' "$net"/genesis.json "$net"/*/genesis.json
grep -q '"stprf"' "$net"/*/genesis.json && fail "state proof keys are left"

start_algod() { # NAME [PEERS]
    "$algod" -d "$net/$1" ${2:+-p "$2"} > "$dir/$1.out" 2>&1 &
    pids+=($!)
    await "$1 listens" 60 test -s "$net/$1/algod-listen.net"
}

start_topspin() { # NAME CONFIG [KEYS]
    mkdir "$dir/$1"
    cp "$net/theirs/genesis.json" "$dir/$1/"
    if [ "$profile" = fast ]; then cp "$root/config/consensus.json" "$dir/$1/"; fi
    printf '{%s, "EndpointAddress": "127.0.0.1:0", "NetAddress": "127.0.0.1:0"}\n' "$2" > "$dir/$1/config.json"
    if [ -n "${3:-}" ]; then "$topspin" keys install "$3" --data "$dir/$1"; fi
    "$topspin" node run --data "$dir/$1" > "$dir/$1.out" 2>&1 &
    pids+=($!)
    await "$1 serves" 120 test -s "$dir/$1/algod-listen.net"
}

partkey=$(find "$net/keys" -name '*.partkey' | head -n 1)
[ -n "$partkey" ] || fail "no participation keys of the second wallet"
start_algod theirs
theirs=$net/theirs
start_topspin ours "\"Blocks\": \"agreement\", \"Peers\": [\"$(cat "$theirs/algod-listen.net")\"]" "$partkey"
ours=$dir/ours
await "a block that both voted for" 120 reached "$ours" 1
say "both agree: round $(round "$ours")"

# Payments, in turn to the one and to the other.
export ALGORAND_DATA=$theirs
from=$("$goal" account list | awk '{ print $3; exit }')
sent=()
begun=$SECONDS
number=0
while ! reached "$ours" "$rounds"; do
    number=$((number + 1))
    before=$(round "$ours")
    "$goal" clerk send -a "$number" -f "$from" -t "$from" -n "payment $number" -o "$dir/one.tx" > /dev/null
    "$goal" clerk sign -P "$v42" -i "$dir/one.tx" -o "$dir/signed.tx" > /dev/null
    node=$([ $((number % 2)) = 0 ] && echo "$theirs" || echo "$ours")
    sent+=("$(rest "$node" /v2/transactions --data-binary @"$dir/signed.tx" | sed 's/.*"txId": *"\([A-Z2-7]*\)".*/\1/')")
    rm -f "$dir"/*.tx
    await "round $((before + 1))" 120 reached "$ours" $((before + 1))
done
say "$rounds rounds in $((SECONDS - begun)) s, ${#sent[@]} payments, half of them to either node"
await "round $rounds there" 60 reached "$theirs" "$rounds"

# The block's bytes, apart from the certificate, of which either keeps its own.
cat > "$dir/compare.py" <<'PYTHON'
import sys, urllib.request, collections, json
first, second, token1, token2, rounds = sys.argv[1:6]
wanted = set(sys.argv[6:])

def get(url, token, path):
    request = urllib.request.Request(url + path, headers={"X-Algo-API-Token": token})
    return urllib.request.urlopen(request).read()

def skip(b, i):
    """The end of the msgpack value at i."""
    c = b[i]; n = lambda size: int.from_bytes(b[i + 1:i + 1 + size], "big")
    if c <= 0x7f or c >= 0xe0 or c in (0xc0, 0xc2, 0xc3): return i + 1
    if c <= 0x8f: return many(b, i + 1, 2 * (c & 15))
    if c <= 0x9f: return many(b, i + 1, c & 15)
    if c <= 0xbf: return i + 1 + (c & 31)
    if 0xc4 <= c <= 0xc6: size = 1 << (c - 0xc4); return i + 1 + size + n(size)
    if 0xcc <= c <= 0xcf: return i + 1 + (1 << (c - 0xcc))
    if 0xd0 <= c <= 0xd3: return i + 1 + (1 << (c - 0xd0))
    if 0xd9 <= c <= 0xdb: size = 1 << (c - 0xd9); return i + 1 + size + n(size)
    if c in (0xdc, 0xdd): size = 2 << (c - 0xdc); return many(b, i + 1 + size, n(size))
    if c in (0xde, 0xdf): size = 2 << (c - 0xde); return many(b, i + 1 + size, 2 * n(size))
    raise SystemExit("msgpack type %x" % c)

def many(b, i, count):
    for _ in range(count): i = skip(b, i)
    return i

def block(b):
    key = b"\xa5block"
    assert b[:7] == b"\x82" + key or b[:7] == b"\x81" + key, b[:8]
    return b[7:skip(b, 7)]

proposers = collections.Counter()
for number in range(1, int(rounds) + 1):
    path = "/v2/blocks/%d?format=msgpack" % number
    if block(get(first, token1, path)) != block(get(second, token2, path)):
        raise SystemExit("block %d differs" % number)
    told = json.loads(get(second, token2, "/v2/blocks/%d" % number))["block"]
    proposers[told["prp"]] += 1
for txid in wanted:
    told = json.loads(get(second, token2, "/v2/transactions/pending/" + txid))
    if not told.get("confirmed-round"): raise SystemExit("not in a block: " + txid)
if len(proposers) != 2: raise SystemExit("proposers: %s" % proposers)
print("blocks 1 to %s are the same, byte for byte; proposed by %s" % (rounds, ", ".join("%s…: %d" % (p[:8], c) for p, c in proposers.items())))
PYTHON
python3 "$dir/compare.py" "$(url "$theirs")" "$(url "$ours")" "$(cat "$theirs/algod.token")" "$(cat "$ours/algod.token")" \
    "$rounds" "${sent[@]: -50}" || fail "the chains differ"

# Certificates: whoever comes late judges each of them.
start_topspin follower "\"Producer\": \"$(cat "$theirs/algod-listen.net")\""
await "our late node at round $rounds" 300 reached "$dir/follower" "$rounds"
say "a late node of ours took $rounds rounds from theirs, each certificate judged"
start_algod late "$(cat "$ours/algod-listen.net")"
await "their late node at round $rounds" 300 reached "$net/late" "$rounds"
say "a late node of theirs took $rounds rounds from ours"
grep -iE 'equivocat|disconnect' "$net/theirs/node.log" | head -n 5 || true
say "done"
