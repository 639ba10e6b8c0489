// What applications do with AlgoKit's utilities as published, against a local network.
//   node utils.mjs URL_OF_KMD URL_OF_NODE
import assert from 'node:assert/strict';
import { algo, AlgorandClient, Config, microAlgo } from '@algorandfoundation/algokit-utils';

const [kmdUrl, url] = process.argv.slice(2);
const token = 'a'.repeat(64);
const server = (address) => {
  const { protocol, hostname, port } = new URL(address);
  return { server: `${protocol}//${hostname}`, port, token };
};
Config.configure({ logger: { verbose() {}, debug() {}, info() {}, warn() {}, error: console.error } });
const algorand = AlgorandClient.fromConfig({ algodConfig: server(url), kmdConfig: server(kmdUrl) });
const done = [];

const dispenser = await algorand.account.kmd.getWalletAccount('unencrypted-default-wallet');
algorand.account.setSignerFromAccount(dispenser);
done.push('kmd');

const alice = algorand.account.random();
const bob = algorand.account.random();
for (const account of [alice, bob]) {
  await algorand.send.payment({ sender: dispenser.addr, signer: dispenser.signer, receiver: account.addr, amount: algo(10) });
}
done.push('fund');

const { assetId } = await algorand.send.assetCreate({ sender: alice.addr, total: 1000n, decimals: 0, assetName: 'utils', unitName: 'U' });
await algorand.send.assetOptIn({ sender: bob.addr, assetId });
await algorand.send.assetTransfer({ sender: alice.addr, receiver: bob.addr, assetId, amount: 7n });
assert.equal((await algorand.asset.getAccountInformation(bob, assetId)).balance, 7n);
done.push('asset');

const group = () => algorand.newGroup()
  .addPayment({ sender: alice.addr, receiver: bob.addr, amount: microAlgo(1) })
  .addAssetTransfer({ sender: bob.addr, receiver: alice.addr, assetId, amount: 2n });
const simulated = await group().simulate();
assert.equal(simulated.confirmations.length, 2);
const unsigned = await group().simulate({ skipSignatures: true });
assert.equal(unsigned.transactions.length, 2);
done.push('simulate');
const sent = await group().send();
assert.equal(sent.txIds.length, 2);
done.push('group');

await algorand.account.ensureFunded(bob.addr, dispenser.addr, algo(20));
assert.ok((await algorand.account.getInformation(bob.addr)).balance.algos >= 20);
done.push('ensureFunded');

await assert.rejects(
  algorand.send.payment({ sender: alice.addr, receiver: bob.addr, amount: algo(1_000_000) }),
  /overspend/,
);
done.push('overspend');

console.log(JSON.stringify({ sdk: 'algokit-utils', done }));
