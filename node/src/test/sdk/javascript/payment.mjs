// Funds an account, pays from it through the second node, and reads the result on both nodes, with the official SDK as published.
//   node payment.mjs DISPENSER_MNEMONIC URL_OF_NODE_1 URL_OF_NODE_2
// Token and first URL default to what every local network of this ecosystem has. Exits 0 when all holds; else says what does not.
import assert from 'node:assert/strict';
import algosdk from 'algosdk';

const [mnemonic, first = 'http://127.0.0.1:4001', second = 'http://127.0.0.1:4011'] = process.argv.slice(2);
const token = 'a'.repeat(64);

const client = (url) => {
  const { protocol, hostname, port } = new URL(url);
  return new algosdk.Algodv2(token, `${protocol}//${hostname}`, port);
};
const nodes = [client(first), client(second)];

const dispenser = algosdk.mnemonicToSecretKey(mnemonic);
const alice = algosdk.generateAccount();
const bob = algosdk.generateAccount();

const balance = async (node, address) => (await node.accountInformation(address).do()).amount;

async function pay(node, from, receiver, amount, note) {
  const suggestedParams = await node.getTransactionParams().do();
  const txn = algosdk.makePaymentTxnWithSuggestedParamsFromObject({
    sender: from.addr, receiver: receiver.addr, amount, note: new TextEncoder().encode(note), suggestedParams,
  });
  const { txid } = await node.sendRawTransaction(txn.signTxn(from.sk)).do();
  assert.equal(txid, txn.txID(), 'the node gives the id that the SDK computes');
  const confirmed = await algosdk.waitForConfirmation(node, txid, 10);
  return { txid, round: confirmed.confirmedRound };
}

/** A block of the other node may come a moment later: wait for its round, then look. */
async function seenOn(node, { txid, round }) {
  const status = await node.status().do();
  if (status.lastRound < round) {
    await node.statusAfterBlock(Number(round) - 1).do();
  }
  return (await node.pendingTransactionInformation(txid).do()).confirmedRound;
}

const funding = await pay(nodes[0], dispenser, alice, 5_000_000, 'funding');
assert.equal(await seenOn(nodes[1], funding), funding.round, 'the funding is in the same round on both nodes');
assert.equal(await balance(nodes[0], alice.addr), 5_000_000n);

const payment = await pay(nodes[1], alice, bob, 1_234_567, 'through node 2');
for (const node of nodes) {
  assert.equal(await seenOn(node, payment), payment.round, 'the payment is in the same round on both nodes');
  assert.equal(await balance(node, bob.addr), 1_234_567n);
  assert.equal(await balance(node, alice.addr), 5_000_000n - 1_234_567n - 1000n);
  const { block } = await node.block(Number(payment.round)).do();
  assert.ok(block.payset.length >= 1, 'the block holds the payment');
}
assert.deepEqual(
  (await nodes[0].getBlockHash(Number(payment.round)).do()).blockHash,
  (await nodes[1].getBlockHash(Number(payment.round)).do()).blockHash,
  'both nodes have the same block',
);

const wrong = new algosdk.Algodv2('b'.repeat(64), new URL(first).origin.replace(/:\d+$/, ''), new URL(first).port);
await assert.rejects(wrong.status().do(), /401/, 'a wrong token is refused');

await assert.rejects(
  pay(nodes[0], bob, alice, 2_000_000_000, 'too much'),
  /overspend/,
  'an overspend is refused with the reference node\'s word',
);

console.log(JSON.stringify({ funding: { ...funding, round: Number(funding.round) }, payment: { ...payment, round: Number(payment.round) } }));
