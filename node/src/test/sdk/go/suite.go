// What wallets and tools do, with the official SDK as published, against a local network.
//
//	go run . URL_OF_KMD URL_OF_NODE_1 URL_OF_NODE_2
//
// Exits 0 when all holds and prints one JSON object; else says what does not.
package main

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"os"
	"regexp"
	"strings"

	"github.com/algorand/go-algorand-sdk/v2/client/kmd"
	"github.com/algorand/go-algorand-sdk/v2/client/v2/algod"
	"github.com/algorand/go-algorand-sdk/v2/client/v2/common/models"
	"github.com/algorand/go-algorand-sdk/v2/crypto"
	"github.com/algorand/go-algorand-sdk/v2/transaction"
	"github.com/algorand/go-algorand-sdk/v2/types"
)

var (
	token = strings.Repeat("a", 64)
	ctx   = context.Background()
	node  *algod.Client
	done  []string
)

func must[T any](value T, err error) T {
	check(err)
	return value
}

func check(err error) {
	if err != nil {
		panic(err)
	}
}

func require(holds bool, what string, arguments ...any) {
	if !holds {
		panic(fmt.Sprintf(what, arguments...))
	}
}

func refused(pattern string, err error) {
	require(err != nil, "not refused: %s", pattern)
	require(regexp.MustCompile(pattern).MatchString(err.Error()), "%v does not match %s", err, pattern)
}

func step(name string, work func()) {
	defer func() {
		if fault := recover(); fault != nil {
			fmt.Fprintf(os.Stderr, "%s: %v\n", name, fault)
			os.Exit(1)
		}
	}()
	work()
	done = append(done, name)
}

func params() types.SuggestedParams {
	return must(node.SuggestedParams().Do(ctx))
}

func confirmed(txid string) models.PendingTransactionInfoResponse {
	return must(transaction.WaitForConfirmation(node, txid, 20, ctx))
}

func trySend(signed []byte) (string, error) {
	return node.SendRawTransaction(signed).Do(ctx)
}

func send(txn types.Transaction, account crypto.Account) (string, models.PendingTransactionInfoResponse) {
	id, signed, err := crypto.SignTransaction(account.PrivateKey, txn)
	check(err)
	sent := must(trySend(signed))
	require(sent == id, "the node gives the id that the SDK computes")
	return id, confirmed(id)
}

func sendFails(pattern string, txn types.Transaction, account crypto.Account) {
	_, signed, err := crypto.SignTransaction(account.PrivateKey, txn)
	check(err)
	_, err = trySend(signed)
	refused(pattern, err)
}

func payment(sender, receiver string, amount uint64, note []byte, closeTo string) types.Transaction {
	return must(transaction.MakePaymentTxn(sender, receiver, amount, note, closeTo, params()))
}

func address(account crypto.Account) string { return account.Address.String() }

func info(address string) models.Account {
	return must(node.AccountInformation(address).Do(ctx))
}

func main() {
	kmdURL, urls := os.Args[1], os.Args[2:]
	var nodes []*algod.Client
	for _, url := range urls {
		nodes = append(nodes, must(algod.MakeClient(url, token)))
	}
	node = nodes[len(nodes)-1]

	var dispenser crypto.Account
	step("dispenser through kmd", func() {
		daemon := must(kmd.MakeClient(kmdURL, token))
		require(must(daemon.Version()).Versions[0] == "v1", "version of kmd")
		var id string
		for _, wallet := range must(daemon.ListWallets()).Wallets {
			if wallet.Name == "unencrypted-default-wallet" {
				id = wallet.ID
			}
		}
		handle := must(daemon.InitWalletHandle(id, "")).WalletHandleToken
		account := must(daemon.ListKeys(handle)).Addresses[0]
		dispenser = must(crypto.AccountFromPrivateKey(must(daemon.ExportKey(handle, "", account)).PrivateKey))
		require(address(dispenser) == account, "the exported key is the account's")
		must(daemon.ReleaseWalletHandle(handle))
		_, err := daemon.ListKeys(handle)
		refused("handle does not exist", err)
	})
	alice, bob, carol, dave := crypto.GenerateAccount(), crypto.GenerateAccount(), crypto.GenerateAccount(), crypto.GenerateAccount()

	step("params", func() {
		suggested := params()
		require(suggested.MinFee == 1000, "min-fee %d", suggested.MinFee)
		require(must(node.Versions().Do(ctx)).GenesisID == suggested.GenesisID, "genesis id")
	})
	step("fund", func() {
		for _, account := range []crypto.Account{alice, bob, carol} {
			send(payment(address(dispenser), address(account), 20_000_000, nil, ""), dispenser)
		}
	})
	var paid string
	var paidIn uint64
	step("pay with note and lease", func() {
		txn := payment(address(alice), address(bob), 1_000_001, []byte("grüße"), "")
		lease := [32]byte{7}
		txn.AddLease(lease, 1)
		var result models.PendingTransactionInfoResponse
		paid, result = send(txn, alice)
		paidIn = result.ConfirmedRound
		again := payment(address(alice), address(bob), 5, nil, "")
		again.AddLease(lease, 1)
		sendFails("using an overlapping lease", again, alice)
	})
	step("close", func() {
		send(payment(address(dispenser), address(dave), 1_000_000, nil, ""), dispenser)
		_, result := send(payment(address(dave), address(alice), 10, nil, address(bob)), dave)
		require(result.ClosingAmount == 1_000_000-10-1000, "closing amount %d", result.ClosingAmount)
		require(info(address(dave)).Amount == 0, "the account is closed")
	})
	step("rekey and back", func() {
		txn := payment(address(alice), address(alice), 0, nil, "")
		check(txn.Rekey(address(carol)))
		send(txn, alice)
		require(info(address(alice)).AuthAddr == address(carol), "auth-addr")
		sendFails("should have been authorized by", payment(address(alice), address(bob), 1, nil, ""), alice)
		back := payment(address(alice), address(alice), 0, nil, "")
		check(back.Rekey(address(alice)))
		id, signed, err := crypto.SignTransaction(carol.PrivateKey, back)
		check(err)
		must(trySend(signed))
		confirmed(id)
		require(info(address(alice)).AuthAddr == "", "auth-addr is gone")
	})
	step("multisig", func() {
		shared := must(crypto.MultisigAccountWithParams(1, 2, []types.Address{alice.Address, bob.Address, carol.Address}))
		account := must(shared.Address()).String()
		send(payment(address(dispenser), account, 2_000_000, nil, ""), dispenser)
		txn := payment(account, address(alice), 1_000, nil, "")
		id, one, err := crypto.SignMultisigTransaction(alice.PrivateKey, shared, txn)
		check(err)
		_, err = trySend(one)
		refused("multisig validation failed|Invalid number of signatures", err)
		_, both, err := crypto.AppendMultisigTransaction(bob.PrivateKey, shared, one)
		check(err)
		must(trySend(both))
		confirmed(id)
	})
	step("atomic group of 16", func() {
		var txns []types.Transaction
		for i := range 16 {
			from, to := bob, alice
			if i%2 == 1 {
				from, to = alice, bob
			}
			txns = append(txns, payment(address(from), address(to), uint64(i), nil, ""))
		}
		txns = must(transaction.AssignGroupID(txns, ""))
		var all [][]byte
		var ids []string
		for i, txn := range txns {
			from := bob
			if i%2 == 1 {
				from = alice
			}
			id, signed, err := crypto.SignTransaction(from.PrivateKey, txn)
			check(err)
			all, ids = append(all, signed), append(ids, id)
		}
		require(must(trySend(bytes.Join(all, nil))) == ids[0], "the id of the first")
		rounds := map[uint64]bool{}
		for _, id := range ids {
			rounds[confirmed(id).ConfirmedRound] = true
		}
		require(len(rounds) == 1, "one round")
		_, err := trySend(bytes.Join(all[1:], nil))
		refused("incomplete group|inconsistent", err)
	})

	var asset uint64
	step("asset create", func() {
		txn := must(transaction.MakeAssetCreateTxn(address(alice), nil, params(), 1<<64-1, 2, false, address(alice), address(alice),
			address(alice), address(alice), "TST", "Tëst", "https://example.org/<&>", ""))
		_, result := send(txn, alice)
		asset = result.AssetIndex
		made := must(node.GetAssetByID(asset).Do(ctx)).Params
		require(made.Total == 1<<64-1 && made.Name == "Tëst" && made.Url == "https://example.org/<&>", "%+v", made)
	})
	transfer := func(sender, receiver crypto.Account, amount uint64, closeTo string) types.Transaction {
		return must(transaction.MakeAssetTransferTxn(address(sender), address(receiver), amount, nil, params(), closeTo, asset))
	}
	holding := func(account crypto.Account) models.AssetHolding {
		return must(node.AccountAssetInformation(address(account), asset).Do(ctx)).AssetHolding
	}
	step("asset opt-in", func() {
		sendFails("must optin", transfer(alice, bob, 1, ""), alice)
		for _, account := range []crypto.Account{bob, carol} {
			send(transfer(account, account, 0, ""), account)
		}
	})
	step("asset transfer", func() {
		send(transfer(alice, bob, 500, ""), alice)
		require(holding(bob).Amount == 500, "%+v", holding(bob))
	})
	step("asset clawback", func() {
		send(must(transaction.MakeAssetRevocationTxn(address(alice), address(bob), 100, address(carol), nil, params(), asset)), alice)
		require(holding(bob).Amount == 400 && holding(carol).Amount == 100, "clawback")
	})
	step("asset freeze", func() {
		send(must(transaction.MakeAssetFreezeTxn(address(alice), nil, params(), asset, address(bob), true)), alice)
		require(holding(bob).IsFrozen, "frozen")
		sendFails("frozen", transfer(bob, carol, 1, ""), bob)
		send(must(transaction.MakeAssetFreezeTxn(address(alice), nil, params(), asset, address(bob), false)), alice)
	})
	step("asset reconfigure", func() {
		send(must(transaction.MakeAssetConfigTxn(address(alice), nil, params(), asset, address(alice), address(bob), "", address(alice), false)), alice)
		now := must(node.GetAssetByID(asset).Do(ctx)).Params
		require(now.Reserve == address(bob) && now.Freeze == "", "%+v", now)
	})
	step("asset destroy", func() {
		sendFails("cannot destroy asset", must(transaction.MakeAssetDestroyTxn(address(alice), nil, params(), asset)), alice)
		for _, account := range []crypto.Account{bob, carol} {
			send(transfer(account, alice, 0, address(alice)), account)
		}
		send(must(transaction.MakeAssetDestroyTxn(address(alice), nil, params(), asset)), alice)
		_, err := node.GetAssetByID(asset).Do(ctx)
		refused("asset does not exist", err)
	})
	step("keyreg", func() {
		key := func(size int, fill byte) string {
			return base64.StdEncoding.EncodeToString(bytes.Repeat([]byte{fill}, size))
		}
		send(must(transaction.MakeKeyRegTxnWithStateProofKey(address(carol), nil, params(), key(32, 1), key(32, 2), key(64, 3), 1, 1000, 10, false)), carol)
		account := info(address(carol))
		require(account.Status == "Online" && account.Participation.VoteKeyDilution == 10, "%+v", account)
		send(must(transaction.MakeKeyRegTxnWithStateProofKey(address(carol), nil, params(), "", "", "", 0, 0, 0, false)), carol)
		require(info(address(carol)).Status == "Offline", "offline")
	})
	step("pending", func() {
		_, signed, err := crypto.SignTransaction(alice.PrivateKey, payment(address(alice), address(bob), 77, nil, ""))
		check(err)
		id := must(trySend(signed))
		pending, _, err := node.PendingTransactionInformation(id).Do(ctx)
		check(err)
		require(pending.PoolError == "", "%s", pending.PoolError)
		_, _, err = node.PendingTransactions().Max(2).Do(ctx)
		check(err)
		_, _, err = node.PendingTransactionsByAddress(address(alice)).Do(ctx)
		check(err)
		confirmed(id)
		_, _, err = node.PendingTransactionInformation(strings.Repeat("A", 52)).Do(ctx)
		refused("could not find", err)
	})
	step("blocks", func() {
		block := must(node.Block(paidIn).Do(ctx))
		require(uint64(block.Round) == paidIn && len(block.Payset) > 0, "block %d", block.Round)
		hashes := map[string]bool{}
		for _, each := range nodes {
			hashes[must(each.GetBlockHash(paidIn).Do(ctx)).Blockhash] = true
		}
		require(len(hashes) == 1, "one hash")
	})
	step("proofs", func() {
		for _, kind := range []string{"sha512_256", "sha256"} {
			proof := must(node.GetTransactionProof(paidIn, paid).Hashtype(kind).Do(ctx))
			require(proof.Hashtype == kind && len(proof.Stibhash) == 32, "%+v", proof)
		}
	})
	step("account and supply", func() {
		require(info(address(alice)).TotalCreatedAssets == 0, "created assets")
		supply := must(node.Supply().Do(ctx))
		require(supply.TotalMoney >= supply.OnlineMoney, "%+v", supply)
		require(info(address(crypto.GenerateAccount())).Amount == 0, "unknown account")
	})
	step("simulate a group", func() {
		txns := must(transaction.AssignGroupID([]types.Transaction{
			payment(address(alice), address(bob), 1, nil, ""), payment(address(bob), address(alice), 2, nil, ""),
		}, ""))
		ask := func(empty bool, signed ...types.SignedTxn) models.SimulateTransactionGroupResult {
			return must(node.SimulateTransaction(models.SimulateRequest{
				AllowEmptySignatures: empty,
				TxnGroups:            []models.SimulateRequestTransactionGroup{{Txns: signed}},
			}).Do(ctx)).TxnGroups[0]
		}
		unsigned := []types.SignedTxn{{Txn: txns[0]}, {Txn: txns[1]}}
		good := ask(true, unsigned...)
		require(good.FailureMessage == "" && len(good.TxnResults) == 2, "%+v", good)
		require(strings.Contains(ask(false, unsigned...).FailureMessage, "signedtxn has no sig"), "missing signature")
		bad := ask(true, types.SignedTxn{Txn: payment(address(alice), address(bob), 1_000_000_000_000_000, nil, "")})
		require(strings.Contains(bad.FailureMessage, "overspend") && bad.FailedAt[0] == 0, "%+v", bad)
	})
	step("wrong token", func() {
		wrong := must(algod.MakeClient(urls[0], strings.Repeat("b", 64)))
		_, err := wrong.Status().Do(ctx)
		refused("401|Invalid API Token", err)
	})
	step("overspend text", func() {
		sendFails(`TransactionPool\.Remember: transaction [A-Z2-7]{52}: overspend \(account .*tried to spend 1000000000A\)`,
			payment(address(alice), address(bob), 1_000_000_000_000_000, nil, ""), alice)
	})
	check(json.NewEncoder(os.Stdout).Encode(map[string]any{"sdk": "go-algorand-sdk", "done": done}))
}
