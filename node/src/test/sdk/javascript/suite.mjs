// What wallets and tools do, with the official SDK as published, against a local network.
//   node suite.mjs URL_OF_KMD URL_OF_NODE_1 URL_OF_NODE_2
// Exits 0 when all holds and prints one JSON object; else says what does not.
import assert from 'node:assert/strict';
import algosdk from 'algosdk';

const [kmdUrl, ...urls] = process.argv.slice(2);
const token = 'a'.repeat(64);
const parts = (url) => {
  const { protocol, hostname, port } = new URL(url);
  return [`${protocol}//${hostname}`, port];
};
const nodes = urls.map((url) => new algosdk.Algodv2(token, ...parts(url)));
const node = nodes.at(-1);
const text = (value) => new TextEncoder().encode(value);
const done = [];
const step = async (name, work) => {
  try {
    const result = await work();
    done.push(name);
    return result;
  } catch (error) {
    error.message = `${name}: ${error.message}`;
    throw error;
  }
};
const params = () => node.getTransactionParams().do();
const info = (account) => node.accountInformation(account.addr ?? account).do();
const confirmed = (txid) => algosdk.waitForConfirmation(node, txid, 20);
const send = async (signed) => {
  const { txid } = await node.sendRawTransaction(signed).do();
  return { txid, ...(await confirmed(txid)) };
};
const sendOne = (txn, account) => send(txn.signTxn(account.sk));

// The dispenser, through kmd.
const kmd = new algosdk.Kmd(token, ...parts(kmdUrl));
const dispenser = await step('dispenser through kmd', async () => {
  assert.deepEqual((await kmd.versions()).versions, ['v1']);
  const { wallets } = await kmd.listWallets();
  const wallet = wallets.find(({ name }) => name === 'unencrypted-default-wallet');
  const { wallet_handle_token: handle } = await kmd.initWalletHandle(wallet.id, '');
  const { addresses } = await kmd.listKeys(handle);
  assert.ok(addresses.length >= 1);
  const { private_key: secret } = await kmd.exportKey(handle, '', addresses[0]);
  await kmd.releaseWalletHandle(handle);
  await assert.rejects(kmd.listKeys(handle));
  return { addr: algosdk.Address.fromString(addresses[0]), sk: new Uint8Array(secret) };
});

const [alice, bob, carol, dave] = Array.from({ length: 4 }, () => algosdk.generateAccount());
const payment = async (sender, receiver, amount, more = {}) =>
  algosdk.makePaymentTxnWithSuggestedParamsFromObject({
    sender: sender.addr ?? sender, receiver: receiver.addr ?? receiver, amount, suggestedParams: await params(), ...more,
  });

await step('params', async () => {
  const suggested = await params();
  assert.equal(suggested.minFee, 1000n);
  assert.equal(suggested.genesisHash.length, 32);
  const versions = await node.versionsCheck().do();
  assert.equal(versions.genesisId, suggested.genesisID);
});

await step('fund', async () => {
  for (const account of [alice, bob, carol]) {
    await sendOne(await payment(dispenser, account, 20_000_000), dispenser);
  }
});

const paid = await step('pay with note and lease', async () => {
  const lease = new Uint8Array(32).fill(7);
  const txn = await payment(alice, bob, 1_000_001, { note: text('grüße'), lease });
  const result = await sendOne(txn, alice);
  assert.equal(result.txid, txn.txID());
  assert.deepEqual(result.txn.txn.note, text('grüße'));
  const again = await payment(alice, bob, 5, { lease });
  await assert.rejects(sendOne(again, alice), /using an overlapping lease/);
  return result;
});

await step('close', async () => {
  await sendOne(await payment(dispenser, dave, 1_000_000), dispenser);
  const result = await sendOne(await payment(dave, alice, 10, { closeRemainderTo: bob.addr }), dave);
  assert.equal(result.closingAmount, 1_000_000n - 10n - 1000n);
  assert.equal((await info(dave)).amount, 0n);
});

await step('rekey and back', async () => {
  await sendOne(await payment(alice, alice, 0, { rekeyTo: carol.addr }), alice);
  assert.equal((await info(alice)).authAddr.toString(), carol.addr.toString());
  await assert.rejects(sendOne(await payment(alice, bob, 1), alice), /should have been authorized by/);
  await sendOne(await payment(alice, alice, 0, { rekeyTo: alice.addr }), carol);
  assert.equal((await info(alice)).authAddr, undefined);
});

await step('multisig', async () => {
  const mparams = { version: 1, threshold: 2, addrs: [alice, bob, carol].map(({ addr }) => addr) };
  const shared = algosdk.multisigAddress(mparams);
  await sendOne(await payment(dispenser, shared, 2_000_000), dispenser);
  const txn = await payment(shared, alice, 1_000);
  const one = algosdk.signMultisigTransaction(txn, mparams, alice.sk).blob;
  const two = algosdk.signMultisigTransaction(txn, mparams, bob.sk).blob;
  await assert.rejects(send(one), /multisig validation failed|Invalid number of signatures/);
  assert.ok((await send(algosdk.mergeMultisigTransactions([one, two]))).confirmedRound);
});

await step('atomic group of 16', async () => {
  const txns = [];
  for (let i = 0; i < 16; i++) {
    txns.push(await payment(i % 2 ? alice : bob, i % 2 ? bob : alice, i));
  }
  algosdk.assignGroupID(txns);
  const signed = txns.map((txn, i) => txn.signTxn((i % 2 ? alice : bob).sk));
  const { txid } = await node.sendRawTransaction(signed).do();
  assert.equal(txid, txns[0].txID());
  const rounds = await Promise.all(txns.map((each) => confirmed(each.txID())));
  assert.equal(new Set(rounds.map(({ confirmedRound }) => confirmedRound)).size, 1);
  await assert.rejects(node.sendRawTransaction(signed.slice(1)).do(), /incomplete group|inconsistent/);
});

const asset = await step('asset create', async () => {
  const txn = algosdk.makeAssetCreateTxnWithSuggestedParamsFromObject({
    sender: alice.addr, total: 2n ** 64n - 1n, decimals: 2, defaultFrozen: false, unitName: 'TST', assetName: 'Tëst',
    assetURL: 'https://example.org/<&>', manager: alice.addr, reserve: alice.addr, freeze: alice.addr, clawback: alice.addr,
    suggestedParams: await params(),
  });
  const { assetIndex } = await sendOne(txn, alice);
  const { params: made } = await node.getAssetByID(assetIndex).do();
  assert.equal(made.total, 2n ** 64n - 1n);
  assert.equal(made.name, 'Tëst');
  assert.equal(made.url, 'https://example.org/<&>');
  return assetIndex;
});
const transfer = async (sender, receiver, amount, more = {}) =>
  algosdk.makeAssetTransferTxnWithSuggestedParamsFromObject({
    sender: sender.addr, receiver: receiver.addr, amount, assetIndex: asset, suggestedParams: await params(), ...more,
  });
const holding = async (account) => (await node.accountAssetInformation(account.addr, asset).do()).assetHolding;

await step('asset opt-in', async () => {
  await assert.rejects(sendOne(await transfer(alice, bob, 1), alice), /must optin/);
  for (const account of [bob, carol]) {
    await sendOne(await transfer(account, account, 0), account);
  }
  assert.equal((await holding(bob)).amount, 0n);
});
await step('asset transfer', async () => {
  await sendOne(await transfer(alice, bob, 500), alice);
  assert.equal((await holding(bob)).amount, 500n);
});
await step('asset clawback', async () => {
  await sendOne(await transfer(alice, carol, 100, { assetSender: bob.addr }), alice);
  assert.equal((await holding(bob)).amount, 400n);
  assert.equal((await holding(carol)).amount, 100n);
});
await step('asset freeze', async () => {
  const freeze = async (frozen) => algosdk.makeAssetFreezeTxnWithSuggestedParamsFromObject({
    sender: alice.addr, assetIndex: asset, freezeTarget: bob.addr, frozen, suggestedParams: await params(),
  });
  await sendOne(await freeze(true), alice);
  assert.equal((await holding(bob)).isFrozen, true);
  await assert.rejects(sendOne(await transfer(bob, carol, 1), bob), /frozen/);
  await sendOne(await freeze(false), alice);
});
await step('asset reconfigure', async () => {
  await sendOne(algosdk.makeAssetConfigTxnWithSuggestedParamsFromObject({
    sender: alice.addr, assetIndex: asset, manager: alice.addr, reserve: bob.addr, freeze: undefined, clawback: alice.addr,
    strictEmptyAddressChecking: false, suggestedParams: await params(),
  }), alice);
  const { params: now } = await node.getAssetByID(asset).do();
  assert.equal(now.reserve, bob.addr.toString());
  assert.equal(now.freeze, undefined);
});
await step('asset destroy', async () => {
  const destroy = async () => algosdk.makeAssetDestroyTxnWithSuggestedParamsFromObject({
    sender: alice.addr, assetIndex: asset, suggestedParams: await params(),
  });
  await assert.rejects(sendOne(await destroy(), alice), /cannot destroy asset/);
  for (const account of [bob, carol]) {
    await sendOne(await transfer(account, alice, 0, { closeRemainderTo: alice.addr }), account);
  }
  await sendOne(await destroy(), alice);
  await assert.rejects(node.getAssetByID(asset).do(), /asset does not exist/);
});

await step('keyreg', async () => {
  const key = (length, fill) => new Uint8Array(length).fill(fill);
  const online = algosdk.makeKeyRegistrationTxnWithSuggestedParamsFromObject({
    sender: carol.addr, voteKey: key(32, 1), selectionKey: key(32, 2), stateProofKey: key(64, 3),
    voteFirst: 1, voteLast: 1000, voteKeyDilution: 10, suggestedParams: await params(),
  });
  await sendOne(online, carol);
  const account = await info(carol);
  assert.equal(account.status, 'Online');
  assert.equal(account.participation.voteKeyDilution, 10n);
  await sendOne(algosdk.makeKeyRegistrationTxnWithSuggestedParamsFromObject({
    sender: carol.addr, suggestedParams: await params(),
  }), carol);
  assert.equal((await info(carol)).status, 'Offline');
});

await step('pending', async () => {
  const { txid } = await node.sendRawTransaction((await payment(alice, bob, 77)).signTxn(alice.sk)).do();
  const pending = await node.pendingTransactionInformation(txid).do();
  assert.equal(pending.poolError, '');
  assert.ok(Array.isArray((await node.pendingTransactionsInformation().max(2).do()).topTransactions));
  assert.ok(Array.isArray((await node.pendingTransactionByAddress(alice.addr).do()).topTransactions));
  await confirmed(txid);
  await assert.rejects(node.pendingTransactionInformation('A'.repeat(52)).do(), /404|could not find/);
});

await step('blocks', async () => {
  const round = paid.confirmedRound;
  const { block, cert } = await node.block(round).do();
  assert.ok(cert);
  assert.ok(block.payset.some(({ signedTxn }) => signedTxn.signedTxn.txn.amount !== undefined || signedTxn.signedTxn.txn.payment));
  const json = await (await fetch(`${urls[0]}/v2/blocks/${round}`, { headers: { 'X-Algo-API-Token': token } })).json();
  assert.equal(BigInt(json.block.rnd), round);
  const hashes = await Promise.all(nodes.map(async (each) => (await each.getBlockHash(round).do()).blockHash));
  assert.equal(new Set(hashes).size, 1);
  const { blocktxids } = await node.getBlockTxids(round).do();
  assert.ok(blocktxids.includes(paid.txid));
});

await step('proofs', async () => {
  for (const hashType of ['sha512_256', 'sha256']) {
    const proof = await node.getTransactionProof(paid.confirmedRound, paid.txid).hashType(hashType).do();
    assert.equal(proof.hashtype, hashType);
    assert.equal(proof.stibhash.length, 32);
  }
});

await step('account and supply', async () => {
  const account = await info(alice);
  assert.equal(account.address, alice.addr.toString());
  assert.equal(account.totalCreatedAssets, 0);
  const supply = await node.supply().do();
  assert.ok(supply.totalMoney >= supply.onlineMoney);
  assert.equal((await info(algosdk.generateAccount())).amount, 0n);
});

await step('simulate a group', async () => {
  const txns = [await payment(alice, bob, 1), await payment(bob, alice, 2)];
  algosdk.assignGroupID(txns);
  const request = (signed, more = {}) => new algosdk.modelsv2.SimulateRequest({
    txnGroups: [new algosdk.modelsv2.SimulateRequestTransactionGroup({ txns: signed })], ...more,
  });
  const unsigned = txns.map((txn) => algosdk.decodeSignedTransaction(algosdk.encodeUnsignedSimulateTransaction(txn)));
  const good = await node.simulateTransactions(request(unsigned, { allowEmptySignatures: true })).do();
  assert.equal(good.txnGroups[0].failureMessage ?? '', '');
  assert.equal(good.txnGroups[0].txnResults.length, 2);
  const missing = await node.simulateTransactions(request(unsigned)).do();
  assert.match(missing.txnGroups[0].failureMessage, /signedtxn has no sig/);
  const much = [await payment(alice, bob, 10n ** 15n)];
  const bad = await node.simulateTransactions(request(
    much.map((txn) => algosdk.decodeSignedTransaction(txn.signTxn(alice.sk))),
  )).do();
  assert.match(bad.txnGroups[0].failureMessage, /overspend/);
  assert.deepEqual(bad.txnGroups[0].failedAt.map(Number), [0]);
});

await step('wrong token', async () => {
  const wrong = new algosdk.Algodv2('b'.repeat(64), ...parts(urls[0]));
  await assert.rejects(wrong.status().do(), /401/);
});

await step('overspend text', async () => {
  await assert.rejects(
    sendOne(await payment(alice, bob, 10n ** 15n), alice),
    /TransactionPool\.Remember: transaction [A-Z2-7]{52}: overspend \(account .*tried to spend 1000000000A\)/,
  );
});

console.log(JSON.stringify({ sdk: 'algosdk', done }));
