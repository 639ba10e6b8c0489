"""What wallets and tools do, with the official SDK as published, against a local network.

    python suite.py URL_OF_KMD URL_OF_NODE_1 URL_OF_NODE_2

Exits 0 when all holds and prints one JSON object; else says what does not.
"""

import base64
import json
import re
import sys
import urllib.request

from algosdk import account, encoding, error, kmd, transaction
from algosdk.v2client import algod, models

TOKEN = "a" * 64
kmd_url, *urls = sys.argv[1:]
nodes = [algod.AlgodClient(TOKEN, url) for url in urls]
node = nodes[-1]
done = []


def refused(pattern, call, *arguments):
    try:
        call(*arguments)
    except (error.AlgodHTTPError, error.KMDHTTPError) as refusal:
        assert re.search(pattern, str(refusal)), f"{refusal} does not match {pattern}"
        return
    raise AssertionError(f"not refused: {pattern}")


def confirmed(txid):
    return transaction.wait_for_confirmation(node, txid, 20)


def send(signed):
    txid = node.send_transaction(signed)
    return {"txid": txid, **confirmed(txid)}


def payment(sender, receiver, amount, **more):
    return transaction.PaymentTxn(sender, node.suggested_params(), receiver, amount, **more)


def info(address):
    return node.account_info(address)


# The dispenser, through kmd.
daemon = kmd.KMDClient(TOKEN, kmd_url)
assert daemon.versions() == ["v1"]
wallet = next(w for w in daemon.list_wallets() if w["name"] == "unencrypted-default-wallet")
handle = daemon.init_wallet_handle(wallet["id"], "")
dispenser = daemon.list_keys(handle)[0]
dispenser_key = daemon.export_key(handle, "", dispenser)
daemon.release_wallet_handle(handle)
refused("handle does not exist", daemon.list_keys, handle)
assert account.address_from_private_key(dispenser_key) == dispenser
done.append("dispenser through kmd")

keys = {}
alice, bob, carol, dave = (address for secret, address in (account.generate_account() for _ in range(4)) if not keys.update({address: secret}))

params = node.suggested_params()
assert params.min_fee == 1000 and params.gen == node.versions()["genesis_id"]
done.append("params")

for receiver in (alice, bob, carol):
    send(payment(dispenser, receiver, 20_000_000).sign(dispenser_key))
done.append("fund")

lease = bytes([7] * 32)
first = payment(alice, bob, 1_000_001, note="grüße".encode(), lease=lease)
paid = send(first.sign(keys[alice]))
assert paid["txid"] == first.get_txid()
refused("using an overlapping lease", send, payment(alice, bob, 5, lease=lease).sign(keys[alice]))
done.append("pay with note and lease")

send(payment(dispenser, dave, 1_000_000).sign(dispenser_key))
closed = send(payment(dave, alice, 10, close_remainder_to=bob).sign(keys[dave]))
assert closed["closing-amount"] == 1_000_000 - 10 - 1000
assert info(dave)["amount"] == 0
done.append("close")

send(payment(alice, alice, 0, rekey_to=carol).sign(keys[alice]))
assert info(alice)["auth-addr"] == carol
refused("should have been authorized by", send, payment(alice, bob, 1).sign(keys[alice]))
send(payment(alice, alice, 0, rekey_to=alice).sign(keys[carol]))
assert "auth-addr" not in info(alice)
done.append("rekey and back")

shared = transaction.Multisig(1, 2, [alice, bob, carol])
send(payment(dispenser, shared.address(), 2_000_000).sign(dispenser_key))
joint = transaction.MultisigTransaction(payment(shared.address(), alice, 1_000), shared)
joint.sign(keys[alice])
refused("multisig validation failed|Invalid number of signatures", node.send_transaction, joint)
joint.sign(keys[bob])
assert send(joint)["confirmed-round"]
done.append("multisig")

members = [payment(*((alice, bob) if i % 2 else (bob, alice)), i) for i in range(16)]
transaction.assign_group_id(members)
signed = [txn.sign(keys[txn.sender]) for txn in members]
txid = node.send_transactions(signed)
assert txid == members[0].get_txid()
assert len({confirmed(txn.get_txid())["confirmed-round"] for txn in members}) == 1
refused("incomplete group|inconsistent", node.send_transactions, signed[1:])
done.append("atomic group of 16")

made = send(
    transaction.AssetCreateTxn(
        alice, node.suggested_params(), total=2**64 - 1, decimals=2, default_frozen=False, manager=alice,
        reserve=alice, freeze=alice, clawback=alice, unit_name="TST", asset_name="Tëst", url="https://example.org/<&>",
    ).sign(keys[alice])
)
asset = made["asset-index"]
shown = node.asset_info(asset)["params"]
assert shown["total"] == 2**64 - 1 and shown["name"] == "Tëst" and shown["url"] == "https://example.org/<&>"
done.append("asset create")


def transfer(sender, receiver, amount, **more):
    return transaction.AssetTransferTxn(sender, node.suggested_params(), receiver, amount, asset, **more)


def holding(address):
    return node.account_asset_info(address, asset)["asset-holding"]


refused("must optin", send, transfer(alice, bob, 1).sign(keys[alice]))
for holder in (bob, carol):
    send(transfer(holder, holder, 0).sign(keys[holder]))
done.append("asset opt-in")
send(transfer(alice, bob, 500).sign(keys[alice]))
assert holding(bob)["amount"] == 500
done.append("asset transfer")
send(transfer(alice, carol, 100, revocation_target=bob).sign(keys[alice]))
assert (holding(bob)["amount"], holding(carol)["amount"]) == (400, 100)
done.append("asset clawback")
send(transaction.AssetFreezeTxn(alice, node.suggested_params(), asset, bob, True).sign(keys[alice]))
assert holding(bob)["is-frozen"]
refused("frozen", send, transfer(bob, carol, 1).sign(keys[bob]))
send(transaction.AssetFreezeTxn(alice, node.suggested_params(), asset, bob, False).sign(keys[alice]))
done.append("asset freeze")
send(
    transaction.AssetConfigTxn(
        alice, node.suggested_params(), asset, manager=alice, reserve=bob, freeze="", clawback=alice,
        strict_empty_address_check=False,
    ).sign(keys[alice])
)
shown = node.asset_info(asset)["params"]
assert shown["reserve"] == bob and "freeze" not in shown
done.append("asset reconfigure")
destroy = lambda: transaction.AssetDestroyTxn(alice, node.suggested_params(), asset).sign(keys[alice])
refused("cannot destroy asset", send, destroy())
for holder in (bob, carol):
    send(transfer(holder, alice, 0, close_assets_to=alice).sign(keys[holder]))
send(destroy())
refused("asset does not exist", node.asset_info, asset)
done.append("asset destroy")

encode = lambda size, fill: base64.b64encode(bytes([fill] * size)).decode()
send(
    transaction.KeyregOnlineTxn(
        carol, node.suggested_params(), encode(32, 1), encode(32, 2), 1, 1000, 10, sprfkey=encode(64, 3)
    ).sign(keys[carol])
)
assert info(carol)["status"] == "Online" and info(carol)["participation"]["vote-key-dilution"] == 10
send(transaction.KeyregOfflineTxn(carol, node.suggested_params()).sign(keys[carol]))
assert info(carol)["status"] == "Offline"
done.append("keyreg")

txid = node.send_transaction(payment(alice, bob, 77).sign(keys[alice]))
assert node.pending_transaction_info(txid)["pool-error"] == ""
assert "top-transactions" in node.pending_transactions(2)
assert "top-transactions" in node.pending_transactions_by_address(alice)
confirmed(txid)
refused("could not find", node.pending_transaction_info, "A" * 52)
done.append("pending")

round_number = paid["confirmed-round"]
block = node.block_info(round_number)["block"]
assert block["rnd"] == round_number and block["txns"]
raw = encoding.msgpack.unpackb(node.block_info(round_number, response_format="msgpack"), raw=False, strict_map_key=False)
assert raw["block"]["rnd"] == round_number and "cert" in raw
assert len({each.get_block_hash(round_number)["blockHash"] for each in nodes}) == 1
done.append("blocks")

for kind in ("sha512_256", "sha256"):
    assert node.transaction_proof(round_number, paid["txid"], hashtype=kind)["hashtype"] == kind
done.append("proofs")

assert info(alice)["address"] == alice and info(alice)["total-created-assets"] == 0
supply = node.ledger_supply()
assert supply["total-money"] >= supply["online-money"]
assert info(account.generate_account()[1])["amount"] == 0
done.append("account and supply")

pair = [payment(alice, bob, 1), payment(bob, alice, 2)]
transaction.assign_group_id(pair)
unsigned = [transaction.SignedTransaction(txn, None) for txn in pair]
ask = lambda txns, **more: node.simulate_transactions(
    models.SimulateRequest(txn_groups=[models.SimulateRequestTransactionGroup(txns=txns)], **more)
)["txn-groups"][0]
good = ask(unsigned, allow_empty_signatures=True)
assert "failure-message" not in good and len(good["txn-results"]) == 2
assert "signedtxn has no sig" in ask(unsigned)["failure-message"]
bad = ask([payment(alice, bob, 10**15).sign(keys[alice])])
assert "overspend" in bad["failure-message"] and bad["failed-at"] == [0]
done.append("simulate a group")

refused("Invalid API Token", algod.AlgodClient("b" * 64, urls[0]).status)
done.append("wrong token")

refused(
    r"TransactionPool\.Remember: transaction [A-Z2-7]{52}: overspend \(account .*tried to spend 1000000000A\)",
    send,
    payment(alice, bob, 10**15).sign(keys[alice]),
)
done.append("overspend text")

print(json.dumps({"sdk": "py-algorand-sdk", "done": done}))
